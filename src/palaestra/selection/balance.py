"""How the three terms of a gain weigh against one another, and what counts as similar.

Source: Ability-aware Environment Selection: every lambda is 1, a soft ability weighs 0.3. Departures: its similarity is
not known; ours is the cosine of weights.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, sqrt

from palaestra.core.errors import BadCandidates

Similarity = Callable[[Mapping[str, float], Mapping[str, float]], float]
"""How alike two profiles are, in [0, 1], from the weights of their abilities."""


def cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the cosine of two weightings; 0 when one of them is empty.

    >>> round(cosine({"track": 1.0, "plan": 0.3}, {"track": 1.0}), 3)
    0.958
    """
    norms = sqrt(sum(w * w for w in one.values()) * sum(w * w for w in other.values()))
    return sum(one[ability] * other.get(ability, 0.0) for ability in one) / norms if norms else 0.0


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
