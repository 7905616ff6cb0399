"""The cheap look at conflict: how far two environments move the same parameters, from one gradient of each.

The overlap of two diagonal Fishers F and F', each scaled to trace 1, is sum sqrt(F F'): 1 where both move the same
parameters as much, 0 where they share none. It has no sign: it tells where conflict is possible, not that it is there.
So it comes with its rank correlation to the sampled cosines and to their sizes, and stands in for neither.

Source: Kirkpatrick et al. (2017), the overlap of Fisher matrices. Departures: F is the square of one mean gradient of
the policy, so no batch but one is needed; what is sketched is its root |g|, so no array of the model's size is kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palaestra.core.gradient import GradientSource
from palaestra.core.ticket import Group
from palaestra.measure.conflict import CosineMatrix
from palaestra.measure.hashing import CountSketch
from palaestra.measure.ranks import rank_correlation

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Overlap:
    """The overlaps of all pairs of environments with a gradient, by ids in order, and how well they foretell cosines.

    The correlations are over the `pairs` that are measured: `with_cosine` with the corrected cosine, `with_size` with
    its absolute value; None where fewer than three are.
    """

    overlap: Mapping[tuple[str, str], float]
    pairs: int
    with_cosine: float | None
    with_size: float | None


def fisher_root(source: GradientSource, groups: Sequence[Group], project: CountSketch) -> Array:
    """Return the sketch [K] of the root of the diagonal Fisher of some groups: one backward pass, no whitening."""
    return project((name, np.abs(gradient)) for name, gradient in source.gradients(groups))


def overlap(roots: Mapping[str, Array], sampled: CosineMatrix) -> Overlap:
    """Return the overlaps of the environments whose root is not zero, beside what was sampled."""
    ids = sorted(env_id for env_id, root_K in roots.items() if np.any(root_K))
    unit_EK = np.array([roots[env_id] / np.linalg.norm(roots[env_id]) for env_id in ids])
    found_EE = unit_EK @ unit_EK.T if ids else np.empty((0, 0))
    found = {(a, b): float(found_EE[i, i + 1 + j]) for i, a in enumerate(ids) for j, b in enumerate(ids[i + 1 :])}
    both = [(found[pair], cosine.corrected) for pair in found if (cosine := sampled.pair(*pair)).measured]
    shared, cosines = np.array(both).reshape(-1, 2).T
    return Overlap(found, len(both), rank_correlation(shared, cosines), rank_correlation(shared, np.abs(cosines)))
