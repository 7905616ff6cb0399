"""Key and door, walked by hand."""

import pytest

from palaestra.core.environment import Step
from palaestra.envs.grid.key_door import FLOOR, SIGNS, House
from palaestra.envs.grid.key_door import environment as env


def house(board: str, hand: int = -1) -> House:
    """A house that is written out in the signs of the caption, you being @."""
    rows = board.split()
    signs = "".join(rows)
    cells = bytes(FLOOR if sign == "@" else SIGNS.index(sign) for sign in signs)
    return House(len(rows), len(rows[0]), cells, signs.index("@"), hand)


def walk(state: House, moves: str) -> list[Step[House]]:
    """Every step of a walk, its moves named by their first letters."""
    names = {"u": "up", "r": "right", "d": "down", "l": "left"}
    steps = []
    for move in moves:
        steps.append(env.step(state, names[move]))
        state = steps[-1].state
    return steps


def test_a_key_is_taken_opens_its_door_and_is_used_up() -> None:
    steps = walk(house("@rRG"), "rrr")
    assert [step.events for step in steps] == [
        ("moved_closer", "cargo_taken"),
        ("moved_closer", "way_opened"),
        ("goal_reached",),
    ]
    assert [step.state.hand for step in steps] == [0, -1, -1]
    assert [(step.reward, step.done, step.success) for step in steps] == [(0, False, False)] * 2 + [(1, True, True)]
    assert env.solve(steps[-1].state) == ()


@pytest.mark.parametrize(("board", "hand"), [("@R.. ...G", -1), ("@R.. ...G", 1), ("@#.. ...G", -1), ("@b.. ...G", 0)])
def test_walls_doors_of_another_colour_and_keys_beside_a_full_hand_are_solid(board: str, hand: int) -> None:
    state = house(board, hand)
    step = env.step(state, "right")
    assert step.legal
    assert (step.state, step.events) == (state, ("obstacle_bumped",))


def test_the_edge_is_another_obstacle_than_a_wall() -> None:
    assert env.step(house("@.G"), "up").events == ("edge_bumped",)


def test_a_key_that_opens_nothing_ends_all_hope_while_a_door_is_shut() -> None:
    state = house("br @. ## G#")
    assert env.solve(state) is None
    locked = house("b@rRG")
    assert env.solve(locked) == ("right", "right", "right")
    step = env.step(locked, "left")
    assert step.events == ("dead_end_entered", "cargo_taken")
    assert env.solve(step.state) is None
    assert env.step(step.state, "right").events == ("moved_level", "path_reversed")


def test_the_order_of_two_keys_matters() -> None:
    state = house("b.@r #R## #..# #B## #G..")
    assert walk(state, "ll")[-1].events == ("dead_end_entered", "cargo_taken")
    assert env.solve(state) == ("right", "left", "left", "down", "up", "left", "right", "down", "down", "down", "down")


def test_a_plan_is_as_short_as_the_turns_it_takes_with_every_detour() -> None:
    for scale in range(len(env.spec.scales)):
        state = env.reset(env.spec.instance(scale, 0))
        plan = env.solve(state)
        for left in range(len(plan), 0, -1):
            assert len(env.solve(state)) == left
            state = env.step(state, plan[len(plan) - left]).state
        assert env.solve(state) == ()


def test_colours_and_symmetries_make_no_other_problem() -> None:
    assert env.problem(house("@rRG b...")) == env.problem(house("GKk@ ...o")) == env.problem(house("p... @bBG"))
    assert env.problem(house("@rRG b...")) != env.problem(house("@rRG r..."))


def test_who_holds_a_key_is_seen_with_it() -> None:
    step = env.step(house("@r.RG"), "right")
    view = env.view(step.state, 200)
    assert view.caption == "Map (. floor, G goal, R red door, @ you with red key):\n.@.RG"
    assert view.scene[1].name == "you with red key"
    assert "you hold the red key" in view.state
    assert "Locked: red." in view.state
