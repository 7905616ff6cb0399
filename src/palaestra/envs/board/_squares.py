"""Boards whose squares are named as in chess: files by letters from the left, ranks by numbers from the bottom."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from palaestra.core import answer
from palaestra.core.observation import Element, Picture
from palaestra.envs.kit import grid
from palaestra.envs.kit.canvas import Box, Canvas, Pixels
from palaestra.envs.kit.palette import PALETTE

FILES = "abcdefgh"


@lru_cache(maxsize=64)
def names(rows: int, columns: int) -> tuple[str, ...]:
    """Return the name of every cell, row by row from the top.

    >>> names(2, 3)
    ('a2', 'b2', 'c2', 'a1', 'b1', 'c1')
    """
    return tuple(f"{FILES[column]}{rank}" for rank in range(rows, 0, -1) for column in range(columns))


@lru_cache(maxsize=256)
def several(rows: int, columns: int, shortest: int, longest: int) -> answer.Sequence:
    """Return the answer kind of some squares in order."""
    return answer.Sequence(names(rows, columns), shortest, longest)


def told(rows: int, columns: int) -> str:
    """Return the margins as a caption names them.

    >>> told(2, 3)
    'Files a b c from the left, ranks 2 1 from the top.'
    """
    ranks = " ".join(str(rank) for rank in range(rows, 0, -1))
    return f"Files {' '.join(FILES[:columns])} from the left, ranks {ranks} from the top."


@lru_cache(maxsize=64)
def _frame(rows: int, columns: int, pixels: int, ground: str) -> tuple[Pixels, Sequence[Element], Sequence[Box]]:
    """Return the margins, drawn, their elements, and the boxes of the cells."""
    margin = max(9, pixels // 14)
    size = min((pixels - margin) // columns, (pixels - margin) // rows)
    canvas = Canvas(margin + size * columns, size * rows + margin, ground)
    glyph = max(7, margin // 2)
    heads = [(str(rows - row), (margin / 2, (row + 0.5) * size)) for row in range(rows)]
    heads += [(FILES[c], (margin + (c + 0.5) * size, size * rows + margin / 2)) for c in range(columns)]
    for head, centre in heads:
        box = canvas.text(head, centre, glyph)
        canvas.element(head, box, glyph=min(glyph, box[3] - box[1]))
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    boxes = [(margin + c * size, r * size, margin + (c + 1) * size, (r + 1) * size) for r, c in cells]
    return canvas.pixels, canvas.elements, boxes


def draw(
    looks: Sequence[str], kinds: NDArray[np.intp], tiles: Callable[[int], grid.Tiles], pixels: int, ground: str
) -> tuple[Picture, tuple[Element, ...]]:
    """Draw a board [rows, columns] of tile kinds with ranks to its left and files below; `looks` names what lies at
    each cell."""
    rows, columns = kinds.shape
    frame, heads, boxes = _frame(rows, columns, pixels, ground)
    left, _, right, _ = boxes[0]
    drawn = frame.copy()
    drawn[: boxes[-1][3], left:] = grid.paint(kinds, tiles(right - left)).pixels
    cells = [Element(look, divmod(k, columns), box) for k, (look, box) in enumerate(zip(looks, boxes, strict=True))]
    return Picture(drawn, PALETTE), (*heads, *cells)
