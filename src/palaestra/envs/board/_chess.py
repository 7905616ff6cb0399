"""Chess on square boards of five to eight files: pieces as sets of cells, their moves, and how they look.

A position is twelve whole numbers, one for each kind of piece, white first, whose bits are cells counted row by row
from the top. There is no castling, no double step, no en passant; no pawn ever comes to promote.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from palaestra.core.observation import Element, Picture
from palaestra.envs.board import _squares
from palaestra.envs.kit import captions, grid
from palaestra.envs.kit.canvas import Canvas, Pixels

KING, QUEEN, ROOK, BISHOP, KNIGHT, PAWN = range(6)
WHITE, BLACK = 0, 6
"""Where the kinds of either side begin."""

PIECES = ("king", "queen", "rook", "bishop", "knight", "pawn")
NAMES = (*(f"white {piece}" for piece in PIECES), *(f"black {piece}" for piece in PIECES), "free")
FREE = 12
LEGEND = {".": "free"} | dict(zip("KQRBNPkqrbnp", NAMES, strict=False))
_SIGNS = bytes.maketrans(bytes(range(13)), b"KQRBNPkqrbnp.")

Sets = tuple[int, ...]
"""The cells of each of the twelve kinds."""


class Geometry(NamedTuple):
    """For each cell: the rays along ranks and files, then diagonals, each pair towards higher and lower cells; the
    cells one king's step and one knight's leap away; those a white and a black pawn attack; those straight ahead."""

    rays: tuple[tuple[int, ...], ...]
    king: tuple[int, ...]
    knight: tuple[int, ...]
    pawn: tuple[tuple[int, ...], tuple[int, ...]]
    ahead: tuple[tuple[int, ...], tuple[int, ...]]


class Aims(NamedTuple):
    """Which moves matter: those of each kind of piece to some cells, and all moves from others."""

    direct: tuple[int, ...]
    unveiling: int


_RAYS = ((0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1))  # the first half leads to higher cells
_LEAPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))


@lru_cache(maxsize=8)
def geometry(side: int) -> Geometry:
    """Return the tables of a board."""

    def bits(steps: tuple[tuple[int, int], ...], length: int = 1) -> tuple[int, ...]:
        return tuple(
            sum(
                1 << (r + k * dr) * side + c + k * dc
                for dr, dc in steps
                for k in range(1, length + 1)
                if 0 <= r + k * dr < side and 0 <= c + k * dc < side
            )
            for r in range(side)
            for c in range(side)
        )

    return Geometry(
        tuple(zip(*(bits((step,), side) for step in _RAYS), strict=True)),
        bits(_RAYS),
        bits(_LEAPS),
        (bits(((-1, -1), (-1, 1))), bits(((1, -1), (1, 1)))),
        (bits(((-1, 0),)), bits(((1, 0),))),
    )


def cells(bits: int) -> Iterator[int]:
    """Yield the cells of a set."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def _slide(rays: tuple[tuple[int, ...], ...], cell: int, taken: int, lines: tuple[int, ...]) -> int:
    """Return the cells seen along some rays, up to the first taken one."""
    seen, at = 0, rays[cell]
    for line in lines:
        ray = at[line]
        if hit := ray & taken:
            ray ^= rays[(hit & -hit if line < 4 else hit).bit_length() - 1][line]
        seen |= ray
    return seen


_STRAIGHT, _DIAGONAL = (0, 1, 4, 5), (2, 3, 6, 7)


