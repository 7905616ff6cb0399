"""Nonogram: fill cells so that the runs in every row and column are those that the clues at the edge give.

A random picture is kept when reasoning line by line settles every cell; where it gets stuck, cells left open are filled
and the clues are read anew. So every puzzle has one solution and needs no guess. The answer is verified against the
clues, never compared with the picture.

*Source*: the rules of nonograms. *Departures*: pictures are random, and all are solvable line by line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Grid
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import grid, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.parts import Asked, scored

REPAIRS = 6  # how often a picture that leaves cells open is filled further
SLOT = 0.66  # the width that a number of a clue takes, in cells

TASK = "Fill this nonogram: 1 is a filled cell, 0 an empty one."
RULES = (
    "The numbers beside a row or above a column are the lengths of its runs of filled cells, in order, "
    "at least one empty cell between two runs."
)
HINT = "Begin with the longest clues: where all ways to lay a line agree on a cell, that cell is settled."

Runs = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Clues:
    """The lengths of the runs in every row, from the left, and in every column, from the top."""

    rows: tuple[Runs, ...]
    columns: tuple[Runs, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """The clues, and the picture that they were read from: a bit for each column in every row."""

    clues: Clues
    picture: tuple[int, ...]


class Nonogram:
    """The environment."""

    spec = EnvSpec(
        id="logic/nonogram",
        version=1,
        title="Nonogram",
        horizon=1,
        scales=(
            {"rows": 4, "columns": 5, "filled": 0.6},
            {"rows": 5, "columns": 5, "filled": 0.55},
            {"rows": 6, "columns": 6, "filled": 0.55},
            {"rows": 7, "columns": 7, "filled": 0.55},
            {"rows": 8, "columns": 8, "filled": 0.5},
            {"rows": 9, "columns": 9, "filled": 0.5},
            {"rows": 10, "columns": 10, "filled": 0.5},
        ),
        knobs=(
            Knob("rows", 3, 10, "rows of cells"),
            Knob("columns", 3, 10, "columns of cells"),
            Knob("filled", 0.4, 0.7, "share of cells filled at first; more are, where clues would leave cells open"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "lines", "planted"}),
        source="rules of nonograms",
    )

    def reset(self, instance: Instance) -> Asked[Drawing]:
        settings = self.spec.settings(instance)
        rows, columns, filled = int(settings["rows"]), int(settings["columns"]), float(settings["filled"])
        bits = 1 << np.arange(columns)

        def propose(rng: np.random.Generator) -> Asked[Drawing] | None:
            picture = ((rng.random((rows, columns)) < filled) @ bits).tolist()
            for _ in range(REPAIRS):
                clues = _clues(picture, columns)
                open_cells = _open(clues)
                if not any(open_cells):
                    return Asked(Drawing(clues, tuple(picture)))
                more = rng.integers(1 << columns, size=rows).tolist()
                picture = [row | left & some for row, left, some in zip(picture, open_cells, more, strict=True)]
            return None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Drawing]) -> int:
        return 1

    def public(self, state: Asked[Drawing]) -> Clues:
        return state.question.clues

    def view(self, public: Clues, pixels: int = 448) -> View:
        rows, columns = len(public.rows), len(public.columns)
        kind = _answer(rows, columns)
        canvas = _draw(public, pixels) if pixels else None
        need = [
            " ".join(str(sum(runs) + max(len(runs) - 1, 0)) for runs in side) for side in (public.rows, public.columns)
        ]
        told = ["; ".join(map(_told, side)) for side in (public.rows, public.columns)]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Cells that the clues need with one gap between runs: rows {need[0]}; columns {need[1]}.",
            caption=f"{_name(rows, columns)}. Rows from the top: {told[0]}. Columns from the left: {told[1]}.",
            scene=tuple(canvas.elements) if canvas else grid.NOTHING,
        )

    def step(self, state: Asked[Drawing], action: tuple[tuple[str, ...], ...]) -> Step[Asked[Drawing]]:
        clues = state.question.clues
        said = _clues([sum(1 << c for c, sign in enumerate(row) if sign == "1") for row in action], len(clues.columns))
        kept = [a == b for a, b in zip(said.rows + said.columns, clues.rows + clues.columns, strict=True)]
        events = ["clue_kept" if right else "clue_broken" for right in kept]
        return scored(Asked(state.question, answered=True), sum(kept), len(kept), events)

    def solve(self, state: Asked[Drawing]) -> Sequence[str] | None:
        if state.answered:
            return ()
        rows, columns = len(state.question.clues.rows), len(state.question.clues.columns)
        return [_answer(rows, columns).format(tuple(tuple(_digits(row, columns)) for row in state.question.picture))]

    def problem(self, state: Asked[Drawing]) -> bytes:
        """Return the picture, which the clues determine, up to turns and mirrors."""
        rows, columns = len(state.question.clues.rows), len(state.question.clues.columns)
        content = [int(digit) for row in state.question.picture for digit in _digits(row, columns)]
        return grid.canonical(rows, columns, np.array(content, np.uint8))


def _digits(line: int, length: int) -> str:
    """Return a line's cells as zeros and ones, the first cell first."""
    return f"{line:0{length}b}"[::-1]


