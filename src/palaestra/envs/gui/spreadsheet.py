"""Spreadsheet: check the formulas of a sheet, type the right value wherever a wrong one stands, and hand it in.

A formula names two cells, or a range that it sums; some name cells that hold formulas themselves, whose values may be
wrong as well: what is right follows from the plain numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from palaestra.core.answer import Choice, Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.gui import _widgets
from palaestra.envs.gui._widgets import Widget
from palaestra.envs.kit import splits

LETTERS = "ABCD"
LARGEST = 999
DONE = "Done"

TASK = "Correct every formula that shows a wrong result, one a turn; then hand the sheet in with Done."
RULES = (
    "A formula stands above its result: A1+B1 and A1-B1 are as usual, SUM(A1:A4) adds all cells from A1 to A4. "
    "Its right result follows from the right results of the cells that it names. Done (with any value) ends the task."
)
HINT = "Work from the plain numbers on: a formula that is named by another one may itself show a wrong result."


class Cell(NamedTuple):
    """A plain number `a`, or a formula on the cells `a` and `b`: "+", "-", or ":" for the sum from one to the other."""

    sign: str
    a: int
    b: int = 0


@dataclass(frozen=True, slots=True)
class Sheet:
    """The cells row by row, what each shows, and whether the sheet was handed in."""

    columns: int
    cells: tuple[Cell, ...]
    shown: tuple[int, ...]
    ended: bool = False


class Spreadsheet:
    """The environment."""

    spec = EnvSpec(
        id="gui/spreadsheet",
        version=1,
        title="Spreadsheet",
        horizon=23,
        scales=(
            {"rows": 3, "columns": 3, "formulas": 3, "errors": 1, "nested": 0.0},
            {"rows": 4, "columns": 3, "formulas": 4, "errors": 2, "nested": 0.0},
            {"rows": 5, "columns": 3, "formulas": 6, "errors": 3, "nested": 0.5},
            {"rows": 5, "columns": 4, "formulas": 7, "errors": 4, "nested": 0.7},
            {"rows": 6, "columns": 4, "formulas": 8, "errors": 5, "nested": 0.8},
            {"rows": 7, "columns": 4, "formulas": 10, "errors": 7, "nested": 1.0},
        ),
        knobs=(
            Knob("rows", 3, 8, "rows of the sheet"),
            Knob("columns", 3, 4, "columns of the sheet"),
            Knob("formulas", 1, 10, "formulas, all at most of the last row and the last column"),
            Knob("errors", 1, 10, "formulas that show a wrong result, all at most"),
            Knob("nested", 0.0, 1.0, "how often a formula names another one where it can"),
        ),
        tags=frozenset({"multi_turn"}),
    )

    def reset(self, instance: Instance) -> Sheet:
        settings = self.spec.settings(instance)
        rows, columns, formulas, errors = (int(settings[name]) for name in ("rows", "columns", "formulas", "errors"))
        nested = float(settings["nested"])
        edge = [k for k in range(rows * columns) if k // columns == rows - 1 or k % columns == columns - 1]

        def propose(rng: np.random.Generator) -> Sheet | None:
            places = set(rng.permutation(edge)[:formulas].tolist())
            cells: list[Cell] = []
            for k in range(rows * columns):
                number = Cell("", int(rng.integers(2, 50)))
                cells.append(_formula(rng, cells, columns, nested) if k in places else number)
            values = list(_right(columns, tuple(cells)))
            if min(values) < 0 or max(values) > LARGEST - 20:
                return None
            for k in rng.permutation(sorted(places))[:errors].tolist():
                off = (1, 2, 5, 9, 10)[rng.integers(5)]
                values[k] += -off if rng.random() < 0.5 and values[k] >= off else off
            return Sheet(columns, tuple(cells), tuple(values))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Sheet) -> int:
        return 2 * len(_wrong(state)) + 3

    def public(self, state: Sheet) -> Sheet:
        return state

    def view(self, public: Sheet, pixels: int = 448) -> View:
        heads, sides, cells, button = _layout(public)
        image, scene = _widgets.draw((*heads, *sides, *cells, button), pixels)
        kind = _answer(public)
        rows = [" | ".join(w.name for w in cells[k : k + public.columns]) for k in range(0, len(cells), public.columns)]
        nested = sum(any(public.cells[n].sign for n in _named(public.columns, cell)) for cell in public.cells)
        return View(
            kind,
            image,
            f"{TASK} {kind.describe()}",
            RULES,
            HINT,
            f"Wrong results left: {len(_wrong(public))}. Formulas that name other formulas: {nested}.",
            "\n".join(
                (
                    heads[0].name,
                    f"  columns {' '.join(head.name for head in heads[1:])}",
                    *(f"  row {side.name}: {row}" for side, row in zip(sides, rows, strict=True)),
                    f"  {button.name}",
                )
            ),
            scene,
        )

    def step(self, state: Sheet, action: tuple[str, int]) -> Step[Sheet]:
        name, value = action
        if name == DONE:
            return _widgets.committed(replace(state, ended=True), not _wrong(state))
        k = LETTERS.index(name[0]) + state.columns * (int(name[1:]) - 1)
        right = _right(state.columns, state.cells)[k]
        after = replace(state, shown=(*state.shown[:k], value, *state.shown[k + 1 :]))
        if state.shown[k] == right:
            return Step(after, events=("control_wrong", "field_set" if value == right else "field_missed"))
        if value == right:
            return Step(after, events=("control_right", "field_set", "sum_ok"))
        return Step(after, events=("control_right", "field_missed", "sum_off"))

    def solve(self, state: Sheet) -> Sequence[str] | None:
        """Return the right result of each formula that shows a wrong one, then the word that hands the sheet in."""
        wrong = _wrong(state)
        if state.ended:
            return None if wrong else ()
        right, kind = _right(state.columns, state.cells), _answer(state)
        return (*(kind.format((_name(state, k), right[k])) for k in wrong), kind.format((DONE, 0)))

    def problem(self, state: Sheet) -> bytes:
        """Return numbers, formulas and results; all of them are read by their places."""
        return repr((state.columns, state.cells, state.shown)).encode()


def _formula(rng: np.random.Generator, before: Sequence[Cell], columns: int, nested: float) -> Cell:
    """Return a formula on cells above or to the left, on another formula at a probability."""
    k = len(before)
    row, above = range(k - k % columns, k), range(k % columns, k, columns)
    deep = rng.random() < nested
    lines = [line for line in (row, above) if len(line) > 2 and (deep or not any(before[n].sign for n in line))]
    if lines and rng.random() < 0.5:
        line = lines[int(rng.integers(len(lines)))]
        return Cell(":", line[0], line[-1])
    plain = [n for n, cell in enumerate(before) if not cell.sign]
    others = [n for n, cell in enumerate(before) if cell.sign]
    a, b = (plain[n] for n in rng.permutation(len(plain))[:2].tolist())
    if deep and others:
        a = others[int(rng.integers(len(others)))]
    values = _right(columns, tuple(before))
    if values[a] > values[b] and rng.random() < 0.4:
        return Cell("-", a, b)
    return Cell("+", a, b)


def _named(columns: int, cell: Cell) -> Sequence[int]:
    """Return the cells that a formula names."""
    if cell.sign == ":":
        return range(cell.a, cell.b + 1, columns if (cell.b - cell.a) % columns == 0 else 1)
    return (cell.a, cell.b) if cell.sign else ()


@lru_cache(maxsize=512)
def _right(columns: int, cells: tuple[Cell, ...]) -> tuple[int, ...]:
    """Return what every cell should show."""
    values: list[int] = []
    for cell in cells:
        named = [values[k] for k in _named(columns, cell)]
        values.append(named[0] - named[1] if cell.sign == "-" else sum(named) if cell.sign else cell.a)
    return tuple(values)


def _wrong(sheet: Sheet) -> list[int]:
    pairs = zip(sheet.shown, _right(sheet.columns, sheet.cells), strict=True)
    return [k for k, (shown, right) in enumerate(pairs) if shown != right]


def _name(sheet: Sheet, k: int) -> str:
    return f"{LETTERS[k % sheet.columns]}{k // sheet.columns + 1}"


def _answer(sheet: Sheet) -> Record:
    return _kind(tuple(_name(sheet, k) for k, cell in enumerate(sheet.cells) if cell.sign))


@lru_cache(maxsize=512)
def _kind(names: tuple[str, ...]) -> Record:
    return Record((("cell", Choice((*names, DONE))), ("value", Integer(0, LARGEST))))


def _layout(sheet: Sheet) -> tuple[Sequence[Widget], Sequence[Widget], Sequence[Widget], Widget]:
    """Return the title with the letters of the columns, the numbers of the rows, the cells, and the button."""
    rows = len(sheet.cells) // sheet.columns
    lines = [_widgets.line(rows + 3, k, 90, 980) for k in range(rows + 3)]
    heads = [Widget("head", LETTERS[k], _widgets.split(lines[1], sheet.columns, k, 6)) for k in range(sheet.columns)]
    sides = [Widget("head", str(k + 1), (20, lines[k + 2][1], 80, lines[k + 2][3])) for k in range(rows)]
    cells = []
    for k, (cell, value) in enumerate(zip(sheet.cells, sheet.shown, strict=True)):
        box = _widgets.split(lines[k // sheet.columns + 2], sheet.columns, k % sheet.columns, 6)
        told = f"{_name(sheet, cell.a)}{cell.sign}{_name(sheet, cell.b)}"
        told = f"SUM({told}) = {value}" if cell.sign == ":" else f"{told} = {value}" if cell.sign else str(value)
        cells.append(Widget("formula" if cell.sign else "cell", told, box))
    button = Widget("button", DONE, _widgets.line(rows + 3, rows + 2, 680, 980))
    return [_widgets.window("Sheet", rows + 3), *heads], sides, cells, button


environment = Spreadsheet()
