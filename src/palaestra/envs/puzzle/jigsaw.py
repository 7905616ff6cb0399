"""Jigsaw: a picture of coloured threads is cut into square pieces; say which piece belongs in which slot.

Threads cross each cut between two pieces at some of three places, so neighbours know one another by the colours of
their thread ends. Few patterns serve many cuts, which makes lookalikes, and a search makes sure that the pieces go
together in one way only.

Source: edge-matching puzzles (Thurston, 1893). Departures: the pieces keep their upright position, and the rim is seen.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, product
from typing import NamedTuple

import numpy as np

from palaestra.core.answer import Sequence as InOrder
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, masks, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.parts import Asked, scored

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXY"
COLOURS = {"b": "blue", "o": "orange", "k": "black", "t": "teal", "n": "brown"}  # apart for colour-blind people too
PLACES = 3  # where a thread may cross a cut
RIM, BLANK = "#", "-"

TASK = "Put the pieces together: name the piece for each slot, row by row."
RULES = "Pieces are not turned. Where two meet, the same colours meet at the same places; dark sides are the rim."
HINT = "Start with a corner and go along the rim; where two pieces fit, see which of them the next slot allows."


class Piece(NamedTuple):
    """What its four sides show, left to right or top to bottom: a sign for each place, or the rim."""

    top: str
    right: str
    bottom: str
    left: str


@dataclass(frozen=True, slots=True)
class Tray:
    """All there is to see: the size of the frame, and the pieces in the order of their letters."""

    rows: int
    columns: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Puzzle:
    """The tray, and the number of the piece that belongs in each slot."""

    tray: Tray
    slots: tuple[int, ...]


class Jigsaw:
    """The environment."""

    spec = EnvSpec(
        id="puzzle/jigsaw",
        version=1,
        title="Jigsaw",
        horizon=1,
        scales=(
            {"rows": 2, "columns": 3, "colours": 3, "patterns": 6},
            {"rows": 3, "columns": 3, "colours": 3, "patterns": 8},
            {"rows": 3, "columns": 4, "colours": 4, "patterns": 9},
            {"rows": 4, "columns": 4, "colours": 4, "patterns": 10},
            {"rows": 4, "columns": 5, "colours": 5, "patterns": 11},
            {"rows": 5, "columns": 5, "colours": 5, "patterns": 12},
        ),
        knobs=(
            Knob("rows", 2, 5, "rows of slots"),
            Knob("columns", 2, 5, "columns of slots"),
            Knob("colours", 2, 5, "colours of threads"),
            Knob("patterns", 8, 24, "different patterns on the cuts: few make many lookalikes"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn"}),
        source="edge-matching puzzles",
    )

    def reset(self, instance: Instance) -> Asked[Puzzle]:
        settings = self.spec.settings(instance)
        rows, columns, colours, patterns = (int(settings[name]) for name in ("rows", "columns", "colours", "patterns"))
        sides = _sides(colours)

        def propose(rng: np.random.Generator) -> Asked[Puzzle] | None:
            chosen = [sides[k] for k in rng.permutation(len(sides))[:patterns].tolist()]
            cuts = [chosen[k] for k in rng.integers(len(chosen), size=2 * rows * columns).tolist()]
            picture = _cut(rows, columns, cuts)
            if len(list(_assemblies(rows, columns, picture, 2))) > 1:
                return None
            order = rng.permutation(rows * columns).tolist()
            tray = Tray(rows, columns, tuple(picture[slot] for slot in order))
            return Asked(Puzzle(tray, tuple(order.index(slot) for slot in range(rows * columns))))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Puzzle]) -> int:
        return 1

    def public(self, state: Asked[Puzzle]) -> Tray:
        return state.question.tray

    def view(self, public: Tray, pixels: int = 448) -> View:
        rows, columns, pieces = public.rows, public.columns, public.pieces
        kind = _answer(rows * columns)
        names = [f"{letter}:{','.join(piece)}" for letter, piece in zip(LETTERS, pieces, strict=False)]
        canvas = _draw(public, names, pixels) if pixels else None
        signs = ", ".join(f"{sign} {colour}" for sign, colour in COLOURS.items())
        caption = (
            f"The frame has {rows} rows of {columns} slots. Each piece by its sides top,right,bottom,left, read left "
            f"to right or top to bottom: {signs}, {BLANK} blank, {RIM} rim.\n{captions.rows(names, columns)}"
        )
        rims = [sum(side == RIM for side in piece) for piece in pieces]
        at = [" ".join(letter for letter, n in zip(LETTERS, rims, strict=False) if n == rim) for rim in (2, 1)]
        state = f"At corners: {at[0]}. At the rim else: {at[1] or 'none'}."
        image, elements = (canvas.picture(), tuple(canvas.elements)) if canvas else (None, ())
        return View(kind, image, f"{TASK} {kind.describe()}", RULES, HINT, state, caption, elements)

    def step(self, state: Asked[Puzzle], action: tuple[str, ...]) -> Step[Asked[Puzzle]]:
        said = [LETTERS.index(letter) for letter in action]
        right = [piece == slot for piece, slot in zip(said, state.question.slots, strict=True)]
        events = ["piece_placed" if placed else "piece_misplaced" for placed in right]
        events += ["symbol_repeated"] * (len(set(said)) < len(said))
        return scored(Asked(state.question, answered=True), sum(right), len(right), events)

    def solve(self, state: Asked[Puzzle]) -> Sequence[str] | None:
        if state.answered:
            return ()
        return [_answer(len(state.question.slots)).format(tuple(LETTERS[piece] for piece in state.question.slots))]

    def problem(self, state: Asked[Puzzle]) -> bytes:
        """Return the least of the picture's images, turned or mirrored, with its colours named as they appear."""
        tray = state.question.tray
        pieces = [tray.pieces[piece] for piece in state.question.slots]
        board = [pieces[start : start + tray.columns] for start in range(0, len(pieces), tray.columns)]
        return min(_renamed(image) for image in _images(board))


