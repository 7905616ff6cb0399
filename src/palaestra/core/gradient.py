"""In which direction an environment's policy gradient pulls: sketches, and cosines with their reliability.

The naive cosine of two noisy mean gradients is attenuated by the square root of both reliabilities
rho = 1 / (1 + B / n), B the gradient noise scale and n the samples averaged; so a cosine is never given without one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from palaestra.core.ticket import Group

Block = tuple[str, NDArray[np.floating[Any]]]
"""One named block of a parameter-shaped quantity; a model's gradient never has to exist as one array."""


class GradientSource(Protocol):
    """A trainer that can tell the policy gradient of some groups, block by block."""

    def gradients(self, groups: Sequence[Group]) -> Iterator[Block]:
        """Yield the mean policy gradient over groups, as (name, array)."""

    def second_moments(self) -> Iterator[Block]:
        """Yield the optimiser's running mean of squared gradients, as (name, array) in the same order."""


@dataclass(frozen=True, slots=True, eq=False)
class GradientSketch:
    """Sketched batch gradients of one environment.

    `batches_MK` holds one sketch of K numbers for each of M disjoint batches, `live_groups` counts the groups with a
    gradient at all (not every member alike), `metric` names what the blocks were divided by before sketching,
    `projection` the random map with its seed: only sketches of one metric and one projection can be compared.

    >>> GradientSketch("a/b", np.zeros((10, 8192), np.float32), live_groups=7, metric="adam").batches_MK.shape
    (10, 8192)
    """

    env_id: str
    batches_MK: NDArray[np.float32]
    live_groups: int
    metric: str
    projection: str = ""


@dataclass(frozen=True, slots=True)
class Cosine:
    """The cosine of two environments' mean gradients, with what is known of its error.

    `naive` is attenuated by noise, `corrected` is cross-fitted, `posterior` is shrunk towards the pool, `se` is the
    standard error of `corrected`, `reliability` the share of the naive norms that is signal. A pair that could not be
    measured is `measured = False`: unmeasured, not conflict-free.

    >>> pair = Cosine(naive=-0.06, corrected=-0.13, posterior=-0.1, se=0.05, reliability=0.46, measured=True)
    >>> pair.corrected < pair.posterior < pair.naive
    True
    """

    naive: float
    corrected: float
    posterior: float
    se: float
    reliability: float
    measured: bool
