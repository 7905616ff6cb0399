"""Mini sudoku: what completes a board, what breaks it, and that there is one way only."""

import itertools

import pytest

from palaestra.envs.kit.parts import Asked
from palaestra.envs.logic.mini_sudoku import Board
from palaestra.envs.logic.mini_sudoku import environment as env

RIGHT = "1234 3412 2143 4321"
ASKED = Asked(Board(2, bytes(map(int, "1204 3010 0140 4020".replace(" ", "")))))


def answered(rows: str):
    """The step that answers with rows of digits."""
    return env.step(ASKED, tuple(map(tuple, rows.split())))


def test_the_completion_wins_and_every_row_column_and_box_is_kept() -> None:
    step = answered(RIGHT)
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == (*["constraint_kept"] * 12, "parts_all_ok")
    assert env.solve(step.state) == ()


def test_two_digits_exchanged_in_a_row_break_columns_and_no_row() -> None:
    step = answered("1234 3412 2134 4321")
    assert step.events[1:5] == ("constraint_kept",) * 4
    assert step.events[5:9].count("constraint_broken") == 2
    assert (step.success, step.events[0]) == (False, "given_changed")


def test_a_sound_board_of_other_digits_earns_little_and_is_no_success() -> None:
    step = answered("2134 3421 1243 4312")
    assert step.events == ("given_changed", *["constraint_kept"] * 12, "parts_some_ok")
    assert (step.reward, step.success) == (0.5 * 1 / 12, False)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_a_board_has_as_many_gaps_as_its_scale_says_and_exactly_one_completion(scale: int) -> None:
    settings = env.spec.scales[scale]
    for seed in range(5):
        board = env.reset(env.spec.instance(scale, seed)).question
        side = 2 * settings["width"]
        assert board.givens.count(0) == round(settings["empty"] * side * side)
        assert completions(board.givens, side, settings["width"]) == 1


def completions(givens: bytes, side: int, width: int) -> int:
    """Count completions row by row, without anything of the environment."""
    count = 0

    def extend(rows: list[tuple[int, ...]]) -> None:
        nonlocal count
        r = len(rows)
        if r == side:
            count += 1
            return
        given = givens[r * side : (r + 1) * side]
        seen = [{row[c] for row in rows} for c in range(side)]
        box = [set(rows[-1][c // width * width :][:width]) if r % 2 else set() for c in range(side)]
        choices = [
            [d for d in range(1, side + 1) if given[c] in (0, d) and d not in seen[c] | box[c]] for c in range(side)
        ]
        for row in itertools.product(*choices):
            if len(set(row)) == side:
                extend([*rows, row])

    extend([])
    return count


def test_mirrors_turns_and_other_names_of_digits_make_the_same_problem() -> None:
    rows = ["1204", "3010", "0140", "4020"]
    images = [rows[::-1], [row[::-1] for row in rows], ["".join(column) for column in zip(*rows, strict=True)]]
    images.append([row.translate(str.maketrans("1234", "3142")) for row in rows])
    for image in images:
        assert env.problem(Asked(Board(2, bytes(map(int, "".join(image)))))) == env.problem(ASKED)
    assert env.problem(Asked(Board(2, bytes(map(int, "1200301001404020"))))) != env.problem(ASKED)


def test_the_caption_shows_the_board_and_the_state_what_its_rows_lack() -> None:
    view = env.view(ASKED.question, 0)
    assert view.caption.splitlines()[1:] == ["12.4", "3.1.", ".14.", "4.2."]
    assert view.state.endswith("3; 24; 23; 13.")
