"""Differences over seeds: paired by problem and seed, and as uncertain as the seeds are few."""

from math import inf, isinf

import pytest

from palaestra.core.errors import BadMeasurement
from palaestra.evaluation.scores import Score, Scores
from palaestra.evaluation.seeds import OverSeeds, over_seeds


def scores(*won: int, env_id: str = "a/a", error: int | None = None, suite: str = "s") -> Scores:
    rows = (
        Score(env_id, 0, f"{env_id}#{n}", bool(hit), float(hit), "done", "broken" if n == error else "")
        for n, hit in enumerate(won)
    )
    return Scores(tuple(rows), {}, (), suite, 0)


def test_the_mean_of_differences_is_that_of_the_seeds_and_both_intervals_hold_it():
    ones, others = [scores(1, 1, 0, 0), scores(1, 1, 1, 0)], [scores(0, 0, 0, 0), scores(0, 1, 1, 0)]
    told = over_seeds(ones, others)
    assert told is not None
    assert told.values == (0.5, 0.25)
    assert told.mean == 0.375
    assert told.low == pytest.approx(0.375 - 12.706 * 0.125)
    assert told.problems is not None
    assert told.problems.n == 4
    assert told.problems.low <= told.mean <= told.problems.high
    assert told.problems.high - told.problems.low < told.high - told.low


def test_of_one_seed_and_of_seeds_that_end_alike_no_interval_is_known():
    for values in ((0.5,), (0.5, 0.5, 0.5)):
        told = OverSeeds(values)
        assert isinf(told.high)
        assert told.json() == {"mean": 0.5, "low": None, "high": None, "seeds": list(values)}
    assert isinf(OverSeeds((0.1, 0.09999999999999999, 0.1)).high), "alike but for rounding"
    assert OverSeeds(tuple(n / 20 for n in range(20))).high < inf


def test_a_problem_that_one_run_lost_to_an_error_counts_in_none():
    told = over_seeds([scores(1, 0, 1, error=0), scores(1, 0, 1)], [scores(0, 0, 0)] * 2)
    assert told is not None
    assert (told.values, told.problems and told.problems.n) == ((0.5, 0.5), 2)
    assert over_seeds([scores(1, error=0)], [scores(0)]) is None


def test_runs_that_sat_different_exams_are_not_compared():
    with pytest.raises(BadMeasurement, match="judge both on one suite"):
        over_seeds([scores(1)], [scores(1, suite="t")])
