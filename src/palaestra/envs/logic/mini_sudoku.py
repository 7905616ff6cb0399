"""Mini sudoku: fill a small board so that every row, column and box holds each digit once.

Digits are removed from a full board only where a single step of reasoning puts them back (the cell has no other
candidate, or the digit no other cell in a row, column or box). So every board has one solution and can be solved
without guessing; a solver that knows nothing of this counts the solutions all the same. The answer is verified against
the rules and the givens, never compared with a stored board.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palaestra.core.answer import Grid
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import Element, Picture, View
from palaestra.envs.kit import captions, grid, splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.palette import PALETTE
from palaestra.envs.kit.parts import Asked, scored

LEGEND = {".": "empty", **dict(zip("123456", ("one", "two", "three", "four", "five", "six"), strict=True))}
NAMES = tuple(LEGEND.values())

RULES = "Every row, column and {}x{} box within thick lines holds each digit once. Given digits stay."
HINT = "Begin where a row, column or box lacks one digit, or where a digit fits one cell of it only."


@dataclass(frozen=True, slots=True)
class Board:
    """A board of boxes of 2 x `width` cells; `givens` holds its digits row by row, 0 where none is given."""

    width: int
    givens: bytes


class MiniSudoku:
    """The environment."""

    spec = EnvSpec(
        id="logic/mini_sudoku",
        version=1,
        title="Mini sudoku",
        horizon=1,
        scales=(
            {"width": 2, "empty": 0.32},
            {"width": 2, "empty": 0.5},
            {"width": 2, "empty": 0.65},
            {"width": 3, "empty": 0.36},
            {"width": 3, "empty": 0.5},
            {"width": 3, "empty": 0.58},
            {"width": 3, "empty": 0.65},
        ),
        knobs=(
            Knob("width", 2, 3, "columns of a box; the board is twice as wide and as high"),
            Knob("empty", 0.2, 0.65, "share of cells that are to be filled"),
        ),
        embedded_scales=(0, 1, 2),
        tags=frozenset({"single_turn", "lines"}),
        source="rules of Sudoku",
    )

    def reset(self, instance: Instance) -> Asked[Board]:
        settings = self.spec.settings(instance)
        width = int(settings["width"])
        empty = round(float(settings["empty"]) * 4 * width * width)

        def propose(rng: np.random.Generator) -> Asked[Board] | None:
            givens = _dig(width, _filled(width, rng), empty, rng)
            return Asked(Board(width, givens)) if givens and len(_solutions(width, givens)) == 1 else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Board]) -> int:
        return 1

    def public(self, state: Asked[Board]) -> Board:
        return state.question

    def view(self, public: Board, pixels: int = 448) -> View:
        width, givens = public.width, public.givens
        side, kind = 2 * width, _answer(width)
        image, elements = _draw(public, pixels) if pixels else (None, grid.NOTHING)
        rows = [set(givens[start : start + side]) for start in range(0, side * side, side)]
        lacks = ["".join(str(d) for d in range(1, side + 1) if d not in row) or "none" for row in rows]
        return View(
            answer=kind,
            image=image,
            task=f"Complete this sudoku. {kind.describe()}",
            rules=RULES.format(2, width),
            hint=HINT,
            state=f"Digits that the rows lack, from the top: {'; '.join(lacks)}.",
            caption=captions.board(LEGEND, "".join(".123456"[digit] for digit in givens), side),
            scene=elements,
        )

    def step(self, state: Asked[Board], action: tuple[tuple[str, ...], ...]) -> Step[Asked[Board]]:
        board, said = state.question, [int(symbol) for row in action for symbol in row]
        kept = [given in (0, digit) for given, digit in zip(board.givens, said, strict=True)]
        events = [] if all(kept) else ["given_changed"]
        right = 0
        units = _places(board.width).units
        for cells in units:
            complete = len({said[cell] for cell in cells}) == len(cells)
            right += complete and all(kept[cell] for cell in cells)
            events.append("constraint_kept" if complete else "constraint_broken")
        return scored(Asked(board, answered=True), right, len(units), events)

    def solve(self, state: Asked[Board]) -> Sequence[str] | None:
        if state.answered:
            return ()
        side, solution = 2 * state.question.width, _solutions(state.question.width, state.question.givens)[0]
        rows = (solution[start : start + side] for start in range(0, side * side, side))
        return [_answer(state.question.width).format(tuple(tuple(map(str, row)) for row in rows))]

    def problem(self, state: Asked[Board]) -> bytes:
        """Return the givens up to mirrors, up to turns where boxes are square, and up to the names of digits."""
        width, content = state.question.width, np.frombuffer(state.question.givens, np.uint8)
        orders = grid.symmetries(2 * width, 2 * width)[: 8 if width == 2 else 4]
        return bytes([width]) + min(_renamed(image.tobytes()) for image in content[orders])


class Places(NamedTuple):
    """The rows, columns and boxes of a board as cells, and for every cell the numbers of the three it lies in."""

    units: tuple[tuple[int, ...], ...]
    of_cell: tuple[tuple[int, int, int], ...]


@lru_cache(maxsize=8)
def _places(width: int) -> Places:
    side = 2 * width
    of_cell = tuple(
        (r, side + c, 2 * side + r // 2 * 2 + c // width) for r in range(side) for c in range(side)
    )  # as many boxes lie beside one another as a box has rows: two
    units = tuple(tuple(cell for cell, inside in enumerate(of_cell) if unit in inside) for unit in range(3 * side))
    return Places(units, of_cell)


def _complete(width: int, givens: bytes, digits: Sequence[int], cells: Sequence[int]) -> Iterator[bytes]:
    """Yield every completion of a board, at a cell with the fewest candidates first; ties go by the order of cells."""
    units, of_cell = _places(width)
    every = (1 << (2 * width + 1)) - 2
    used = [sum(1 << givens[cell] for cell in unit if givens[cell]) for unit in units]
    board = bytearray(givens)

    def extend(empty: list[int]) -> Iterator[bytes]:
        fewest, at = len(cells), -1
        for cell in empty:
            a, b, c = of_cell[cell]
            candidates = (every & ~(used[a] | used[b] | used[c])).bit_count()
            if candidates < fewest:
                fewest, at = candidates, cell
                if candidates < 2:
                    break
        if at < 0:
            yield bytes(board)
            return
        left = [cell for cell in empty if cell != at]
        a, b, c = of_cell[at]
        taken = used[a] | used[b] | used[c]
        for digit in digits:
            bit = 1 << digit
            if not taken & bit:
                board[at] = digit
                used[a], used[b], used[c] = used[a] | bit, used[b] | bit, used[c] | bit
                yield from extend(left)
                used[a], used[b], used[c] = used[a] ^ bit, used[b] ^ bit, used[c] ^ bit

    yield from extend([cell for cell in cells if not givens[cell]])


@lru_cache(maxsize=256)
def _solutions(width: int, givens: bytes) -> tuple[bytes, ...]:
    """Return the first two solutions of a board: one alone is the only one."""
    return tuple(islice(_complete(width, givens, range(1, 2 * width + 1), range(len(givens))), 2))


def _filled(width: int, rng: np.random.Generator) -> bytes:
    """Return a full board, completed in random order from a random first row."""
    side = 2 * width
    first, digits = (rng.permutation(side) + 1 for _ in range(2))
    rest = bytes(side * side - side)
    return next(_complete(width, bytes(first.tolist()) + rest, digits.tolist(), rng.permutation(side * side).tolist()))


def _dig(width: int, full: bytes, empty: int, rng: np.random.Generator) -> bytes | None:
    """Return a full board with cells emptied that single steps of reasoning fill again, None if too few are."""
    units, of_cell = _places(width)
    every = (1 << (2 * width + 1)) - 2
    used = [every] * len(units)
    board = bytearray(full)
    for at in rng.permutation(len(full)).tolist():
        if not empty:
            break
        bit, around = 1 << full[at], of_cell[at]
        for unit in around:
            used[unit] ^= bit
        a, b, c = around
        if used[a] | used[b] | used[c] == every ^ bit or any(
            all(
                board[cell] or cell == at or bit & (used[(u := of_cell[cell])[0]] | used[u[1]] | used[u[2]])
                for cell in units[unit]
            )
            for unit in around
        ):
            board[at] = 0
            empty -= 1
        else:
            for unit in around:
                used[unit] |= bit
    return None if empty else bytes(board)


def _renamed(content: bytes) -> bytes:
    """Return a board with its digits counted in the order of their first appearance."""
    names = {0: 0}
    return bytes(names.setdefault(digit, len(names)) for digit in content)


def _draw(board: Board, pixels: int) -> tuple[Picture, tuple[Element, ...]]:
    """Draw the ruled paper, then every cell on it."""
    side = 2 * board.width
    thick = max(2, pixels // 90)
    unit = (pixels - thick) // side
    drawn = _paper(board.width, unit, thick).copy()
    elements = []
    glyph = round(unit * 0.5)
    for cell, digit in enumerate(board.givens):
        row, column = divmod(cell, side)
        left, top = column * unit + thick, row * unit + thick
        box = (left, top, left + unit - thick, top + unit - thick)
        if digit:
            drawn[top : box[3], left : box[2]] = _tile(digit, unit - thick, glyph)
        elements.append(Element(NAMES[digit], (row, column), box, glyph if digit else 0))
    return Picture(drawn, PALETTE), tuple(elements)


@lru_cache(maxsize=16)
def _paper(width: int, unit: int, thick: int) -> NDArray[np.uint8]:
    """Return the empty board: thin lines between cells, thick ones around boxes."""
    side, thin = 2 * width, max(1, thick // 3)
    length = side * unit + thick
    canvas = Canvas(length, length, "white")
    for kind, colour, inset in ((False, "silver", (thick - thin) // 2), (True, "slate", 0)):
        for k in range(side + 1):
            at, wide = k * unit + inset, thick if kind else thin
            if (k % 2 == 0) == kind:
                canvas.rectangle((0, at, length, at + wide), colour)
            if (k % width == 0) == kind:
                canvas.rectangle((at, 0, at + wide, length), colour)
    canvas.pixels.setflags(write=False)
    return canvas.pixels


@lru_cache(maxsize=128)
def _tile(digit: int, size: int, glyph: int) -> NDArray[np.uint8]:
    canvas = Canvas(size, size, "ice")
    canvas.text(str(digit), (size / 2, size / 2), glyph, "navy")
    canvas.pixels.setflags(write=False)
    return canvas.pixels


@lru_cache(maxsize=8)
def _answer(width: int) -> Grid:
    return Grid(2 * width, 2 * width, tuple("123456"[: 2 * width]))


environment = MiniSudoku()
