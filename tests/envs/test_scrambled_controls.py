"""Scrambled controls, tried by hand."""

import pytest

from palaestra.core.environment import Step
from palaestra.core.instance import knobs
from palaestra.envs.grid.scrambled_controls import SIGNS, Controls
from palaestra.envs.grid.scrambled_controls import environment as env
from palaestra.envs.grid.scrambled_controls.rules import BUTTONS, FAMILIES, FLOOR, STEPS, Room, Seen


def controls(board: str, moves: str = "right, up, left, down", families: tuple[int, ...] = (0,)) -> Controls:
    """A room that is written out in the signs of the caption, and the moves of the four buttons."""
    rows = board.split()
    signs = "".join(rows)
    cells = bytes(FLOOR if sign == "@" else SIGNS.index(sign) for sign in signs)
    return Controls(
        Seen(Room(len(rows), len(rows[0]), cells, families, 20), signs.index("@")), tuple(moves.split(", "))
    )


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
        ("moved_closer", "control_right"),
        ("goal_reached",),
    ]
    assert made[0].state.seen.moves == ("right", "", "", "")
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
    assert "Unknown and without effect: R at 0,0; B at 0,0." in env.view(made[-1].state.seen, 0).state


def test_the_last_heading_is_known_by_elimination() -> None:
    state = steps(controls("...G ....  @... ...."), "rbg")[-1].state
    assert state.seen.moves == ("right", "up", "left", "")
    assert env.step(state, "yellow").events == ("moved_away", "control_wrong")


def test_jumps_pass_over_crates_and_do_not_land_on_them() -> None:
    over = controls("@#.G", "right right, right, left, down", (0, 1))
    assert steps(over, "r")[0].state.seen.cell == 2
    assert steps(controls("@.#G", "right right, right, left, down", (0, 1)), "r")[0].state.seen.cell == 0
    assert env.solve(over) == ("red", "blue")


def test_a_knight_moves_two_cells_and_one_aside() -> None:
    state = controls("@.. ..G", "right right down, up, left, down", (0, 2))
    assert env.solve(state) == ("red",)
    assert len(FAMILIES[2]) == len(set(FAMILIES[2])) == 8


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_heading_has_one_button_and_no_press_is_past_mending(scale: int) -> None:
    for seed in range(20):
        state = env.reset(env.spec.instance(scale, seed))
        assert {move.split()[0] for move in state.moves} == set(STEPS)
        for step in steps(state, "rgybrbgyrygb"):
            assert env.solve(step.state) is not None


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
    others = {env.reseal(state, seed).moves for seed in range(20)}
    assert len(others) == 2
    assert {(moves[0], moves[3] == "up") for moves in others} == {("right", False)}


def test_turned_boards_with_turned_moves_are_one_problem_and_other_buttons_another() -> None:
    assert env.problem(controls("@.G #..")) == env.problem(controls("G.@ ..#", "left, up, right, down"))
    assert env.problem(controls("@.G #..")) == env.problem(controls("@# .. G.", "down, left, up, right"))
    assert env.problem(controls("@.G #..")) != env.problem(controls("@.G #..", "up, right, left, down"))


def test_buttons_show_what_they_were_seen_to_do() -> None:
    start = env.reset(env.spec.instance(3, 0, knobs=knobs({"jumps": 2, "knights": 2})))
    assert env.view(start.seen, 200).caption.endswith(
        "Below: red button unknown; blue button unknown; green button unknown; yellow button unknown."
    )
    view = env.view(steps(controls("@..G"), "r")[0].state.seen, 200)
    assert [element.name for element in view.scene[4:6]] == ["red button right", "blue button unknown"]
    assert "red button right; blue button unknown" in view.caption
