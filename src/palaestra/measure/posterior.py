"""Cosines shrunk towards the pool, and the part below zero that is to be expected of them.

A maximum over many noisy cosines reads the noise, not the conflict. Shrinking each towards what the whole pool shows,
by as much as its error demands, and taking the expected negative part E[max(0, -c)] keeps that maximum near the truth.

Source: normal-normal empirical Bayes by the method of moments. Departures: pairs are weighted by their reliabilities
rather than by 1 / se^2, as an error that came out small by chance would count twice; the spread has a floor, since at 0
no pair could conflict any more, and `floored` tells when it binds; fewer than `POOLED` pairs are no pool, and meet a
fixed prior.
"""

from dataclasses import dataclass
from math import erf, pi

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FLOOR = 0.02
"""The least spread of true cosines that is believed."""

POOLED = 10
"""How many measured pairs make a pool: those of five environments."""

_erf = np.vectorize(erf, otypes=[np.float64])


@dataclass(frozen=True, slots=True)
class Prior:
    """True cosines of a pool: normal, around `mean`, with standard deviation `tau`.

    >>> Prior().shrink(np.array([-0.13]), np.array([0.1]))[0].round(3)
    array([-0.065])
    """

    mean: float = 0.0
    tau: float = 0.1
    floored: bool = False

    @classmethod
    def of(cls, cosine_P: Array, se_P: Array, weight_P: Array) -> "Prior":
        """Return the prior that P measured pairs suggest for one another: their mean, and what their spread exceeds
        their errors by."""
        if len(cosine_P) < POOLED:
            return cls()
        mean = np.average(cosine_P, weights=weight_P)
        variance = np.average((cosine_P - mean) ** 2 - se_P**2, weights=weight_P)
        return cls(float(mean), float(np.sqrt(max(variance, FLOOR**2))), floored=bool(variance < FLOOR**2))

    def shrink(self, cosine: Array, se: Array) -> tuple[Array, Array]:
        """Return posterior mean and standard deviation; those of the prior where `se` is infinite."""
        trust = self.tau**2 / (self.tau**2 + se**2)
        away = np.where(np.isfinite(se), cosine - self.mean, 0.0)
        return np.clip(self.mean + trust * away, -1.0, 1.0), self.tau * np.sqrt(1 - trust)


def expected_negative(mean: Array, sd: Array) -> Array:
    """Return E[max(0, -c)] of normal c: never above what is plausible of a cosine, and never zero for want of data.

    >>> expected_negative(np.array([-0.3, 0.0, 0.3]), np.array([0.05, 0.05, 0.05])).round(3)
    array([0.3 , 0.02, 0.  ])
    """
    z = mean / sd
    density, below = np.exp(-(z**2) / 2) / np.sqrt(2 * pi), 0.5 * (1 - _erf(z / np.sqrt(2)))
    part: Array = np.clip(sd * density - mean * below, 0.0, 1.0)
    return part
