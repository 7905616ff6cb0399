"""What batches of gradients tell of norms, dot products and their errors, all from one Gram matrix.

Batches are disjoint, so a product of two of them carries no noise of its own: the mean over pairs of *different*
batches estimates the squared norm of the true gradient without bias, where the norm of the mean is too large by the
noise. Their ratio is the reliability rho = 1 / (1 + B / n), by whose square root a naive cosine is attenuated on either
side.

A batch that is merely longer than others, because more of its groups are alive, changes dots and norms alike and no
cosine: what a batch adds to the error is its deviation along the other mean, less what its own length explains.

How much noise a cosine then carries depends on how many directions the noise spreads over: its effective dimension
(tr Sigma)^2 / tr Sigma^2. Of one environment it is a rough number; the pool's is the harmonic mean.

Source: cross-fitted U-statistics; the delta method for the cosine of two independent means, whose noise is taken once;
Bai and Saranadasa (1996) for tr Sigma^2. Departures: every environment is measured in units of its own naive norm,
since gradient norms differ up to 40-fold.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LEAST = 0.1
"""A reliability is taken for no less where it divides."""


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Reliability of each environment with its jackknife error, naive cosine of each pair; `variance_EE` times what its
    correction multiplies it by, squared, is the variance of the corrected cosine.

    `concentration_E` is 1 / effective dimension of the noise; it is unbiased, and so may be negative or above 1. An
    environment whose gradient is zero has reliability 0, and cosine 0 with every other.
    """

    reliability_E: Array
    reliability_se_E: Array
    concentration_E: Array
    naive_EE: Array
    variance_EE: Array


def moments(batches: Sequence[Array]) -> Moments:
    """Return the moments of environments from the batches [M, K] of each; M >= 3 may differ between them."""
    M_E = np.array([len(own_MK) for own_MK in batches])
    begin_E = np.cumsum(M_E) - M_E
    flat_BK = np.concatenate([_unit(own_MK) for own_MK in batches])
    gram_BB = flat_BK @ flat_BK.T
    own = [gram_BB[begin : begin + M, begin : begin + M].copy() for begin, M in zip(begin_E, M_E, strict=True)]

    def sums(values: Array, axis: int) -> Array:
        return np.add.reduceat(values, begin_E, axis=axis)

    left_BE = sums(gram_BB, 1) / M_E  # each batch along the mean of each environment
    mean_EE = sums(left_BE, 0) / M_E[:, None]
    naive_EE = (mean_EE + mean_EE.T) / 2  # equal up to rounding, which differs by processor
    off_BE = left_BE - np.repeat(naive_EE, M_E, axis=0)
    reliability_E = np.array([_reliability(own_MM.sum(), np.trace(own_MM), len(own_MM)) for own_MM in own])
    slope_EE = naive_EE / np.maximum(reliability_E, LEAST)[:, None]  # of a dot on its own side's squared norm
    length_B = np.concatenate([_lengths(own_MM) for own_MM in own])
    across_BE = off_BE - np.repeat(slope_EE, M_E, axis=0) * length_B[:, None]
    A_EE = sums(across_BE**2, 0) / (M_E * (M_E - 1))[:, None]
    gram_BB -= np.repeat(left_BE, M_E, axis=1)
    gram_BB -= np.repeat(off_BE.T, M_E, axis=0)
    T_EE = sums(sums(np.square(gram_BB, out=gram_BB), 1), 0) / np.outer(M_E * (M_E - 1), M_E * (M_E - 1))
    return Moments(
        reliability_E,
        np.array([_jackknife(own_MM) for own_MM in own]),
        np.array([_concentration(own_MM) for own_MM in own]),
        naive_EE,
        np.maximum(A_EE + A_EE.T - T_EE, T_EE / 2),
    )


def reliability(batches_MK: Array) -> tuple[float, float]:
    """Return the reliability of one environment and its standard error, from M >= 3 batches."""
    unit_MK = _unit(np.asarray(batches_MK, np.float64))
    gram_MM = unit_MK @ unit_MK.T
    return _reliability(gram_MM.sum(), np.trace(gram_MM), len(gram_MM)), _jackknife(gram_MM)


def _unit(batches_MK: Array) -> Array:
    """Return batches in units of the norm of their mean; zeros where that is zero."""
    norm = np.linalg.norm(batches_MK.mean(axis=0))
    return batches_MK / (norm if norm > 0 else np.inf)


def _reliability(total: float, trace: float, batches: int) -> float:
    """Return U / |mean|^2 from the sum and the trace of a Gram matrix of batches; 0 where the mean is zero."""
    squared_norm = total / batches**2
    return float((total - trace) / (batches * (batches - 1)) / squared_norm) if squared_norm > 0 else 0.0


def _lengths(own_MM: Array) -> Array:
    """Return how far each batch reaches along the mean of the others, less the mean of that."""
    M = len(own_MM)
    along_M = (own_MM.sum(axis=1) - np.diagonal(own_MM)) / (M - 1)
    lengths_M: Array = along_M - along_M.mean()
    return lengths_M


def _jackknife(own_MM: Array) -> float:
    """Return the standard error of a reliability, by leaving out one batch at a time."""
    M, diagonal_M = len(own_MM), np.diagonal(own_MM)
    total_M = own_MM.sum() - 2 * own_MM.sum(axis=1) + diagonal_M
    without = [
        _reliability(total, trace, M - 1) for total, trace in zip(total_M, diagonal_M.sum() - diagonal_M, strict=True)
    ]
    return float(np.sqrt((M - 1) * np.var(without)))


def _concentration(own_MM: Array) -> float:
    """Return tr Sigma^2 / (tr Sigma)^2 of the noise of batches, corrected for their number; 0 without noise."""
    M = len(own_MM)
    centred_MM = own_MM - own_MM.mean(axis=0) - own_MM.mean(axis=1)[:, None] + own_MM.mean()
    trace = np.trace(centred_MM) / (M - 1)
    squares = (M - 1) ** 2 / ((M + 1) * (M - 2)) * ((centred_MM**2).sum() / (M - 1) ** 2 - trace**2 / (M - 1))
    return float(squares / trace**2) if trace > 0 else 0.0
