"""What a guard knows of one environment, and the alarms it raises."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from palaestra.core.ticket import Group
from palaestra.curriculum.tally import NOTHING, Tally


class Alarm(NamedTuple):
    """An environment that needs somebody's eye, why ("starved" or "silent"), and for how many groups already."""

    env_id: str
    kind: str
    groups: int


@dataclass(frozen=True, slots=True)
class Watch:
    """One environment: its successes at the frontier since the last look, and how often it collapsed there.

    `heard` is the number of the last group that came back with a score, `flat` how many in a row gave no signal: all
    members succeeded, or none.
    """

    env_id: str
    scales: tuple[int, ...]
    tally: Tally = NOTHING
    collapses: int = 0
    heard: int = 0
    flat: int = 0

    def hear(self, group: Group, number: int, at_frontier: bool) -> "Watch":
        """Return the watch after the group of this number; one without any score is not heard."""
        outcomes = {member.success for member in group.trajectories if not member.error}
        if not outcomes:
            return self
        tally = self.tally.plus(group) if at_frontier else self.tally
        return replace(self, tally=tally, heard=number, flat=self.flat + 1 if len(outcomes) == 1 else 0)

    def judge(self, collapsed: bool = False) -> "Watch":
        """Return the watch as it starts to count anew."""
        return replace(self, tally=NOTHING, collapses=self.collapses + collapsed)