def _clues(picture: Sequence[int], columns: int) -> Clues:
    rows = [_digits(row, columns) for row in picture]
    return Clues(tuple(map(_runs, rows)), tuple(_runs("".join(column)) for column in zip(*rows, strict=True)))


def _runs(cells: str) -> Runs:
    return tuple(map(len, cells.replace("0", " ").split()))


@lru_cache(maxsize=8192)
def _arrangements(runs: Runs, length: int) -> tuple[int, ...]:
    """Return every way to lay runs on a line, as bits."""
    if not runs:
        return (0,)
    first, rest = runs[0], runs[1:]
    return tuple(
        (1 << first) - 1 << start | tail << start + first + 1
        for start in range(length - first + 1)
        for tail in _arrangements(rest, length - start - first - 1)
    )


def _open(clues: Clues) -> list[int]:
    """Return the cells of every row that reasoning line by line leaves open, as bits."""
    sides = (clues.rows, clues.columns)
    full, void = ([[0] * len(side) for side in sides] for _ in range(2))
    waiting = [(side, line) for side in (0, 1) for line in range(len(sides[side]))]
    while waiting:
        side, line = waiting.pop()
        across, length = 1 - side, len(sides[1 - side])
        must, never = full[side][line], void[side][line]
        fits = [way for way in _arrangements(sides[side][line], length) if way & must == must and not way & never]
        always, ever = fits[0], 0
        for way in fits:
            always &= way
            ever |= way
        full[side][line], void[side][line] = always, ~ever & ((1 << length) - 1)
        for known, news in ((full, always ^ must), (void, void[side][line] ^ never)):
            for other in range(length):
                if news >> other & 1:
                    known[across][other] |= 1 << line
                    if (across, other) not in waiting:
                        waiting.append((across, other))
    return [(1 << len(clues.columns)) - 1 & ~(known | empty) for known, empty in zip(full[0], void[0], strict=True)]


def _told(runs: Runs) -> str:
    return " ".join(map(str, runs or (0,)))


def _name(rows: int, columns: int) -> str:
    return f"{rows} x {columns} empty cells"


def _draw(clues: Clues, pixels: int) -> Canvas:
    """Draw the numbers of every clue, next to the board, on the ruled paper."""
    rows, columns = len(clues.rows), len(clues.columns)
    wide, high = (max(1, *map(len, side)) for side in (clues.rows, clues.columns))
    unit = int((pixels - 2) / (0.1 + max(columns + SLOT * wide, rows + SLOT * high)))
    slot = unit * SLOT
    left, top = int(slot * wide), int(slot * high)
    gap, glyph = max(1, unit // 24), max(6, round(0.38 * unit))
    paper = _paper(rows, columns, unit, left, top)
    canvas = Canvas(paper.shape[1], paper.shape[0])
    canvas.pixels[:] = paper
    canvas.element(_name(rows, columns), (left, top, left + columns * unit, top + rows * unit))
    for line, runs in enumerate(clues.rows):
        middle = top + (line + 0.5) * unit
        for k, run in enumerate(reversed(runs or (0,))):
            canvas.text(str(run), (left - (k + 0.55) * slot, middle), glyph, "navy")
        canvas.element(_told(runs), (0, top + line * unit + gap, left - gap, top + (line + 1) * unit), glyph=glyph)
    for line, runs in enumerate(clues.columns):
        middle = left + (line + 0.5) * unit
        for k, run in enumerate(reversed(runs or (0,))):
            canvas.text(str(run), (middle, top - (k + 0.55) * slot), glyph, "navy")
        canvas.element(_told(runs), (left + line * unit + gap, 0, left + (line + 1) * unit, top - gap), glyph=glyph)
    return canvas


@lru_cache(maxsize=64)
def _paper(rows: int, columns: int, unit: int, left: int, top: int) -> Pixels:
    """Return the board, every fifth line of it bold, with a strip for each clue."""
    thin, bold = max(1, unit // 24), max(2, unit // 14)
    right, bottom = left + columns * unit, top + rows * unit
    canvas = Canvas(right + bold, bottom + bold, "white")
    for line in range(rows):
        canvas.rectangle((0, top + line * unit + thin, left - thin, top + (line + 1) * unit), "sky")
    for line in range(columns):
        canvas.rectangle((left + line * unit + thin, 0, left + (line + 1) * unit, top - thin), "sky")
    for strong in (False, True):
        colour, wide = ("slate", bold) if strong else ("silver", thin)
        for k in range(rows + 1):
            if (k % 5 == 0 or k == rows) == strong:
                canvas.rectangle((left, top + k * unit, right + bold, top + k * unit + wide), colour)
        for k in range(columns + 1):
            if (k % 5 == 0 or k == columns) == strong:
                canvas.rectangle((left + k * unit, top, left + k * unit + wide, bottom + bold), colour)
    canvas.pixels.setflags(write=False)
    return canvas.pixels


@lru_cache(maxsize=64)
def _answer(rows: int, columns: int) -> Grid:
    return Grid(rows, columns, ("0", "1"))


environment = Nonogram()
