"""Boards whose rows and columns are named in the margin, so that a reply can name a cell or a column."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palaestra.core.observation import Element, Picture
from palaestra.envs.kit import grid
from palaestra.envs.kit.canvas import Box, Canvas, Pixels
from palaestra.envs.kit.palette import PALETTE

LETTERS = "ABCDEFGH"
"""The names of rows from the top; columns are numbered from 1."""


def label(cell: int, columns: int) -> str:
    """Return the name of a cell.

    >>> label(5, columns=4), cell_of("B2", columns=4)
    ('B2', 5)
    """
    return f"{LETTERS[cell // columns]}{cell % columns + 1}"


def cell_of(label: str, columns: int) -> int:
    """Return the cell of a name."""
    return LETTERS.index(label[0]) * columns + int(label[1:]) - 1


def told(rows: int, columns: int) -> str:
    """Return the headings as a caption names them; no rows when their number is 0.

    >>> told(2, 3), told(0, 3)
    ('Rows A B, columns 1 2 3.', 'Columns 1 2 3.')
    """
    numbers = " ".join(str(column + 1) for column in range(columns))
    return f"Rows {' '.join(LETTERS[:rows])}, columns {numbers}." if rows else f"Columns {numbers}."


class _Frame(NamedTuple):
    pixels: Pixels
    heads: Sequence[Element]
    cells: Sequence[tuple[int, int]]
    boxes: Sequence[Box]


@lru_cache(maxsize=64)
def _frame(rows: int, columns: int, pixels: int, ground: str, ink: str, lettered: bool) -> _Frame:
    """Return the margins, drawn, and the places of the cells."""
    margin = max(9, pixels // 14)
    left = margin if lettered else 0
    size = min((pixels - left) // columns, (pixels - margin) // rows)
    canvas = Canvas(left + size * columns, margin + size * rows, ground)
    glyph = max(7, margin // 2)
    heads = [(LETTERS[r], (margin / 2, margin + (r + 0.5) * size)) for r in range(rows if lettered else 0)]
    heads += [(str(c + 1), (left + (c + 0.5) * size, margin / 2)) for c in range(columns)]
    for name, centre in heads:
        canvas.element(name, canvas.text(name, centre, glyph, ink), glyph=glyph)
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    boxes = [(left + c * size, margin + r * size, left + (c + 1) * size, margin + (r + 1) * size) for r, c in cells]
    return _Frame(canvas.pixels, canvas.elements, cells, boxes)


def draw(
    names: Sequence[str],
    kinds: NDArray[np.intp],
    tiles: Callable[[int], grid.Tiles],
    pixels: int,
    ground: str,
    ink: str = "ink",
    lettered: bool = True,
) -> tuple[Picture, tuple[Element, ...]]:
    """Draw a board [rows, columns] of tile kinds with numbers above its columns and letters beside its rows.

    Args:
        names: what lies at each cell, row by row.
        tiles: gives the tiles of a size.
        pixels: what the longer side may take, margins included.
        lettered: whether rows are named too.
    """
    rows, columns = kinds.shape
    frame = _frame(rows, columns, pixels, ground, ink, lettered)
    left, top, right, _ = frame.boxes[0]
    drawn = frame.pixels.copy()
    drawn[top:, left:] = grid.paint(kinds, tiles(right - left)).pixels
    cells = map(Element, names, frame.cells, frame.boxes)
    return Picture(drawn, PALETTE), (*frame.heads, *cells)
