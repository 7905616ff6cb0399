"""How the three terms of a gain weigh against one another, and what counts as similar.

Source: Ability-aware Environment Selection: every lambda is 1, a soft ability weighs 0.3. Departures: its similarity is
not known; ours is the cosine of weights.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from palaestra.core.errors import BadCandidates

Array = NDArray[np.float64]
T = TypeVar("T", float, Array)

Similarity = Callable[[Array, Array], Array]
"""How alike the weights [..., A] of some profiles and of others are, pair by pair as these shapes meet, in [0, 1]."""


def cosine(one: Array, other: Array) -> Array:
    """Return the cosines of weightings; 0 where one of them is empty.

    >>> cosine(np.array([[1.0, 0.3], [0.0, 0.0]]), np.array([1.0, 0.0])).round(3)
    array([0.958, 0.   ])
    """
    norms = np.sqrt(np.vecdot(one, one) * np.vecdot(other, other))
    cosines: Array = np.vecdot(one, other) / np.where(norms > 0, norms, 1.0)
    return cosines


@dataclass(frozen=True, slots=True)
class Balance:
    """The weight lambda of each term, the weight of a soft ability, and the similarity of two profiles."""

    coverage: float = 1.0
    redundancy: float = 1.0
    conflict: float = 1.0
    soft: float = 0.3
    similarity: Similarity = cosine

    def __post_init__(self) -> None:
        if not all(0 <= part < inf for part in (self.coverage, self.redundancy, self.conflict, self.soft)):
            raise BadCandidates(f"{self}: weights are finite and not negative")

    def gain(self, coverage: T, redundancy: T, conflict: T) -> T:
        """Return what terms come to, of one environment or of many."""
        return self.coverage * coverage - self.redundancy * redundancy - self.conflict * conflict
