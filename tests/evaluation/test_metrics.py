"""Every metric by hand, and the two ends of the normalised return."""

import json
from functools import partial
from math import inf, isfinite, isnan

import numpy as np
import pytest
from dots import pool, scores

from palaestra.core.errors import BadMeasurement
from palaestra.core.rate import Rate
from palaestra.envs import registry
from palaestra.evaluation.interval import Interval, macro_mean, stratified
from palaestra.evaluation.metrics import (
    above_chance,
    mean,
    normalised_return,
    rates,
    relative_gain,
    returned,
    success_rate,
)
from palaestra.evaluation.reference import Ends, Reference
from palaestra.evaluation.scores import judge
from palaestra.evaluation.suite import Suite
from palaestra.rollout.play import play
from palaestra.rollout.policies import Guide, Oracle, Random

A, B = "a/a", "b/b"
PLAY = partial(play, pixels=96)
TRAINED = scores((A, 0, 1), (A, 0, 1), (A, 1, 0.5), (A, 1, 1), (B, 0, 1), (B, 0, 0))
BASE = scores((A, 0, 1), (A, 0, 0), (A, 1, 0), (A, 1, 0), (B, 0, 0), (B, 0, 0))


def test_the_success_rate_counts_problems() -> None:
    assert success_rate(TRAINED) == Rate(4, 6)
    assert success_rate(TRAINED.only({B})) == Rate(1, 2)
    assert success_rate(scores((A, 0, 1), (A, 0, 0), errors=[1])) == Rate(1, 1)


def test_the_mean_is_over_environments_and_within_one_over_scales() -> None:
    assert mean(TRAINED).value == ((1 + 0.5) / 2 + 0.5) / 2
    assert mean(TRAINED, returned).value == ((1 + 0.75) / 2 + 0.5) / 2
    assert mean(TRAINED.only({A}), returned).value == (1 + 0.75) / 2
    assert mean(TRAINED).n == 6


def test_the_normalised_return_is_measured_by_scale() -> None:
    reference = Reference("by hand", {(A, 0): Ends(0.5, 1), (A, 1): Ends(0.25, 0.75), (B, 0): Ends(1, 1)})
    found = normalised_return(TRAINED, reference)
    assert found.value == ((1 - 0.5) / 0.5 + (0.75 - 0.25) / 0.5) / 2
    assert found.n == 4
    assert reference.lacking(TRAINED) == ((B, 0),)
    assert Reference.load(json.loads(json.dumps(reference.dump()))) == reference
    with pytest.raises(BadMeasurement, match="one suite"):
        normalised_return(scores((A, 0, 1), suite="another"), reference)


def test_rates_are_told_by_environment_and_scale() -> None:
    assert rates(TRAINED) == {(A, 0): Rate(2, 2), (A, 1): Rate(1, 2), (B, 0): Rate(1, 2)}


def test_what_is_above_chance_is_a_share_of_what_chance_leaves() -> None:
    found = above_chance(TRAINED.only({A}), BASE.only({A}))
    assert found.value == (0.75 - 0.25) / (1 - 0.25)
    assert found.low <= found.value <= found.high
    assert found.n == 4
    with pytest.raises(BadMeasurement, match="one suite"):
        above_chance(TRAINED, BASE.only({A}))


def test_what_never_or_always_wins_has_an_interval_above_chance_all_the_same() -> None:
    half, none, every = (scores(*[(A, 0, won) for won in wins]) for wins in ([1, 0], [0, 0], [1, 1]))
    never, always = above_chance(none, half), above_chance(every, half)
    assert (never.value, never.low) == (-1, -1)
    assert never.high == (Rate(0, 2).high - 0.5) / 0.5
    assert (always.value, always.high) == (1, 1)
    assert always.low == (Rate(2, 2).low - 0.5) / 0.5
    assert not isfinite(above_chance(half, every).value)
    assert above_chance(half.only(()), half.only(())).n == 0


def test_the_relative_gain_is_smoothed_and_told_in_both_senses() -> None:
    gain = relative_gain(TRAINED, BASE)
    # a/a: 3 of 4 against 1 of 4, b/b: 1 of 2 against 0 of 2
    assert gain.macro_mean.value == pytest.approx(((4 / 6) / (2 / 6) - 1 + (2 / 4) / (1 / 4) - 1) / 2)
    assert gain.ratio_of_means.value == pytest.approx((0.75 + 0.5) / (0.25 + 0) - 1)
    assert gain.base_zero == (B,)
    assert set(gain.json()["macro_mean"]) == {"value", "low", "high", "n"}


def test_a_ratio_to_a_base_that_never_wins_is_none_in_json_and_no_crash() -> None:
    gain = relative_gain(TRAINED.only({B}), BASE.only({B}))
    assert gain.ratio_of_means.value == inf
    assert gain.json()["ratio_of_means"] == {"value": None, "low": None, "high": None, "n": 2}
    assert gain.macro_mean.value == 1


def test_nothing_measured_is_no_number_and_one_problem_has_no_bounds() -> None:
    nothing = mean(scores())
    assert isnan(nothing.value)
    assert nothing.json() == {"value": None, "low": None, "high": None, "n": 0}
    assert relative_gain(scores(), scores()).macro_mean.n == 0
    assert mean(scores((A, 0, 1))) == Interval(1, -inf, inf, 1)


def test_intervals_are_the_same_for_the_same_seed_only() -> None:
    drawn = np.random.default_rng(0).random((30, 1))
    one, again, other = (macro_mean({(A, 0): drawn}, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert (one.low, one.high) != (other.low, other.high)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    chances = {(f"e/{env}", scale): rng.uniform(0.1, 0.9) for env in range(4) for scale in range(2)}
    truth, runs, held = np.mean(list(chances.values())), 500, 0
    for run in range(runs):
        rows = [(stratum, [float(rng.random() < p)]) for stratum, p in chances.items() for _ in range(20)]
        found = macro_mean(stratified(rows), seed=run, draws=300)
        held += bool(found.low <= truth <= found.high)
    assert 0.93 <= held / runs <= 0.97


def test_the_bootstrap_is_as_wide_as_the_normal_interval_of_a_mean() -> None:
    values = np.random.default_rng(0).normal(size=(10, 1))
    found = macro_mean({(A, 0): values}, draws=20_000)
    assert found.high - found.low == pytest.approx(2 * 1.96 * values.std(ddof=1) / np.sqrt(10), rel=0.05)


def test_the_normalised_return_is_0_for_random_play_and_1_for_the_oracle_of_a_deterministic_world() -> None:
    for envs in (pool(), registry.pool(["charts/bar_reading"])):
        suite = Suite.draw(envs, per_scale=5)
        reference = Reference.measure(suite, envs, PLAY)
        assert normalised_return(judge(Random(), suite, envs, PLAY), reference).value == pytest.approx(0, abs=1e-12)
        assert normalised_return(judge(Oracle(), suite, envs, PLAY), reference).value == pytest.approx(1)
        assert reference.lacking(judge(Oracle(), suite, envs, PLAY)) == ()


def test_the_guide_earns_1_on_slippery_ice() -> None:
    envs = registry.pool(["grid/frozen_lake"])
    suite = Suite.draw(envs, per_scale=10, scales={"grid/frozen_lake": (4, 5, 6)})
    reference = Reference.measure(suite, envs, PLAY, seeds=(0, 1, 2))
    guide = judge(Guide(), suite, envs, PLAY)
    assert success_rate(guide).value < 1
    assert normalised_return(guide, reference).value == pytest.approx(1)
