"""Tangram fill: how pieces are laid and taken back, and what can no longer be filled."""

import numpy as np
import pytest

from palaestra.core.environment import turn
from palaestra.core.observation import View
from palaestra.envs.geometry.tangram_fill import Board, Puzzle, _tile
from palaestra.envs.geometry.tangram_fill import environment as env

BEND = ((0, 0), (1, 0), (1, 1))  # down from the dot, then right
BENDS = Board(Puzzle(2, 3, 0b111111, (BEND, BEND)), (0, 0))


def test_a_turned_piece_goes_round_its_dotted_square() -> None:
    step = env.step(BENDS, ("P", "A2", 1))  # left from the dot, then down
    assert (step.state.placed, step.events) == ((0b001011, 0), ("piece_placed",))


def test_a_piece_that_leaves_a_gap_none_can_fill_is_misplaced() -> None:
    step = env.step(BENDS, ("P", "A2", 0))
    assert step.events == ("piece_misplaced", "dead_end_entered")


def test_filling_the_outline_wins() -> None:
    first = env.step(BENDS, ("P", "A1", 0))
    last = env.step(first.state, ("Q", "B3", 2))
    assert (first.events, first.reward, first.done) == (("piece_placed",), 0.0, False)
    assert (last.events, last.reward, last.success) == (("piece_placed", "task_completed"), 1.0, True)


@pytest.mark.parametrize("move", [("P", "A3", 0), ("P", "B1", 0), ("Q", "B2", 1)])
def test_over_the_edge_or_another_piece_nothing_is_laid(move) -> None:
    board = env.step(BENDS, ("Q", "A1", 0)).state if move[0] == "P" else env.step(BENDS, ("P", "B3", 2)).state
    step = env.step(board, move)
    assert (step.state, step.legal, step.events) == (board, True, ("obstacle_bumped",))


def test_a_piece_must_be_taken_back_before_it_is_laid_anew_and_laid_before_it_is_taken_back() -> None:
    laid = env.step(BENDS, ("P", "A1", 0)).state
    for board, move in ((laid, ("P", "A2", 0)), (BENDS, ("P", "off", 0))):
        step = env.step(board, move)
        assert (step.state, step.legal, step.events) == (board, False, ("action_illegal",))


def test_taking_back_a_piece_that_belonged_there_displaces_it() -> None:
    right = env.step(BENDS, ("P", "A1", 0)).state
    wrong = env.step(BENDS, ("P", "A2", 0)).state
    assert env.step(right, ("P", "off", 0)).events == ("move_undone", "piece_displaced")
    assert env.step(wrong, ("P", "off", 0)).events == ("move_undone",)
    assert env.step(wrong, ("P", "off", 0)).state == BENDS


def test_what_cannot_be_filled_has_no_plan_without_taking_back() -> None:
    wrong = env.step(BENDS, ("P", "A2", 0)).state
    plan = env.solve(wrong)
    assert plan is not None
    assert plan[0] == "piece: P\ncell: off\nturn: 0"
    assert len(plan) == 3


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_pieces_have_as_many_squares_as_the_outline_and_plans_lay_each_once(scale: int) -> None:
    for seed in range(5):
        board = env.reset(env.spec.instance(scale, seed))
        assert sum(map(len, board.puzzle.pieces)) == board.puzzle.outline.bit_count()
        plan = env.solve(board)
        assert plan is not None
        assert len(plan) == len(board.placed)
        for reply in plan:
            _, step = turn(env, board, env.view(board, 0), reply)
            board = step.state
        assert step.success


def test_turned_pieces_and_a_mirror_make_no_other_problem() -> None:
    ell = ((0, 0), (1, 0), (2, 0), (2, 1))
    puzzle = Puzzle(2, 4, 0b10111111, (ell, BEND))
    turned = Puzzle(2, 4, 0b10111111, (BEND, tuple((c, -r) for r, c in ell)))
    mirrored = Puzzle(2, 4, 0b11011111, (tuple((r, -c) for r, c in ell), BEND))
    other = Puzzle(2, 4, 0b11011111, (ell, BEND))
    problems = [env.problem(Board(p, (0, 0))) for p in (puzzle, turned, mirrored, other)]
    assert problems[0] == problems[1] == problems[2] != problems[3]


def test_the_board_shows_what_lies_where() -> None:
    view = env.view(env.step(BENDS, ("P", "A1", 0)).state)
    assert view.caption.endswith("P..\nPP.")
    assert "Pieces, 2 is the dot: P 20 11; Q 20 11." in view.caption
    assert [e.name for e in view.scene if e.cell] == ["piece P", "free", "free", "piece P", "piece P", "free"]


def test_a_piece_that_lies_is_grey_in_the_tray_and_tells_its_letter_on_the_board() -> None:
    before, after = (env.view(board) for board in (BENDS, env.step(BENDS, ("P", "A1", 0)).state))

    def colours(view: View, name: str) -> int:
        assert view.image is not None
        left, top, right, bottom = next(element.box for element in view.scene if element.name == name)
        return int(np.ptp(view.image.rgb()[top:bottom, left:right].astype(int), axis=2).max())

    assert colours(before, "P 20 11") > 100 > colours(after, "P 20 11")
    assert colours(before, "Q 20 11") == colours(after, "Q 20 11") > 100
    assert not np.array_equal(_tile(2, 60, 20), _tile(2, 60))


def test_the_task_alone_tells_how_a_piece_is_turned_and_where_it_goes() -> None:
    task = env.view(BENDS, 0).task
    assert "clockwise" in task
    assert "dotted square goes on the cell" in task
