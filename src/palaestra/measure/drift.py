"""How far the conflict of a pool moved while a policy trained: conflict at the start is not conflict later on.

Two matrices are compared over the pairs that are measured in both. Errors alone make cosines differ, so the change that
they would make is told beside the change that was found; only what exceeds it is drift.

Source: task affinity grouping averages over training for this reason; ours only reports.
"""

from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from palaestra.core.errors import BadMeasurement
from palaestra.measure.conflict import CosineMatrix
from palaestra.measure.ranks import rank_correlation


@dataclass(frozen=True, slots=True)
class Drift:
    """What became of the corrected cosines of `pairs` pairs: how alike their order stayed, their mean absolute change,
    and the mean absolute change that their errors alone would make; None where too few pairs are measured."""

    pairs: int
    rank_correlation: float | None
    change: float | None
    by_noise: float | None


def drift(before: CosineMatrix, after: CosineMatrix) -> Drift:
    """Return how far conflict moved between two measurements of a pool; environments that only one has do not count.

    Raises:
        BadMeasurement: they are of two metrics.
    """
    if before.metric != after.metric:
        raise BadMeasurement(
            f"drift between cosines in the metrics {before.metric!r} and {after.metric!r}; measure both in one"
        )
    shared = sorted({*before.env_ids} & {*after.env_ids})
    pairs = [(one, other) for i, one in enumerate(shared) for other in shared[i + 1 :]]
    both = [(a, b) for pair in pairs if (a := before.pair(*pair)).measured and (b := after.pair(*pair)).measured]
    if not both:
        return Drift(0, None, None, None)
    found = np.array([(a.corrected, b.corrected, a.se, b.se) for a, b in both])
    old, new, *errors = found.T
    by_noise = sqrt(2 / pi) * float(np.mean(np.hypot(*errors)))
    return Drift(len(both), rank_correlation(old, new), float(np.abs(new - old).mean()), by_noise)
