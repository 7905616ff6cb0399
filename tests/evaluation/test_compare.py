"""Paired differences, and what it takes to call one real."""

import numpy as np
import pytest
from dots import scores

from palaestra.evaluation.compare import DECIDING, compare
from palaestra.evaluation.metrics import returned

A, B = "a/a", "b/b"


def test_a_difference_is_paired_by_problem_and_averaged_over_environments() -> None:
    one = scores((A, 0, 1), (A, 0, 0.5), (B, 0, 0), (B, 0, 1))
    other = scores((A, 0, 0), (A, 0, 0.5), (B, 0, 1), (B, 0, 1), errors=[2])
    found = compare(one, other, returned, budget="1000 rollouts, 10 updates each", seed=3)
    assert found.value.value == (0.5 + 0) / 2
    assert (found.differing, found.missing, found.seeds) == (1, 1, (0, 0, 3))
    assert found.json()["budget"] == "1000 rollouts, 10 updates each"
    assert compare(one, other).value.value == 0.25


@pytest.mark.parametrize(("better", "beyond"), [(DECIDING - 1, False), (DECIDING, True)])
def test_a_few_problems_that_all_agree_are_not_enough(better: int, beyond: bool) -> None:
    one, other = scores(*[(A, 0, 1)] * better), scores(*[(A, 0, 0)] * better)
    assert compare(one, other).beyond is beyond
    assert compare(other, one).beyond is beyond
    assert compare(other, one).value.high == -1


def test_equal_players_differ_by_exactly_nothing() -> None:
    found = compare(scores(*[(A, 0, 1), (A, 0, 0)] * 9), scores(*[(A, 0, 1), (A, 0, 0)] * 9))
    assert (found.value.low, found.value.high, found.differing, found.beyond) == (0, 0, 0, False)


def test_two_players_of_equal_strength_are_told_apart_about_as_seldom_as_promised() -> None:
    rng = np.random.default_rng(0)
    runs = 300
    told = 0
    for run in range(runs):
        one, other = (scores(*[(A, i % 2, float(rng.random() < 0.5)) for i in range(40)]) for _ in range(2))
        told += compare(one, other, seed=run).beyond
    assert 0.02 <= told / runs <= 0.09
