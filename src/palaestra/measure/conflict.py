"""Sketches become cosines: naive, corrected, shrunk, each with its error and its reliability, or openly unmeasured.

The naive cosine of two noisy means is the true one times the square root of both reliabilities. Dividing by that root
is honest as long as there is signal: unless its reliability exceeds 0.1 by a standard error, an environment is
*unmeasured*, which is not the same as free of conflict. The standard error is in the rule because ten batches of pure
noise often look as reliable as that; with it fewer than one in ten do.

Source: Ability-aware Environment Selection uses the bare cosine of mean gradients. Departures: cross-fitted norms,
shrunk towards the pool as a share of the naive norm; a standard error, wider where batches are few, so that 1.96 of it
are Student's interval, and with the projection's own share 1 / K, as all batches meet one hash; a posterior, from which
selection takes its penalty.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palaestra.core.errors import BadMeasurement
from palaestra.core.gradient import Cosine, GradientSketch
from palaestra.measure.moments import Moments, moments, reliability
from palaestra.measure.posterior import Prior, expected_negative

Array = NDArray[np.float64]

ABSTAIN = 0.1
"""The reliability below which no correction is trusted."""


@dataclass(frozen=True, slots=True, eq=False)
class CosineMatrix:
    """The cosines of all pairs of a pool; entries of an unmeasured pair are nan in `corrected_EE`, inf in `se_EE`.

    `conflict_EE` is the posterior expected negative part. Per environment there are `batches_E`, `reliability_E` with
    its standard error, and `measured_E`; `dimension` is the effective dimension of the pool's noise, `dimension_E`
    roughly that of each; `prior` is what the pool as a whole shows. The diagonals mean nothing.
    """

    env_ids: tuple[str, ...]
    metric: str
    batches_E: NDArray[np.intp]
    naive_EE: Array
    corrected_EE: Array
    se_EE: Array
    posterior_EE: Array
    conflict_EE: Array
    reliability_E: Array
    reliability_se_E: Array
    measured_E: NDArray[np.bool_]
    dimension_E: Array
    dimension: float
    prior: Prior

    @property
    def noise(self) -> Array:
        """Noise over signal [E] in each mean gradient, beta = B / n, as far as a reliability of 0.1 admits."""
        found: Array = 1 / np.maximum(self.reliability_E, ABSTAIN) - 1
        return found

    @property
    def pairs(self) -> NDArray[np.bool_]:
        """Which pairs [E, E] are measured, both ways round; none with itself."""
        found: NDArray[np.bool_] = np.outer(self.measured_E, self.measured_E) & ~np.eye(len(self.env_ids), dtype=bool)
        return found

    def pair(self, one: str, other: str) -> Cosine:
        """Return all that is known of one pair."""
        i, j = self.env_ids.index(one), self.env_ids.index(other)
        return Cosine(
            naive=float(self.naive_EE[i, j]),
            corrected=float(self.corrected_EE[i, j]),
            posterior=float(self.posterior_EE[i, j]),
            se=float(self.se_EE[i, j]),
            reliability=float(np.sqrt(self.reliability_E[i] * self.reliability_E[j])),
            measured=bool(self.measured_E[i] and self.measured_E[j]),
        )

    def conflict(self) -> dict[tuple[str, str], float]:
        """Return the penalty of every measured pair, by its ids in order; a pair that is missing is unmeasured."""
        measured = np.flatnonzero(self.measured_E)
        return {
            (min(pair), max(pair)): float(self.conflict_EE[i, j])
            for i in measured
            for j in measured[measured > i]
            for pair in [(self.env_ids[i], self.env_ids[j])]
        }


def cosines(sketches: Sequence[GradientSketch]) -> CosineMatrix:
    """Return the cosines of all pairs of environments.

    Raises:
        BadMeasurement: sketches of different shapes or metrics, fewer than 3 batches, or one environment twice.
    """
    _comparable(sketches)
    live_E = np.array([sketch.live_groups > 0 for sketch in sketches])
    found = moments(
        [sketch.batches_MK.astype(np.float64) * alive for sketch, alive in zip(sketches, live_E, strict=True)]
    )
    reliability_E = np.clip(found.reliability_E, 0.0, 1.0)
    measured_E = trusted(found.reliability_E, found.reliability_se_E)  # 0 without a live group
    shrunk_E = _shrunk(reliability_E, found, live_E)
    root_EE = np.sqrt(np.outer(shrunk_E, shrunk_E))
    measured_EE = np.outer(measured_E, measured_E)
    own_share = 1 / sketches[0].batches_MK.shape[1]
    corrected_EE = np.where(measured_EE, found.naive_EE / root_EE, np.nan)
    batches_E = np.array([len(sketch.batches_MK) for sketch in sketches])
    widened_EE = _widening(np.add.outer(batches_E, batches_E) - 2) ** 2 * found.variance_EE / root_EE**2
    se_EE = np.where(measured_EE, np.sqrt(widened_EE + own_share), np.inf)
    pairs = np.triu(measured_EE, 1)
    prior = Prior.of(corrected_EE[pairs], se_EE[pairs], weight_P=root_EE[pairs] ** 2)
    posterior_EE, sd_EE = prior.shrink(corrected_EE, se_EE)
    concentration_E = np.where(live_E, np.clip(found.concentration_E, own_share, 1.0), np.nan)
    pooled = found.concentration_E[live_E].mean() if live_E.any() else np.nan
    return CosineMatrix(
        tuple(sketch.env_id for sketch in sketches),
        sketches[0].metric,
        batches_E,
        found.naive_EE,
        corrected_EE,
        se_EE,
        posterior_EE,
        expected_negative(posterior_EE, sd_EE),
        reliability_E,
        found.reliability_se_E,
        measured_E,
        1 / concentration_E,
        float(1 / np.clip(pooled, own_share, 1.0)),
        prior,
    )


def _widening(freedom: Array) -> Array:
    """Return Student's quantile over the normal one, at 95 %: errors themselves are estimated, from few batches.

    >>> _widening(np.array([4, 18, 1000])).round(2)
    array([1.39, 1.07, 1.  ])
    """
    found: Array = 1 + 1.21 / freedom + 1.44 / freedom**2  # Cornish and Fisher
    return found


def trusted(reliability: Array, se: Array) -> NDArray[np.bool_]:
    """Return where a cosine may be corrected, or given at all."""
    found: NDArray[np.bool_] = reliability - se >= ABSTAIN
    return found


def measurable(sketch: GradientSketch) -> bool:
    """Tell whether one environment by itself is measured; of fewer than 3 batches nothing can be said against it."""
    if sketch.live_groups == 0 or len(sketch.batches_MK) < 3:
        return sketch.live_groups > 0
    return bool(trusted(*map(np.asarray, reliability(sketch.batches_MK.astype(np.float64)))))


def _shrunk(reliability_E: Array, found: Moments, live_E: NDArray[np.bool_]) -> Array:
    """Return each reliability shrunk towards the mean of the live ones by V / (V + se^2), at least `ABSTAIN`."""
    if live_E.sum() < 2:
        return np.maximum(reliability_E, ABSTAIN)
    noise_E = found.reliability_se_E**2
    between = max(reliability_E[live_E].var(ddof=1) - noise_E[live_E].mean(), 0.0)
    mean = reliability_E[live_E].mean()
    trust_E = between / np.maximum(between + noise_E, np.finfo(float).tiny)
    shrunk_E: Array = np.maximum(mean + trust_E * (reliability_E - mean), ABSTAIN)
    return shrunk_E


def _comparable(sketches: Sequence[GradientSketch]) -> None:
    """Refuse sketches that do not belong to one pool, one projection and one metric."""
    sizes = {sketch.batches_MK.shape[1] for sketch in sketches}
    kinds = {f"{sketch.metric}, {sketch.projection}" for sketch in sketches}
    if len(sizes) != 1 or len(kinds) != 1 or len({sketch.env_id for sketch in sketches}) < len(sketches):
        raise BadMeasurement(
            f"cosines of {len(sketches)} sketches: sizes {sorted(sizes)}, metrics and projections {sorted(kinds)}; "
            "they share one of each, and each is of another environment"
        )
    if (fewest := min(len(sketch.batches_MK) for sketch in sketches)) < 3:
        raise BadMeasurement(f"cosines: {fewest} batches; errors need at least 3")
