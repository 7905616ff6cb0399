"""Rotate pipes: turn tiles until one network of pipes carries water from the source to all of them.

The network is a tree over the whole board, grown at random and then taken out of joint. Any arrangement wins in which
no end is open and every tile is wet; the one that was grown travels inside the state as a witness.

Source: the computer game Net (Tatham's collection, after FreeNet). Departures: only some tiles are turned, no tile has
four ends.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, headings, splits
from palaestra.envs.kit.canvas import Canvas

ENDS = "urdl"  # of a tile's pipe, a bit for each in the order of `grid.DIRECTIONS`
WET, SOURCE = 16, 32
MOST_ENDS = 3

TASK = "Turn tiles until water reaches them all and no pipe end is open."
RULES = "Naming a tile turns it a quarter clockwise. Water flows from the source wherever two pipe ends meet."
HINT = "Begin at the edges and corners, where no end may point off the board."


@dataclass(frozen=True, slots=True)
class Board:
    """All there is to see: the ends of the pipe on each cell, a bit for each, and the cell of the source."""

    rows: int
    columns: int
    pipes: bytes
    source: int


@dataclass(frozen=True, slots=True)
class Plumbing:
    """The board, and the pipes as they were grown."""

    board: Board
    grown: bytes


class RotatePipes:
    """The environment."""

    spec = EnvSpec(
        id="puzzle/rotate_pipes",
        version=1,
        title="Rotate pipes",
        horizon=150,
        scales=(
            {"rows": 4, "columns": 4, "turned": 4, "branching": 0.6},
            {"rows": 4, "columns": 4, "turned": 7, "branching": 0.6},
            {"rows": 4, "columns": 5, "turned": 10, "branching": 0.5},
            {"rows": 5, "columns": 5, "turned": 14, "branching": 0.4},
            {"rows": 5, "columns": 6, "turned": 18, "branching": 0.3},
            {"rows": 6, "columns": 6, "turned": 24, "branching": 0.2},
        ),
        knobs=(
            Knob("rows", 3, 8, "rows of tiles"),
            Knob("columns", 3, 8, "columns of tiles"),
            Knob("turned", 2, 36, "tiles that do not point as they were grown"),
            Knob("branching", 0.0, 1.0, "how bushy the network is: long winding pipes at 0"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "planted"}),
        source="the computer game Net",
    )

    def reset(self, instance: Instance) -> Plumbing:
        settings = self.spec.settings(instance)
        rows, columns, branching = int(settings["rows"]), int(settings["columns"]), float(settings["branching"])
        turned = min(int(settings["turned"]), rows * columns)

        def propose(rng: np.random.Generator) -> Plumbing | None:
            grown = _grown(rows, columns, branching, rng.random(6 * rows * columns).tolist())
            if grown is None:
                return None
            pipes = bytearray(grown)
            turns = rng.integers(1, 4, turned).tolist()
            for cell, quarters in zip(rng.permutation(rows * columns)[:turned].tolist(), turns, strict=True):
                for _ in range(1 if pipes[cell] in {0b0101, 0b1010} else quarters):
                    pipes[cell] = _turned(pipes[cell])
            board = Board(rows, columns, bytes(pipes), int(rng.integers(rows * columns)))
            return None if _sound(board) else Plumbing(board, grown)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Plumbing) -> int:
        return sum(_turns(state)) * 3 // 2 + 4

    def public(self, state: Plumbing) -> Board:
        return state.board

    def view(self, public: Board, pixels: int = 448) -> View:
        rows, columns, wet = public.rows, public.columns, _wet(public)
        kind = _answer(rows, columns)
        tiles = [ends + WET * (cell in wet) for cell, ends in enumerate(public.pipes)]
        tiles[public.source] += SOURCE
        names = [_name(tile) for tile in tiles]
        image, elements = None, grid.NOTHING
        if pixels:
            image, elements = headings.draw(names, np.array(tiles).reshape(rows, columns), _tiles, pixels, "paper")
        caption = (
            f"{headings.told(rows, columns)} Each tile by the ends of its pipe: u up, r right, d down, l left; in "
            f"capitals when wet; * is the source.\n{captions.rows(names, columns)}"
        )
        state = f"Wet tiles: {len(wet)} of {rows * columns}. Open ends: {sum(_open_ends(public))}."
        return View(kind, image, f"{TASK} {kind.describe()}", RULES, HINT, state, caption, elements)

    def step(self, state: Plumbing, action: str) -> Step[Plumbing]:
        board, cell = state.board, headings.cell_of(action, state.board.columns)
        pipes = board.pipes[:cell] + bytes([_turned(board.pipes[cell])]) + board.pipes[cell + 1 :]
        after = Plumbing(Board(board.rows, board.columns, pipes, board.source), state.grown)
        open_before, still_open = _open_ends(board), _open_ends(after.board)
        events = ["moved_closer" if sum(_turns(after)) < sum(_turns(state)) else "moved_away"]
        if not still_open[cell]:
            events.append("turn_right")
        elif not open_before[cell]:
            events.append("turn_wrong")
        if not _sound(after.board):
            return Step(after, events=tuple(events))
        return Step(after, 1.0, done=True, success=True, events=(*events, "task_completed"))

    def solve(self, state: Plumbing) -> Sequence[str] | None:
        """Return the turns to the pipes as they were grown; () also when another arrangement has won."""
        if _sound(state.board):
            return ()
        return [headings.label(cell, state.board.columns) for cell, n in enumerate(_turns(state)) for _ in range(n)]

    def problem(self, state: Plumbing) -> bytes:
        """Return the least of the board's images when it is turned or mirrored, which turns the pipes as well."""
        board = state.board
        content = np.frombuffer(board.pipes, np.uint8).copy()
        content[board.source] += WET
        images = _images(content.reshape(board.rows, board.columns))
        return min(bytes(image.shape) + image.tobytes() for image in images)


