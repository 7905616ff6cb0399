"""What batches of gradients tell of norms, dot products and their errors, all from one Gram matrix.

Batches are disjoint, so a product of two of them carries no noise of its own: the mean over pairs of *different*
batches estimates the squared norm of the true gradient without bias, where the norm of the mean is too large by the
noise. Their ratio is the reliability rho = 1 / (1 + B / n), by whose square root a naive cosine is attenuated on either
side.

Source: cross-fitted U-statistics; the delta method for the variance of a product of two independent means. Departures:
every environment is measured in units of its own naive norm, since gradient norms differ up to 40-fold.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Reliability of each environment with its jackknife error, naive cosine of each pair with its variance.

    An environment whose gradient is zero has reliability 0, and cosine 0 with every other.
    """

    reliability_E: Array
    reliability_se_E: Array
    naive_EE: Array
    variance_EE: Array


def moments(batches_EMK: Array) -> Moments:
    """Return the moments of E environments with M >= 3 batches each."""
    E, M, K = batches_EMK.shape
    norm_E = np.linalg.norm(batches_EMK.mean(axis=1), axis=1)
    unit_EMK = batches_EMK / np.where(norm_E > 0, norm_E, np.inf)[:, None, None]
    flat = unit_EMK.reshape(E * M, K)
    gram_EMEM = (flat @ flat.T).reshape(E, M, E, M)
    mean_EE = gram_EMEM.mean(axis=(1, 3))
    naive_EE = (mean_EE + mean_EE.T) / 2  # equal up to rounding, which differs by processor
    own_EMM = np.ascontiguousarray(gram_EMEM[np.arange(E), :, np.arange(E), :])
    return Moments(
        reliability_E=_reliability(own_EMM.sum(axis=(1, 2)), np.trace(own_EMM, axis1=1, axis2=2), M),
        reliability_se_E=_jackknife(own_EMM),
        naive_EE=naive_EE,
        variance_EE=_variance(gram_EMEM, naive_EE),
    )


def _reliability(total: Array, trace: Array, batches: int) -> Array:
    """Return U / |mean|^2 from the sum and the trace of a Gram matrix of batches; 0 where the mean is zero."""
    squared_norm = total / batches**2
    unbiased = (total - trace) / (batches * (batches - 1))
    share: Array = np.divide(unbiased, squared_norm, out=np.zeros_like(total), where=squared_norm > 0)
    return share


def _jackknife(own_EMM: Array) -> Array:
    """Return the standard error of each reliability, by leaving out one batch at a time."""
    M = own_EMM.shape[1]
    diagonal_EM = np.diagonal(own_EMM, axis1=1, axis2=2)
    total_EM = own_EMM.sum(axis=(1, 2))[:, None] - 2 * own_EMM.sum(axis=2) + diagonal_EM
    without_EM = _reliability(total_EM, diagonal_EM.sum(axis=1, keepdims=True) - diagonal_EM, M - 1)
    error_E: Array = np.sqrt((M - 1) * without_EM.var(axis=1))
    return error_E


def _variance(gram_EMEM: Array, naive_EE: Array) -> Array:
    """Return A / M + A' / M - T / M^2 for each pair, at least T / 2 M^2.

    A is the variance of one side's batches along the other's mean; T, the squared products of centred batches, is the
    noise of both sides together, which A and A' count twice.
    """
    M = gram_EMEM.shape[1]
    left_EME = gram_EMEM.mean(axis=3)
    right_EEM = gram_EMEM.mean(axis=1)
    A_EE = ((left_EME - naive_EE[:, None, :]) ** 2).sum(axis=1) / (M - 1)
    centred_EMEM = gram_EMEM - left_EME[..., None] - right_EEM[:, None] + naive_EE[:, None, :, None]
    T_EE = (centred_EMEM**2).sum(axis=(1, 3)) / (M - 1) ** 2
    variance_EE: Array = np.maximum((A_EE + A_EE.T) / M - T_EE / M**2, T_EE / (2 * M**2))
    return variance_EE
