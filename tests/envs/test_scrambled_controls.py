"""Scrambled controls, tried by hand."""

import pytest

from palaestra.core.environment import Step
from palaestra.core.instance import knobs
from palaestra.envs.grid.scrambled_controls import (
    BUTTONS,
    CRATE,
    FLOOR,
    HEADINGS,
    SHIFTS,
    SIGNS,
    STRAIGHT,
    UNKNOWN,
    Controls,
    Room,
    Seen,
)
from palaestra.envs.grid.scrambled_controls import environment as env


def controls(board: str, headings: str = "right, up, left, down") -> Controls:
    """A room that is written out in the signs of the caption, and the headings of the buttons."""
    rows = board.split()
    signs = "".join(rows)
    cells = bytes(FLOOR if sign == "@" else SIGNS.index(sign) for sign in signs)
    wired = tuple(HEADINGS.index(heading) for heading in headings.split(", "))
    every = tuple(STRAIGHT if len(wired) == 4 else range(len(HEADINGS)))
    room = Room(len(rows), len(rows[0]), cells, 20)
    return Controls(Seen(room, signs.index("@"), (UNKNOWN,) * len(wired), (every,) * len(wired)), wired)


def steps(state: Controls, presses: str) -> list[Step[Controls]]:
    """Every step of some presses, buttons named by their first letters."""
    names = {colour[0]: colour for colour in BUTTONS}
    made = []
    for press in presses:
        made.append(env.step(state, names[press]))
        state = made[-1].state
    return made


def test_a_button_is_tried_then_known_and_used() -> None:
    made = steps(controls("@..G"), "rrr")
    assert [step.events for step in made] == [
        ("moved_closer", "trial_informative"),
        ("moved_closer", "rule_found"),
        ("goal_reached",),
    ]
    assert made[0].state.seen.made == (HEADINGS.index("right"), UNKNOWN, UNKNOWN, UNKNOWN)
    assert (made[-1].reward, made[-1].done, made[-1].success) == (1, True, True)
    assert env.solve(made[-1].state) == ()
    assert env.guide(made[-1].state.seen) is None


def test_a_press_without_effect_changes_no_place_and_the_second_time_tells_nothing() -> None:
    made = steps(controls("@#G ..."), "brrbb")
    assert [step.events for step in made] == [
        ("edge_bumped", "trial_informative"),
        ("obstacle_bumped", "trial_informative"),
        ("obstacle_bumped", "trial_redundant"),
        ("edge_bumped", "trial_redundant"),
        ("edge_bumped", "trial_redundant"),
    ]
    assert made[-1].state.seen.cell == 0
    assert "R up/right/left; B up/right/left; G any; Y any." in env.view(made[-1].state.seen, 0).state


def test_the_last_heading_is_known_by_elimination() -> None:
    state = steps(controls("...G ....  @... ...."), "rbg")[-1].state
    assert state.seen.made[3] == UNKNOWN
    assert env.step(state, "yellow").events == ("moved_away", "rule_missed")
    assert "Steps that unknown buttons can still make: Y down." in env.view(state.seen, 0).state


def test_a_diagonal_step_passes_between_crates() -> None:
    (step,) = steps(controls("@# #G", "right, up, left, down, down right"), "p")
    assert step.success
    assert "diagonal" in env.view(step.state.seen, 0).rules


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_heading_has_one_button_and_no_press_is_past_mending(scale: int) -> None:
    for seed in range(20):
        state = env.reset(env.spec.instance(scale, seed))
        assert len(set(state.headings)) == len(state.headings) == env.spec.scales[scale]["buttons"]
        assert set(state.headings) >= set(STRAIGHT)
        for step in steps(state, ("rgybrbgyrygb" if len(state.headings) < 5 else "rgpybrppbgyrpygb")):
            assert step.success or env.solve(step.state)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_what_is_held_possible_is_what_trials_have_not_ruled_out(scale: int) -> None:
    for seed in range(10):
        step = Step(env.reset(env.spec.instance(scale, seed)))
        room = step.state.seen.room
        fits = [set(headings) for headings in step.state.seen.possible]
        for turn in range(12):
            before, button = step.state.seen.cell, turn * 5 % len(fits)
            step = env.step(step.state, BUTTONS[button])
            row, column = divmod(before, room.columns)
            ends = {h: (row + SHIFTS[h][0], column + SHIFTS[h][1]) for h in range(len(HEADINGS))}
            goes = {
                h: 0 <= r < room.rows and 0 <= c < room.columns and room.cells[r * room.columns + c] != CRATE
                for h, (r, c) in ends.items()
            }
            now = divmod(step.state.seen.cell, room.columns)
            fits[button] &= {h for h in goes if (ends[h] == now if now != (row, column) else not goes[h])}
            for own, held, true in zip(fits, step.state.seen.possible, step.state.headings, strict=True):
                assert {true} <= set(held) <= own
            if step.done:
                break


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_who_concludes_carefully_wins_nearly_always(scale: int) -> None:
    won = 0
    for seed in range(100):
        step = Step(env.reset(env.spec.instance(scale, seed)))
        for _ in range(env.horizon(step.state)):
            step = step if step.done else env.step(step.state, str(env.guide(step.state.seen)))
        won += step.success
    assert won >= 95


def test_another_secret_agrees_with_all_that_was_seen() -> None:
    state = steps(controls("...G .... ..#. .@.."), "yr")[-1].state
    others = {env.reseal(state, seed).headings for seed in range(20)}
    assert len(others) == 2
    assert {(headings[0], HEADINGS[headings[3]] == "up") for headings in others} == {(2, False)}


def test_another_secret_may_have_other_diagonals() -> None:
    state = env.reset(env.spec.instance(5, 0))
    others = [set(env.reseal(state, seed).headings) for seed in range(20)]
    assert all(set(STRAIGHT) <= other for other in others)
    assert len(set(map(frozenset, others))) == 6  # two of four


def test_turned_boards_with_turned_headings_are_one_problem_and_other_buttons_another() -> None:
    assert env.problem(controls("@.G #..")) == env.problem(controls("G.@ ..#", "left, up, right, down"))
    assert env.problem(controls("@.G #..")) == env.problem(controls("@# .. G.", "down, left, up, right"))
    assert env.problem(controls("@.G #..")) != env.problem(controls("@.G #..", "up, right, left, down"))


def test_buttons_show_what_they_were_seen_to_do() -> None:
    start = env.reset(env.spec.instance(3, 0, knobs=knobs({"buttons": 6})))
    assert env.view(start.seen, 200).caption.endswith("pink button unknown; orange button unknown.")
    view = env.view(steps(controls("@..G"), "r")[0].state.seen, 200)
    assert [element.name for element in view.scene[4:6]] == ["red button right", "blue button unknown"]
    assert "red button right; blue button unknown" in view.caption
