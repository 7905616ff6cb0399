"""Boards as sets of cells in one whole number, a bit for each cell: floods and distances in a few operations a step."""

from functools import lru_cache


@lru_cache(maxsize=64)
def _inner(rows: int, columns: int) -> tuple[int, int]:
    """Return all cells but those of the first column, and all but those of the last."""
    first = sum(1 << (row * columns) for row in range(rows))
    board = (1 << (rows * columns)) - 1
    return board & ~first, board & ~(first << (columns - 1))


@lru_cache(maxsize=32)
def _ones(kinds: bytes) -> bytes:
    return bytes(49 if kind in kinds else 48 for kind in range(256))


def where(content: bytes, kinds: bytes) -> int:
    """Return the cells that hold one of some kinds.

    >>> bin(where(bytes([0, 3, 0, 5]), bytes([3, 5])))
    '0b1010'
    """
    return int(content[::-1].translate(_ones(kinds)), 2)


def cells(board: int) -> list[int]:
    """Return the cells of a set in order.

    >>> cells(0b1010)
    [1, 3]
    """
    return [cell for cell in range(board.bit_length()) if board >> cell & 1]


def around(rows: int, columns: int, board: int) -> int:
    """Return the neighbours of the cells of a set, and such of its cells as have neighbours in it.

    >>> cells(around(3, 3, 1 << 4))
    [1, 3, 5, 7]
    """
    right, left = _inner(rows, columns)
    beside = (board & left) << 1 | (board & right) >> 1 | board << columns | board >> columns
    return beside & (1 << (rows * columns)) - 1


def flood(rows: int, columns: int, free: int, start: int) -> int:
    """Return a start and all that can be walked to from it over free cells.

    >>> cells(flood(1, 5, 0b10110, 0b00001))
    [0, 1, 2]
    """
    right, left = _inner(rows, columns)
    free &= (1 << rows * columns) - 1
    room = edge = start
    while edge:
        edge = ((edge & left) << 1 | (edge & right) >> 1 | edge << columns | edge >> columns) & free & ~room
        room |= edge
    return room
