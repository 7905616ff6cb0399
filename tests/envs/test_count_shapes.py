"""Count shapes: what is counted, what is covered, and what a count is called."""

from collections import Counter

import numpy as np
import pytest

from palaestra.envs.kit import masks
from palaestra.envs.kit.parts import Asked
from palaestra.envs.perception.count_shapes import Piece, Sheet
from palaestra.envs.perception.count_shapes import environment as env

PIECES = (
    Piece("red", "circle", 0, 0.5, 0.5, 0.8),
    Piece("red", "circle", 1, 1.5, 0.5, 0.8),
    Piece("blue", "star", 4, 1.5, 1.2, 0.8),
)
ASKED = Asked(Sheet(3, PIECES, (False, True, False), ("blue star", "green cross", "red circle")))


def in_sight(sheet: Sheet, unit: int = 60) -> list[float]:
    """The share of each piece that no later one covers, painted piece by piece at another size than the house does."""
    owner = np.zeros((sheet.side * unit, sheet.side * unit), int)
    areas = []
    for number, piece in enumerate(sheet.pieces, 1):
        full = masks.shape(piece.shape, round(piece.size * unit)).full
        top, left = (round(v * unit - full.shape[0] / 2) for v in (piece.y, piece.x))
        for row, column in (np.argwhere(full) + np.array([top, left])).tolist():
            if 0 <= row < len(owner) and 0 <= column < len(owner):
                owner[row, column] = number
        areas.append(np.count_nonzero(full))
    return [np.count_nonzero(owner == number) / area for number, area in enumerate(areas, 1)]


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_shape_stays_in_sight_and_is_called_covered_when_it_is(scale: int) -> None:
    for seed in range(4):
        sheet = env.reset(env.spec.instance(scale, seed)).question
        for share, covered in zip(in_sight(sheet), sheet.covered, strict=True):
            assert share >= 0.38  # two fifths, and the rounding of a small shape
            assert covered if share < 0.95 else not covered or share < 0.995


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_answer_is_a_recount_of_the_pieces(scale: int) -> None:
    for seed in range(20):
        state = env.reset(env.spec.instance(scale, seed))
        kinds = Counter(f"{piece.colour} {piece.shape}" for piece in state.question.pieces)
        wanted = "\n".join(f"{name}: {kinds[name]}" for name in state.question.asked)
        assert env.solve(state) == [wanted]
        assert len({piece.cell for piece in state.question.pieces}) == len(state.question.pieces)


def test_all_counts_right_is_a_success_and_says_how_each_was_right() -> None:
    step = env.step(ASKED, (1, 0, 2))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("count_ok", "count_zero_ok", "count_occluded_ok", "parts_all_ok")
    assert env.solve(step.state) == ()


@pytest.mark.parametrize(
    ("said", "right", "events"),
    [
        ((1, 0, 1), 2, ("count_ok", "count_zero_ok", "count_occluded_missed", "count_off_by_one")),
        ((3, 0, 2), 2, ("count_over", "count_zero_ok", "count_occluded_ok")),
        ((0, 2, 2), 1, ("count_under", "count_off_by_one", "count_over", "count_occluded_ok")),
        ((0, 1, 3), 0, ("count_under", "count_off_by_one", *2 * ("count_over", "count_off_by_one"))),
    ],
)
def test_a_wrong_count_is_named_and_right_ones_earn_their_part_of_a_half(
    said, right: int, events: tuple[str, ...]
) -> None:
    step = env.step(ASKED, said)
    assert (step.done, step.success) == (True, False)
    assert step.events[: len(events)] == events
    assert step.reward == pytest.approx(0.5 * right / 3)


def test_jitter_and_order_make_no_other_problem_and_what_is_asked_does() -> None:
    moved = tuple(piece._replace(x=piece.x + 0.03, size=0.74) for piece in reversed(PIECES))
    asked = ASKED.question.asked
    assert env.problem(Asked(Sheet(3, moved, (False,) * 3, asked))) == env.problem(ASKED)
    assert env.problem(Asked(Sheet(3, PIECES, (False,) * 3, asked[1:]))) != env.problem(ASKED)
