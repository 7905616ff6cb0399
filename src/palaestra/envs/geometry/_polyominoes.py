"""Polyominoes: shapes of cells, turned, compared and grown one from another.

A shape is a tuple of (row, column); a turn goes clockwise, about the cell 0, 0.
"""

from collections.abc import Collection, Sequence, Set
from functools import lru_cache
from math import ceil, sqrt

import numpy as np

Cells = tuple[tuple[int, int], ...]

LONGEST = 4  # cells of a grown shape in one direction


def turned(cells: Cells, quarters: int, mirrored: bool = False) -> Cells:
    """Return cells turned clockwise about 0, 0."""
    if mirrored:
        cells = tuple((r, -c) for r, c in cells)
    for _ in range(quarters):
        cells = tuple((c, -r) for r, c in cells)
    return tuple(sorted(cells))


def seen_from(origin: tuple[int, int], cells: Collection[tuple[int, int]]) -> Cells:
    return tuple((r - origin[0], c - origin[1]) for r, c in cells)


def around(cells: Collection[tuple[int, int]]) -> tuple[int, int, int, int]:
    """Return the first row and column of some cells, and the last ones."""
    rows, columns = zip(*cells, strict=True)
    return min(rows), min(columns), max(rows), max(columns)


def pushed(cells: Collection[tuple[int, int]]) -> Cells:
    """Return cells in order, pushed against the top and the left."""
    return tuple(sorted(seen_from(around(cells)[:2], cells)))


@lru_cache(maxsize=8192)
def images(cells: Cells) -> tuple[Cells, ...]:
    """Return cells turned by no to three quarters, then the same of their mirror image about a diagonal, all pushed."""
    turns = [(quarters, False) for quarters in range(4)] + [(quarters, True) for quarters in (3, 0, 1, 2)]
    return tuple(pushed(turned(cells, *turn)) for turn in turns)


def grow(sizes: Sequence[int], rng: np.random.Generator) -> list[Cells] | None:
    """Return pieces of some sizes that hang together, each grown from those before; None: one had no room."""
    side = ceil(sqrt(1.3 * sum(sizes)))
    room = {(r, c) for r in range(side) for c in range(side + 1)}
    pieces: list[Cells] = []
    edge: Sequence[tuple[int, int]] = [(side // 2, side // 2)]
    for size in sizes:
        piece: list[tuple[int, int]] = []
        for luck in rng.random(size).tolist():
            if not edge:
                return None
            piece.append(edge[int(luck * len(edge))])
            room.discard(piece[-1])
            edge = _beside(piece, room)
        top, left, bottom, right = around(piece)
        if max(bottom - top, right - left) >= LONGEST:
            return None
        pieces.append(tuple(piece))
        edge = _beside([cell for other in pieces for cell in other], room)
    return pieces


def _beside(cells: Sequence[tuple[int, int]], room: Set[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """Return the cells of a room beside some others, as often as they touch, so that pieces grow round."""
    near = [cell for r, c in cells for cell in ((r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c))]
    return [cell for cell in near if cell in room]
