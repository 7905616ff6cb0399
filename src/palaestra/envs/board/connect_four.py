"""Connect four: win from the middle of a game, within a few moves, against an opponent whose rule is told.

The opponent is a function of the position: it wins when it can, blocks when it must, and otherwise plays nearest to the
middle. So a game is a plan: every position that is dealt has a win found by search, and none in fewer moves.

Source: the game (Wexler and Strongin, 1974); sets of discs as whole numbers after Tromp and Pons. Departures: smaller
boards connect three.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from palaestra.core.answer import Integer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, headings, splits
from palaestra.envs.kit.canvas import Canvas

FREE, MINE, THEIRS = range(3)
NAMES = ("free", "red disc", "yellow disc")
LEGEND = {".": "free", "r": "red disc", "y": "yellow disc"}
WORDS = {3: "three", 4: "four"}

RULES = (
    "A disc falls to the lowest free cell. Yellow replies: it wins if it can, else blocks you, "
    "else plays nearest the middle, left first."
)
HINT = "Yellow blocks one cell a turn: make two threats, or one above a cell it must fill."


@dataclass(frozen=True, slots=True)
class Game:
    """All there is to see: the board, how many connect, whose discs lie where (one bit for each cell, columns from the
    left, cells from the bottom, one bit free above each column), and how many moves the player has left."""

    rows: int
    columns: int
    line: int
    mine: int
    theirs: int
    left: int


class ConnectFour:
    """The environment."""

    spec = EnvSpec(
        id="board/connect_four",
        version=1,
        title="Connect four",
        horizon=5,
        scales=(
            {"rows": 4, "columns": 5, "line": 3, "discs": 4, "moves": 2, "slack": 1},
            {"rows": 5, "columns": 5, "line": 4, "discs": 6, "moves": 2, "slack": 1},
            {"rows": 5, "columns": 5, "line": 4, "discs": 6, "moves": 3, "slack": 1},
            {"rows": 5, "columns": 6, "line": 4, "discs": 7, "moves": 3, "slack": 1},
            {"rows": 6, "columns": 7, "line": 4, "discs": 8, "moves": 3, "slack": 1},
            {"rows": 6, "columns": 7, "line": 4, "discs": 9, "moves": 4, "slack": 1},
        ),
        knobs=(
            Knob("discs", 2, 9, "discs of each colour at first, a quarter of the cells at most"),
            Knob("moves", 2, 4, "moves to the nearest win"),
            Knob("slack", 0, 2, "moves allowed beyond those"),
        ),
        train_only=frozenset({0}),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn"}),
        source="the game Connect Four",
    )

    def reset(self, instance: Instance) -> Game:
        settings = self.spec.settings(instance)
        rows, columns, line = (int(settings[name]) for name in ("rows", "columns", "line"))
        discs, moves, slack = (int(settings[name]) for name in ("discs", "moves", "slack"))
        discs = min(discs, rows * columns // 4)

        def propose(rng: np.random.Generator) -> Game | None:
            game = _dealt(rows, columns, line, discs, moves, rng.random(2 * discs).tolist())
            if game is None or len(_plan(game) or ()) != moves:
                return None
            return Game(rows, columns, line, game.mine, game.theirs, moves + slack)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Game) -> int:
        return state.left

    def public(self, state: Game) -> Game:
        return state

    def view(self, public: Game, pixels: int = 448) -> View:
        rows, columns = public.rows, public.columns
        kind = Integer(1, columns)
        content = _content(public)
        image, elements = None, grid.NOTHING
        if pixels:
            names = [NAMES[cell] for cell in content]
            kinds = np.frombuffer(content, np.uint8).astype(np.intp).reshape(rows, columns)
            image, elements = headings.draw(names, kinds, _tiles, pixels, "sky", lettered=False)
        free = _shape(rows, columns).board & ~(public.mine | public.theirs)
        ends = [(_ends(discs, rows, public.line) & free).bit_count() for discs in (public.mine, public.theirs)]
        return View(
            kind,
            image,
            f"Connect {WORDS[public.line]} red discs within {public.left} moves: name a column. {kind.describe()}",
            RULES,
            HINT,
            f"Free cells that complete a line: {ends[0]} for red, {ends[1]} for yellow.",
            f"{headings.told(0, columns)}\n{captions.board(LEGEND, content.translate(_SIGNS).decode(), columns)}",
            elements,
        )

    def step(self, state: Game, action: int) -> Step[Game]:
        shape = _shape(state.rows, state.columns)
        cell = _open(shape, state) & shape.files[action - 1]
        if not cell:
            return Step(state, legal=False, events=("action_illegal",))
        mine = state.mine | cell
        placed = Game(state.rows, state.columns, state.line, mine, state.theirs, state.left - 1)
        if _ends(state.mine, state.rows, state.line) & cell:
            return Step(placed, 1.0, done=True, success=True, events=("task_completed",))
        danger = _ends(state.theirs, state.rows, state.line)
        events = ["attack_seen"] if danger & cell else []
        events += ["threat_made"] if _ends(mine, state.rows, state.line) & _open(shape, placed) else []
        reply = _reply(shape, placed)
        after = Game(state.rows, state.columns, state.line, mine, state.theirs | reply, state.left - 1)
        if danger & reply:
            return Step(after, done=True, events=(*events, "opponent_won"))
        before, now = _plan(state), _plan(after)
        if now is None:
            events.append("moved_level" if before is None else "dead_end_entered")
        else:
            events.append("moved_closer" if before is None or len(now) < len(before) else "moved_level")
        return Step(after, done=not after.left or not _open(shape, after), events=tuple(events))

    def solve(self, state: Game) -> Sequence[str] | None:
        """Return the columns of a quickest win, when there is one in the moves that are left."""
        if _lined(state.mine, state.rows, state.line):
            return ()
        plan = None if _lined(state.theirs, state.rows, state.line) else _plan(state)
        return None if plan is None else tuple(str(column + 1) for column in plan)

    def problem(self, state: Game) -> bytes:
        board = np.frombuffer(_content(state), np.uint8).reshape(state.rows, state.columns)
        size = bytes([state.rows, state.columns, state.line, state.left])
        return size + min(board.tobytes(), board[:, ::-1].tobytes())


class _Shape(NamedTuple):
    """What there is to know of an empty board: its cells, the lowest ones, those of each column, the columns from the
    middle."""

    board: int
    floor: int
    files: tuple[int, ...]
    order: tuple[int, ...]


@lru_cache(maxsize=32)
def _shape(rows: int, columns: int) -> _Shape:
    files = tuple(((1 << rows) - 1) << column * (rows + 1) for column in range(columns))
    order = tuple(sorted(range(columns), key=lambda column: (abs(2 * column - columns + 1), column)))
    return _Shape(sum(files), sum(1 << column * (rows + 1) for column in range(columns)), files, order)


def _open(shape: _Shape, game: Game) -> int:
    """Return the cells into which a disc can fall."""
    return ((game.mine | game.theirs) + shape.floor) & shape.board


def _ends(discs: int, rows: int, line: int) -> int:
    """Return the cells, on the board or off it, where one more disc completes a line."""
    found = 0
    for step in (1, rows, rows + 1, rows + 2):
        up, down = discs >> step, discs << step
        up2, down2 = up & up >> step, down & down << step
        if line == 3:
            found |= up2 | down2 | up & down
        else:
            found |= up2 & up >> 2 * step | down2 & down << 2 * step | up2 & down | up & down2
    return found


def _lined(discs: int, rows: int, line: int) -> bool:
    """Return whether there is a line."""
    for step in (1, rows, rows + 1, rows + 2):
        run = discs
        for _ in range(line - 1):
            run &= run >> step
        if run:
            return True
    return False


def _first(shape: _Shape, cells: int) -> int:
    """Return the one of some cells that is nearest the middle, 0 when there are none."""
    return next((cells & shape.files[column] for column in shape.order if cells & shape.files[column]), 0)


def _reply(shape: _Shape, game: Game) -> int:
    """Return the cell that the opponent takes, 0 when the board is full."""
    free = _open(shape, game)
    wins = _ends(game.theirs, game.rows, game.line) & free
    return _first(shape, wins or _ends(game.mine, game.rows, game.line) & free or free)


@lru_cache(maxsize=8192)
def _plan(game: Game) -> tuple[int, ...] | None:
    """Return the columns of a quickest win in the moves that are left, None when there is none."""
    shape, ends = _shape(game.rows, game.columns), _ends(game.mine, game.rows, game.line)
    plans = (_search(shape, game, game.mine, game.theirs, ends, moves + 1) for moves in range(game.left))
    return next((plan for plan in plans if plan is not None), None)


def _search(shape: _Shape, game: Game, mine: int, theirs: int, ends: int, moves: int) -> tuple[int, ...] | None:
    """Return the columns of a win in at most some moves, given where the player's lines would end."""
    taken = mine | theirs
    free = taken + shape.floor & shape.board
    if ends & free:
        return (next(column for column in shape.order if ends & free & shape.files[column]),)
    if moves == 1:
        return None
    danger = _ends(theirs, game.rows, game.line)
    for column in shape.order:
        cell = free & shape.files[column]
        answers = (taken | cell) + shape.floor & shape.board
        if not cell or danger & answers:
            continue  # else the opponent wins, by an old threat or above the cell just taken
        then = _ends(mine | cell, game.rows, game.line)
        if moves == 2 and not then & shape.board & ~taken:
            continue
        reply = _first(shape, then & answers or answers)
        if reply:
            rest = _search(shape, game, mine | cell, theirs | reply, then, moves - 1)
            if rest is not None:
                return (column, *rest)
    return None


