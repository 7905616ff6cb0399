"""Sliding tiles: slide numbered tiles into the gap until they stand in order, the gap last.

Every position is reached backwards from the solved one, so parity is right by construction. Up to nine cells all
distances are known, and a problem is drawn among those at a distance; a larger board is mixed by a walk whose way back
travels inside the state as a witness. Whatever a player does, the witness is kept true: a move that is not its next one
has to be undone first.

Source: the fifteen puzzle (Chapman, 1880).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from palaestra.core.answer import Integer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, splits
from palaestra.envs.kit.canvas import Canvas

KNOWN = 9  # cells of the largest boards of which every distance is known
SPREAD = 4  # problems of such boards lie at a distance of `moves` or up to this much less one
NEVER = 255

NAMES = ("gap", *map(str, range(1, 26)))
TASK = "Put the tiles in order row by row, the gap last: name the tile to slide."
RULES = "A tile next to the gap, in its row or column, slides into it; others cannot move."
HINT = "Settle the top row first, then the left column; then only the rest needs to move."


@dataclass(frozen=True, slots=True)
class Board:
    """All there is to see: the tile on each cell, 0 for the gap, and the tile that moved last (0: none)."""

    rows: int
    columns: int
    tiles: bytes
    last: int = 0


@dataclass(frozen=True, slots=True)
class Mixed:
    """A board, and on large ones the tiles that solve it in turn; and the turn limit."""

    board: Board
    witness: tuple[int, ...]
    limit: int


class SlidingTiles:
    """The environment."""

    spec = EnvSpec(
        id="puzzle/sliding_tiles",
        version=1,
        title="Sliding tiles",
        horizon=100,
        scales=(
            {"rows": 2, "columns": 3, "moves": 8},
            {"rows": 3, "columns": 3, "moves": 10},
            {"rows": 3, "columns": 3, "moves": 16},
            {"rows": 3, "columns": 3, "moves": 23},
            {"rows": 3, "columns": 4, "moves": 36},
            {"rows": 4, "columns": 4, "moves": 50},
        ),
        knobs=(
            Knob("rows", 2, 5, "rows of cells"),
            Knob("columns", 2, 5, "columns of cells"),
            Knob("moves", 6, 60, "moves to the solution at most; a small board goes less far"),
        ),
        train_only=frozenset({0, 1}),
        embedded_scales=(0, 1, 2),
        tags=frozenset({"multi_turn", "planted"}),
        source="the fifteen puzzle",
    )

    def reset(self, instance: Instance) -> Mixed:
        settings = self.spec.settings(instance)
        rows, columns, moves = (int(settings[name]) for name in ("rows", "columns", "moves"))

        def propose(rng: np.random.Generator) -> Mixed | None:
            if rows * columns <= KNOWN:
                far = _at_distance(rows, columns, moves)
                tiles = _unranked(int(far[int(rng.integers(len(far)))]), rows * columns)
                return Mixed(Board(rows, columns, tiles), (), 2 * _distance(rows, columns, tiles) + 2)
            board, way = _walked(rows, columns, rng.random(moves).tolist())
            return Mixed(board, way, 2 * moves) if _astray(board) > moves // 4 else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Mixed) -> int:
        return state.limit

    def public(self, state: Mixed) -> Board:
        return state.board

    def view(self, public: Board, pixels: int = 448) -> View:
        rows, columns, tiles = public.rows, public.columns, public.tiles
        kind = Integer(1, rows * columns - 1)
        names = [NAMES[tile] for tile in tiles]
        image, elements = None, grid.NOTHING
        if pixels:
            size = pixels // max(rows, columns)
            image = grid.paint(np.frombuffer(tiles, np.uint8).astype(np.intp).reshape(rows, columns), _faces(size))
            scene = zip(grid.scene(NAMES, tiles, rows, columns, size), tiles, strict=True)
            elements = tuple(element._replace(glyph=size // 2 if tile else 0) for element, tile in scene)
        placed = sum(tile == home for home, tile in enumerate(tiles, 1))
        return View(
            kind,
            image,
            f"{TASK} {kind.describe()}",
            RULES,
            HINT,
            f"In place: {placed} of {rows * columns - 1} tiles; steps away from home in all: {_astray(public)}.",
            captions.rows(names, columns),
            elements,
        )

    def step(self, state: Mixed, action: int) -> Step[Mixed]:
        board = state.board
        if action not in _movable(board):
            return Step(state, legal=False, events=("action_illegal",))
        after = _slid(board, action)
        witness = state.witness
        if witness:
            witness = witness[1:] if witness[0] == action else (action, *witness)
        nearer = _left(board) - _left(after)
        events = ["moved_closer" if nearer > 0 else "moved_away"]
        if after.tiles[action - 1] == action:
            events.append("piece_placed")
        elif board.tiles[action - 1] == action:
            events.append("piece_displaced")
        if action == board.last:
            events.append("path_reversed")
        if after.tiles != _solved(len(after.tiles)):
            return Step(Mixed(after, witness, state.limit), events=tuple(events))
        return Step(Mixed(after, (), state.limit), 1.0, done=True, success=True, events=(*events, "task_completed"))

    def solve(self, state: Mixed) -> Sequence[str] | None:
        """Return the fewest moves where all distances are known, else the witness."""
        board, plan = state.board, [str(tile) for tile in state.witness]
        if plan or len(board.tiles) > KNOWN:
            return tuple(plan)
        while left := _left(board):
            board = next(b for b in (_slid(board, tile) for tile in _movable(board)) if _left(b) == left - 1)
            plan.append(str(board.last))
        return tuple(plan)

    def problem(self, state: Mixed) -> bytes:
        """Return the board or its mirror image along the diagonal, whichever is less."""
        board = state.board
        rows, columns, tiles = board.rows, board.columns, board.tiles
        mirrored = _mirror(rows, columns).take(np.frombuffer(tiles, np.uint8).reshape(rows, columns).T).tobytes()
        return min(bytes([rows, columns]) + tiles, bytes([columns, rows]) + mirrored)


@lru_cache(maxsize=32)
def _solved(cells: int) -> bytes:
    return bytes([*range(1, cells), 0])


@lru_cache(maxsize=32)
def _mirror(rows: int, columns: int) -> NDArray[np.uint8]:
    """Return the number that each tile, or the gap, has on the board mirrored along its diagonal."""
    homes = np.arange(rows * columns).reshape(columns, rows).T.ravel()
    return np.array([0, *(homes[:-1] + 1)], np.uint8)


def _walked(rows: int, columns: int, luck: Sequence[float]) -> tuple[Board, tuple[int, ...]]:
    """Return where a walk that never turns back ends, and the tiles that lead back to the last solved board on it."""
    tiles, way = list(_solved(rows * columns)), []
    came_from = gap = len(tiles) - 1
    for share in luck:
        around = [cell for cell in grid.neighbours(rows, columns)[gap] if cell >= 0 and cell != came_from]
        cell = around[int(share * len(around))]
        way.append(tiles[cell])
        tiles[gap], tiles[cell] = tiles[cell], 0
        came_from, gap = gap, cell
        if bytes(tiles) == _solved(len(tiles)):
            way.clear()
    return Board(rows, columns, bytes(tiles)), tuple(reversed(way))


def _movable(board: Board) -> list[int]:
    gap = board.tiles.index(0)
    return [board.tiles[cell] for cell in grid.neighbours(board.rows, board.columns)[gap] if cell >= 0]


def _slid(board: Board, tile: int) -> Board:
    swap = bytes([tile, *range(1, tile), 0, *range(tile + 1, 256)])
    return Board(board.rows, board.columns, board.tiles.translate(swap), tile)


def _astray(board: Board) -> int:
    """Return how many steps all tiles together are away from home: no solution is shorter."""
    apart = _apart(board.rows, board.columns)
    return sum(apart[tile][cell] for cell, tile in enumerate(board.tiles) if tile)


@lru_cache(maxsize=32)
def _apart(rows: int, columns: int) -> list[list[int]]:
    """Return for each tile how far each cell is from its home."""
    homes = [divmod((tile - 1) % (rows * columns), columns) for tile in range(rows * columns)]
    cells = [divmod(cell, columns) for cell in range(rows * columns)]
    return [[abs(r - row) + abs(c - column) for row, column in cells] for r, c in homes]


def _left(board: Board) -> int:
    """Return the moves that are left, on large boards a lower bound of them."""
    if len(board.tiles) > KNOWN:
        return _astray(board)
    return _distance(board.rows, board.columns, board.tiles)


@lru_cache(maxsize=8)
def _distances(rows: int, columns: int) -> tuple[NDArray[np.uint8], list[NDArray[np.int64]]]:
    """Return the distance of every arrangement by its rank (NEVER: cannot be reached), and the ranks by distance."""
    cells = rows * columns
    by_rank = np.full(int(np.prod(np.arange(1, cells + 1))), NEVER, np.uint8)
    around = grid.neighbours(rows, columns)
    layer = np.frombuffer(_solved(cells), np.uint8)[None]
    ranks: list[NDArray[np.int64]] = []
    while len(layer):
        rank, first = np.unique(_ranked(layer), return_index=True)
        fresh = by_rank[rank] == NEVER
        by_rank[rank[fresh]] = len(ranks)
        layer = layer[first[fresh]]
        ranks.append(rank[fresh])
        gaps = layer.argmin(axis=1)
        following = []
        for gap in range(cells):
            for other in (cell for cell in around[gap] if cell >= 0):
                moved = layer[gaps == gap]
                moved[:, gap] = moved[:, other]
                moved[:, other] = 0
                following.append(moved)
        layer = np.concatenate(following)
    return by_rank, [some for some in ranks if len(some)]


def _ranked(tiles: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the ranks [boards] of arrangements [boards, cells] in lexical order."""
    cells = tiles.shape[1]
    rank = np.zeros(len(tiles), np.int64)
    for cell in range(cells):
        rank = rank * (cells - cell) + (tiles[:, cell + 1 :] < tiles[:, cell : cell + 1]).sum(axis=1)
    return rank


