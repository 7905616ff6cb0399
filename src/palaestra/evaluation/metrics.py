"""Scores into numbers: success rate, means over environments, and the relative gain over a base.

A mean is over environments, and within one over its scales; of one environment's scores (`Scores.only`) it is that
environment's. Two ways of saying "so much better than the base" are in use, and both are given by name:

    macro mean      = mean over environments e of p_e / b_e - 1,   p_e = (k_e + 1) / (n_e + 2), b_e likewise
    ratio of means  = (mean over e of k_e / n_e) / (the same of the base) - 1

Published numbers agree with the first alone; environments where the base hardly wins dominate it.

Source: Ability-Environment Selection with Hierarchical Difficulty Curriculum, table 3. Departures: rates are smoothed,
where the paper does not say how it divides by 0; environments in which the base never wins are listed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from palaestra.core.errors import BadMeasurement
from palaestra.core.rate import Rate
from palaestra.evaluation.interval import Floats, Interval, Stratum, bootstrap, macro_mean, macro_weights, stratified
from palaestra.evaluation.reference import Reference
from palaestra.evaluation.scores import Score, Scores, paired

Measure = Callable[[Score], float | None]
"""Turns the score of one problem into a number, None where it has no meaning."""


def succeeded(score: Score) -> float:
    """Return 1 for a success and 0 for none."""
    return float(score.success)


def returned(score: Score) -> float:
    """Return the return."""
    return score.ret


def success_rate(scores: Scores) -> Rate:
    """Return the successes over all problems."""
    return Rate(sum(row.success for row in scores.judged), len(scores.judged))


def rates(scores: Scores) -> dict[Stratum, Rate]:
    """Return the success rate of each scale of each environment."""
    found: dict[Stratum, list[bool]] = {}
    for row in scores.judged:
        found.setdefault(row.stratum, []).append(row.success)
    return {stratum: Rate(sum(won), len(won)) for stratum, won in found.items()}


def mean(scores: Scores, measure: Measure = succeeded, *, seed: int = 0) -> Interval:
    """Return the macro mean of a measure over environments."""
    return macro_mean(stratified((row.stratum, [measure(row)]) for row in scores.judged), seed=seed)


def normalised_return(scores: Scores, reference: Reference, *, seed: int = 0) -> Interval:
    """Return the macro mean of the normalised return; scales that `reference.lacking` names do not count.

    Raises:
        BadMeasurement: the reference was measured on another suite.
    """
    if scores.suite != reference.suite:
        raise BadMeasurement(
            f"scores of suite {scores.suite}, reference of suite {reference.suite}; measure both on one suite"
        )
    return mean(scores, reference.normalised, seed=seed)


def above_chance(scores: Scores, random: Scores, *, seed: int = 0) -> Interval:
    """Return how much of what guessing leaves is won, (success - random) / (1 - random), both as macro means.

    Success that is all alike leaves the bootstrap no width: the rate's interval is told then, random taken as known.

    Raises:
        BadMeasurement: they were not asked the same problems.
    """
    pairs = paired(scores, random)
    strata = stratified((a.stratum, [succeeded(a), succeeded(b)]) for a, b in pairs)
    weights_S = macro_weights(strata)

    def share(means_SC: Floats) -> Floats:
        won, guessed = means_SC[..., 0] @ weights_S, means_SC[..., 1] @ weights_S
        above: Floats = (won - guessed) / (1 - guessed)
        return above

    found = bootstrap(strata, share, seed=seed)
    rate = Rate(sum(a.success for a, _ in pairs), len(pairs))
    guessed = sum(b.success for _, b in pairs) / len(pairs) if pairs else 1.0
    if 0 < rate.hits < rate.n or guessed == 1:
        return found
    low, high = ((end - guessed) / (1 - guessed) for end in (rate.low, rate.high))
    return Interval(found.value, low, high, found.n)


@dataclass(frozen=True, slots=True)
class Gain:
    """How much better than the base, in both senses, and where the base never won.

    There drawing anew cannot make the base win, so intervals are too narrow: read the gain with the list beside it.
    """

    macro_mean: Interval
    ratio_of_means: Interval
    base_zero: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        """Return all of it as JSON data."""
        both = {"macro_mean": self.macro_mean.json(), "ratio_of_means": self.ratio_of_means.json()}
        return both | {"base_zero": list(self.base_zero)}


def relative_gain(trained: Scores, base: Scores, *, seed: int = 0) -> Gain:
    """Return the relative gain in success of a policy over the checkpoint that its training started from.

    Raises:
        BadMeasurement: they were not asked the same problems.
    """
    pairs = paired(trained, base)
    strata = stratified((a.stratum, [succeeded(a), succeeded(b)]) for a, b in pairs)
    ids = sorted({env_id for env_id, _ in strata})
    # times its problems, the mean of a stratum is a count: [strata, environments]
    problems_SE = np.array([[len(rows) * (name == env_id) for env_id in ids] for (name, _), rows in strata.items()])
    weights_S = macro_weights(strata)

    def macro(means_SC: Floats) -> Floats:
        wins_CE = np.swapaxes(means_SC, -1, -2) @ problems_SE
        smoothed_CE = (wins_CE + 1) / (problems_SE.sum(axis=0) + 2)
        gains: Floats = (smoothed_CE[..., 0, :] / smoothed_CE[..., 1, :] - 1).mean(axis=-1)
        return gains

    def ratio(means_SC: Floats) -> Floats:
        return (means_SC[..., 0] @ weights_S) / (means_SC[..., 1] @ weights_S) - 1

    won = {b.env_id for _, b in pairs if b.success}
    return Gain(
        bootstrap(strata, macro, seed=seed),
        bootstrap(strata, ratio, seed=seed),
        tuple(env_id for env_id in ids if env_id not in won),
    )
