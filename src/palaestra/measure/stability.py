"""How much of a profile would survive other instances: its core abilities, re-drawn by whole instances.

Trajectories of one instance resemble one another, so instances are what is resampled. With the five of the paper that
is a coarse instrument, and the honest one.

Source: cluster bootstrap; Jaccard index of sets. Departures: the paper reports no stability.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from palaestra.core.rate import Rate
from palaestra.core.ticket import Group
from palaestra.measure.labelers import Labeler, Labels
from palaestra.measure.profiles import Thresholds
from palaestra.measure.resampled import Counts, counted


@dataclass(frozen=True, slots=True)
class Stability:
    """How the core of one profile fares when its instances are drawn anew.

    `jaccard` is the mean overlap of the re-drawn cores with the full one (1 where both are empty), `core_share` how
    often each ability was core, `instances` how many there were to draw from.
    """

    jaccard: float
    core_share: Mapping[str, float]
    instances: int


def stability(
    env_id: str,
    groups: Sequence[Group],
    labeler: Labeler | Labels | None = None,
    thresholds: Thresholds | None = None,
    draws: int = 200,
    seed: int = 0,
) -> Stability:
    """Return how stable the core abilities of one environment are over bootstraps of its instances.

    Raises:
        BadMeasurement: a group comes from another environment.
    """
    thresholds = thresholds or Thresholds()
    abilities, hits_IA, sizes_I = counted(env_id, groups, labeler)
    if not (instances := len(sizes_I)):
        return Stability(1.0, {}, 0)

    def core(times_I: Counts) -> frozenset[str]:
        n, hits_A = int(times_I @ sizes_I), times_I @ hits_IA
        return frozenset(a for a, hits in zip(abilities, hits_A, strict=True) if thresholds.core(Rate(int(hits), n)))

    full = core(np.ones_like(sizes_I))
    even = np.full(instances, 1 / instances)
    cores = [core(times_I) for times_I in np.random.default_rng(seed).multinomial(instances, even, size=draws)]
    shares = {ability: sum(ability in drawn for drawn in cores) / draws for ability in abilities}
    return Stability(
        jaccard=sum(_jaccard(full, drawn) for drawn in cores) / draws,
        core_share={ability: share for ability, share in shares.items() if share},
        instances=instances,
    )


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the overlap of two sets; 1 when both are empty."""
    return len(one & other) / len(one | other) if one or other else 1.0
