"""A number with its interval, by drawing problems anew.

A suite is a stratified sample: so many problems of each scale of each environment. Problems are therefore drawn anew
within each scale, never across, and a statistic of the scales' means is computed for every such draw.

Source: the stratified percentile bootstrap, drawing n - 1 of n problems, which makes the variance of a mean unbiased
(Rao and Wu 1988). Departures: the quantiles are draws, rounded outwards, so that an infinite ratio stays one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Stratum = tuple[str, int]
"""An environment's id and a scale."""

Strata = Mapping[Stratum, Floats]
"""The values of the problems of each stratum [problems, columns]; none is empty."""

DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Interval:
    """A value, its 95 % interval, and the number of problems behind it; with none the value is not a number.

    >>> print(Interval(0.25, 0.125, 0.5, 20))
    0.250 [0.125, 0.500], n = 20
    """

    value: float
    low: float
    high: float
    n: int

    @property
    def excludes_zero(self) -> bool:
        """Whether 0 lies outside."""
        return self.low > 0 or self.high < 0

    def json(self) -> dict[str, float | None]:
        """Return value, ends and count as JSON data; what is not finite becomes None."""
        ends = {"value": self.value, "low": self.low, "high": self.high}
        return {name: end if isfinite(end) else None for name, end in ends.items()} | {"n": self.n}

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}], n = {self.n}"


def stratified(rows: Iterable[tuple[Stratum, Sequence[float | None]]]) -> Strata:
    """Return the values of some problems by stratum, in its order; a problem that lacks a value is left out."""
    found: dict[Stratum, list[Sequence[float | None]]] = {}
    for stratum, values in rows:
        if None not in values:
            found.setdefault(stratum, []).append(values)
    return {stratum: np.array(found[stratum], float) for stratum in sorted(found)}


def bootstrap(strata: Strata, statistic: Callable[[Floats], Floats], *, seed: int = 0, draws: int = DRAWS) -> Interval:
    """Return a statistic and its interval, which is unbounded when some stratum has one problem only.

    Problems that all score alike leave it no width; a success rate is then better told by `core.rate.Rate`.

    Args:
        strata: what was measured.
        statistic: takes the means of all strata [..., strata, columns] and returns one number for each [...].
        seed: of the draws.
        draws: how often problems are drawn anew.
    """
    n = sum(len(values_NC) for values_NC in strata.values())
    if not n:
        return Interval(nan, -inf, inf, 0)
    with np.errstate(divide="ignore", invalid="ignore"):  # a ratio to nothing is infinite, and said to be
        value = float(statistic(np.stack([values_NC.mean(axis=0) for values_NC in strata.values()])))
        if min(map(len, strata.values())) < 2:
            return Interval(value, -inf, inf, n)
        rng = np.random.default_rng(seed)
        drawn = statistic(np.stack([_redrawn(values_NC, rng, draws) for values_NC in strata.values()], axis=1))
    low, high = np.quantile(drawn, 0.025, method="lower"), np.quantile(drawn, 0.975, method="higher")
    return Interval(value, float(low), float(high), n)


def macro_mean(strata: Strata, *, seed: int = 0, draws: int = DRAWS) -> Interval:
    """Return the mean over environments of the mean over scales of the first column."""
    weights_S = macro_weights(strata)
    return bootstrap(strata, lambda means_SC: means_SC[..., 0] @ weights_S, seed=seed, draws=draws)


def macro_weights(strata: Strata) -> Floats:
    """Return what each stratum weighs: environments alike, and within one its scales alike.

    >>> macro_weights({("a/a", 0): np.ones((3, 1)), ("b/b", 0): np.ones((3, 1)), ("b/b", 1): np.ones((3, 1))}).tolist()
    [0.5, 0.25, 0.25]
    """
    ids = [env_id for env_id, _ in strata]
    return np.array([1 / ids.count(env_id) for env_id in ids]) / max(1, len(set(ids)))


def _redrawn(values_NC: Floats, rng: np.random.Generator, draws: int) -> Floats:
    """Return the means [draws, columns] of problems drawn anew."""
    n = len(values_NC)
    times_DN = rng.multinomial(n - 1, np.full(n, 1 / n), size=draws)
    means_DC: Floats = times_DN @ values_NC / (n - 1)
    return means_DC
