"""Spreadsheet: what formulas mean, what typing does, and when handing in wins."""

from dataclasses import replace

import pytest

from palaestra.envs.gui.spreadsheet import Cell, Sheet, _named, _right, _wrong
from palaestra.envs.gui.spreadsheet import environment as env

# A1 10, B1 4, C1 A1-B1; A2 7, B2 5, C2 A2+B2; A3 A1:A2 (of two), B3 9, C3 C1:C2
CELLS = (
    Cell("", 10), Cell("", 4), Cell("-", 0, 1),
    Cell("", 7), Cell("", 5), Cell("+", 3, 4),
    Cell(":", 0, 3), Cell("", 9), Cell(":", 2, 5),
)  # fmt: skip
RIGHT = (10, 4, 6, 7, 5, 12, 17, 9, 18)
SHEET = Sheet(3, CELLS, (10, 4, 6, 7, 5, 13, 17, 9, 20))


def test_formulas_add_subtract_and_sum_ranges_of_right_results() -> None:
    assert _right(3, CELLS) == RIGHT
    assert _right(4, (*(Cell("", n) for n in (1, 2, 3)), Cell(":", 0, 2)))[3] == 6
    assert _wrong(SHEET) == [5, 8]


def test_a_formula_is_judged_by_right_results_not_by_what_is_shown() -> None:
    consistent = env.step(SHEET, ("C3", 6 + 13))
    assert consistent.events == ("control_right", "field_missed", "sum_off")
    assert env.step(SHEET, ("C3", 18)).events == ("control_right", "field_set", "sum_ok")


def test_a_right_result_can_be_spoilt_and_mended() -> None:
    spoilt = env.step(SHEET, ("A3", 16))
    assert spoilt.events == ("control_wrong", "field_missed")
    assert _wrong(spoilt.state) == [5, 6, 8]
    assert _wrong(env.step(spoilt.state, ("A3", 17)).state) == [5, 8]
    assert env.step(SHEET, ("A3", 17)).events == ("control_wrong", "field_set")


def test_done_wins_when_no_result_is_wrong_and_ends_the_task_otherwise() -> None:
    lost = env.step(SHEET, ("Done", 0))
    assert (lost.done, lost.success, lost.events) == (True, False, ("committed_early",))
    assert env.solve(lost.state) is None
    won = env.step(replace(SHEET, shown=RIGHT), ("Done", 7))
    assert (won.reward, won.success, won.events) == (1.0, True, ("committed_ready", "task_completed"))
    assert env.solve(won.state) == ()


def test_a_reply_may_name_cell_and_value_in_one_line_and_plain_numbers_cannot_be_named() -> None:
    answer = env.view(SHEET, 0).answer
    assert answer.parse("C3, 18").value == ("C3", 18)
    assert not answer.parse("A1, 18").ok


def test_the_caption_tells_every_cell_of_every_row() -> None:
    caption = env.view(SHEET, 0).caption
    assert "  columns A B C\n  row 1: 10 | 4 | A1-B1 = 6\n" in caption
    assert "  row 3: SUM(A1:A2) = 17 | 9 | SUM(C1:C2) = 20\n" in caption


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_formulas_name_cells_before_them_and_as_many_are_wrong_as_the_scale_says(scale: int) -> None:
    said = env.spec.scales[scale]
    for seed in range(40):
        sheet = env.reset(env.spec.instance(scale, seed))
        for k, cell in enumerate(sheet.cells):
            assert all(named < k for named in _named(sheet.columns, cell))
        assert len(_wrong(sheet)) == said["errors"]
        assert sum(cell.sign != "" for cell in sheet.cells) == said["formulas"]
        assert all(0 <= value <= 999 for value in (*sheet.shown, *_right(sheet.columns, sheet.cells)))


def test_what_is_shown_is_part_of_the_problem() -> None:
    assert env.problem(SHEET) != env.problem(replace(SHEET, shown=(*SHEET.shown[:8], 19)))
