"""What is known of the conflict in a pool: a number for each measured pair, or the mean gradients to take it from.

Of 10,000 environments nobody keeps all pairs. From mean gradients a cosine is computed when a method asks for it, which
is for the pairs of a candidate and a chosen one only.

Of numbers by pair, an unmeasured pair is charged the mean of the measured ones: at 0 the environments whose gradients
are dead would be the cheapest, and conflict would prefer what nothing is known of.

Source: Ability-aware Environment Selection, the negative part of the naive cosine of mean gradients, 0 where there is
no gradient. Departures: numbers by pair may be anything better, such as the posterior expected negative part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from palaestra.core.errors import BadCandidates

Array = NDArray[np.float64]
Places = NDArray[np.intp] | slice
"""Environments of a pool by index."""


@dataclass(frozen=True, slots=True, eq=False)
class Gradients:
    """Mean gradients of the measured environments, `mean_EK` row by row as `env_ids`; they may be sketches.

    An environment whose mean gradient is zero is unmeasured.
    """

    env_ids: Sequence[str]
    mean_EK: NDArray[np.float32]


Conflict = Mapping[tuple[str, str], float] | Gradients
"""The expected conflict of each measured pair, in [0, 1], by its two ids in order; a missing pair is unmeasured.
Or mean gradients, by whose naive cosines all measured environments are compared."""


class Penalty(Protocol):
    """The conflict of any pairs of a pool."""

    @property
    def measured(self) -> frozenset[str]:
        """Which environments were measured."""

    def __call__(self, rows: Places, others: Places) -> Array:
        """Return the conflict [rows, others] of each with each, or what an unmeasured pair is charged."""


def penalty(conflict: Conflict, env_ids: Sequence[str]) -> Penalty:
    """Return what is known of the pairs of a pool.

    Raises:
        BadCandidates: unknown ids, ids out of order, a conflict out of range, or gradients that are not finite.
    """
    index = {env_id: e for e, env_id in enumerate(env_ids)}
    return _naive(conflict, index) if isinstance(conflict, Gradients) else _by_pair(conflict, index)


@dataclass(frozen=True, slots=True, eq=False)
class _ByPair:
    penalty_EE: Array
    measured: frozenset[str]

    def __call__(self, rows: Places, others: Places) -> Array:
        found: Array = self.penalty_EE[others][:, rows].T  # symmetric: the few columns first
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Naive:
    """Each product is a sum of its own, in one order: it does not depend on what else is asked for at the same time."""

    unit_EK: NDArray[np.float32]
    measured: frozenset[str]

    def __call__(self, rows: Places, others: Places) -> Array:
        cosines = np.vecdot(self.unit_EK[rows][:, None], self.unit_EK[others][None])
        negative: Array = np.clip(-cosines.astype(np.float64), 0.0, 1.0)
        return negative


def _by_pair(conflict: Mapping[tuple[str, str], float], index: Mapping[str, int]) -> _ByPair:
    penalty_EE = np.full((len(index), len(index)), np.nan)
    for pair, found in conflict.items():
        if not (pair[0] < pair[1] and pair[0] in index and pair[1] in index and 0 <= found <= 1):
            raise BadCandidates(
                f"conflict {found} of {pair}: a pair is two profiled ids in order, its conflict lies in [0, 1]"
            )
        one, other = index[pair[0]], index[pair[1]]
        penalty_EE[one, other] = penalty_EE[other, one] = found
    penalty_EE[np.isnan(penalty_EE)] = fmean(conflict.values()) if conflict else 0.0
    np.fill_diagonal(penalty_EE, 0.0)
    return _ByPair(penalty_EE, frozenset(env_id for pair in conflict for env_id in pair))


def _naive(gradients: Gradients, index: Mapping[str, int]) -> _Naive:
    ids, mean_EK = gradients.env_ids, gradients.mean_EK
    if len(set(ids)) < len(ids) or not index.keys() >= set(ids) or mean_EK.shape[0] != len(ids):
        raise BadCandidates(f"{mean_EK.shape[0]} gradients of {len(set(ids))} environments; one of each, all profiled")
    norm_E = np.sqrt(np.vecdot(mean_EK, mean_EK))
    if not np.isfinite(norm_E).all():
        raise BadCandidates(f"the gradient of {ids[int(np.argmin(np.isfinite(norm_E)))]} is not finite; measure again")
    unit_EK = np.zeros((len(index), mean_EK.shape[1]), np.float32)
    unit_EK[[index[env_id] for env_id in ids]] = mean_EK / np.where(norm_E > 0, norm_E, np.inf)[:, None]
    return _Naive(unit_EK, frozenset(env_id for env_id, norm in zip(ids, norm_E, strict=True) if norm > 0))
