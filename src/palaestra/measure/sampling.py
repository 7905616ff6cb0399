"""How many batches each environment needs: until its cosines are sharp enough, the cap is met, or there is no hope.

A pair is sharp at a standard error of 0.05, an environment when nine in ten of its measured pairs are. Of a pair that
is not, the noisier side goes on, and the other one too while its own noise beta = B / n exceeds what planning leaves
it: beta* = sqrt(1 + s^2 d) - 1, from se = sqrt((2 beta + beta^2) / d), d the effective dimension of the pool's noise.
It aims at n beta / beta* samples, at twice of what it has at most: beta and d are guesses yet.

An environment that is not measured goes on as long as its reliability, taken a standard error up, would be trusted at
the cap; one without a live group stops at once. So nothing samples for ever, and nothing for the sake of a partner that
cannot be helped.

Source: planning by the effective dimension, for means that lie along the noise. Departures: to stop when an *estimated*
error is small makes intervals a little too narrow, since small estimates stop first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, sqrt

import numpy as np

from palaestra.measure.conflict import CosineMatrix, trusted

SHARP = 0.05
"""The standard error that is asked for: a cosine of -0.13 is then found four times in five."""

NEARLY = 0.9
"""The share of its measured pairs that must be sharp."""


class Stopped(StrEnum):
    """Why an environment gets no further batch."""

    SHARP = "sharp"
    CAP = "cap"
    HOPELESS = "hopeless"
    PARTNERS = "partners"
    """What is blurred is blurred by environments that are at their cap."""


@dataclass(frozen=True, slots=True)
class Course:
    """How to go on: the number of batches that each open environment shall have, and why the others stopped."""

    batches: Mapping[str, int]
    stopped: Mapping[str, Stopped]


def sharp(found: CosineMatrix) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which environments [E] have reached the error that is asked for."""
    pairs_E = found.pairs.sum(axis=1)
    sharp_E: np.ndarray[tuple[int], np.dtype[np.bool_]] = (pairs_E > 0) & (
        (found.pairs & (found.se_EE <= SHARP)).sum(axis=1) >= NEARLY * pairs_E
    )
    return sharp_E


def further(found: CosineMatrix, cap: Mapping[str, int]) -> Course:
    """Return how to go on after a measurement.

    Args:
        found: what is known.
        cap: how many batches each environment may have.
    """
    noise_E, M_E, sharp_E = found.noise, found.batches_E, sharp(found)
    cap_E = np.array([cap[env_id] for env_id in found.env_ids])
    left = sqrt(1 + (SHARP**2) * found.dimension) - 1 if np.isfinite(found.dimension) else 0.0
    wide_EE = found.pairs & (found.se_EE > SHARP)
    blamed_EE = (noise_E[:, None] >= noise_E) | (noise_E > left)[:, None] | sharp_E
    at_best_E = np.clip(found.reliability_E + found.reliability_se_E, 0.0, 1.0)
    at_cap_E = at_best_E * cap_E / (at_best_E * cap_E + (1 - at_best_E) * M_E)
    hope_E = trusted(at_cap_E, found.reliability_se_E) & (at_best_E > 0)
    batches, stopped = {}, {}
    for e, env_id in enumerate(found.env_ids):
        if sharp_E[e]:
            stopped[env_id] = Stopped.SHARP
        elif not (found.measured_E[e] or hope_E[e]):
            stopped[env_id] = Stopped.HOPELESS
        elif M_E[e] >= cap_E[e]:
            stopped[env_id] = Stopped.CAP
        elif found.measured_E[e] and not (wide_EE & blamed_EE)[e].any():
            stopped[env_id] = Stopped.PARTNERS
        else:
            aim = M_E[e] * noise_E[e] / left if left > 0 else np.inf
            aim = min(max(aim, 1.25 * M_E[e]), 2 * M_E[e]) if found.measured_E[e] else 2 * M_E[e]
            batches[env_id] = min(ceil(aim), int(cap_E[e]))
    return Course(batches, stopped)
