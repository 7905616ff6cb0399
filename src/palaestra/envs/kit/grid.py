"""Boards: cells counted from 0 row by row, tiles drawn as one array, paths and symmetries."""

from collections import deque
from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import getitem

import numpy as np
from numpy.typing import NDArray

from palaestra.core.observation import Element, Picture
from palaestra.envs.kit.palette import PALETTE

DIRECTIONS = ("up", "right", "down", "left")
"""Clockwise, so that turning is adding; a step of each is in `neighbours`."""

NOTHING: tuple[Element, ...] = ()
"""The scene of a view without a picture."""

Tiles = NDArray[np.uint8]
"""Opaque tiles [size, kinds, size]: pixel rows first, so that a strip of the board is one lookup."""


@lru_cache(maxsize=256)
def neighbours(rows: int, columns: int) -> tuple[tuple[int, int, int, int], ...]:
    """Return for each cell the cell to its up, right, down, left; -1 beyond the edge."""

    def at(row: int, column: int) -> int:
        return row * columns + column if 0 <= row < rows and 0 <= column < columns else -1

    return tuple((at(r - 1, c), at(r, c + 1), at(r + 1, c), at(r, c - 1)) for r in range(rows) for c in range(columns))


def distances(rows: int, columns: int, start: int, free: Callable[[int], bool]) -> list[int]:
    """Return the fewest steps from a start to every cell over free cells; -1 where there is no way."""
    around = neighbours(rows, columns)
    steps = [-1] * (rows * columns)
    steps[start] = 0
    queue = deque([start])
    while queue:
        cell = queue.popleft()
        for other in around[cell]:
            if other >= 0 and steps[other] < 0 and free(other):
                steps[other] = steps[cell] + 1
                queue.append(other)
    return steps


@lru_cache(maxsize=256)
def _elements(names: tuple[str, ...], rows: int, columns: int, size: int) -> tuple[tuple[Element, ...], ...]:
    """Return for each cell what each kind of content is there: a scene then only picks, and makes nothing."""
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    boxes = [(c * size, r * size, (c + 1) * size, (r + 1) * size) for r, c in cells]
    return tuple(tuple(Element(name, *place) for name in names) for place in zip(cells, boxes, strict=True))


def stack(tiles: Iterable[NDArray[np.uint8]]) -> Tiles:
    """Return tiles [size, size] stacked for `paint`, frozen."""
    stacked = np.ascontiguousarray(np.stack(list(tiles), axis=1))
    stacked.setflags(write=False)
    return stacked


def paint(kinds: NDArray[np.intp], tiles: Tiles) -> Picture:
    """Draw a board [rows, columns] of tile kinds."""
    rows, columns = kinds.shape
    size, _, _ = tiles.shape
    pixels = np.empty((rows * size, columns * size), np.uint8)
    strips = pixels.reshape(rows, size, columns, size)
    for row in range(rows):
        tiles.take(kinds[row], axis=1, out=strips[row], mode="clip")
    return Picture(pixels, PALETTE)


def scene(names: tuple[str, ...], content: Iterable[int], rows: int, columns: int, size: int) -> tuple[Element, ...]:
    """Return one element for each cell: `content` holds its kind, row by row, `names` what each kind is called."""
    return tuple(map(getitem, _elements(names, rows, columns, size), content))


@lru_cache(maxsize=256)
def symmetries(rows: int, columns: int) -> NDArray[np.intp]:
    """Return the cell orders [symmetries, cells] of a board: four, and eight when it is square."""
    cells = np.arange(rows * columns).reshape(rows, columns)
    turned = [cells, cells[::-1], cells[:, ::-1], cells[::-1, ::-1]]
    if rows == columns:
        turned += [board.T for board in turned]
    return np.stack([board.ravel() for board in turned])


def canonical(rows: int, columns: int, content: NDArray[np.uint8], rename: Callable[[bytes], bytes] = bytes) -> bytes:
    """Return the least of a board's symmetric images: equal for boards that differ by a turn or a mirror only.

    `rename` maps equal images under other names to equal bytes; a board taller than wide is laid on its side first, as
    that is a symmetry too.

    >>> upright = canonical(3, 1, np.array([1, 2, 3], np.uint8))
    >>> upright == canonical(1, 3, np.array([3, 2, 1], np.uint8))
    True
    """
    if rows > columns:
        rows, columns, content = columns, rows, content.reshape(rows, columns).T.ravel()
    return bytes([rows, columns]) + min(rename(image.tobytes()) for image in content[symmetries(rows, columns)])
