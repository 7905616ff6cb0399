"""Berry round, walked by hand."""

from itertools import pairwise, permutations

import pytest

from palaestra.core.environment import Step
from palaestra.core.instance import knobs
from palaestra.envs.grid.berry_round import SIGNS, TREE, Round, Wood
from palaestra.envs.grid.berry_round import environment as env
from palaestra.envs.kit import grid


def wood(board: str, limit: int) -> Round:
    """A round from the hut, written out in the signs of the caption, the hut being H."""
    rows = board.split()
    cells = bytes(SIGNS.index(sign) for sign in "".join(rows))
    world = Wood(len(rows), len(rows[0]), cells)
    return Round(world, world.hut, (1 << len(world.berries)) - 1, limit)


def steps(state: Round, moves: str) -> list[Step[Round]]:
    """Every step of a walk, its moves named by their first letters."""
    names = {"u": "up", "r": "right", "d": "down", "l": "left"}
    made = []
    for move in moves:
        made.append(env.step(state, names[move]))
        state = made[-1].state
    return made


def test_all_berries_and_the_way_home_win_in_time() -> None:
    made = steps(wood("bH.b", 6), "lrrrll")
    assert [step.events for step in made] == [
        ("moved_closer", "subgoal_reached"),
        ("moved_closer", "path_reversed"),
        ("moved_closer",),
        ("moved_closer", "subgoal_reached"),
        ("moved_closer", "path_reversed"),
        ("goal_reached", "deadline_kept"),
    ]
    assert [step.reward for step in made] == [0.25, 0, 0, 0.25, 0, 0.5]
    assert [step.done for step in made] == [step.success for step in made] == [False] * 5 + [True]
    assert env.solve(made[-1].state) == ()


def test_a_move_too_many_ends_all_hope_and_the_last_one_the_walk() -> None:
    made = steps(wood("bH.b", 6), "rlu")
    assert [step.events for step in made] == [
        ("moved_closer",),
        ("moved_away", "path_reversed", "dead_end_entered"),
        ("edge_bumped",),
    ]
    assert env.solve(made[0].state) is not None
    assert env.solve(made[1].state) is None
    last = steps(made[-1].state, "lrr")[-1]
    assert last.events == ("moved_closer", "deadline_missed")
    assert (last.done, last.success) == (True, False)


def test_trees_stop_and_cost_a_move() -> None:
    (step,) = steps(wood("#Hb", 3), "l")
    assert step.events == ("obstacle_bumped",)
    assert (step.state.cell, step.state.moves) == (1, 1)
    assert env.solve(step.state) == ("right", "left")


def test_the_hut_is_no_goal_before_all_berries_are_picked() -> None:
    made = steps(wood("bHb", 9), "lr")
    assert not made[-1].done
    assert made[-1].reward == 0


def _ways(world: Wood, stop: int) -> list[int]:
    return grid.distances(world.rows, world.columns, stop, lambda cell: world.cells[cell] != TREE)


def _shortest(state: Round) -> int:
    """The length of the shortest round, by trying every order of the berries."""
    world = state.wood
    ways = {stop: _ways(world, stop) for stop in (world.hut, *world.berries)}
    return min(
        sum(ways[a][b] for a, b in pairwise((world.hut, *order, world.hut))) for order in permutations(world.berries)
    )


@pytest.mark.parametrize("scale", range(5))
def test_no_order_of_the_berries_is_shorter_than_the_plan(scale: int) -> None:
    for seed in range(8):
        state = env.reset(env.spec.instance(scale, seed, knobs=knobs({"slack": 0})))
        assert len(env.solve(state) or ()) == env.horizon(state) == _shortest(state)


@pytest.mark.parametrize("scale", range(2, 6))
def test_always_going_to_the_nearest_berry_is_too_slow(scale: int) -> None:
    for seed in range(8):
        state = env.reset(env.spec.instance(scale, seed))
        world, stop, left, moves = state.wood, state.wood.hut, set(state.wood.berries), 0
        while left:
            way = _ways(world, stop)
            stop = min(sorted(left), key=way.__getitem__)
            moves += way[stop]
            left.remove(stop)
        assert moves + _ways(world, stop)[world.hut] > state.limit


def test_symmetries_and_the_moves_allowed_make_no_other_problem() -> None:
    assert env.problem(wood("Hb# ...", 2)) == env.problem(wood("... #bH", 9)) != env.problem(wood("H.# b..", 2))


def test_a_berry_that_was_picked_is_shown_no_more() -> None:
    view = env.view(steps(wood("bH.b", 9), "lr")[-1].state, 200)
    assert view.caption == "Map (. grass, b berry, A you at the hut):\n.A.b"
    assert [element.name for element in view.scene] == ["grass", "you at the hut", "grass", "berry"]
    assert view.state == "Moves left: 7. You reach the berries at row,column: 0,3 in 2; the hut in 0."
