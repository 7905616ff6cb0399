"""Number grid: sums, repeated digits, given ones, and boards that are the same but for their order."""

from dataclasses import replace

import pytest

from palaestra.envs.arithmetic.number_grid import Board, Planted
from palaestra.envs.arithmetic.number_grid import environment as env

BOARD = Board(((0, 5), (0, 0)), (8, 6), (5, 9), False)  # 3 5 / 2 4
PLANTED = Planted(BOARD, ((3, 5), (2, 4)))


def test_a_board_that_keeps_all_sums_wins() -> None:
    step = env.step(PLANTED, (("3", "5"), ("2", "4")))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == (*("clue_kept",) * 4, "sum_ok", "parts_all_ok")


def test_another_way_to_the_same_sums_is_as_right() -> None:
    free = replace(PLANTED, board=replace(BOARD, givens=((0, 0), (0, 0))))
    assert env.step(free, (("4", "4"), ("1", "5"))).success


def test_lines_with_their_sum_earn_their_share_of_a_half() -> None:
    step = env.step(PLANTED, (("3", "5"), ("1", "4")))
    assert (step.reward, step.success) == (0.25, False)
    assert step.events == ("clue_kept", "clue_broken", "clue_broken", "clue_kept", "sum_off", "parts_some_ok")


def test_a_right_total_of_the_whole_board_is_no_right_sum() -> None:
    step = env.step(PLANTED, (("1", "5"), ("4", "4")))  # 14 in all, as it must be
    assert [event for event in step.events if event.startswith("sum")] == ["sum_off"]


def test_a_changed_given_spoils_both_its_lines_though_the_sums_hold() -> None:
    step = env.step(PLANTED, (("4", "4"), ("1", "5")))
    assert (step.reward, step.events[0]) == (0.25, "given_changed")


def test_a_digit_may_stand_twice_in_a_line_only_where_that_is_allowed() -> None:
    free = Planted(Board(((0, 0), (0, 0)), (8, 6), (5, 9), True), ((3, 5), (2, 4)))
    step = env.step(free, (("4", "4"), ("1", "5")))
    assert (step.success, step.events.count("symbol_repeated"), step.events.count("clue_kept")) == (False, 1, 4)
    assert "sum_ok" in step.events


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_planted_way_has_the_sums_and_digits_differ_where_they_must(scale: int) -> None:
    for seed in range(20):
        state = env.reset(env.spec.instance(scale, seed))
        lines = [*state.witness, *zip(*state.witness, strict=True)]
        assert [sum(line) for line in lines] == [*state.board.across, *state.board.down]
        assert not state.board.distinct or all(len(set(line)) == len(line) for line in lines)


def test_digits_and_sums_stand_where_the_caption_says() -> None:
    view = env.view(BOARD, 448)
    assert view.caption == "Rows: gap 5; gap gap.\nSums of rows: 8 6. Sums of columns: 5 9."
    sums = [element for element in view.scene if element.cell is None]
    assert [(e.name, e.box[0] > 290, e.box[1] > 290) for e in sums] == [
        ("8", True, False),
        ("6", True, False),
        ("5", False, True),
        ("9", False, True),
    ]


def test_the_order_of_rows_and_columns_and_which_of_them_lies_across_make_no_other_problem() -> None:
    for other in (
        Board(((0, 0), (0, 5)), (6, 8), (5, 9), False),
        Board(((5, 0), (0, 0)), (8, 6), (9, 5), False),
        Board(((0, 0), (5, 0)), (5, 9), (8, 6), False),
    ):
        assert env.problem(replace(PLANTED, board=other)) == env.problem(PLANTED)
    assert env.problem(replace(PLANTED, board=replace(BOARD, distinct=True))) != env.problem(PLANTED)
    assert env.problem(replace(PLANTED, board=replace(BOARD, givens=((5, 0), (0, 0))))) != env.problem(PLANTED)
