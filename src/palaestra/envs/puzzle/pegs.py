"""Pegs: jump pegs over one another, each jump taking one away, until a single peg is left.

A problem is made backwards from the last peg, so a way to it exists and travels inside the state as a witness until
another jump is made; from there on a search answers, which many pegs are too much for. With few pegs every position can
be searched, and a jump that loses the game is known at once.

Source: peg solitaire (France, seventeenth century). Departures: boards of many outlines, and the last peg may stand
anywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from palaestra.core.answer import Choice, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import bits, captions, grid, headings, splits
from palaestra.envs.kit.canvas import Canvas

SEARCHED = 10  # pegs at most for which the whole game is searched
BUDGET = 3000  # positions that a search among more pegs looks at before it gives up: in steps, not in time

OUTSIDE, HOLE, PEG = range(3)
NAMES = ("outside", "empty hole", "peg")
LEGEND = {"-": "outside", "o": "empty hole", "*": "peg"}
SIGNS = bytes.maketrans(bytes(range(3)), "".join(LEGEND).encode())

TASK = "Jump until one peg is left."
RULES = "A peg jumps in a straight line over a neighbour into the empty hole behind, and takes the neighbour off."
HINT = "Keep the pegs together: one that stands apart needs others to come to it."


@dataclass(frozen=True, slots=True)
class Board:
    """Where holes are, a bit for each cell."""

    rows: int
    columns: int
    holes: int


@dataclass(frozen=True, slots=True)
class Position:
    """All there is to see: the board and where pegs stand on it."""

    board: Board
    pegs: int


Jump = tuple[int, str]  # the cell of a peg, and its direction


@dataclass(frozen=True, slots=True)
class Game:
    """The position, and the jumps that solve it (none once another one was made)."""

    position: Position
    witness: tuple[Jump, ...]


class Pegs:
    """The environment."""

    spec = EnvSpec(
        id="puzzle/pegs",
        version=1,
        title="Pegs",
        horizon=27,
        scales=(
            {"rows": 4, "columns": 5, "pegs": 4, "missing": 3},
            {"rows": 4, "columns": 5, "pegs": 6, "missing": 3},
            {"rows": 5, "columns": 5, "pegs": 8, "missing": 4},
            {"rows": 5, "columns": 6, "pegs": 10, "missing": 4},
            {"rows": 7, "columns": 7, "pegs": 16, "missing": 8},
            {"rows": 8, "columns": 8, "pegs": 26, "missing": 8},
        ),
        knobs=(
            Knob("rows", 3, 8, "rows of cells"),
            Knob("columns", 3, 8, "columns of cells"),
            Knob("pegs", 3, 26, "pegs at the start; fewer on a small board"),
            Knob("missing", 0, 8, "cells at the edge that have no hole"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "planted"}),
        source="peg solitaire",
    )

    def reset(self, instance: Instance) -> Game:
        settings = self.spec.settings(instance)
        rows, columns, pegs, missing = (int(settings[name]) for name in ("rows", "columns", "pegs", "missing"))
        edge = [cell for cell, around in enumerate(grid.neighbours(rows, columns)) if min(around) < 0]
        missing = min(missing, len(edge) // 3)
        pegs = min(pegs, (rows * columns - missing) * 3 // 5)

        def propose(rng: np.random.Generator) -> Game | None:
            holes = (1 << rows * columns) - 1
            for at in rng.permutation(len(edge))[:missing].tolist():
                holes ^= 1 << edge[at]
            if bits.flood(rows, columns, holes, holes & -holes) != holes:
                return None
            game = _unplayed(Board(rows, columns, holes), rng.random(pegs).tolist())
            return game if game.position.pegs.bit_count() == pegs and not _foolproof(game.position) else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Game) -> int:
        return state.position.pegs.bit_count() + 1

    def public(self, state: Game) -> Position:
        return state.position

    def view(self, public: Position, pixels: int = 448) -> View:
        rows, columns, content = public.board.rows, public.board.columns, _content(public)
        kind = _answer(public.board)
        image, elements = None, grid.NOTHING
        if pixels:
            kinds = np.frombuffer(content, np.uint8).astype(np.intp).reshape(rows, columns)
            image, elements = headings.draw([NAMES[cell] for cell in content], kinds, _tiles, pixels, "paper")
        caption = (
            f"{headings.told(rows, columns)}\n{captions.board(LEGEND, content.translate(SIGNS).decode(), columns)}"
        )
        state = f"Pegs left: {public.pegs.bit_count()}. Jumps to choose from: {len(_legal(public))}."
        return View(kind, image, f"{TASK} {kind.describe()}", RULES, HINT, state, caption, elements)

    def step(self, state: Game, action: tuple[str, str]) -> Step[Game]:
        position, board = state.position, state.position.board
        jump = (headings.cell_of(action[0], board.columns), action[1])
        pegs = _legal(position).get(jump)
        if pegs is None:
            return Step(state, legal=False, events=("action_illegal",))
        after = Game(Position(board, pegs), state.witness[1:] if state.witness[:1] == (jump,) else ())
        if pegs.bit_count() == 1:
            return Step(after, 1.0, done=True, success=True, events=("capture_made", "task_completed"))
        stuck, before, now = not _legal(after.position), _outlook(state), _outlook(after)
        progress = "moved_closer" if now else "dead_end_entered" if before and now is False else "moved_level"
        return Step(after, done=stuck, events=("capture_made", progress))

    def solve(self, state: Game) -> Sequence[str] | None:
        """Return the witness, or what a search finds once another jump was made; None when lost or unknown."""
        board = state.position.board
        jumps, kind = state.witness or _found(state.position), _answer(board)
        if jumps is None:
            return None
        return tuple(kind.format((headings.label(cell, board.columns), way)) for cell, way in jumps)

    def problem(self, state: Game) -> bytes:
        board = state.position.board
        return grid.canonical(board.rows, board.columns, np.frombuffer(_content(state.position), np.uint8))


def _content(position: Position) -> bytes:
    board, pegs = position.board, position.pegs
    return bytes([(board.holes >> cell & 1) + (pegs >> cell & 1) for cell in range(board.rows * board.columns)])


@lru_cache(maxsize=1024)
def _jumps(board: Board) -> tuple[tuple[Jump, int, int], ...]:
    """Return every jump that the holes allow: peg and direction, the cells it leaves empty, the cell it fills."""
    around = grid.neighbours(board.rows, board.columns)
    found = []
    for cell in bits.cells(board.holes):
        for heading, over in enumerate(around[cell]):
            to = around[over][heading] if over >= 0 else -1
            if to >= 0 and board.holes >> over & board.holes >> to & 1:
                found.append(((cell, grid.DIRECTIONS[heading]), 1 << cell | 1 << over, 1 << to))
    return tuple(found)


def _legal(position: Position) -> dict[Jump, int]:
    """Return the jumps that can be made, and the pegs after each."""
    pegs = position.pegs
    return {
        jump: pegs ^ emptied ^ filled
        for jump, emptied, filled in _jumps(position.board)
        if pegs & emptied == emptied and not pegs & filled
    }


@lru_cache(maxsize=1 << 16)
def _won(board: Board, pegs: int) -> bool:
    """Return whether one peg can be left, by searching everything."""
    if not pegs & pegs - 1:
        return True
    for _, emptied, filled in _jumps(board):
        if pegs & emptied == emptied and not pegs & filled and _won(board, pegs ^ emptied ^ filled):
            return True
    return False


@lru_cache(maxsize=4096)
def _found(position: Position) -> tuple[Jump, ...] | None:
    """Return jumps that leave one peg, None when there are none or the search gives up."""
    lost = set[int]()

    def jumped(pegs: int) -> tuple[Jump, ...] | None:
        if not pegs & pegs - 1:
            return ()
        for jump, after in _legal(Position(position.board, pegs)).items():
            if after not in lost and len(lost) < BUDGET and (rest := jumped(after)) is not None:
                return (jump, *rest)
        lost.add(pegs)
        return None

    return jumped(position.pegs)


def _outlook(game: Game) -> bool | None:
    """Return whether a game can still be won, None when that is not known."""
    if game.witness:
        return True
    position = game.position
    return _won(position.board, position.pegs) if position.pegs.bit_count() <= SEARCHED else None


def _foolproof(position: Position) -> bool:
    """Return whether it is known that no first jump can lose the game."""
    return position.pegs.bit_count() <= SEARCHED and all(_won(position.board, p) for p in _legal(position).values())


def _unplayed(board: Board, luck: Sequence[float]) -> Game:
    """Return a game that comes from taking back jumps at random, one for each piece of luck but the first."""
    cells = bits.cells(board.holes)
    pegs, witness = 1 << cells[int(luck[0] * len(cells))], tuple[Jump, ...]()
    for share in luck[1:]:
        backs = [(jump, e, f) for jump, e, f in _jumps(board) if pegs & f and not pegs & e]
        if not backs:
            break
        jump, emptied, filled = backs[int(share * len(backs))]
        pegs ^= emptied | filled
        witness = (jump, *witness)
    return Game(Position(board, pegs), witness)


@lru_cache(maxsize=1024)
def _answer(board: Board) -> Record:
    cells = tuple(headings.label(cell, board.columns) for cell in bits.cells(board.holes))
    return Record((("peg", Choice(cells)), ("direction", Choice(grid.DIRECTIONS))))


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(kind, size) for kind in (OUTSIDE, HOLE, PEG))


def _tile(kind: int, size: int) -> NDArray[np.uint8]:
    canvas = Canvas(size, size, "silver" if kind == OUTSIDE else "sand")
    line = max(1, size // 40)
    if kind == OUTSIDE:
        canvas.rectangle((line, line, size - line, size - line), "mist")
    else:
        centre = (size / 2, size / 2)
        canvas.shape("circle", centre, round(size * 0.44), "brown")
        canvas.shape("circle", (size / 2, size * 0.52), round(size * 0.36), "ink")
        if kind == PEG:
            canvas.shape("circle", (size * 0.53, size * 0.55), round(size * 0.74), "brown")
            canvas.shape("circle", centre, round(size * 0.74), "red", edge="wine")
            canvas.shape("circle", (size * 0.4, size * 0.38), round(size * 0.18), "rose")
    return canvas.pixels


environment = Pegs()
