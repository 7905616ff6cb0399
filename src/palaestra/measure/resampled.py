"""Profiles as they might have come out: each environment's instances drawn anew, with replacement.

All rollouts of an instance come and go together, as they are alike. What is drawn for one environment does not depend
on which others there are.

Source: cluster bootstrap. Departures: transitions are left out, as nothing that is resampled looks at them.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palaestra.core.instance import seed_from
from palaestra.core.profile import AbilityProfile
from palaestra.core.rate import Rate
from palaestra.core.ticket import Group
from palaestra.measure.labelers import Labeler, Labels
from palaestra.measure.profiles import Thresholds, label

Counts = NDArray[np.int64]


def counted(
    env_id: str, groups: Sequence[Group], labeler: Labeler | Labels | None = None
) -> tuple[list[str], Counts, Counts]:
    """Return the abilities, how many trajectories of each instance show each [I, A], and how many each has [I].

    Raises:
        BadMeasurement: a group comes from another environment, or a trajectory has no label.
    """
    instances = [members for members in label(env_id, groups, labeler) if members]
    abilities = sorted({ability for members in instances for labels in members for ability in labels})
    hits = [[sum(a in labels for labels in members) for a in abilities] for members in instances]
    hits_IA = np.array(hits, np.int64).reshape(len(instances), len(abilities))
    return abilities, hits_IA, np.array([len(members) for members in instances], np.int64)


def resampled(
    env_id: str,
    groups: Sequence[Group],
    draws: int,
    seed: int = 0,
    labeler: Labeler | None = None,
    thresholds: Thresholds | None = None,
) -> list[AbilityProfile]:
    """Return `draws` profiles of one environment.

    Raises:
        BadMeasurement: a group comes from another environment.
    """
    thresholds = thresholds or Thresholds()
    abilities, hits_IA, sizes_I = counted(env_id, groups, labeler)
    instances = len(sizes_I)
    even, rng = np.full(instances, 1 / max(1, instances)), np.random.default_rng(seed_from(seed, env_id))
    found = []
    for _ in range(draws):
        times_I = rng.multinomial(instances, even) if instances else sizes_I
        played = int(times_I @ sizes_I)
        hits = zip(abilities, (times_I @ hits_IA).tolist(), strict=True)
        kept = {ability: rate for ability, n in hits if thresholds.kept(rate := Rate(n, played))}
        core = {ability: rate.value for ability, rate in kept.items() if thresholds.core(rate)}
        soft = {ability: rate.value for ability, rate in kept.items() if ability not in core}
        found.append(AbilityProfile(env_id, core, soft, {}, {"": played}))
    return found
