"""Gaussian mixtures by expectation maximisation: the twenty lines that ALP-GMM needs of a library.

Source: Dempster et al. 1977; the number of Gaussians by Akaike's criterion. Departures: a ridge keeps every covariance
regular, however few points there are.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RIDGE = 1e-3


class Mixture(NamedTuple):
    """Weights [K], means [K, D] and covariances [K, D, D] of Gaussians, and Akaike's criterion (less is better)."""

    weights_K: Floats
    means_KD: Floats
    covariances_KDD: Floats
    criterion: float


def best(points_ND: Floats, numbers: Sequence[int], rng: np.random.Generator) -> Mixture:
    """Return the best of the mixtures of so many Gaussians, none of more than there are points."""
    fits = [fit(points_ND, k, rng) for k in numbers if k <= len(points_ND)] or [fit(points_ND, 1, rng)]
    return min(fits, key=lambda found: found.criterion)


def fit(points_ND: Floats, k: int, rng: np.random.Generator, steps: int = 30) -> Mixture:
    """Return a mixture of k Gaussians, started from k of the points."""
    n, d = points_ND.shape
    means_KD = points_ND[rng.choice(n, k, replace=False)]
    covariances_KDD = np.tile(np.atleast_2d(np.cov(points_ND.T) if n > 1 else np.eye(d)) + RIDGE * np.eye(d), (k, 1, 1))
    weights_K, logs_N = np.full(k, 1 / k), np.zeros(n)
    for _ in range(steps):
        logs_NK = np.log(weights_K) + np.stack(
            [_log(points_ND, m, c) for m, c in zip(means_KD, covariances_KDD, strict=True)], 1
        )
        peaks_N = logs_NK.max(axis=1)
        logs_N = peaks_N + np.log(np.exp(logs_NK - peaks_N[:, None]).sum(axis=1))
        shares_NK = np.exp(logs_NK - logs_N[:, None]) + 1e-12
        counts_K = shares_NK.sum(axis=0)
        weights_K, means_KD = counts_K / counts_K.sum(), (shares_NK.T @ points_ND) / counts_K[:, None]
        for j in range(k):
            off_ND = points_ND - means_KD[j]
            covariances_KDD[j] = (shares_NK[:, j, None] * off_ND).T @ off_ND / counts_K[j] + RIDGE * np.eye(d)
    parameters = k * (1 + d + d * (d + 1) / 2) - 1
    return Mixture(weights_K, means_KD, covariances_KDD, float(2 * parameters - 2 * logs_N.sum()))


def _log(points_ND: Floats, mean_D: Floats, covariance_DD: Floats) -> Floats:
    off_ND, d = points_ND - mean_D, len(mean_D)
    distances_N = np.einsum("nd,nd->n", off_ND, np.linalg.solve(covariance_DD, off_ND.T).T)
    found: Floats = -0.5 * (distances_N + np.linalg.slogdet(covariance_DD)[1] + d * np.log(2 * np.pi))
    return found
