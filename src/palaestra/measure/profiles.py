"""Labelled trajectories become a profile: which abilities one environment exercises, how surely, and in what order.

The frequency of an ability is the share of trajectories that show it, over all players together: a weak one shows what
is tried, a strong one what is needed.

Source: Ability-aware Environment Selection: 5 instances, two players with 20 trajectories each, abilities below 10 %
dropped as noise, the rest core or soft, transitions between them kept. Departures: how it tells core from soft is not
known. Ours: core is what we are sure that a quarter of the trajectories show, by the lower Wilson bound, which takes
about 16 of 40. Trajectories of one instance are alike, so that bound is a little bold; `stability` tells how much.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from palaestra.core.errors import BadMeasurement
from palaestra.core.profile import AbilityProfile
from palaestra.core.rate import Rate
from palaestra.core.ticket import Group
from palaestra.measure.instances import by_instance
from palaestra.measure.labelers import EventLabeler, Labeler, Labels


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where noise ends and where core begins, as shares of trajectories.

    A share of exactly a tenth may well come from a rarer ability: with `sure`, an ability is kept only where the
    posterior probability that it is no noise (`Rate.above`) is that large. 0 is the paper's rule.

    >>> [(hits, Thresholds().kept(Rate(hits, 40)), Thresholds().core(Rate(hits, 40))) for hits in (3, 4, 15, 16)]
    [(3, False, False), (4, True, False), (15, True, False), (16, True, True)]
    """

    noise: float = 0.10
    core_above: float = 0.25
    sure: float = 0.0

    def kept(self, shown: Rate) -> bool:
        """Tell whether an ability is more than noise."""
        return shown.hits > 0 and shown.value >= self.noise and shown.above(self.noise) >= self.sure

    def core(self, shown: Rate) -> bool:
        """Tell whether a kept ability is surely common."""
        return self.kept(shown) and shown.low > self.core_above


def profile(
    env_id: str, groups: Sequence[Group], labeler: Labeler | Labels | None = None, thresholds: Thresholds | None = None
) -> AbilityProfile:
    """Return the profile of one environment from groups of any players; failed rollouts are no evidence.

    An edge counts immediate successions of two kept abilities. Without any trajectory the profile is empty and its
    support says 0.

    Raises:
        BadMeasurement: a group comes from another environment.
    """
    thresholds = thresholds or Thresholds()
    labelled = [labels for members in label(env_id, groups, labeler) for labels in members]
    hits = Counter(ability for labels in labelled for ability in set(labels))
    rates = {ability: Rate(hits[ability], len(labelled)) for ability in sorted(hits)}
    kept = {ability: rate for ability, rate in rates.items() if thresholds.kept(rate)}
    edges = Counter(edge for labels in labelled for edge in pairwise(labels) if kept.keys() >= set(edge))
    return AbilityProfile(
        env_id,
        core={ability: rate.value for ability, rate in kept.items() if thresholds.core(rate)},
        soft={ability: rate.value for ability, rate in kept.items() if not thresholds.core(rate)},
        edges=dict(sorted(edges.items())),
        support={"": len(labelled)} | {ability: rate.hits for ability, rate in kept.items()},
    )


def label(env_id: str, groups: Sequence[Group], labeler: Labeler | Labels | None = None) -> list[list[Sequence[str]]]:
    """Return the abilities of every judged trajectory, instance by instance; labels at hand are looked up.

    Raises:
        BadMeasurement: a group comes from another environment, or a trajectory has no label.
    """
    named = labeler or EventLabeler()
    return [
        [
            _looked_up(named, group, member) if isinstance(named, Mapping) else named(group.trajectories[member])
            for group in instance
            for member in judged(group)
        ]
        for instance in by_instance(env_id, groups)
    ]


def judged(group: Group) -> list[int]:
    """Return the numbers of the members that are evidence."""
    kept = {id(member) for member in group.judged()}
    return [n for n, member in enumerate(group.trajectories) if id(member) in kept]


def _looked_up(labels: Labels, group: Group, member: int) -> Sequence[str]:
    if (group.ticket.id, member) not in labels:
        raise BadMeasurement(
            f"member {member} of ticket {group.ticket.id} ({group.ticket.instance.key()}) has no label; label every "
            "trajectory that no error ended, with no ability where it shows none"
        )
    return labels[group.ticket.id, member]
