"""Portals, walked by hand."""

import pytest

from palaestra.core.environment import Step
from palaestra.core.instance import knobs
from palaestra.envs.grid.portals import COLOURS, FLOOR, PORTAL, SIGNS, Board, Walk, _tiles
from palaestra.envs.grid.portals import environment as env
from palaestra.envs.kit import bits
from palaestra.envs.kit.palette import colour


def walk(board: str) -> Walk:
    """A board that is written out in the signs of the caption, you being Y."""
    rows = board.split()
    signs = "".join(rows)
    cells = bytes(FLOOR if sign == "Y" else SIGNS.index(sign) for sign in signs)
    return Walk(Board(len(rows), len(rows[0]), cells), signs.index("Y"))


def steps(state: Walk, moves: str) -> list[Step[Walk]]:
    """Every step of a walk, its moves named by their first letters."""
    names = {"u": "up", "r": "right", "d": "down", "l": "left"}
    made = []
    for move in moves:
        made.append(env.step(state, names[move]))
        state = made[-1].state
    return made


def test_a_portal_carries_to_its_twin_across_a_wall() -> None:
    made = steps(walk("Yr# ### Gr."), "rl")
    assert [step.events for step in made] == [("moved_closer", "carried_on"), ("goal_reached",)]
    assert made[0].state.cell == 7
    assert [(step.reward, step.done, step.success) for step in made] == [(0, False, False), (1, True, True)]
    assert env.solve(made[-1].state) == ()


def test_a_portal_can_be_left_and_is_no_way_through() -> None:
    state = walk("Yr.G .#.. ..r.")
    carried = steps(state, "r")[0].state
    assert carried.cell == 10
    assert env.step(carried, "up").state.cell == 6
    assert env.solve(state) == ("right", "up", "up", "right")


def test_one_can_enter_the_portal_again_that_one_stands_on() -> None:
    made = steps(walk("Yr.. .... .r.G"), "rrl")
    assert [step.state.cell for step in made] == [9, 10, 1]
    assert made[-1].events == ("moved_away", "carried_on")


def test_stepping_back_reverses_the_path_and_a_wall_is_another_obstacle_than_the_edge() -> None:
    made = steps(walk("Y.# ..G"), "rlud")
    assert [step.events for step in made[:3]] == [
        ("moved_closer",),
        ("moved_away", "path_reversed"),
        ("edge_bumped",),
    ]
    assert steps(walk("Y.# ..G"), "rr")[-1].events == ("obstacle_bumped",)


def test_an_exit_behind_walls_without_a_portal_is_out_of_reach() -> None:
    assert env.solve(walk("Y.#G")) is None


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_no_exit_is_reached_without_portals_and_each_has_one_twin(scale: int) -> None:
    for seed in range(30):
        state = env.reset(env.spec.instance(scale, seed))
        board = state.board
        portals = [kind for kind in board.cells if kind >= PORTAL]
        assert sorted(portals) == sorted([*set(portals), *set(portals)])
        free = bits.where(board.cells, bytes([0, 2]))
        assert not bits.flood(board.rows, board.columns, free, 1 << state.cell) >> board.cells.index(2) & 1


def test_where_portals_are_few_walls_have_gaps() -> None:
    few = env.reset(env.spec.instance(5, 0, knobs=knobs({"portals": 1})))
    assert sum(kind >= PORTAL for kind in few.board.cells) == 2
    assert env.solve(few)


def test_colours_and_symmetries_make_no_other_problem() -> None:
    assert env.problem(walk("Yr#bG .b#r.")) == env.problem(walk("Gk#pY .p#k.")) != env.problem(walk("Yr#rG .b#b."))


def test_portals_are_told_by_form_too_by_who_sees_no_colours() -> None:
    size = 40
    tiles = _tiles(size)
    forms = [(tiles[:, PORTAL + k] == colour("ink")).tobytes() for k in range(len(COLOURS))]
    assert len(set(forms)) == len(COLOURS)


def test_who_stands_on_a_portal_is_seen_on_it() -> None:
    view = env.view(steps(walk("Yr#.G .p#pr"), "r")[0].state, 200)
    assert "R you on red portal" in view.caption
    assert view.scene[9].name == "you on red portal"
    assert "Portals in your room: red, purple." in view.state
