"""Boards of the kit: sets of cells, rooms, named rows and columns, captions of rows."""

from collections import Counter

import numpy as np
import pytest

from palaestra.envs.kit import bits, captions, grid, headings, rooms
from palaestra.envs.kit.canvas import Canvas


def test_neighbours_of_a_set_do_not_go_round_the_edge() -> None:
    for rows, columns in ((1, 1), (1, 4), (4, 1), (3, 5)):
        for cell, beside in enumerate(grid.neighbours(rows, columns)):
            assert bits.cells(bits.around(rows, columns, 1 << cell)) == sorted(n for n in beside if n >= 0)


def test_a_flood_stops_at_walls() -> None:
    content = b"..#. ..#. ###.".replace(b" ", b"")
    free = bits.where(content, b".")
    assert bits.cells(bits.flood(3, 4, free, 1)) == [0, 1, 4, 5]
    assert bits.cells(bits.flood(3, 4, free, 1 << 11)) == [3, 7, 11]


@pytest.mark.parametrize(("rows", "columns", "walls"), [(3, 3, 1), (5, 8, 2), (9, 9, 3)])
def test_rooms_are_kept_apart_by_walls_and_joined_by_their_passages(rows: int, columns: int, walls: int) -> None:
    rng = np.random.default_rng(0)
    plans = [plan for plan in (rooms.divide(rows, columns, walls, rng) for _ in range(50)) if plan]
    assert plans
    for plan in plans:
        gaps = {passage.cell for passage in plan.passages}
        floor = [cell for room in plan.rooms for cell in room]
        assert sorted([*floor, *gaps, *plan.walls]) == list(range(rows * columns))
        assert (len(plan.rooms), len(gaps)) == (walls + 1, walls)
        free = sum(1 << cell for cell in floor)
        for room in plan.rooms:
            assert bits.cells(bits.flood(rows, columns, free, 1 << room[0])) == room
        everywhere = free | sum(1 << cell for cell in gaps)
        assert bits.flood(rows, columns, everywhere, 1 << floor[0]) == everywhere


def test_a_board_that_is_too_small_is_not_divided() -> None:
    assert rooms.divide(2, 2, 1, np.random.default_rng(0)) is None


@pytest.mark.parametrize("lettered", [True, False])
def test_headings_name_the_cells_they_stand_beside(lettered: bool) -> None:
    def tiles(size: int) -> grid.Tiles:
        return grid.stack(Canvas(size, size, colour).pixels for colour in ("white", "red"))

    kinds = np.array([[0, 1, 0], [0, 0, 1]])
    names = ["white", "red", "white", "white", "white", "red"]
    picture, scene = headings.draw(names, kinds, tiles, 100, "paper", lettered=lettered)
    assert picture.width == 100 or picture.height == 100 or max(picture.width, picture.height) > 97
    assert [element.name for element in scene if element.cell is None] == [*("AB" if lettered else ""), *"123"]
    boxes = {element.cell: element.box for element in scene if element.cell is not None}
    left, top, right, bottom = boxes[0, 1]
    assert (picture.rgb()[top:bottom, left:right] == (214, 54, 56)).all()
    assert headings.label(5, 3) == "B3"
    for element in scene:
        if element.name in "123" and element.cell is None:
            column = int(element.name) - 1
            assert boxes[0, column][0] <= element.box[0] < element.box[2] <= boxes[0, column][2]


def test_rows_of_words_are_read_back() -> None:
    words = ["2", "gap", "10", "3"]
    assert captions.rows(words, 2) == "Rows: 2 gap; 10 3."
    assert captions.read(f"A board.\n{captions.rows(words, 2)}") == Counter(
        [("2", (0, 0)), ("gap", (0, 1)), ("10", (1, 0)), ("3", (1, 1))]
    )
