"""Whether two players differ: the paired difference on the same problems.

Pairing removes what the problems themselves contribute. The statement is about these two policies on such problems;
about two *methods* it takes several training runs of each.

Source: paired bootstrap; the sign test for the least number of differing problems. Departures: none.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from palaestra.evaluation.interval import Interval, Strata, macro_mean, stratified
from palaestra.evaluation.metrics import Measure, succeeded
from palaestra.evaluation.scores import Scores, paired

DECIDING = 6
"""With fewer differing problems no sign test reaches 5 %, however they fall: 2 / 2**5 > 0.05."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One player less another, as a macro mean over environments.

    `differing` counts the problems that tell them apart, `missing` those that an error took from either; `budget` is
    what the caller says was spent on both, and `seeds` holds those of the two plays and of the bootstrap.
    """

    value: Interval
    differing: int
    missing: int = 0
    budget: str = ""
    seeds: tuple[int, ...] = ()

    @property
    def beyond(self) -> bool:
        """Whether it is beyond noise: the interval excludes 0, and enough problems differ for that to mean anything."""
        return self.value.excludes_zero and self.differing >= DECIDING

    def json(self) -> dict[str, Any]:
        """Return all of it as JSON data."""
        counts = {"beyond": self.beyond, "differing": self.differing, "missing": self.missing}
        return {"difference": self.value.json(), **counts, "budget": self.budget, "seeds": list(self.seeds)}


def compare(
    one: Scores,
    other: Scores,
    measure: Measure = succeeded,
    *,
    budget: str = "",
    seed: int = 0,
) -> Difference:
    """Return how much more `one` scores than `other`.

    Args:
        one: a player's scores.
        other: another's on the same problems.
        measure: what is compared.
        budget: what was spent on both, in words; that it was equal is for the caller to see to.
        seed: of the bootstrap.

    Raises:
        BadMeasurement: they were not asked the same problems.
    """
    pairs = paired(one, other)
    strata = stratified((a.stratum, [measure(a), measure(b)]) for a, b in pairs)
    less = {stratum: values_NC[:, :1] - values_NC[:, 1:] for stratum, values_NC in strata.items()}
    seeds = (one.seed, other.seed, seed)
    return Difference(macro_mean(less, seed=seed), differing(less), len(one.rows) - len(pairs), budget, seeds)


def differing(strata: Strata) -> int:
    """Return how many problems have a difference."""
    return sum(int(np.count_nonzero(values_NC)) for values_NC in strata.values())
