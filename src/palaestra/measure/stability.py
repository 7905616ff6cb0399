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
from palaestra.measure.profiles import Thresholds, label


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
    instances = [members for members in label(env_id, groups, labeler) if members]
    abilities = sorted({ability for members in instances for labels in members for ability in labels})
    if not instances:
        return Stability(1.0, {}, 0)
    sizes_I = np.array([len(members) for members in instances])
    hits_IA = np.array([[sum(a in labels for labels in members) for a in abilities] for members in instances], int)

    def core(times_I: np.ndarray[tuple[int], np.dtype[np.int64]]) -> frozenset[str]:
        n, hits_A = int(times_I @ sizes_I), times_I @ hits_IA
        return frozenset(a for a, hits in zip(abilities, hits_A, strict=True) if thresholds.core(Rate(int(hits), n)))

    full = core(np.ones_like(sizes_I))
    even = np.full(len(instances), 1 / len(instances))
    cores = [core(times_I) for times_I in np.random.default_rng(seed).multinomial(len(instances), even, size=draws)]
    shares = {ability: sum(ability in drawn for drawn in cores) / draws for ability in abilities}
    return Stability(
        jaccard=sum(_jaccard(full, drawn) for drawn in cores) / draws,
        core_share={ability: share for ability, share in shares.items() if share},
        instances=len(instances),
    )


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the overlap of two sets; 1 when both are empty."""
    return len(one & other) / len(one | other) if one or other else 1.0