def _dealt(rows: int, columns: int, line: int, discs: int, moves: int, luck: Sequence[float]) -> Game | None:
    """Return a position after random moves of both sides, None when there is a line already."""
    shape, sides, taken = _shape(rows, columns), [0, 0], 0
    for turn, share in enumerate(luck):
        free = taken + shape.floor & shape.board
        cells = [cell for file in shape.files if (cell := free & file)]
        if not cells:
            return None
        cell = cells[int(share * len(cells))]
        sides[turn % 2] |= cell
        taken |= cell
    mine, theirs = sides
    made = _lined(mine, rows, line) or _lined(theirs, rows, line)
    return None if made else Game(rows, columns, line, mine, theirs, moves)


_SIGNS = bytes.maketrans(bytes(range(3)), "".join(LEGEND).encode())


def _content(game: Game) -> bytes:
    """Return what lies at each cell, row by row from the top."""
    places = [c * (game.rows + 1) + r for r in reversed(range(game.rows)) for c in range(game.columns)]
    return bytes([(game.mine >> at & 1) * MINE + (game.theirs >> at & 1) * THEIRS for at in places])


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(kind, size) for kind in (FREE, MINE, THEIRS))


def _tile(kind: int, size: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    canvas = Canvas(size, size, "blue")
    fill, edge = (("white", "navy"), ("red", "wine"), ("yellow", "gold"))[kind]
    canvas.shape("circle", (size / 2, size / 2), round(size * 0.8), fill, edge=edge)
    return canvas.pixels


environment = ConnectFour()
