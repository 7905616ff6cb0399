"""Tangram fill: lay all pieces, turned as needed, so that they fill an outline.

The pieces are cut from the outline, so a way to fill it exists; others may, and any of them wins. A piece that lies
wrong can be taken off again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

import numpy as np

from palaestra.core.answer import Choice, Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.geometry._polyominoes import LONGEST, Cells, around, grow, images, seen_from, turned
from palaestra.envs.kit import bits, captions, headings, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.headings import LETTERS

Move = tuple[str, str, int]
"""A piece, the cell where its dotted square goes, the quarters that it is turned by."""

NAMES = "PQRSTUVW"
COLOURS = ("red", "blue", "yellow", "green", "purple", "orange", "teal", "pink")
LIGHT = ("yellow", "orange", "pink")
KINDS = ("free", "outside", *(f"piece {name}" for name in NAMES))
OUTSIDE, LAID = 1, 2  # kinds of cells; a piece's is LAID and more
OFF = "off"

TASK = (
    "Fill the white outline with all the pieces. Lay one at a time: it turns clockwise by 0 to 3 quarters, then its "
    "dotted square goes on the cell. {}"
)
RULES = "A piece must stay inside the outline and off other pieces. The cell off takes it back."
HINT = "Begin where the outline is narrow and few pieces fit; take one off when a gap is left that none can fill."


@dataclass(frozen=True, slots=True)
class Puzzle:
    """What never changes: the outline as a set of cells, and each piece as seen from its dotted square."""

    rows: int
    columns: int
    outline: int
    pieces: tuple[Cells, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """All that there is to see: the puzzle, and which cells each piece covers, 0 while it does not lie."""

    puzzle: Puzzle
    placed: tuple[int, ...]

    @property
    def free(self) -> int:
        """The cells of the outline that nothing covers."""
        return self.puzzle.outline & ~sum(self.placed)


class TangramFill:
    """The environment."""

    spec = EnvSpec(
        id="geometry/tangram_fill",
        version=1,
        title="Tangram fill",
        horizon=24,
        scales=(
            {"pieces": 3, "smallest": 3, "largest": 4, "turned": 0},
            {"pieces": 4, "smallest": 3, "largest": 4, "turned": 0},
            {"pieces": 4, "smallest": 3, "largest": 4, "turned": 1},
            {"pieces": 5, "smallest": 3, "largest": 5, "turned": 1},
            {"pieces": 6, "smallest": 4, "largest": 5, "turned": 1},
            {"pieces": 7, "smallest": 4, "largest": 5, "turned": 1},
        ),
        knobs=(
            Knob("pieces", 2, 8, "pieces to lay"),
            Knob("largest", 3, 5, "squares of the largest piece"),
            Knob("turned", 0, 1, "whether pieces must be turned"),
        ),
        embedded_scales=(0,),
        tags=frozenset({"multi_turn", "planted"}),
        source="packing puzzles with polyominoes",
    )

    def reset(self, instance: Instance) -> Board:
        settings = self.spec.settings(instance)
        count, smallest, largest = (int(settings[name]) for name in ("pieces", "smallest", "largest"))

        def propose(rng: np.random.Generator) -> Board | None:
            grown = grow(rng.integers(min(smallest, largest), largest + 1, count).tolist(), rng)
            if grown is None:
                return None
            top, left, bottom, right = around([cell for piece in grown for cell in piece])
            columns = right - left + 1
            outline = sum(1 << (r - top) * columns + c - left for piece in grown for r, c in piece)
            dots = [piece[int(luck * len(piece))] for piece, luck in zip(grown, rng.random(count), strict=True)]
            quarters = rng.integers(4 if settings["turned"] else 1, size=count).tolist()
            pieces = [turned(seen_from(d, piece), q) for d, piece, q in zip(dots, grown, quarters, strict=True)]
            return Board(Puzzle(bottom - top + 1, columns, outline, tuple(pieces)), (0,) * count)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Board) -> int:
        return 3 * len(state.placed)

    def public(self, state: Board) -> Board:
        return state

    def view(self, public: Board, pixels: int = 448) -> View:
        puzzle, kind = public.puzzle, _answer(public.puzzle)
        content = _content(public)
        signs = "".join((".#" + NAMES)[k] for k in content)
        left = [name for name, cells in zip(NAMES, public.placed, strict=False) if not cells]
        canvas = _draw(public, pixels) if pixels else None
        pieces = "; ".join(_name(k, piece) for k, piece in enumerate(puzzle.pieces))
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=TASK.format(kind.describe()),
            rules=RULES,
            hint=HINT,
            state=f"Pieces left: {' '.join(left) or 'none'}. Cells still free: {public.free.bit_count()}.",
            caption=f"{headings.told(puzzle.rows, puzzle.columns)} Pieces, 2 is the dot: {pieces}.\n"
            f"{captions.board(dict(zip('.#' + NAMES, KINDS, strict=True)), signs, puzzle.columns)}",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Board, action: Move) -> Step[Board]:
        puzzle, placed = state.puzzle, state.placed
        name, cell, quarters = action
        k = NAMES.index(name)
        if (cell == OFF) != bool(placed[k]):
            return Step(state, legal=False, events=("action_illegal",))
        could = _filling(state) is not None
        if cell == OFF:
            return Step(_with(state, k, 0), events=("move_undone", *(["piece_displaced"] if could else [])))
        mask = _laid(puzzle, k, headings.cell_of(cell, puzzle.columns), quarters)
        if not mask or mask & ~state.free:
            return Step(state, events=("obstacle_bumped",))
        after = _with(state, k, mask)
        if not after.free:
            return Step(after, 1.0, done=True, success=True, events=("piece_placed", "task_completed"))
        if _filling(after) is not None:
            return Step(after, events=("piece_placed",))
        return Step(after, events=("piece_misplaced", *(["dead_end_entered"] if could else [])))

    def solve(self, state: Board) -> Sequence[str] | None:
        """Return a filling, after pieces were taken off until there is one."""
        moves: list[Move] = []
        while (filling := _filling(state)) is None:
            k = next(k for k, mask in enumerate(state.placed) if mask)
            moves.append((NAMES[k], OFF, 0))
            state = _with(state, k, 0)
        return [_answer(state.puzzle).format(move) for move in (*moves, *filling)]

    def problem(self, state: Board) -> bytes:
        """Return outline and pieces up to turns and a mirror of them all, however the pieces lie in the tray."""
        puzzle = state.puzzle
        outline = tuple(divmod(cell, puzzle.columns) for cell in bits.cells(puzzle.outline))
        shapes = [images(cells) for cells in (outline, *puzzle.pieces)]
        sides = [[min(shape[side : side + 4]) for shape in shapes] for side in (0, 4)]  # as they are, and mirrored
        return repr(min((whole, sorted(pieces)) for whole, *pieces in sides)).encode()


def _with(board: Board, piece: int, mask: int) -> Board:
    return Board(board.puzzle, (*board.placed[:piece], mask, *board.placed[piece + 1 :]))


def _laid(puzzle: Puzzle, piece: int, cell: int, quarters: int) -> int:
    """Return the cells that a piece covers, 0 when it is not all inside the outline."""
    row, column = divmod(cell, puzzle.columns)
    mask = 0
    for r, c in turned(puzzle.pieces[piece], quarters):
        if not (0 <= row + r < puzzle.rows and 0 <= column + c < puzzle.columns):
            return 0
        mask |= 1 << (row + r) * puzzle.columns + column + c
    return mask if mask & puzzle.outline == mask else 0


@lru_cache(maxsize=256)
def _spots(puzzle: Puzzle) -> list[dict[int, list[tuple[int, Move]]]]:
    """Return for each piece, by the first cell that it covers, how it may lie and the move that lays it so."""
    spots: list[dict[int, list[tuple[int, Move]]]] = [{} for _ in puzzle.pieces]
    for k, found in enumerate(spots):
        for cell in bits.cells(puzzle.outline):
            for quarters in range(4):
                if mask := _laid(puzzle, k, cell, quarters):
                    move = (NAMES[k], headings.label(cell, puzzle.columns), quarters)
                    found.setdefault(mask & -mask, []).append((mask, move))
    return spots


@lru_cache(maxsize=65536)
def _filling(board: Board) -> tuple[Move, ...] | None:
    """Return moves that fill what is free, cell by cell from the first, None when there are none."""
    free = board.free
    if not free:
        return ()
    for k, found in enumerate(_spots(board.puzzle)):
        for mask, move in found.get(free & -free, ()) if not board.placed[k] else ():
            if mask & free == mask and (rest := _filling(_with(board, k, mask))) is not None:
                return (move, *rest)
    return None


def _content(board: Board) -> list[int]:
    """Return the kind of every cell, row by row."""
    puzzle = board.puzzle
    kinds = [int(not puzzle.outline >> cell & 1) for cell in range(puzzle.rows * puzzle.columns)]
    for k, mask in enumerate(board.placed):
        for cell in bits.cells(mask):
            kinds[cell] = LAID + k
    return kinds


def _name(k: int, piece: Cells) -> str:
    """Return what captions and scenes call a piece in the tray, such as "P 120 011"."""
    top, left, bottom, right = around(piece)
    rows = (
        "".join("2" if (r, c) == (0, 0) else "01"[(r, c) in piece] for c in range(left, right + 1))
        for r in range(top, bottom + 1)
    )
    return f"{NAMES[k]} {' '.join(rows)}"


def _draw(board: Board, pixels: int) -> Canvas:
    """Draw the board with its headings above the tray."""
    puzzle, canvas = board.puzzle, Canvas(pixels, pixels, "mist")
    glyph = max(7, pixels // 32)
    margin, room = 2 * glyph, pixels - _tray(canvas, board, glyph)
    size = min((pixels - 2 * margin) // puzzle.columns, (room - margin) // puzzle.rows)
    left = (pixels - size * puzzle.columns) // 2
    heads = {LETTERS[r]: (left - 1.0 * glyph, margin + (r + 0.5) * size) for r in range(puzzle.rows)}
    heads |= {str(c + 1): (left + (c + 0.5) * size, 1.0 * glyph) for c in range(puzzle.columns)}
    for name, centre in heads.items():
        canvas.element(name, canvas.text(name, centre, glyph), glyph=glyph)
    for cell, kind in enumerate(_content(board)):
        row, column = divmod(cell, puzzle.columns)
        x, y = left + column * size, margin + row * size
        canvas.pixels[y : y + size, x : x + size] = _tile(kind, size, max(6, size // 3))
        canvas.element(KINDS[kind], (x, y, x + size, y + size), (row, column))
    return canvas


def _tray(canvas: Canvas, board: Board, glyph: int) -> int:
    """Draw the pieces on cards at the bottom, four in a row at most, grey where they lie; return the height."""
    pieces = board.puzzle.pieces
    pixels, gap = len(canvas.pixels), max(1, glyph // 4)
    across = len(pieces) if len(pieces) < 5 else ceil(len(pieces) / 2)
    wide = pixels // across
    square = min((wide - glyph - 5 * gap) // LONGEST, pixels // 18)
    tall = [bottom - top + 1 for top, _, bottom, _ in map(around, pieces)]
    highs = [max(tall[k : k + across]) * square + 4 * gap for k in range(0, len(pieces), across)]
    for k, piece in enumerate(pieces):
        row, column = divmod(k, across)
        x, y, high = column * wide, pixels - sum(highs[row:]), highs[row]
        box = (x + gap, y + gap, x + wide - gap, y + high - gap)
        canvas.rectangle(box, "paper")
        canvas.text(NAMES[k], (x + 2 * gap + glyph / 2, y + 3 * gap + glyph / 2), glyph)
        top, left, _, right = around(piece)
        x += glyph + 2 * gap + (wide - glyph - 2 * gap - square * (right - left + 1)) // 2 - left * square
        y += (high - square * tall[k]) // 2 - top * square
        for r, c in piece:
            tile = _tile(OUTSIDE if board.placed[k] else LAID + k, square)
            canvas.pixels[y + r * square :, x + c * square :][:square, :square] = tile
        canvas.shape("circle", (x + square / 2, y + square / 2), max(3, square // 2), "white", "ink")
        canvas.element(_name(k, piece), box, glyph=glyph)
    return sum(highs)


@lru_cache(maxsize=512)
def _tile(kind: int, size: int, glyph: int = 0) -> Pixels:
    """Return a square of a kind, with the letter of its piece where letters have a height."""
    rim, fill = (("silver", "white"), ("mist", "silver"), *(("ink", colour) for colour in COLOURS))[kind]
    canvas = Canvas(size, size, rim)
    line = max(1, size // 24)
    canvas.rectangle((line, line, size - line, size - line), fill)
    if glyph and kind >= LAID:
        canvas.text(NAMES[kind - LAID], (size / 2, size / 2), glyph, "ink" if fill in LIGHT else "white")
    canvas.pixels.setflags(write=False)
    return canvas.pixels


@lru_cache(maxsize=256)
def _answer(puzzle: Puzzle) -> Record:
    cells = tuple(headings.label(cell, puzzle.columns) for cell in bits.cells(puzzle.outline))
    names = tuple(NAMES[: len(puzzle.pieces)])
    return Record((("piece", Choice(names)), ("cell", Choice((*cells, OFF))), ("turn", Integer(0, 3))))


environment = TangramFill()
