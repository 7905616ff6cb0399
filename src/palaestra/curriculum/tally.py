"""Successes counted since the last check, by group and by member."""

from math import ceil
from typing import NamedTuple

from palaestra.core.rate import Rate
from palaestra.core.ticket import Group


class Tally(NamedTuple):
    """Groups with somebody judged, the judged members in them, and how many of these succeeded.

    >>> tally = Tally(groups=16, hits=3, members=256)
    >>> print(tally.success, tally.rate)
    0.01171875 0.062 [0.011, 0.283], n = 16
    """

    groups: int = 0
    hits: int = 0
    members: int = 0

    def plus(self, group: Group) -> "Tally":
        """Return the tally with one more group; nothing judged is nothing counted, never a failure."""
        judged = group.judged()
        if not judged:
            return self
        hits = sum(member.success for member in judged)
        return Tally(self.groups + 1, self.hits + hits, self.members + len(judged))

    @property
    def success(self) -> float:
        """The success rate of members; 0 when nothing was counted."""
        return self.hits / self.members if self.members else 0.0

    @property
    def rate(self) -> Rate:
        """The success rate with groups as the trials, hits rounded up.

        Members of a group share one instance and succeed together; an interval over members would be far too narrow.
        """
        return Rate(ceil(self.groups * self.success), self.groups)


NOTHING = Tally()
