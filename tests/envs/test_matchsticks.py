"""Matchsticks: what can be moved, what counts as true, and that no fewer moves would do."""

from itertools import product

import pytest

from palaestra.envs.puzzle import matchsticks
from palaestra.envs.puzzle.matchsticks import DIGITS, Equation
from palaestra.envs.puzzle.matchsticks import environment as env


def equation(text: str, wanted: int = 1) -> Equation:
    """An equation that is written out, its parts apart by spaces."""
    a, sign, b, _, c = text.split()
    layout = (len(a), len(b), len(c))
    return Equation(layout, matchsticks._laid((int(a), int(b), int(c)), layout, "12" if sign == "+" else "1"), wanted)


def reading(state: Equation) -> str:
    return env.view(state, 0).state.removeprefix("It reads ").partition(";")[0]


def test_the_stick_that_makes_a_six_a_nought_puts_the_equation_right() -> None:
    state = equation("6 + 4 = 4")
    assert reading(state) == "6 + 4 = 4"
    step = env.step(state, ("A4", "A3"))
    assert reading(step.state) == "0 + 4 = 4"
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("moved_closer", "task_completed")
    assert not env.solve(step.state)


def test_a_stick_of_the_plus_may_go_to_a_digit() -> None:
    assert reading(env.step(equation("9 + 5 = 9"), ("B2", "A5")).state) == "8 - 5 = 9"
    assert env.step(equation("3 + 5 = 4"), ("B2", "A2")).success


@pytest.mark.parametrize("action", [("A3", "A4"), ("A4", "A5"), ("A4", "A4"), ("A4",), ("undo",), ("A4", "undo")])
def test_only_a_stick_goes_and_only_to_an_empty_place_and_nothing_is_undone_at_first(action: tuple[str, ...]) -> None:
    state = equation("6 + 4 = 4")
    step = env.step(state, action)
    assert (step.state, step.legal) == (state, False)


def test_when_all_moves_are_made_the_last_one_can_only_be_undone() -> None:
    start = equation("6 + 4 = 4")
    wasted = env.step(start, ("A4", "C1"))
    assert wasted.events == ("moved_level", "resource_wasted")
    assert reading(wasted.state) == "? + ? = 4"
    assert not env.step(wasted.state, ("A1", "A3")).legal
    undone = env.step(wasted.state, ("undo",))
    assert (undone.state, undone.events) == (start, ("move_undone",))
    assert env.solve(wasted.state) == ("undo", *env.solve(start))


def test_a_stick_put_back_costs_another_move() -> None:
    first = env.step(equation("88 + 11 = 22", wanted=3), ("A4", "D1"))
    back = env.step(first.state, ("D1", "A4"))
    assert "path_reversed" in back.events
    assert len(back.state.moves) == 2


def test_a_number_of_two_digits_never_begins_with_nought() -> None:
    numbers = [str(number) for number in range(10, 100)]
    found = {int(sticks) for some in matchsticks._true((2, 1, 2)).values() for sticks in some}
    told = {
        equation(f"{a} {sign} {b} = {c}").sticks
        for a, b, sign in product(numbers, range(10), "+-")
        if 10 <= (c := int(a) + b if sign == "+" else int(a) - b) < 100
    }
    assert found == told


@pytest.mark.parametrize("seed", range(6))
def test_no_single_move_solves_what_is_said_to_need_two(seed: int) -> None:
    state = env.reset(env.spec.instance(2, seed))
    places = env.view(state, 0).answer.items[:-1]
    tried = [env.step(state, pair) for pair in product(places, places)]
    assert sum(step.legal for step in tried) > 100
    assert not any(step.success for step in tried)
    assert len(env.solve(state)) == 2


def test_sticks_are_drawn_where_the_caption_says() -> None:
    state = equation("6 + 4 = 4")
    view = env.view(state, 448)
    assert view.caption.endswith("Rows: 124567 sign:12 2346 = 2346.")
    heads = (view.image.rgb() == (214, 54, 56)).all(axis=2)
    inked = {e.name: heads[e.box[1] : e.box[3], e.box[0] : e.box[2]].sum() for e in view.scene if e.cell}
    assert inked["124567"] / inked["2346"] == pytest.approx(len(DIGITS[6]) / len(DIGITS[4]), rel=0.1)