def attacks(side: int, kind: int, cell: int, taken: int) -> int:
    """Return the cells that a piece attacks; kinds from 6 are black."""
    table, piece = geometry(side), kind % 6
    if piece == KING:
        return table.king[cell]
    if piece == KNIGHT:
        return table.knight[cell]
    if piece == PAWN:
        return table.pawn[kind // 6][cell]
    seen = _slide(table.rays, cell, taken, _STRAIGHT) if piece != BISHOP else 0
    return seen | _slide(table.rays, cell, taken, _DIAGONAL) if piece != ROOK else seen


def attacked(side: int, sets: Sets, cell: int, by: int) -> bool:
    """Return whether one side, WHITE or BLACK, attacks a cell."""
    table = geometry(side)
    king, queens, rooks, bishops, knights, pawns = sets[by : by + 6]
    if table.knight[cell] & knights or table.king[cell] & king or table.pawn[1 - by // 6][cell] & pawns:
        return True
    taken = union(sets)
    return bool(
        _slide(table.rays, cell, taken, _STRAIGHT) & (queens | rooks)
        or _slide(table.rays, cell, taken, _DIAGONAL) & (queens | bishops)
    )


def union(sets: Sets) -> int:
    """Return the cells where anything stands."""
    taken = 0
    for bits in sets:
        taken |= bits
    return taken


def legal(side: int, sets: Sets, by: int, aims: Aims | None = None) -> Iterator[tuple[int, int, Sets]]:
    """Yield the legal moves of one side, if aims are given only those: from where, to where, and what stands where
    afterwards."""
    table, own, other = geometry(side), union(sets[by : by + 6]), union(sets[6 - by : 12 - by])
    taken = own | other
    for kind in range(by, by + 6):
        for cell in cells(sets[kind]):
            targets = attacks(side, kind, cell, taken) & ~own
            if kind - by == PAWN:
                targets = targets & other | table.ahead[by // 6][cell] & ~taken
            if aims and not aims.unveiling >> cell & 1:
                targets &= aims.direct[kind - by]
            for target in cells(targets):
                bit = 1 << target
                moved = [bits & ~bit for bits in sets]
                moved[kind] ^= 1 << cell | bit
                after = tuple(moved)
                if not attacked(side, after, after[by].bit_length() - 1, 6 - by):
                    yield cell, target, after


def _checking(side: int, sets: Sets, king: int) -> Aims:
    """Return the aims of all moves by which white may attack a cell."""
    rays, taken = geometry(side).rays, union(sets)
    direct = (0, *(attacks(side, kind, king, taken) for kind in range(QUEEN, PAWN)), geometry(side).pawn[1][king])
    veils = direct[QUEEN] & union(sets[:BLACK])
    behind = taken & ~veils
    straight = _slide(rays, king, behind, _STRAIGHT) & (sets[ROOK] | sets[QUEEN])
    diagonal = _slide(rays, king, behind, _DIAGONAL) & (sets[BISHOP] | sets[QUEEN])
    return Aims(direct, veils if straight | diagonal else 0)


def mates(side: int, sets: Sets) -> Iterator[tuple[int, int]]:
    """Yield white's moves that mate."""
    king = sets[BLACK].bit_length() - 1
    for cell, target, after in legal(side, sets, WHITE, _checking(side, sets, king)):
        if attacked(side, after, king, WHITE) and _helpless(side, after, king):
            yield cell, target


def _helpless(side: int, sets: Sets, king: int) -> bool:
    """Return whether no move of black saves its attacked king; others than it help only where an attack passes."""
    seen = attacks(side, QUEEN, king, union(sets)) | geometry(side).knight[king]
    return not any(legal(side, sets, BLACK, Aims((-1, *[seen] * PAWN), 0)))


def flights(side: int, sets: Sets) -> int:
    """Return the cells to which the black king can step."""
    king = sets[BLACK]
    gone = (*sets[:BLACK], 0, *sets[BLACK + 1 :])
    around = geometry(side).king[king.bit_length() - 1] & ~union(sets[BLACK:])
    return sum(1 << cell for cell in cells(around) if not attacked(side, gone, cell, WHITE))


def content(side: int, sets: Sets) -> bytes:
    """Return what stands at each cell, row by row from the top."""
    board = bytearray([FREE]) * (side * side)
    for kind, bits in enumerate(sets):
        for cell in cells(bits):
            board[cell] = kind
    return bytes(board)


def sets_of(board: bytes) -> Sets:
    """Return the sets of what stands at each cell."""
    sets = [0] * 13
    for cell, kind in enumerate(board):
        sets[kind] |= 1 << cell
    return tuple(sets[:FREE])


def canonical(side: int, board: bytes) -> bytes:
    """Return the least image of a board under the symmetries that its moves have: pawns leave the mirror only."""
    cells = np.frombuffer(board, np.uint8)
    if PAWN in board or BLACK + PAWN in board:
        return bytes([side]) + min(board, cells.reshape(side, side)[:, ::-1].tobytes())
    return grid.canonical(side, side, cells)


def draw(side: int, board: bytes, pixels: int) -> tuple[Picture, tuple[Element, ...]]:
    """Draw a position with its margins."""
    kinds = np.frombuffer(board, np.uint8).astype(np.intp).reshape(side, side)
    return _squares.draw([NAMES[kind] for kind in board], kinds, tiles, pixels, "paper")


def told(side: int, board: bytes) -> str:
    """Return the caption of a position."""
    signs = board.translate(_SIGNS).decode()
    return f"{_squares.told(side, side)}\n{captions.board(LEGEND, signs, side)}"


# Figures in shares of a tile: discs and stars (shape, x, y, size) and bars (x0, y0, x1, y1, thickness).
_Figure = tuple[tuple[tuple[str, float, float, float], ...], tuple[tuple[float, float, float, float, float], ...]]
_FOOT = (0.25, 0.82, 0.75, 0.82, 0.12)
_FIGURES: dict[int, _Figure] = {
    KING: (
        (("cross", 0.5, 0.22, 0.25), ("circle", 0.36, 0.48, 0.3), ("circle", 0.64, 0.48, 0.3)),
        ((0.5, 0.38, 0.5, 0.8, 0.36), _FOOT),
    ),
    QUEEN: (
        (*(("circle", x, y, 0.13) for x, y in ((0.16, 0.32), (0.39, 0.2), (0.61, 0.2), (0.84, 0.32))),),
        (
            *((x, y, foot, 0.7, 0.1) for x, y, foot in ((0.16, 0.32, 0.32), (0.84, 0.32, 0.68))),
            *((x, y, foot, 0.7, 0.13) for x, y, foot in ((0.39, 0.2, 0.44), (0.61, 0.2, 0.56))),
            (0.28, 0.66, 0.72, 0.66, 0.24),
            _FOOT,
        ),
    ),
    ROOK: ((), (*((x, 0.18, x, 0.42, 0.13) for x in (0.29, 0.5, 0.71)), (0.225, 0.37, 0.775, 0.37, 0.12),
                (0.5, 0.4, 0.5, 0.8, 0.36), _FOOT)),
    BISHOP: ((("circle", 0.5, 0.17, 0.15), ("diamond", 0.5, 0.46, 0.54)), ((0.5, 0.55, 0.5, 0.8, 0.26), _FOOT)),
    KNIGHT: (
        (("triangle", 0.55, 0.22, 0.22), ("circle", 0.54, 0.4, 0.34), ("circle", 0.26, 0.52, 0.2)),
        ((0.52, 0.38, 0.26, 0.52, 0.2), (0.58, 0.4, 0.56, 0.8, 0.34), _FOOT),
    ),
    PAWN: ((("circle", 0.5, 0.36, 0.3), ("triangle", 0.5, 0.62, 0.44)), ((0.3, 0.82, 0.7, 0.82, 0.12),)),
}  # fmt: skip


def figure(canvas: Canvas, piece: int, fill: str, edge: str) -> None:
    """Draw a piece on a square tile: its parts in the colour of the edge, a little larger, then in its own."""
    size = canvas.pixels.shape[0]
    shapes, bars = _FIGURES[piece]
    for rim, colour in ((max(1.0, size / 26), edge), (0.0, fill)):
        for x0, y0, x1, y1, thick in bars:
            dx, dy = (rim * (a != b) * (1 if b > a else -1) for a, b in ((x0, x1), (y0, y1)))
            line = (x0 * size - dx, y0 * size - dy, x1 * size + dx, y1 * size + dy)
            canvas.segments([line], thick * size + 2 * rim, colour)
        for name, x, y, share in shapes:
            canvas.shape(name, (x * size, y * size), round(share * size + 2 * rim), colour)


@lru_cache(maxsize=32)
def tiles(size: int) -> grid.Tiles:
    """Return the tiles of the twelve kinds of pieces and the free square."""
    return grid.stack(_tile(kind, size) for kind in range(FREE + 1))


def _tile(kind: int, size: int) -> Pixels:
    canvas = Canvas(size, size, "mint")
    line = max(1, size // 40)
    canvas.rectangle((line, line, size - line, size - line), "grass")
    if kind != FREE:
        figure(canvas, kind % 6, *(("white", "ink") if kind < BLACK else ("slate", "black")))
    return canvas.pixels
