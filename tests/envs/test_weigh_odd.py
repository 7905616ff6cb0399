"""Weigh odd: what weighings show and leave, names, replies that are neither, and a guide that never fails."""

from dataclasses import replace

import numpy as np
import pytest

from palaestra.envs.arithmetic._coins import Case, Record, Weighing, possible
from palaestra.envs.arithmetic.weigh_odd import Search, _answer
from palaestra.envs.arithmetic.weigh_odd import environment as env

# A B against C D was level: E is false, or none of these five; here E is heavy
RECORD = Record(6, 1, (Weighing((0, 1), (2, 3), 0),), 2)
SEARCH = Search(RECORD, Case((4,), 1))


def test_a_weighing_lowers_the_heavier_pan_and_rules_out_what_disagrees() -> None:
    step = env.step(SEARCH, ("E", "vs", "A"))
    assert step.state.record.weighings[-1] == Weighing((4,), (0,), 1)
    assert (possible(step.state.record), step.state.record.left) == ((Case((4,), 1),), 1)
    assert step.events == ("trial_informative",)


def test_weighing_true_coins_tells_nothing() -> None:
    assert env.step(SEARCH, ("A", "vs", "C")).events == ("trial_redundant",)


@pytest.mark.parametrize(
    ("reply", "events", "success"),
    [
        (("E", "heavy"), ("guess_consistent", "risk_taken", "difference_found"), True),
        (("F", "light"), ("guess_consistent", "risk_taken", "difference_missed"), False),
        (("A", "heavy"), ("guess_contradicted", "risk_taken", "difference_missed"), False),
    ],
)
def test_a_name_ends_the_search(reply: tuple[str, ...], events: tuple[str, ...], success: bool) -> None:
    step = env.step(SEARCH, reply)
    assert (step.done, step.success, step.reward, step.events) == (True, success, float(success), events)


def test_a_name_that_alone_is_possible_is_certain() -> None:
    known = env.step(SEARCH, ("E", "vs", "A")).state
    assert env.step(known, ("E", "heavy")).events == ("guess_consistent", "certain_step_taken", "difference_found")


@pytest.mark.parametrize(
    "reply",
    [("A", "B"), ("A", "vs", "B", "C"), ("A", "vs", "A"), ("vs", "A"), ("A", "B", "heavy"), ("A", "vs", "B", "light")],
)
def test_what_is_neither_a_fair_weighing_nor_a_name_is_illegal(reply: tuple[str, ...]) -> None:
    step = env.step(SEARCH, reply)
    assert (step.legal, step.state, step.events) == (False, SEARCH, ("action_illegal",))


def test_no_weighing_is_left_after_the_last() -> None:
    spent = replace(SEARCH, record=replace(RECORD, left=0))
    assert not env.step(spent, ("E", "vs", "A")).legal


def test_a_forced_guess_is_no_risk_and_the_plan_then_names_the_truth() -> None:
    spent = replace(SEARCH, record=replace(RECORD, left=0))
    assert len(possible(spent.record)) == 4
    assert env.solve(spent) == ["E, heavy"]
    assert env.step(spent, ("F", "light")).events == ("guess_consistent", "difference_missed")


def test_weighings_left_are_small_empty_balances_at_the_bottom() -> None:
    drawn = [np.asarray(env.view(replace(RECORD, left=left), 448).image.pixels) for left in (0, 1, 4)]
    ink = [int((pixels[-56:] != pixels[0, 0]).sum()) for pixels in drawn]
    assert ink[0] == 0 < ink[1] == ink[2] / 4


def test_two_false_coins_on_either_pan_are_level() -> None:
    assert Case((0, 1), 1).weighed((0,), (1,)).outcome == 0
    assert Case((0, 1), -1).weighed((0, 1), (2, 3)).outcome == -1


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_guide_finds_every_truth_and_has_only_the_spare_weighings_left_at_worst(scale: int) -> None:
    for seed in range(4):
        start = env.reset(env.spec.instance(scale, seed))
        assert len(possible(start.record)) >= env.spec.scales[scale]["open"]
        spared = []
        for truth in possible(start.record):
            state, step = replace(start, truth=truth), None
            while step is None or not step.done:
                step = env.step(state, _answer(start.record.coins).parse(env.guide(state.record)).value)
                state = step.state
            assert step.success
            spared.append(state.record.left)
        assert min(spared) == env.spec.scales[scale]["spare"]


def test_the_caption_tells_the_weighings_and_the_picture_tilts_to_the_heavier_pan() -> None:
    view = env.view(replace(RECORD, weighings=(Weighing((4,), (0,), 1),)), 448)
    assert "E heavier than A." in view.caption
    heavy, light = view.scene[-2:]
    assert (heavy.name, light.name) == ("E", "A")
    assert heavy.box[1] > light.box[1]


def test_names_of_coins_order_of_weighings_and_exchanged_pans_make_no_other_problem() -> None:
    one, two = Weighing((0, 1), (2, 3), 0), Weighing((0,), (4,), -1)
    first = Search(Record(6, 1, (one, two), 2), Case((4,), 1))
    other = Search(Record(6, 1, (Weighing((5,), (1,), 1), Weighing((0, 1), (2, 3), 0)), 2), Case((5,), 1))
    assert env.problem(first) == env.problem(other)
    assert env.problem(replace(first, truth=Case((4,), -1))) != env.problem(first)
    assert env.problem(replace(SEARCH, truth=Case((0,), 1))) != env.problem(SEARCH)
