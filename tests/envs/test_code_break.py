"""Code break: what tries are answered, what agrees with the answers, and what is told of a try."""

from dataclasses import replace
from itertools import product

import pytest

from palaestra.envs.logic.code_break import Board, Game, _possible, _tried
from palaestra.envs.logic.code_break import environment as env

EMPTY = Game(Board(4, 5, 6, (), ()), (0, 0, 1, 2))
BEGUN = _tried(EMPTY, (0, 1, 1, 3))


@pytest.mark.parametrize(
    ("guess", "marks"),
    [
        ((0, 0, 1, 2), (4, 0)),
        ((3, 3, 4, 4), (0, 0)),
        ((0, 1, 1, 3), (2, 0)),  # the second of colour 1 has no partner left
        ((1, 2, 0, 0), (0, 4)),
        ((1, 1, 1, 0), (1, 1)),
        ((0, 0, 0, 0), (2, 0)),
    ],
)
def test_each_peg_of_the_code_is_marked_once_and_black_before_white(guess, marks: tuple[int, int]) -> None:
    assert _tried(EMPTY, guess).board.answers == (marks,)


def test_possible_are_the_codes_that_would_have_earned_every_answer() -> None:
    board = _tried(BEGUN, (2, 0, 4, 4)).board
    agree = [code for code in product(range(5), repeat=4) if _answers(code, board) == board.answers]
    assert list(map(tuple, _possible(board).tolist())) == agree
    assert 2 < len(agree) < 100


def _answers(code: tuple[int, ...], board: Board) -> tuple[tuple[int, int], ...]:
    game = replace(EMPTY, code=code)
    for guess in board.tries:
        game = _tried(game, guess)
    return game.board.answers


def test_a_try_agrees_or_not_and_tells_something_or_not() -> None:
    again = env.step(BEGUN, ("red", "yellow", "yellow", "teal"))
    assert again.events == ("guess_contradicted", "trial_redundant")
    wide = env.step(BEGUN, ("blue", "blue", "wine", "wine"))
    assert wide.events == ("guess_contradicted", "trial_informative")
    right = env.step(BEGUN, ("red", "red", "yellow", "blue"))
    assert (right.reward, right.done, right.success) == (1.0, True, True)
    assert right.events == ("guess_consistent", "trial_informative", "task_completed")
    assert env.solve(right.state) == ()


def test_the_last_row_ends_the_game() -> None:
    game = BEGUN
    for _ in range(env.horizon(BEGUN)):
        step = env.step(game, ("teal",) * 4)
        game = step.state
    assert (step.done, step.success, step.reward) == (True, False, 0.0)
    assert env.solve(game) is None
    assert env.guide(game.board) is None


def test_another_code_under_the_same_board_agrees_with_every_answer() -> None:
    codes = {env.reseal(BEGUN, seed).code for seed in range(20)}
    assert len(codes) > 5
    assert all(_answers(code, BEGUN.board) == BEGUN.board.answers for code in codes)


def test_games_begin_with_different_tries_and_three_possible_codes_at_least() -> None:
    for scale in range(len(env.spec.scales)):
        for seed in range(10):
            board = env.reset(env.spec.instance(scale, seed)).board
            assert len(set(board.tries)) == len(board.tries)
            assert len(_possible(board)) > 2


def test_places_colours_and_the_order_of_tries_make_no_other_problem() -> None:
    game = _tried(BEGUN, (2, 3, 4, 4))
    other = _tried(_tried(replace(EMPTY, code=(1, 3, 2, 2)), (0, 0, 1, 4)), (4, 3, 2, 3))
    assert env.problem(other) == env.problem(game)
    assert env.problem(replace(other, code=(1, 3, 2, 1))) != env.problem(game)
