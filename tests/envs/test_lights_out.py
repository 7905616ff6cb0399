"""Lights out: presses turn neighbours, gaps do not, and the fewest presses are found."""

from itertools import combinations

import pytest

from palaestra.core.instance import knobs
from palaestra.envs.kit import bits, headings
from palaestra.envs.puzzle.lights_out import Panel
from palaestra.envs.puzzle.lights_out import environment as env


def panel(board: str) -> Panel:
    """A panel that is written out in the signs of the caption."""
    rows = board.split()
    signs = "".join(rows)
    lamps, lit = (sum(1 << cell for cell, sign in enumerate(signs) if sign in some) for some in ("o*", "*"))
    return Panel(len(rows), len(rows[0]), lamps, lit)


def signs(state: Panel) -> str:
    return " ".join(env.view(state, 0).caption.splitlines()[2:])


def test_a_press_turns_a_lamp_and_its_neighbours_but_no_gap_and_nothing_round_the_edge() -> None:
    dark = panel("ooo o-o ooo")
    assert signs(env.step(dark, "A2").state) == "*** o-o ooo"
    assert signs(env.step(dark, "B1").state) == "*oo *-o *oo"
    assert signs(env.step(panel("*** *** ***"), "A3").state) == "*oo **o ***"


def test_the_last_press_wins_and_undoing_is_said() -> None:
    steps = []
    state = panel("**o *oo oo-")
    for cell in ("C1", "C1", "A1"):
        steps.append(env.step(state, cell))
        state = steps[-1].state
    assert [step.events for step in steps] == [
        ("moved_away",),
        ("moved_closer", "path_reversed"),
        ("moved_closer", "task_completed"),
    ]
    assert [(step.reward, step.done, step.success) for step in steps] == [(0, False, False)] * 2 + [(1, True, True)]
    assert env.solve(state) == ()


def test_gaps_cannot_be_named() -> None:
    view = env.view(panel("**o *oo oo-"), 0)
    assert view.answer.options == ("A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2")
    assert not view.answer.parse("C3").ok


@pytest.mark.parametrize("seed", range(12))
def test_no_fewer_presses_would_do(seed: int) -> None:
    state = env.reset(env.spec.instance(2, seed))
    plan = env.solve(state)
    for count in range(len(plan)):
        for some in combinations(bits.cells(state.lamps), count):
            tried = state
            for cell in some:
                tried = env.step(tried, headings.label(cell, state.columns)).state
            assert tried.lit


def test_a_full_square_of_four_has_presses_that_turn_nothing_and_the_shorter_way_is_taken() -> None:
    state = env.reset(env.spec.instance(0, 0, knobs=knobs({"gaps": 0, "presses": 4})))
    assert state.lamps == 2**16 - 1
    assert len(env.solve(state)) == 4


def test_turned_and_mirrored_panels_are_one_problem() -> None:
    assert env.problem(panel("*oo ooo")) == env.problem(panel("ooo oo*")) == env.problem(panel("oo oo *o"))
    assert env.problem(panel("*oo ooo")) != env.problem(panel("o*o ooo"))