def _unranked(rank: int, cells: int) -> bytes:
    digits = []
    for base in range(1, cells + 1):
        rank, digit = divmod(rank, base)
        digits.append(digit)
    free = list(range(cells))
    return bytes([free.pop(digit) for digit in reversed(digits)])


@lru_cache(maxsize=65536)
def _distance(rows: int, columns: int, tiles: bytes) -> int:
    rank = 0
    for cell, tile in enumerate(tiles):
        rank = rank * (len(tiles) - cell) + sum(other < tile for other in tiles[cell + 1 :])
    return int(_distances(rows, columns)[0][rank])


@lru_cache(maxsize=64)
def _at_distance(rows: int, columns: int, moves: int) -> NDArray[np.int64]:
    """Return the ranks of the arrangements that are `moves` from the solution, or less by at most SPREAD - 1."""
    _, ranks = _distances(rows, columns)
    most = min(moves, len(ranks) - 1)
    return np.concatenate(ranks[max(1, most - SPREAD + 1) : most + 1])


@lru_cache(maxsize=16)
def _faces(size: int) -> grid.Tiles:
    """Return the gap and every tile that a board may have, by number."""
    return grid.stack(_face(number, size) for number in range(25))


def _face(number: int, size: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    canvas = Canvas(size, size, "slate")
    line, rim = max(1, size // 30), max(2, size // 12)
    if number:
        canvas.rectangle((line, line, size - line, size - line), "gold")
        canvas.rectangle((line, line, size - rim, size - rim), "sand")
        middle = (size + line - rim) // 2 + 0.2  # no half pixels, which round to either side
        for bold in (0, max(1, size // 50)):
            canvas.text(str(number), (middle + bold, middle), size // 2, "ink")
    else:
        canvas.rectangle((line, line, size - line, size - line), "ink")
        canvas.rectangle((rim, rim, size - line, size - line), "slate")
    return canvas.pixels


environment = SlidingTiles()