def _turned(ends: int) -> int:
    """Return the ends of a pipe after a quarter turn clockwise."""
    return ends << 1 & 15 | ends >> 3


def _turns(state: Plumbing) -> list[int]:
    """Return how many quarter turns each tile is away from how it was grown."""
    return [_QUARTERS[now][then] for now, then in zip(state.board.pipes, state.grown, strict=True)]


def _quarters(now: int, then: int) -> int:
    quarters = 0
    while now != then and quarters < 4:
        now, quarters = _turned(now), quarters + 1
    return quarters


_QUARTERS = [[_quarters(now, then) for then in range(16)] for now in range(16)]


def _grown(rows: int, columns: int, branching: float, luck: Sequence[float]) -> bytes | None:
    """Return the pipes of a random tree over all cells, None when it came out with a gap."""
    around, pipes, draws = grid.neighbours(rows, columns), bytearray(rows * columns), iter(luck)
    grown = [int(next(draws) * rows * columns)]
    live = list(grown)
    while live:
        at = int(next(draws) * len(live)) if next(draws) < branching else len(live) - 1
        cell = live[at]
        ways = [d for d, other in enumerate(around[cell]) if other >= 0 and not pipes[other] and other != grown[0]]
        if not ways or pipes[cell].bit_count() == MOST_ENDS:
            live.pop(at)
            continue
        heading = ways[int(next(draws) * len(ways))]
        other = around[cell][heading]
        pipes[cell] |= 1 << heading
        pipes[other] |= 1 << (heading + 2) % 4
        grown.append(other)
        live.append(other)
    return bytes(pipes) if len(grown) == rows * columns else None


def _open_ends(board: Board) -> list[int]:
    """Return for each tile how many of its ends meet none, or are missed by a neighbour's."""
    return [
        sum(
            (ends >> d ^ (board.pipes[other] >> (d + 2) % 4 if other >= 0 else 0)) & 1 for d, other in enumerate(around)
        )
        for ends, around in zip(board.pipes, grid.neighbours(board.rows, board.columns), strict=True)
    ]


@lru_cache(maxsize=1024)
def _wet(board: Board) -> frozenset[int]:
    """Return the cells that water reaches."""
    around, wet, live = grid.neighbours(board.rows, board.columns), {board.source}, [board.source]
    while live:
        cell = live.pop()
        for heading, other in enumerate(around[cell]):
            meets = board.pipes[cell] >> heading & 1 and other >= 0 and board.pipes[other] >> (heading + 2) % 4 & 1
            if meets and other not in wet:
                wet.add(other)
                live.append(other)
    return frozenset(wet)


def _sound(board: Board) -> bool:
    return not any(_open_ends(board)) and len(_wet(board)) == len(board.pipes)


def _swapped(*pairs: tuple[int, int]) -> NDArray[np.uint8]:
    """Return the table from every pipe, source or not, to the same pipe with pairs of ends exchanged."""
    goes = {a: b for pair in pairs for a, b in (pair, pair[::-1])}
    return np.array([sum((p >> d & 1) << goes.get(d, d) for d in range(5)) for p in range(2 * WET)], np.uint8)


_FLIPPED, _MIRRORED, _CROSSED = _swapped((0, 2)), _swapped((1, 3)), _swapped((0, 3), (1, 2))


def _images(content: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    for board in (content, _CROSSED[content.T]):
        for image in (board, _FLIPPED[board[::-1]]):
            yield image
            yield _MIRRORED[image[:, ::-1]]


@lru_cache(maxsize=64)
def _answer(rows: int, columns: int) -> Choice:
    return Choice(tuple(headings.label(cell, columns) for cell in range(rows * columns)))


@lru_cache(maxsize=64)
def _name(tile: int) -> str:
    ends = "".join(end for d, end in enumerate(ENDS) if tile >> d & 1)
    return "*" * bool(tile & SOURCE) + (ends.upper() if tile & WET else ends)


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(tile, size) for tile in range(64))


def _tile(tile: int, size: int) -> NDArray[np.uint8]:
    canvas = Canvas(size, size, "silver")
    line, mid = max(1, size // 40), size // 2
    canvas.rectangle((line, line, size - line, size - line), "sand" if tile & SOURCE else "mist")
    half, ending = round(size * 0.17), (tile & 15).bit_count() == 1 or tile & SOURCE
    for rim, fill in ((0, "ink"), (max(1, size // 36), "blue" if tile & WET else "white")):
        near, far = mid - half + rim, mid + half - rim
        arms = ((near, 0, far, mid), (mid, near, size, far), (near, mid, far, size), (0, near, mid, far))
        for heading, arm in enumerate(arms):
            if tile >> heading & 1:
                canvas.rectangle(arm, fill)
        canvas.shape("circle", (mid, mid), far - near + (2 * round(size * 0.15) if ending else 0), fill)
    if tile & SOURCE:
        canvas.shape("star", (mid, mid), round(size * 0.44), "yellow")
    return canvas.pixels


environment = RotatePipes()
