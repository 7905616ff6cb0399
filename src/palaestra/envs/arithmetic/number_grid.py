"""Number grid: fill the gaps with digits so that rows and columns have the sums told at their ends.

Small boards have as many gaps as sums tell; larger ones have more, and no digit may stand twice in a line, which
narrows them down again. Sums are taken from a full board, so that there is a way; any that keeps the sums is right.

Source: Kakuro and its relatives. Departures: no black cells, some digits are given.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Grid
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import scored

NAMES = ("gap", *"123456789")
DIGITS = NAMES[1:]

TASK = "Fill the gaps with digits from 1 to 9 so that each row and column has the sum at its end. {}"
REPEATED, DISTINCT = "Digits may repeat.", "No digit may stand twice in a row or column."
RULES = "Every row and column with its sum counts, whatever way it is filled. Given digits stay."
HINT = "Begin in a row or column with one gap; where there are two, list the pairs of digits that make up the rest."


@dataclass(frozen=True, slots=True)
class Board:
    """What is drawn: the given digits (0: a gap) and the sums; and whether the digits of a line must differ."""

    givens: tuple[tuple[int, ...], ...]
    across: tuple[int, ...]
    down: tuple[int, ...]
    distinct: bool


@dataclass(frozen=True, slots=True)
class Planted:
    """The board, one way to fill it, and whether it was answered."""

    board: Board
    witness: tuple[tuple[int, ...], ...]
    answered: bool = False


class NumberGrid:
    """The environment."""

    spec = EnvSpec(
        id="arithmetic/number_grid",
        version=1,
        title="Number grid",
        horizon=1,
        scales=(
            {"rows": 2, "columns": 2, "given": 0.25, "distinct": 0},
            {"rows": 3, "columns": 3, "given": 0.45, "distinct": 0},
            {"rows": 4, "columns": 4, "given": 0.38, "distinct": 1},
            {"rows": 5, "columns": 5, "given": 0.36, "distinct": 1},
            {"rows": 6, "columns": 6, "given": 0.33, "distinct": 1},
            {"rows": 7, "columns": 7, "given": 0.2, "distinct": 1},  # a plain search takes over a second
        ),
        knobs=(
            Knob("rows", 2, 7, "rows of digits"),
            Knob("columns", 2, 7, "columns of digits"),
            Knob("given", 0.0, 0.6, "share of digits that are given"),
            Knob("distinct", 0, 1, "whether the digits of a row or column differ"),
        ),
        embedded_scales=(0, 1, 2),
        tags=frozenset({"single_turn", "planted"}),
        source="rules of Kakuro",
    )

    def reset(self, instance: Instance) -> Planted:
        settings = self.spec.settings(instance)
        rows, columns, distinct = int(settings["rows"]), int(settings["columns"]), bool(settings["distinct"])
        given = round(float(settings["given"]) * rows * columns)

        def propose(rng: np.random.Generator) -> Planted:
            full = rng.integers(1, 10, (rows, columns))
            if distinct:  # a part of a latin square of nine digits
                digits, down, across = (rng.permutation(9) for _ in range(3))
                full = 1 + digits[(down[:rows, None] + across[:columns]) % 9]
            shown = np.zeros(rows * columns, full.dtype)
            shown[:given] = 1
            givens = full * rng.permutation(shown).reshape(rows, columns)
            board = Board(_frozen(givens), tuple(full.sum(1).tolist()), tuple(full.sum(0).tolist()), distinct)
            return Planted(board, _frozen(full))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Planted) -> int:
        return 1

    def public(self, state: Planted) -> Board:
        return state.board

    def view(self, public: Board, pixels: int = 448) -> View:
        rows, columns = len(public.across), len(public.down)
        kind = _answer(rows, columns)
        canvas = _draw(public, pixels) if pixels else None
        lacking = [total - sum(row) for total, row in zip(public.across, public.givens, strict=True)]
        words = [NAMES[digit] for row in public.givens for digit in row]
        sums = (" ".join(map(str, totals)) for totals in (public.across, public.down))
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"{TASK.format(DISTINCT if public.distinct else REPEATED)} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"The gaps of the rows, from the top, lack {', '.join(map(str, lacking))}.",
            caption="{}\nSums of rows: {}. Sums of columns: {}.".format(captions.rows(words, columns), *sums),
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Planted, action: tuple[tuple[str, ...], ...]) -> Step[Planted]:
        board, said = state.board, [[int(symbol) for symbol in row] for row in action]
        kept = [[g in (0, d) for g, d in zip(*rows, strict=True)] for rows in zip(board.givens, said, strict=True)]
        events = [] if all(map(all, kept)) else ["given_changed"]
        across, down = zip(said, kept, strict=True), zip(zip(*said, strict=True), zip(*kept, strict=True), strict=True)
        right, sums = 0, list[bool]()
        for (digits, stays), total in zip((*across, *down), (*board.across, *board.down), strict=True):
            repeated = board.distinct and len(set(digits)) < len(digits)
            sums.append(sum(digits) == total)
            events.append("clue_kept" if sums[-1] else "clue_broken")
            events += ["symbol_repeated"] if repeated else []
            right += all(stays) and sums[-1] and not repeated
        events.append("sum_ok" if all(sums) else "sum_off")
        return scored(Planted(board, state.witness, answered=True), right, len(sums), events)

    def solve(self, state: Planted) -> Sequence[str] | None:
        if state.answered:
            return ()
        witness = tuple(tuple(map(str, row)) for row in state.witness)
        return [_answer(len(witness), len(witness[0])).format(witness)]

    def problem(self, state: Planted) -> bytes:
        """Return the board with rows and columns sorted, and either of them across."""
        board = state.board
        turned = tuple(zip(*board.givens, strict=True))
        images = (_sorted(board.givens, board.across, board.down), _sorted(turned, board.down, board.across))
        return repr((min(images), board.distinct)).encode()


def _frozen(board: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, board.tolist()))


def _sorted(givens: Sequence[Sequence[int]], across: Sequence[int], down: Sequence[int]) -> list[list[int]]:
    """Return rows and columns, each after its sum, in an order that tells nothing of where they lie."""
    rows = [[total, *row] for total, row in zip(across, givens, strict=True)]
    rows.sort(key=lambda row: (row[0], sorted(row)))
    return sorted([total, *column] for total, column in zip((0, *down), zip(*rows, strict=True), strict=True))


def _draw(board: Board, pixels: int) -> Canvas:
    """Draw the digits, and the sums in discs to their right and below."""
    rows, columns = len(board.across), len(board.down)
    size = pixels // (max(rows, columns) + 1)
    canvas = Canvas(size * (columns + 1), size * (rows + 1))
    canvas.pixels[: rows * size, : columns * size] = grid.paint(np.array(board.givens), _tiles(size)).pixels
    for r, row in enumerate(board.givens):
        for c, digit in enumerate(row):
            box = (c * size, r * size, (c + 1) * size, (r + 1) * size)
            canvas.element(NAMES[digit], box, (r, c), glyph=_glyph(size) if digit else 0)
    places = [(columns, r) for r in range(rows)] + [(c, rows) for c in range(columns)]
    for (x, y), total in zip(places, (*board.across, *board.down), strict=True):
        centre, glyph = ((x + 0.5) * size, (y + 0.5) * size), max(6, round(size * 0.28))
        box = canvas.shape("circle", centre, round(size * 0.8), "sand", "gold", str(total), glyph)
        canvas.element(str(total), box, glyph=glyph)
    return canvas


def _glyph(size: int) -> int:
    return round(size * 0.46)


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    """Return a gap and the nine given digits."""
    tiles = []
    for name in NAMES:
        canvas = Canvas(size, size)
        canvas.shape("square", (size / 2, size / 2), size, "white" if name == "gap" else "sky", edge="slate")
        if name != "gap":
            canvas.text(name, (size / 2, size / 2), _glyph(size), "navy")
        tiles.append(canvas.pixels)
    return grid.stack(tiles)


@lru_cache(maxsize=64)
def _answer(rows: int, columns: int) -> Grid:
    return Grid(rows, columns, DIGITS)


environment = NumberGrid()
