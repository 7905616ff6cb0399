"""Sokoban: what can be pushed, when a level is lost, and that the witness is the way back of pulls."""

from dataclasses import replace

import numpy as np
import pytest

from palaestra.envs.kit import bits, grid
from palaestra.envs.puzzle._crates import Depot, Position, Push
from palaestra.envs.puzzle.sokoban import Shift
from palaestra.envs.puzzle.sokoban import environment as env


def shift(board: str, *witness: Push) -> Shift:
    """A level that is written out in the signs of the caption."""
    rows = board.split()
    signs = "".join(rows)
    floor, marks, crates = (
        sum(1 << cell for cell, sign in enumerate(signs) if sign in some) for some in ("-.$*@+", ".*+", "$*")
    )
    you = next(cell for cell, sign in enumerate(signs) if sign in "@+")
    return Shift(Position(Depot(len(rows), len(rows[0]), floor, marks), crates, you), witness, 50)


def signs(state: Shift) -> str:
    return " ".join(env.view(state.position, 0).caption.splitlines()[1:])


def test_a_crate_is_pushed_one_cell_and_you_stand_where_it_was() -> None:
    step = env.step(shift("@$-. ----"), "right")
    assert signs(step.state) == "-@$. ----"
    assert step.events == ("moved_closer",)


@pytest.mark.parametrize("board", ["@$$-. .----", "@$#-. -----", "--.@$ -----"])
def test_two_crates_walls_and_the_edge_stop_you(board: str) -> None:
    state = shift(board)
    step = env.step(state, "right")
    assert (step.state, step.events) == (state, ("obstacle_bumped",))
    assert env.step(shift("@#. -$- ---"), "left").events == ("edge_bumped",)


def test_the_last_crate_on_a_mark_wins_and_a_crate_taken_off_undoes_a_goal() -> None:
    won = env.step(shift("@$. ---"), "right")
    assert (won.reward, won.done, won.success) == (1.0, True, True)
    assert won.events == ("subgoal_reached", "task_completed")
    assert env.solve(won.state) == ()
    assert "subgoal_undone" in env.step(shift("@*--. -----"), "right").events


def test_a_crate_that_can_reach_no_mark_any_more_loses_the_level() -> None:
    assert "dead_end_entered" in env.step(shift("--- @$- -.-"), "right").events
    assert "dead_end_entered" not in env.step(shift("----- -@$-- ----- ---.-"), "right").events


def test_walking_towards_a_useful_push_is_told_from_walking_away() -> None:
    state = shift("----- --$-. -@--- -----")
    assert env.step(state, "up").events == ("moved_closer",)
    away = env.step(state, "down")
    assert away.events == ("moved_away",)
    assert env.step(away.state, "up").events == ("moved_closer", "path_reversed")


def test_the_witness_holds_however_one_walks() -> None:
    state = env.reset(env.spec.instance(3, 1))
    you = state.position.you
    after = [env.step(state, heading).state for heading in grid.DIRECTIONS]
    walked = next(s for s in after if s.position.you != you and s.witness == state.witness)
    for action in env.solve(walked):
        step = env.step(walked, action)
        walked = step.state
    assert step.success


@pytest.mark.parametrize("scale", [0, 1])
def test_after_other_pushes_a_search_finds_a_way_exactly_where_there_is_one(scale: int) -> None:
    found = []
    for seed in range(12):
        state, rng = env.reset(env.spec.instance(scale, seed)), np.random.default_rng(seed)
        for heading in rng.integers(4, size=30).tolist():
            step = env.step(state, grid.DIRECTIONS[heading])
            state = state if step.done else step.state
        plan = env.solve(replace(state, witness=()))
        assert (plan is not None) == winnable(state)
        for action in plan or ():
            step = env.step(state, action)
            state = step.state
        assert plan is None or step.success
        found.append(plan is not None)
    assert 0 < sum(found) < len(found)


def winnable(state: Shift) -> bool:
    """Whether walking blindly on and on ever wins."""
    seen = {(state.position.crates, state.position.you)}
    queue = [state]
    for one in queue:
        for heading in grid.DIRECTIONS:
            step = env.step(one, heading)
            if step.success:
                return True
            position = step.state.position
            if (position.crates, position.you) not in seen:
                seen.add((position.crates, position.you))
                queue.append(step.state)
    return False


def test_the_search_leaves_large_levels_to_the_witness() -> None:
    levels = [env.reset(env.spec.instance(5, seed)) for seed in range(6)]
    assert all(env.solve(level) for level in levels)
    assert not all(env.solve(replace(level, witness=())) for level in levels)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_no_push_of_a_witness_is_wasted_and_no_crate_starts_on_a_mark(scale: int) -> None:
    for seed in range(8):
        state = env.reset(env.spec.instance(scale, seed))
        depot = state.position.depot
        assert not state.position.crates & depot.marks
        assert 4 * len(state.witness) >= 3 * int(env.spec.scales[scale]["pushes"])
        been = {crate: {crate} for crate in bits.cells(state.position.crates)}
        for crate, heading in state.witness:
            to = grid.neighbours(depot.rows, depot.columns)[crate][heading]
            assert to not in been[crate]
            been[to] = been.pop(crate) | {to}


def test_turned_levels_are_one_problem_and_another_stand_is_another() -> None:
    assert env.problem(shift("@$. ---")) == env.problem(shift(".$@ ---")) == env.problem(shift("@- $- .-"))
    assert env.problem(shift("@$. ---")) != env.problem(shift("-$. @--"))


def test_a_crate_on_a_mark_differs_from_others_by_more_than_its_colour() -> None:
    view = env.view(shift("@$.* ----").position, 448)
    crops = [view.image.rgb()[y0:y1, x0:x1] for x0, y0, x1, y1 in (view.scene[1].box, view.scene[3].box)]
    light = [(crop.mean(axis=2) > 160)[crop.shape[0] // 4 : -crop.shape[0] // 4] for crop in crops]
    assert (light[0] != light[1]).mean() > 0.1
