"""Futoshiki: complete a Latin square under signs that tell which of two neighbours is the smaller.

A board begins with some digits and some signs of a full square. Whenever reasoning on what is given gets stuck, one
more digit is given; so reasoning solves every board, and it has one solution. The answer is verified against rows,
columns, signs and givens, never compared with the square.

*Source*: the rules of Futoshiki (Tamaki Seto, 2001). *Departures*: no board needs a guess.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from palaestra.core.answer import Grid
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import Element, Picture, View
from palaestra.envs.kit import captions, grid, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.palette import PALETTE
from palaestra.envs.kit.parts import Asked, scored

LEGEND = {".": "empty", **dict(zip("1234567", ("one", "two", "three", "four", "five", "six", "seven"), strict=True))}
NAMES = tuple(LEGEND.values())

RULES = (
    "Every row and column holds each digit from 1 to {} once. A sign between two cells opens towards the larger digit. "
    "Given digits stay."
)
HINT = "Follow chains of signs: the largest of three cells in a chain is 3 at least. Then mind rows and columns."

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Board:
    """A square board: `givens` holds its digits row by row, 0 where none is given, `signs` the cells (smaller, larger)
    of every sign."""

    side: int
    givens: bytes
    signs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Begun:
    """The board, and the full square that it was made from."""

    board: Board
    square: bytes


class Futoshiki:
    """The environment."""

    spec = EnvSpec(
        id="logic/futoshiki",
        version=1,
        title="Futoshiki",
        horizon=1,
        scales=(
            {"side": 4, "signs": 0.3, "given": 0.4},
            {"side": 4, "signs": 0.4, "given": 0.15},
            {"side": 5, "signs": 0.4, "given": 0.2},
            {"side": 5, "signs": 0.4, "given": 0.1},
            {"side": 6, "signs": 0.4, "given": 0.15},
            {"side": 7, "signs": 0.4, "given": 0.15},
        ),
        knobs=(
            Knob("side", 4, 7, "rows, columns and digits"),
            Knob("signs", 0.2, 0.6, "share of the pairs of neighbours with a sign between them"),
            Knob("given", 0.0, 0.5, "share of the digits given at first; more are, where reasoning gets stuck"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn"}),
        source="rules of Futoshiki",
    )

    def reset(self, instance: Instance) -> Asked[Begun]:
        settings = self.spec.settings(instance)
        side = int(settings["side"])
        pairs = _pairs(side)
        signs, given = round(float(settings["signs"]) * len(pairs)), round(float(settings["given"]) * side * side)

        def propose(rng: np.random.Generator) -> Asked[Begun]:
            square = _latin(side, rng)
            drawn = [pairs[k] for k in rng.permutation(len(pairs))[:signs].tolist()]
            told = tuple(sorted((a, b) if square[a] < square[b] else (b, a) for a, b in drawn))
            return Asked(Begun(Board(side, _givens(square, told, given, rng), told), square))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Begun]) -> int:
        return 1

    def public(self, state: Asked[Begun]) -> Board:
        return state.question.board

    def view(self, public: Board, pixels: int = 448) -> View:
        side, givens = public.side, public.givens
        image, scene = _draw(public, pixels) if pixels else (None, grid.NOTHING)
        lines = [[givens[cell] for cell in line] for line in _lines(side)]
        lacks = ["".join(str(d) for d in range(1, side + 1) if d not in line) or "none" for line in lines]
        signs = "; ".join(_sign(pair, side) for pair in public.signs)
        return View(
            answer=_answer(side),
            image=image,
            task=f"Complete this futoshiki. {_answer(side).describe()}",
            rules=RULES.format(side),
            hint=HINT,
            state=f"Digits that rows lack: {'; '.join(lacks[:side])}; that columns lack: {'; '.join(lacks[side:])}.",
            caption=f"{captions.board(LEGEND, ''.join('.1234567'[d] for d in givens), side)}\nSmaller<larger: {signs}.",
            scene=scene,
        )

    def step(self, state: Asked[Begun], action: tuple[tuple[str, ...], ...]) -> Step[Asked[Begun]]:
        board, said = state.question.board, [int(symbol) for row in action for symbol in row]
        side = board.side
        kept = [given in (0, digit) for given, digit in zip(board.givens, said, strict=True)]
        events = [] if all(kept) else ["given_changed"]
        right = 0
        for cells in _lines(side):
            distinct = len({said[cell] for cell in cells}) == side
            right += distinct and all(kept[cell] for cell in cells)
            events.append("constraint_kept" if distinct else "symbol_repeated")
        for a, b in board.signs:
            right += said[a] < said[b] and kept[a] and kept[b]
            events.append("clue_kept" if said[a] < said[b] else "clue_broken")
        return scored(Asked(state.question, answered=True), right, 2 * side + len(board.signs), events)

    def solve(self, state: Asked[Begun]) -> Sequence[str] | None:
        if state.answered:
            return ()
        side = state.question.board.side
        rows = (state.question.square[start : start + side] for start in range(0, side * side, side))
        return [_answer(side).format(tuple(tuple(map(str, row)) for row in rows))]

    def problem(self, state: Asked[Begun]) -> bytes:
        """Return givens and signs up to turns and mirrors, and up to counting digits from the other end."""
        board, side = state.question.board, state.question.board.side
        images = []
        for order in grid.symmetries(side, side):
            givens = np.frombuffer(board.givens, np.uint8)[order]
            signs = np.argsort(order)[np.array(board.signs)]
            for digits, pairs in ((givens, signs), (np.where(givens, side + 1 - givens, 0), signs[:, ::-1])):
                told = (cell for pair in sorted(pairs.tolist()) for cell in pair)
                images.append(bytes([side, *digits.tolist(), *told]))
        return min(images)


@lru_cache(maxsize=8)
def _pairs(side: int) -> tuple[Pair, ...]:
    """Return all pairs of neighbours, the first left of or above the second."""
    around = grid.neighbours(side, side)
    return tuple(
        (cell, other) for cell, (_, right, down, _) in enumerate(around) for other in (right, down) if other >= 0
    )


@lru_cache(maxsize=8)
def _lines(side: int) -> tuple[range, ...]:
    """Return the cells of every row, then of every column."""
    rows = [range(k * side, k * side + side) for k in range(side)]
    return (*rows, *(range(k, side * side, side) for k in range(side)))


def _latin(side: int, rng: np.random.Generator) -> bytes:
    """Return a Latin square, made row by row: rows in which no column repeats a digit can always be continued."""
    square: list[int] = []
    used = [0] * side
    for _ in range(side):
        row = _row((rng.permutation(side) + 1).tolist(), used) or []
        used = [digits | 1 << digit for digits, digit in zip(used, row, strict=True)]
        square += row
    return bytes(square)


def _row(digits: Sequence[int], used: Sequence[int]) -> list[int] | None:
    """Return the first order of digits of which none is used in its column."""
    if not digits:
        return []
    for digit in digits:
        if not used[0] >> digit & 1:
            rest = _row([other for other in digits if other != digit], used[1:])
            if rest is not None:
                return [digit, *rest]
    return None


def _givens(square: bytes, signs: Sequence[Pair], first: int, rng: np.random.Generator) -> bytes:
    """Return some digits of a square, and those without which reasoning gets stuck."""
    side = round(len(square) ** 0.5)
    could = [(2 << side) - 2] * len(square)
    givens = bytearray(len(square))
    for count, cell in enumerate(rng.permutation(len(square)).tolist()):
        if count == first:
            _reason(side, signs, could)
        if count < first or could[cell].bit_count() > 1:
            givens[cell] = square[cell]
            could[cell] = 1 << square[cell]
            if count > first:
                _reason(side, signs, could)
    return bytes(givens)


def _reason(side: int, signs: Sequence[Pair], could: list[int]) -> None:
    """Strike out what cells cannot be, as bits of digits, until nothing follows any more.

    What a cell is, the others of its line are not; a digit with one place in a line stands there; the smaller of two
    lies below the most that the larger can be, and the larger above the least that the smaller can be.
    """
    before: list[int] = []
    while before != could:
        before = could[:]
        for a, b in signs:
            could[a] &= (1 << could[b].bit_length() - 1) - 1
            could[b] &= -2 * (could[a] & -could[a])
        for line in _lines(side):
            once = twice = settled = 0
            for cell in line:
                digits = could[cell]
                twice |= once & digits
                once |= digits
                if not digits & (digits - 1):
                    settled |= digits
            once &= ~twice
            for cell in line:
                digits = could[cell]
                if digits & (digits - 1):
                    could[cell] = digits & once or digits & ~settled


def _sign(pair: Pair, side: int) -> str:
    (a, b), (c, d) = (divmod(cell, side) for cell in pair)
    return f"{a},{b}<{c},{d}"


def _draw(board: Board, pixels: int) -> tuple[Picture, tuple[Element, ...]]:
    """Draw cells apart from one another, and the signs in the gaps."""
    side = board.side
    gap = max(min(8, pixels // (2 * side)), round(0.3 * pixels / side))
    unit = pixels // side
    size, edge = unit - gap, gap // 2
    drawn = Canvas(side * unit, side * unit).pixels
    elements = []
    for cell, digit in enumerate(board.givens):
        row, column = divmod(cell, side)
        left, top = edge + column * unit, edge + row * unit
        box = (left, top, left + size, top + size)
        drawn[top : box[3], left : box[2]] = _tile(digit, size)
        elements.append(Element(NAMES[digit], (row, column), box, round(size * 0.5) if digit else 0))
    for pair in board.signs:
        first = min(pair)
        row, column = divmod(first, side)
        beside = max(pair) == first + 1
        left = edge + column * unit + (size if beside else (size - gap) // 2)
        top = edge + row * unit + ((size - gap) // 2 if beside else size)
        turns = (0 if beside else 3) if pair[0] == first else (2 if beside else 1)
        drawn[top : top + gap, left : left + gap] = _chevron(turns, gap)
        elements.append(Element(_sign(pair, side), None, (left, top, left + gap, top + gap)))
    return Picture(drawn, PALETTE), tuple(elements)


@lru_cache(maxsize=128)
def _tile(digit: int, size: int) -> Pixels:
    canvas = Canvas(size, size, "slate" if digit else "silver")
    rim = max(1, size // 32)
    canvas.rectangle((rim, rim, size - rim, size - rim), "sand" if digit else "white")
    if digit:
        canvas.text(str(digit), (size / 2, size / 2), round(size * 0.5), "ink")
    return canvas.pixels


@lru_cache(maxsize=64)
def _chevron(turns: int, size: int) -> NDArray[np.uint8]:
    """Return a sign that points left, turned to the left by some quarter turns."""
    canvas = Canvas(size, size)
    near, middle, far, rise = 0.2 * size, (size - 1) / 2, 0.78 * size, 0.42 * size
    lines = [(far, middle - rise, near, middle), (near, middle, far, middle + rise)]
    canvas.segments(lines, max(1.5, size / 7), "wine")
    return np.rot90(canvas.pixels, turns)


@lru_cache(maxsize=8)
def _answer(side: int) -> Grid:
    return Grid(side, side, tuple("1234567"[:side]))


environment = Futoshiki()
