"""Profiles as they might have come out: each environment's instances drawn anew, with replacement.

All rollouts of an instance come and go together, as they are alike. What is drawn for one environment does not depend
on which others there are.

Source: cluster bootstrap. Departures: transitions are left out, as nothing that is resampled looks at them.
"""

from collections.abc import Sequence

import numpy as np

from palaestra.core.instance import seed_from
from palaestra.core.profile import AbilityProfile
from palaestra.core.rate import Rate
from palaestra.core.ticket import Group
from palaestra.measure.labelers import Labeler
from palaestra.measure.profiles import Thresholds, label


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
    instances = [members for members in label(env_id, groups, labeler) if members]
    abilities = sorted({ability for members in instances for labels in members for ability in labels})
    hits_IA = np.array([[sum(a in labels for labels in members) for a in abilities] for members in instances], int)
    sizes_I = np.array([len(members) for members in instances], int)
    even, rng = np.full(len(instances), 1 / max(1, len(instances))), np.random.default_rng(seed_from(seed, env_id))
    found = []
    for _ in range(draws):
        times_I = rng.multinomial(len(instances), even) if instances else sizes_I
        played = int(times_I @ sizes_I)
        hits = zip(abilities, (times_I @ hits_IA).tolist(), strict=True) if instances else ()
        kept = {ability: rate for ability, n in hits if thresholds.kept(rate := Rate(n, played))}
        core = {ability: rate.value for ability, rate in kept.items() if thresholds.core(rate)}
        soft = {ability: rate.value for ability, rate in kept.items() if ability not in core}
        found.append(AbilityProfile(env_id, core, soft, {}, {"": played}))
    return found
