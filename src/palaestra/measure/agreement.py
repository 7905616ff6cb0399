"""How far labelers agree: Krippendorff's alpha for each ability, over trajectories that all of them have labelled.

1 is full agreement, 0 what chance would give, below 0 worse. Where nobody's labels vary there is nothing to agree on,
and alpha is unknown. Below 0.4 a label says more of its labeler than of the trajectory: drop it, or merge it. A labeler
has no say on an ability for which it had no word: its silence is no judgement.

Source: Krippendorff, Content Analysis, nominal data (shown or not). Departures: the interval resamples instances as
wholes, as their trajectories are alike.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palaestra.core.errors import BadMeasurement

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far labelers agree on one ability: alpha with its 95 % interval, None where unknown; how often each saw it
    who had a say."""

    alpha: float | None
    low: float | None
    high: float | None
    shown: Mapping[str, int]
    trajectories: int


def agreement(
    labelled: Mapping[str, Sequence[Sequence[Sequence[str]]]],
    words: Mapping[str, Set[str]] | None = None,
    draws: int = 400,
    seed: int = 0,
) -> dict[str, Agreement]:
    """Return how far labelers agree on each ability that any of them names.

    Args:
        labelled: by labeler, the abilities of each trajectory, instance by instance; of the same trajectories.
        words: by labeler, the abilities that it could have named; by default all of them.
        draws: bootstraps behind an interval.

    Raises:
        BadMeasurement: there are fewer than two labelers, or they labelled different trajectories.
    """
    shapes = {tuple(map(len, instances)) for instances in labelled.values()}
    if len(labelled) < 2 or len(shapes) != 1:
        raise BadMeasurement(
            f"agreement of {', '.join(labelled) or 'nobody'}: give two labelers or more, of the same trajectories"
        )
    (sizes,) = shapes
    abilities = sorted({a for instances in labelled.values() for members in instances for own in members for a in own})
    even = np.full(max(1, len(sizes)), 1 / max(1, len(sizes)))
    times_DI = np.random.default_rng(seed).multinomial(len(sizes), even, size=draws)[:, : len(sizes)]
    found = {}
    for ability in abilities:
        judges = [name for name in labelled if words is None or ability in words[name]]
        shown_IL = np.zeros((len(sizes), len(judges)))
        mixed_I = np.zeros(len(sizes))  # ordered pairs that differ, by instance
        for i in range(len(sizes)):
            votes_TL = np.array([[ability in own for own in labelled[name][i]] for name in judges], float).T
            shown_IL[i] = votes_TL.sum(0)
            yes_T = votes_TL.sum(1)
            mixed_I[i] = (2 * yes_T * (len(judges) - yes_T)).sum()
        ones_I, n_I = shown_IL.sum(1), np.array(sizes, float) * len(judges)
        full = _alpha(mixed_I.sum(keepdims=True), ones_I.sum(keepdims=True), n_I.sum(keepdims=True), len(judges))
        drawn_D = _alpha(times_DI @ mixed_I, times_DI @ ones_I, times_DI @ n_I, len(judges))
        drawn_D = drawn_D[~np.isnan(drawn_D)]
        low, high = map(float, np.quantile(drawn_D, (0.025, 0.975))) if drawn_D.size else (None, None)
        known = not np.isnan(full[0])
        found[ability] = Agreement(
            float(full[0]) if known else None,
            low if known else None,
            high if known else None,
            {name: int(shown) for name, shown in zip(judges, shown_IL.sum(0), strict=True)},
            sum(sizes),
        )
    return found


def _alpha(mixed_D: Array, ones_D: Array, n_D: Array, labelers: int) -> Array:
    """Return alpha from sums [D]: ordered pairs that differ within trajectories, votes for, and votes in all.

    >>> _alpha(np.array([8.0]), np.array([6.0]), np.array([20.0]), 2).round(3)  # Krippendorff's own example
    array([0.095])
    """
    if labelers < 2:
        return np.full(mixed_D.shape, np.nan)
    observed_D = mixed_D / (labelers - 1) / np.maximum(n_D, 1)
    expected_D = 2 * ones_D * (n_D - ones_D) / np.maximum(n_D * (n_D - 1), 1)
    alpha_D: Array = np.where(expected_D > 0, 1 - observed_D / np.where(expected_D > 0, expected_D, 1), np.nan)
    return alpha_D
