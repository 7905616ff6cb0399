"""Which problems are judged, and what is listed instead."""

import json
from dataclasses import replace

import pytest
from dots import PLAY, Dots, Reader, pool, spec

from palaestra.core.environment import Pool
from palaestra.core.errors import BadMeasurement, ConfigError, UnknownEnvironment
from palaestra.core.instance import Split, split_of
from palaestra.core.observation import H0, H4
from palaestra.core.trajectory import Stop
from palaestra.envs import registry
from palaestra.evaluation.scores import Scores, judge, paired
from palaestra.evaluation.suite import HELD_OUT, MULTI_TURN, SINGLE_TURN, Suite
from palaestra.rollout.policies import Oracle, Random


def real() -> Pool:
    return registry.pool(["grid/frozen_lake", "charts/bar_reading", "memory/pair_recall"])


def test_problems_are_distinct_and_of_the_test_split_and_equally_many_at_each_scale() -> None:
    envs = real()
    suite = Suite.draw(envs, per_scale=6)
    problems = [
        (t.cell.env_id, envs[t.cell.env_id].problem(envs[t.cell.env_id].reset(t.instance))) for t in suite.tickets
    ]
    assert len(set(problems)) == len(problems)
    assert all(split_of(*problem) is Split.TEST for problem in problems)
    strata = [(ticket.cell.env_id, ticket.cell.scale) for ticket in suite.tickets]
    assert {strata.count(stratum) for stratum in strata} == {6}
    assert {ticket.cell.harness for ticket in suite.tickets} == {H4}


def test_every_method_gets_the_same_instances_and_another_seed_gives_others() -> None:
    first, again, other = (Suite.draw(pool(), per_scale=5, seed=seed) for seed in (3, 3, 4))
    assert first == again
    assert first.digest != other.digest
    one, two = (judge(player, first, pool(), PLAY) for player in (Random(), Oracle()))
    assert [row.key for row in one.rows] == [row.key for row in two.rows]


def test_another_harness_asks_the_same_problems_with_the_same_chance_and_another_split_other_problems() -> None:
    suite = Suite.draw(pool(), per_scale=5)
    helped = suite.under(H0)
    assert helped.digest == suite.digest
    assert [(t.id, t.instance) for t in helped.tickets] == [(t.id, t.instance) for t in suite.tickets]
    assert {t.cell.harness for t in helped.tickets} == {helped.harness} == {H0}
    valid = Suite.draw(pool(), per_scale=5, split=Split.VALID)
    assert {t.instance.split for t in valid.tickets} == {Split.VALID}
    assert valid.digest != suite.digest


def test_instances_of_an_environment_do_not_depend_on_the_others() -> None:
    alone, among = Suite.draw(pool(), per_scale=4), Suite.draw(pool(Dots(spec("toy/aaa")), Dots()), per_scale=4)
    assert [t.instance for t in alone.tickets] == [t.instance for t in among.only({"toy/dots"}).tickets]


def test_scales_that_are_train_only_or_unreadable_or_short_or_broken_are_listed() -> None:
    envs = pool(Dots(spec("toy/broken"), frozenset({2})), Dots(spec("toy/short", train_only=frozenset())))
    suite = Suite.draw(envs, per_scale=4, scales={"toy/broken": (0, 2), "toy/short": (0, 1, 2)})
    reasons = {(left.env_id, left.scale): left.why for left in suite.left_out}
    assert reasons[("toy/broken", 0)].startswith("train-only")
    assert reasons[("toy/broken", 1)].startswith("not among")
    assert reasons[("toy/broken", 2)] == "ValueError: no board"
    assert "new test problems in 80 draws, 4 wanted" in reasons[("toy/short", 0)]
    assert suite.unjudged == ("toy/broken",)
    assert suite.groups == {SINGLE_TURN: ("toy/short",), MULTI_TURN: (), HELD_OUT: ()}


def test_environments_fall_into_groups_by_tag_and_held_out_ones_apart() -> None:
    suite = Suite.draw(real(), {"memory/pair_recall"}, per_scale=1)
    assert suite.groups == {
        SINGLE_TURN: ("charts/bar_reading",),
        MULTI_TURN: ("grid/frozen_lake",),
        HELD_OUT: ("memory/pair_recall",),
    }
    assert [left[:2] for left in suite.left_out] == [("memory/pair_recall", 0), ("memory/pair_recall", 1)]


def test_a_suite_of_nothing_or_of_unknown_environments_is_refused() -> None:
    with pytest.raises(ConfigError, match="per_scale is 0"):
        Suite.draw(pool(), per_scale=0)
    with pytest.raises(UnknownEnvironment, match="did you mean 'toy/dots'"):
        Suite.draw(pool(), {"toy/dot"})


def test_an_episode_that_an_error_ended_is_missing_and_no_loss() -> None:
    suite = Suite.draw(pool(), per_scale=3)
    broken = pool(Dots(broken=frozenset({2})))
    found = judge(Reader(), suite, broken, PLAY)
    assert [row.scale for row in found.missing] == [2, 2, 2]
    assert {row.stop for row in found.missing} == {Stop.ERROR}
    assert all(row.success for row in found.judged)
    assert len(paired(found, judge(Reader(), suite, pool(), PLAY))) == 3


def test_scores_of_different_problems_are_not_paired() -> None:
    one = judge(Oracle(), Suite.draw(pool(), per_scale=2), pool(), PLAY)
    for other in (replace(one, suite="another"), one.only(()), replace(one, rows=one.rows[::-1])):
        with pytest.raises(BadMeasurement, match="judge both on one suite"):
            paired(one, other)


def test_scores_survive_json() -> None:
    found = judge(Random(), Suite.draw(pool(), per_scale=2), pool(), PLAY, seed=5)
    assert Scores.load(json.loads(json.dumps(found.dump()))) == found
