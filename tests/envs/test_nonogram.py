"""Nonogram: what clues say, that they leave one picture, and what an answer is paid."""

from itertools import product

import pytest

from palaestra.envs.kit.parts import Asked
from palaestra.envs.logic.nonogram import Clues, Drawing, _arrangements, _clues
from palaestra.envs.logic.nonogram import environment as env

PICTURE = (0b011, 0b101, 0b000)  # the lowest bit is the first column
ASKED = Asked(Drawing(Clues(rows=((2,), (1, 1), ()), columns=((2,), (1,), (1,))), PICTURE))


def test_clues_are_the_runs_of_rows_from_the_left_and_of_columns_from_the_top() -> None:
    assert _clues(PICTURE, 3) == ASKED.question.clues


def test_the_arrangements_of_a_line_are_all_that_have_its_runs() -> None:
    for runs in ((), (3,), (1, 2), (2, 1, 1), (6,)):
        every = {cells for cells in range(64) if _clues([cells], 6).rows[0] == runs}
        assert sorted(_arrangements(runs, 6)) == sorted(every)


def test_a_board_that_keeps_every_clue_wins() -> None:
    step = env.step(ASKED, (("1", "1", "0"), ("1", "0", "1"), ("0", "0", "0")))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("clue_kept",) * 6 + ("parts_all_ok",)


def test_each_clue_kept_earns_a_part() -> None:
    step = env.step(ASKED, (("1", "1", "0"), ("1", "0", "0"), ("0", "0", "0")))
    assert (step.reward, step.success) == (0.5 * 4 / 6, False)
    assert step.events.count("clue_broken") == 2
    nothing = env.step(ASKED, (("0", "0", "0"), ("0", "0", "0"), ("1", "1", "1")))
    assert nothing.events.count("clue_kept") == 2  # the lower columns hold one run of 1, as asked


@pytest.mark.parametrize("seed", range(6))
def test_no_other_picture_has_the_same_clues(seed: int) -> None:
    asked = env.reset(env.spec.instance(0, seed)).question
    ways = product(*(_arrangements(runs, 5) for runs in asked.clues.rows))
    assert [way for way in ways if _clues(way, 5) == asked.clues] == [asked.picture]


def test_the_caption_gives_every_clue_and_an_empty_line_as_nought() -> None:
    assert env.view(ASKED.question.clues, 0).caption == (
        "3 x 3 empty cells. Rows from the top: 2; 1 1; 0. Columns from the left: 2; 1; 1."
    )


def test_the_strips_of_clues_lie_beside_and_above_the_board() -> None:
    board, *strips = env.view(env.reset(env.spec.instance(4, 1)).question.clues).scene
    assert len(strips) == 16
    assert all(strip.box[2] <= board.box[0] for strip in strips[:8])
    assert all(strip.box[3] <= board.box[1] for strip in strips[8:])


def test_a_mirrored_picture_is_no_other_problem() -> None:
    mirrored = Asked(Drawing(_clues((0b110, 0b101, 0b000), 3), (0b110, 0b101, 0b000)))
    assert env.problem(mirrored) == env.problem(ASKED)
    other = (0b011, 0b001, 0b000)
    assert env.problem(Asked(Drawing(_clues(other, 3), other))) != env.problem(ASKED)
