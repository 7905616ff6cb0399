"""Minesweep: what opens, what is certain, and that no field needs a guess, in whatever order it is opened."""

from dataclasses import replace

import numpy as np
import pytest

from palaestra.core.environment import turn
from palaestra.envs.logic.minesweep import COVERED, MINE, Field, Sweep, _around, _deduced, _opened
from palaestra.envs.logic.minesweep import environment as env

# a mine at A1 and one at C3 of a board of 3 x 4
MINED = 1 | 1 << 10
BARE = Field(3, 4, 2, bytes([COVERED]) * 12)
START = Sweep(_opened(BARE, 5, MINED), MINED, 9)


def test_around_a_zero_everything_opens_and_around_a_number_nothing() -> None:
    assert START.field.cells.count(COVERED) == 11
    assert START.field.cells[5] == 2
    assert set(_opened(BARE, 3, MINED).cells) == {COVERED, 0, 1, 2}
    assert _opened(BARE, 3, MINED).cells.count(COVERED) == 6


def test_the_cells_around_a_cell_are_those_that_touch_it() -> None:
    assert [near.bit_count() for near in _around(3, 4)] == [3, 5, 5, 3, 5, 8, 8, 5, 3, 5, 5, 3]


def test_an_uncertain_step_is_a_risk_and_a_mine_ends_the_game() -> None:
    assert env.step(START, "A2").events == ("risk_taken",)
    lost = env.step(START, "C3")
    assert (lost.reward, lost.done, lost.success, lost.events) == (0.0, True, False, ("risk_taken", "hazard_entered"))
    assert lost.state.field.cells[10] == MINE
    assert env.guide(lost.state.field) is None
    assert env.solve(lost.state) is None


def test_an_open_cell_cannot_be_opened_again() -> None:
    step = env.step(START, "B2")
    assert not step.legal
    assert step.events == ("action_illegal",)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_deduction_is_never_wrong_and_never_stuck_whatever_was_opened_before(scale: int) -> None:
    rng = np.random.default_rng(scale)
    for seed in range(4):
        state = env.reset(env.spec.instance(scale, seed))
        while state.field.cells.count(COVERED) > state.field.mines:
            safe, mined = _deduced(state.field)
            assert safe
            assert not safe & state.mined
            assert not mined & ~state.mined
            hidden = [cell for cell, seen in enumerate(state.field.cells) if seen == COVERED]
            free = [cell for cell in hidden if not state.mined >> cell & 1]
            state = replace(state, field=_opened(state.field, int(rng.choice(free)), state.mined))


def test_opening_everything_pays_one() -> None:
    state, total = env.reset(env.spec.instance(3, 1)), 0.0
    for reply in env.solve(state) or ():
        step = turn(env, state, env.view(env.public(state), 0), reply)[1]
        state, total = step.state, total + step.reward
    assert abs(total - 1) < 1e-9
    assert "task_completed" in step.events


def test_resealed_mines_make_the_same_numbers() -> None:
    others = {env.reseal(START, seed).mined for seed in range(30)}
    assert len(others) > 5
    for mined in others:
        assert mined.bit_count() == 2
        assert _opened(BARE, 5, mined) == START.field


def test_a_mirrored_field_is_no_other_problem_and_other_mines_are() -> None:
    mined = 1 << 3 | 1 << 9
    assert env.problem(Sweep(_opened(BARE, 6, mined), mined, 9)) == env.problem(START)
    assert env.problem(replace(START, mined=1 | 1 << 9)) != env.problem(START)
