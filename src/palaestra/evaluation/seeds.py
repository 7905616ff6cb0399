"""One way of training less another, over several seeds: what is due to the problems, and what to the seeds.

Both are paired: by problem, and by seed. Drawing problems anew says how far the difference would move on other
problems, these runs given; the spread over seeds says how far it would move had the runs ended otherwise, and it is
the one that a statement about methods needs. Three seeds leave it wide.

Source: the paired bootstrap of `compare`; Student's t over the seeds. Departures: none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from statistics import fmean, stdev
from typing import Any

import numpy as np

from palaestra.evaluation.interval import Floats, Interval, bootstrap, macro_weights, stratified
from palaestra.evaluation.metrics import Measure, succeeded
from palaestra.evaluation.scores import Scores, paired

STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""The 97.5 % quantiles of Student's t by degrees of freedom, from 1 on; the last serves all beyond."""


@dataclass(frozen=True, slots=True)
class OverSeeds:
    """A value of each seed's run, macro means over environments: with the 95 % interval of their mean over seeds.

    `problems` is the interval of the same mean over problems, None where it was not asked for.

    >>> told = OverSeeds((0.1, 0.2, 0.3))
    >>> round(told.mean, 3), round(told.low, 3), round(told.high, 3)
    (0.2, -0.048, 0.448)
    """

    values: tuple[float, ...]
    problems: Interval | None = None

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return fmean(self.values)

    @property
    def low(self) -> float:
        """The lower end of the interval over seeds; of one seed, or of seeds that all end alike, nothing is known."""
        return self.mean - self._half

    @property
    def high(self) -> float:
        """The upper end of it."""
        return self.mean + self._half

    @property
    def _half(self) -> float:
        n = len(self.values)
        alike = max(self.values) - min(self.values) < 1e-9  # macro means of equal gains differ in their last bit
        return inf if alike else STUDENT[min(n - 1, len(STUDENT)) - 1] * stdev(self.values) / sqrt(n)

    def json(self) -> dict[str, Any]:
        """Return all of it as JSON data; an end that is not known is None."""
        ends = {"low": self.low, "high": self.high} if isfinite(self.low) else {"low": None, "high": None}
        problems = {"problems": self.problems.json()} if self.problems else {}
        return {"mean": self.mean, **ends, "seeds": list(self.values), **problems}


def over_seeds(
    ones: Sequence[Scores], others: Sequence[Scores], measure: Measure = succeeded, *, seed: int = 0
) -> OverSeeds | None:
    """Return how much more one way of training scores than another; None where no problem is judged.

    Args:
        ones: a way's scores, seed by seed.
        others: another's on the same problems, in the same order of seeds.
        measure: what is compared; a problem without a value in any of them is left out.
        seed: of the bootstrap.

    Raises:
        BadMeasurement: they were not asked the same problems.
    """
    differences: dict[str, list[float | None]] = {}
    stratum_of = {row.key: row.stratum for row in ones[0].rows}
    for one, other in zip(ones, others, strict=True):
        for a, b in paired(one, other):
            value, less = measure(a), measure(b)
            differences.setdefault(a.key, []).append(None if value is None or less is None else value - less)
    whole = ((stratum_of[key], found) for key, found in differences.items() if len(found) == len(ones))
    strata = stratified(whole)
    if not strata:
        return None
    weights_S = macro_weights(strata)
    means_CS = np.array([values_NC.mean(axis=0) for values_NC in strata.values()]).T

    def mean(means_SC: Floats) -> Floats:
        found: Floats = means_SC.mean(axis=-1) @ weights_S
        return found

    return OverSeeds(tuple((means_CS @ weights_S).tolist()), bootstrap(strata, mean, seed=seed))