@lru_cache(maxsize=8)
def _sides(colours: int) -> list[str]:
    """Return every pattern of one or two threads of some colours."""
    signs = ["".join(signs) for signs in product(BLANK + "".join(COLOURS)[:colours], repeat=PLACES)]
    return [side for side in signs[1:] if BLANK in side]


def _cut(rows: int, columns: int, cuts: Sequence[str]) -> list[Piece]:
    """Return the pieces, slot by slot: a cut below and a cut to the right of each slot is given."""
    pieces = []
    for slot in range(rows * columns):
        row, column = divmod(slot, columns)
        pieces.append(
            Piece(
                cuts[2 * (slot - columns)] if row else RIM,
                cuts[2 * slot + 1] if column < columns - 1 else RIM,
                cuts[2 * slot] if row < rows - 1 else RIM,
                cuts[2 * slot - 1] if column else RIM,
            )
        )
    return pieces


def _assemblies(rows: int, columns: int, pieces: Sequence[Piece], most: int) -> Iterator[tuple[int, ...]]:
    """Yield some of the ways in which the pieces fill the frame and fit, each as the piece in every slot."""
    fitting = defaultdict(list)
    for number, piece in enumerate(pieces):
        fitting[piece.top, piece.left, piece.bottom == RIM, piece.right == RIM].append(number)
    found = 0

    def fill(placed: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        nonlocal found
        row, column = divmod(len(placed), columns)
        if row == rows:
            found += 1
            yield placed
            return
        top = pieces[placed[-columns]].bottom if row else RIM
        left = pieces[placed[-1]].right if column else RIM
        for number in fitting.get((top, left, row == rows - 1, column == columns - 1), ()):
            if number not in placed and found < most:
                yield from fill((*placed, number))

    return fill(())


Board = Sequence[Sequence[Piece]]


def _images(board: Board) -> Iterator[Board]:
    crossed = [[Piece(p.left, p.bottom, p.right, p.top) for p in column] for column in zip(*board, strict=True)]
    for image in (board, crossed):
        upside = [[Piece(p.bottom, p.right[::-1], p.top, p.left[::-1]) for p in row] for row in image[::-1]]
        for upright in (image, upside):
            yield upright
            yield [[Piece(p.top[::-1], p.left, p.bottom[::-1], p.right) for p in row[::-1]] for row in upright]


def _renamed(board: Board) -> bytes:
    text = " ".join(chain.from_iterable(chain.from_iterable(board)))
    seen = dict.fromkeys(sign for sign in text if sign in COLOURS)
    return bytes([len(board)]) + text.translate(str.maketrans("".join(seen), "12345"[: len(seen)])).encode()


@lru_cache(maxsize=32)
def _answer(pieces: int) -> InOrder:
    return InOrder(tuple(LETTERS[:pieces]), pieces, pieces)


def _draw(tray: Tray, names: Sequence[str], pixels: int) -> Canvas:
    """Draw the pieces in their tray, and the empty frame beside it on a smaller scale."""
    rows, columns = tray.rows, tray.columns
    unit = min(5 * pixels // (6 * columns + 1), pixels // rows)
    small = unit // 5
    size, glyph = unit - max(2, unit // 10), max(6, unit // 5)
    canvas = Canvas(unit * columns + small * (columns + 1), unit * rows)
    for number, (name, piece) in enumerate(zip(names, tray.pieces, strict=True)):
        row, column = divmod(number, columns)
        left, top = column * unit, row * unit
        canvas.pixels[top : top + size, left : left + size] = _drawn(piece, LETTERS[number], size, glyph)
        canvas.element(name, (left, top, left + size, top + size), (row, column), glyph)
    left, top = unit * columns + small // 2, (unit * rows - small * rows) // 2
    line = max(1, small // 12)
    canvas.rectangle((left - line, top - line, left + small * columns + line, top + small * rows + line), "slate")
    for row, column in product(range(rows), range(columns)):
        x, y = left + column * small, top + row * small
        canvas.rectangle((x + line, y + line, x + small - line, y + small - line), "white")
    canvas.element("frame", (left - line, top - line, left + small * columns + line, top + small * rows + line))
    return canvas


@lru_cache(maxsize=4096)
def _drawn(piece: Piece, letter: str, size: int, glyph: int) -> Pixels:
    canvas = Canvas(size, size, "sand")
    bead, middle = max(3, round(size * 0.18)), size / 2
    for heading, side in enumerate(piece):
        for place, sign in enumerate(side):
            x, y = _crossing(size, heading, place)
            if sign in COLOURS:
                canvas.stamp(_thread(size, heading, place), 0, 0, COLOURS[sign])
                canvas.shape("circle", (x, y), bead, COLOURS[sign])
    rim = max(2, size // 14)
    boxes = ((0, 0, size, rim), (size - rim, 0, size, size), (0, size - rim, size, size), (0, 0, rim, size))
    for side, box in zip(piece, boxes, strict=True):
        if side == RIM:
            canvas.rectangle(box, "slate")
    canvas.shape("circle", (middle, middle), round(glyph * 2.1), "white", "ink", letter, glyph)
    return canvas.pixels


def _crossing(size: int, heading: int, place: int) -> tuple[float, float]:
    """Return the point (x, y) of a place on a side."""
    along = size * (0.24 + 0.26 * place)
    return ((along, 0.0), (float(size), along), (along, float(size)), (0.0, along))[heading]


@lru_cache(maxsize=256)
def _thread(size: int, heading: int, place: int) -> masks.Mask:
    """Return a thread from a place on a side, straight inwards and then to the middle."""
    x, y = _crossing(size, heading, place)
    into = size * 0.16
    inner = ((x, into), (size - into, y), (x, size - into), (into, y))[heading]
    return masks.segments(size, size, [(x, y, *inner), (*inner, size / 2, size / 2)], size / 14)


environment = Jigsaw()
