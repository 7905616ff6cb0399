"""Futoshiki: what signs and lines demand, that boards have one solution, and that signs open to the larger digit."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from palaestra.envs.kit.parts import Asked
from palaestra.envs.logic.futoshiki import Begun, Board, _lines, _reason
from palaestra.envs.logic.futoshiki import environment as env

SQUARE = bytes([1, 2, 3, 4, 2, 1, 4, 3, 3, 4, 1, 2, 4, 3, 2, 1])
BOARD = Board(4, bytes([1]) + bytes(15), ((0, 1), (5, 1), (14, 10)[::-1]))
ASKED = Asked(Begun(BOARD, SQUARE))


def _rows(square: bytes) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(str, square[start : start + 4])) for start in (0, 4, 8, 12))


def _completions(board: Board, square: bytes = b"") -> Iterator[bytes]:
    """Yield every completion by trying all digits cell by cell."""
    side, cell = board.side, len(square)
    if cell == side * side:
        yield square
        return
    for digit in range(1, side + 1):
        new = square + bytes([digit])
        apart = all(new[k] != digit for line in _lines(side) if cell in line for k in line if k < cell)
        signed = all(new[a] < new[b] for a, b in board.signs if max(a, b) == cell)
        if board.givens[cell] in (0, digit) and apart and signed:
            yield from _completions(board, new)


def test_any_square_that_keeps_signs_lines_and_givens_wins() -> None:
    other = bytes([1, 3, 2, 4, 2, 1, 4, 3, 3, 4, 1, 2, 4, 2, 3, 1])
    for square in (SQUARE, other):
        step = env.step(ASKED, _rows(square))
        assert (step.reward, step.success) == (1.0, True)
        assert step.events == ("constraint_kept",) * 8 + ("clue_kept",) * 3 + ("parts_all_ok",)


def test_a_broken_sign_a_repeated_digit_and_a_changed_given_each_cost_their_parts() -> None:
    flipped = env.step(ASKED, _rows(bytes(5 - digit for digit in SQUARE)))
    assert flipped.events.count("clue_broken") == 3
    assert flipped.events[0] == "given_changed"
    assert flipped.reward == 0.5 * 6 / 11  # the first row and column hold a changed digit
    repeated = env.step(ASKED, _rows(SQUARE[:-1] + b"\2"))
    assert repeated.events.count("symbol_repeated") == 2
    assert repeated.reward == 0.5 * 9 / 11


@pytest.mark.parametrize("scale", range(4))
def test_every_board_has_its_square_as_the_only_completion(scale: int) -> None:
    for seed in range(3):
        asked = env.reset(env.spec.instance(scale, seed)).question
        assert list(_completions(asked.board)) == [asked.square]


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_reasoning_alone_fills_every_board(scale: int) -> None:
    for seed in range(5):
        asked = env.reset(env.spec.instance(scale, seed)).question
        side = asked.board.side
        could = [1 << digit if digit else (2 << side) - 2 for digit in asked.board.givens]
        _reason(side, asked.board.signs, could)
        assert could == [1 << digit for digit in asked.square]


def test_signs_are_as_many_as_the_scale_says_and_givens_at_least() -> None:
    board = env.reset(env.spec.instance(0, 5)).question.board
    assert len(board.signs) == round(0.3 * 24)
    assert sum(map(bool, board.givens)) >= round(0.4 * 16)


def test_a_sign_lies_between_its_cells_and_opens_to_the_larger() -> None:
    view = env.view(BOARD, 448)
    assert view.image is not None
    for (smaller, larger), sign in zip(BOARD.signs, view.scene[16:], strict=True):
        left, top, right, bottom = sign.box
        a, b = view.scene[smaller].box, view.scene[larger].box
        assert (left + right, top + bottom) == pytest.approx(
            ((a[0] + b[2] + b[0] + a[2]) / 2, (a[1] + b[3] + b[1] + a[3]) / 2), abs=2
        )
        ink = (view.image.rgb()[top:bottom, left:right] != view.image.rgb()[top, left]).any(axis=2)
        ink = ink if a[1] == b[1] else ink.T
        ends = [ink[:, : len(ink) // 2].any(axis=1).sum(), ink[:, len(ink) // 2 :].any(axis=1).sum()]
        assert (ends[0] < ends[1]) == (smaller < larger)


def test_turns_and_counting_from_the_other_end_make_no_other_problem() -> None:
    turned = Board(4, BOARD.givens[::-1], tuple(sorted((15 - a, 15 - b) for a, b in BOARD.signs)))
    counted = Board(4, bytes([4]) + bytes(15), tuple(sorted((b, a) for a, b in BOARD.signs)))
    for board in (turned, counted):
        assert env.problem(Asked(Begun(board, SQUARE))) == env.problem(ASKED)
    opened = replace(BOARD, signs=((1, 0), *BOARD.signs[1:]))
    assert env.problem(Asked(Begun(opened, SQUARE))) != env.problem(ASKED)
