"""Sliding tiles: what may slide, how far a board is from solved, and a witness that stays true."""

import numpy as np
import pytest

from palaestra.core.instance import knobs
from palaestra.envs.puzzle.sliding_tiles import Board, Mixed
from palaestra.envs.puzzle.sliding_tiles import environment as env


def mixed(board: str, witness: tuple[int, ...] = ()) -> Mixed:
    """A board that is written out row by row, the gap as 0."""
    rows = [row.split() for row in board.split("/")]
    return Mixed(Board(len(rows), len(rows[0]), bytes(int(tile) for row in rows for tile in row)), witness, 9)


def inversions(tiles: bytes) -> int:
    """Pairs of tiles in the wrong order: together with the gap's row they tell the halves of all boards apart."""
    return sum(a > b > 0 for k, a in enumerate(tiles) for b in tiles[k + 1 :])


def test_only_a_tile_beside_the_gap_slides() -> None:
    state = mixed("1 2 3/4 0 5")
    for tile in (1, 3):
        step = env.step(state, tile)
        assert not step.legal
        assert step.state is state
    assert env.step(state, 2).state.board == Board(2, 3, bytes([1, 0, 3, 4, 2, 5]), last=2)


def test_events_tell_progress_from_loss_and_the_last_slide_wins() -> None:
    steps = []
    state = mixed("1 2 3/4 0 5")
    for tile in (2, 2, 5):
        steps.append(env.step(state, tile))
        state = steps[-1].state
    assert [step.events for step in steps] == [
        ("moved_away", "piece_displaced"),
        ("moved_closer", "piece_placed", "path_reversed"),
        ("moved_closer", "piece_placed", "task_completed"),
    ]
    assert [(step.reward, step.done, step.success) for step in steps] == [(0, False, False)] * 2 + [(1, True, True)]
    assert env.solve(state) == ()


def test_the_hardest_board_of_two_by_three_takes_twenty_one_moves() -> None:
    state = env.reset(env.spec.instance(0, 0, knobs=knobs({"moves": 60})))
    assert 18 <= len(env.solve(state)) <= 21
    assert len(env.solve(mixed("4 5 0/1 2 3"))) == 21


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_board_has_the_parity_of_the_solved_one(scale: int) -> None:
    for seed in range(30):
        board = env.reset(env.spec.instance(scale, seed)).board
        rows_up = board.rows - 1 - board.tiles.index(0) // board.columns
        assert (inversions(board.tiles) + (board.columns % 2 == 0) * rows_up) % 2 == 0


@pytest.mark.parametrize("scale", [4, 5])
def test_the_witness_solves_after_any_detour(scale: int) -> None:
    state = env.reset(env.spec.instance(scale, 0))
    rng = np.random.default_rng(0)
    for _ in range(40):
        step = env.step(state, int(rng.integers(1, len(state.board.tiles))))
        state = step.state
    plan = env.solve(state)
    for tile in plan:
        step = env.step(state, int(tile))
        assert step.legal
        state = step.state
    assert step.success


def test_a_walk_that_comes_round_to_the_solved_board_leads_back_from_there_on_only() -> None:
    state = env.reset(env.spec.instance(5, 16))
    plan = env.solve(state)
    assert plan is not None
    assert len(plan) == 38  # the first twelve of fifty moves came round
    ends = []
    for reply in plan:
        step = env.step(state, int(reply))
        state = step.state
        ends.append(step.done)
    assert ends == [False] * 37 + [True]


def test_the_witness_is_nothing_a_player_sees() -> None:
    state = env.reset(env.spec.instance(5, 0))
    assert env.public(state) == env.public(Mixed(state.board, (), 1))


def test_a_board_mirrored_along_its_diagonal_is_the_same_problem() -> None:
    assert env.problem(mixed("1 2 3/4 5 0/7 8 6")) == env.problem(mixed("1 2 3/4 5 6/7 0 8"))
    assert env.problem(mixed("1 2 3/4 0 5")) == env.problem(mixed("1 2/3 0/5 4"))
    assert env.problem(mixed("1 2 3/4 5 0/7 8 6")) != env.problem(mixed("1 2 3/4 0 5/7 8 6"))
