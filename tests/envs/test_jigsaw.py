"""Jigsaw: pieces go together in one way only, and a picture is the same however it was cut out and laid."""

from itertools import permutations

import pytest

from palaestra.envs.kit.parts import Asked
from palaestra.envs.puzzle.jigsaw import LETTERS, RIM, Puzzle, Tray
from palaestra.envs.puzzle.jigsaw import environment as env


def fits(tray: Tray, slots: tuple[int, ...]) -> bool:
    """Whether pieces laid in slots match everywhere, looked at side by side."""
    for slot, number in enumerate(slots):
        row, column = divmod(slot, tray.columns)
        piece = tray.pieces[number]
        above = tray.pieces[slots[slot - tray.columns]].bottom if row else RIM
        before = tray.pieces[slots[slot - 1]].right if column else RIM
        last = ((piece.bottom == RIM) == (row == tray.rows - 1), (piece.right == RIM) == (column == tray.columns - 1))
        if (piece.top, piece.left) != (above, before) or not all(last):
            return False
    return True


@pytest.mark.parametrize("seed", range(12))
def test_no_other_order_of_the_pieces_fits(seed: int) -> None:
    puzzle = env.reset(env.spec.instance(0, seed)).question
    assert [slots for slots in permutations(range(6)) if fits(puzzle.tray, slots)] == [puzzle.slots]


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_answer_fits_no_two_pieces_are_alike_and_patterns_repeat(scale: int) -> None:
    for seed in range(8):
        state = env.reset(env.spec.instance(scale, seed))
        assert fits(state.question.tray, state.question.slots)
        assert len(set(state.question.tray.pieces)) == len(state.question.tray.pieces)
        patterns = {side for piece in state.question.tray.pieces for side in piece} - {RIM}
        assert len(patterns) <= env.spec.scales[scale]["patterns"]


def test_every_piece_in_its_slot_wins_and_some_earn_less_than_half() -> None:
    state = env.reset(env.spec.instance(0, 0))
    right = tuple(LETTERS[piece] for piece in state.question.slots)
    won = env.step(state, right)
    assert (won.reward, won.done, won.success) == (1.0, True, True)
    assert won.events == ("piece_placed",) * 6 + ("parts_all_ok",)
    swapped = env.step(state, (right[1], right[0], *right[2:]))
    assert swapped.reward == pytest.approx(0.5 * 4 / 6)
    assert swapped.events == ("piece_misplaced",) * 2 + ("piece_placed",) * 4 + ("parts_some_ok",)


def test_a_piece_named_twice_is_said() -> None:
    state = env.reset(env.spec.instance(0, 0))
    step = env.step(state, (LETTERS[state.question.slots[0]],) * 6)
    assert step.events[0] == "piece_placed"
    assert step.events[-2:] == ("symbol_repeated", "parts_some_ok")


def test_the_order_of_the_letters_and_the_names_of_colours_make_no_other_problem() -> None:
    state = env.reset(env.spec.instance(2, 3))
    tray, last = state.question.tray, len(state.question.slots) - 1
    laid = Tray(tray.rows, tray.columns, tray.pieces[::-1])
    assert env.problem(Asked(Puzzle(laid, tuple(last - piece for piece in state.question.slots)))) == env.problem(state)
    swap = str.maketrans("ob", "bo")
    dyed = tuple(piece._make(side.translate(swap) for side in piece) for piece in tray.pieces)
    assert env.problem(Asked(Puzzle(Tray(tray.rows, tray.columns, dyed), state.question.slots))) == env.problem(state)


def test_a_mirrored_picture_is_the_same_problem_and_one_with_another_thread_is_not() -> None:
    state = env.reset(env.spec.instance(1, 2))
    board = [state.question.tray.pieces[piece] for piece in state.question.slots]
    mirrored = [p._make((p.top[::-1], p.left, p.bottom[::-1], p.right)) for p in board]
    flipped = tuple(mirrored[3 * row + 2 - column] for row in range(3) for column in range(3))
    assert env.problem(Asked(Puzzle(Tray(3, 3, flipped), tuple(range(9))))) == env.problem(state)
    changed = (board[0]._replace(right="ooo"), board[1]._replace(left="ooo"), *board[2:])
    assert env.problem(Asked(Puzzle(Tray(3, 3, changed), tuple(range(9))))) != env.problem(state)


def test_threads_are_drawn_where_the_caption_says() -> None:
    state = env.reset(env.spec.instance(0, 1))
    view = env.view(state.question.tray, 448)
    inks = {"o": (240, 136, 32), "b": (42, 100, 214), "k": (0, 0, 0)}
    for element, piece in zip(view.scene, state.question.tray.pieces, strict=False):
        left, top, right, bottom = element.box
        for side, line in (
            (piece.top, view.image.rgb()[top, left:right]),
            (piece.left, view.image.rgb()[top:bottom, left]),
        ):
            if side != RIM:
                found = "".join(sign for sign in inks if (line == inks[sign]).all(axis=1).any())
                assert set(found) == set(side) - {"-"}
