"""Lights out: every press turns a lamp and its neighbours, and all of them must go out.

A panel is lit by presses, so presses put it out; which are the fewest is linear algebra over two elements. Panels lack
some lamps, which makes many problems of small ones and spoils recipes learnt for the full square.

Source: the electronic game (Tiger, 1995), solved as by Anderson and Feil, Turning Lights Out
with Linear Algebra (1998). Departures: some lamps are missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import bits, captions, grid, headings, splits
from palaestra.envs.kit.canvas import Canvas

GAP, DARK, LIT = range(3)
NAMES = ("gap", "dark lamp", "lit lamp")
LEGEND = {"-": "gap", "o": "dark lamp", "*": "lit lamp"}

TASK = "Put out all lamps."
RULES = "A press turns a lamp and its neighbours in row and column: lit to dark, dark to lit."
HINT = "Order does not matter, and no lamp needs two presses."


@dataclass(frozen=True, slots=True)
class Panel:
    """All there is to see, a bit for each cell: where lamps are and which are lit; the cell pressed last (-1: none)."""

    rows: int
    columns: int
    lamps: int
    lit: int
    last: int = -1


class LightsOut:
    """The environment."""

    spec = EnvSpec(
        id="puzzle/lights_out",
        version=1,
        title="Lights out",
        horizon=17,
        scales=(
            {"rows": 4, "columns": 4, "gaps": 3, "presses": 2},
            {"rows": 4, "columns": 4, "gaps": 3, "presses": 3},
            {"rows": 4, "columns": 5, "gaps": 3, "presses": 4},
            {"rows": 5, "columns": 5, "gaps": 3, "presses": 6},
            {"rows": 5, "columns": 6, "gaps": 4, "presses": 8},
            {"rows": 6, "columns": 6, "gaps": 5, "presses": 10},
        ),
        knobs=(
            Knob("rows", 3, 7, "rows of cells"),
            Knob("columns", 3, 7, "columns of cells"),
            Knob("gaps", 0, 6, "cells without a lamp"),
            Knob("presses", 1, 8, "fewest presses that put all lamps out, fewer on a small panel"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "planted"}),
        source="the electronic game Lights Out",
    )

    def reset(self, instance: Instance) -> Panel:
        settings = self.spec.settings(instance)
        rows, columns, gaps, presses = (int(settings[name]) for name in ("rows", "columns", "gaps", "presses"))
        gaps = min(gaps, rows * columns // 3)
        presses = min(presses, (rows * columns - gaps) // 3)

        def propose(rng: np.random.Generator) -> Panel | None:
            order = rng.permutation(rows * columns).tolist()
            lamps = sum(1 << cell for cell in order[gaps:])
            if bits.flood(rows, columns, lamps, 1 << order[gaps]) != lamps:
                return None
            lit = 0
            for cell in order[gaps : gaps + presses]:
                lit ^= _turned(rows, columns, lamps, cell)
            panel = Panel(rows, columns, lamps, lit)
            return panel if _fewest(panel).bit_count() == presses else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Panel) -> int:
        return _fewest(state).bit_count() * 3 // 2 + 2

    def public(self, state: Panel) -> Panel:
        return state

    def view(self, public: Panel, pixels: int = 448) -> View:
        rows, columns = public.rows, public.columns
        kind = _answer(rows, columns, public.lamps)
        content = _content(public)
        image, elements = None, grid.NOTHING
        if pixels:
            names = [NAMES[cell] for cell in content]
            kinds = np.frombuffer(content, np.uint8).astype(np.intp).reshape(rows, columns)
            image, elements = headings.draw(names, kinds, _tiles, pixels, "deep", "white")
        lit = [(public.lit >> row * columns & (1 << columns) - 1).bit_count() for row in range(rows)]
        return View(
            kind,
            image,
            f"{TASK} {kind.describe()}",
            RULES,
            HINT,
            f"Lit by row: {' '.join(map(str, lit))}. Fewest presses left: {_fewest(public).bit_count()}.",
            f"{headings.told(rows, columns)}\n{captions.board(LEGEND, content.translate(_SIGNS).decode(), columns)}",
            elements,
        )

    def step(self, state: Panel, action: str) -> Step[Panel]:
        cell = headings.cell_of(action, state.columns)
        lit = state.lit ^ _turned(state.rows, state.columns, state.lamps, cell)
        after = Panel(state.rows, state.columns, state.lamps, lit, cell)
        nearer = _fewest(state).bit_count() - _fewest(after).bit_count()
        events = ["moved_closer" if nearer > 0 else "moved_away" if nearer < 0 else "moved_level"]
        if cell == state.last:
            events.append("path_reversed")
        if lit:
            return Step(after, events=tuple(events))
        return Step(after, 1.0, done=True, success=True, events=(*events, "task_completed"))

    def solve(self, state: Panel) -> Sequence[str] | None:
        """Return the fewest presses, row by row."""
        return tuple(headings.label(cell, state.columns) for cell in bits.cells(_fewest(state)))

    def problem(self, state: Panel) -> bytes:
        return grid.canonical(state.rows, state.columns, np.frombuffer(_content(state), np.uint8))


def _turned(rows: int, columns: int, lamps: int, cell: int) -> int:
    """Return the lamps that a press turns."""
    return (bits.around(rows, columns, 1 << cell) | 1 << cell) & lamps


@lru_cache(maxsize=512)
def _algebra(rows: int, columns: int, lamps: int) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
    """Return what presses can turn in echelon form, as (lamps turned, presses), and all presses that turn nothing."""
    echelon: list[tuple[int, int]] = []
    quiet = [0]
    for cell in bits.cells(lamps):
        turned, presses = _reduced(echelon, _turned(rows, columns, lamps, cell), 1 << cell)
        if turned:
            echelon.append((turned, presses))
        else:
            quiet += [presses ^ other for other in quiet]
    return tuple(echelon), tuple(quiet)


def _reduced(echelon: Sequence[tuple[int, int]], lit: int, presses: int) -> tuple[int, int]:
    """Return what stays lit, and the presses, after each row of the echelon has put out its highest lamp."""
    for turned, by in echelon:
        if lit >> turned.bit_length() - 1 & 1:
            lit, presses = lit ^ turned, presses ^ by
    return lit, presses


@lru_cache(maxsize=4096)
def _fewest(panel: Panel) -> int:
    """Return the fewest presses that put out a panel, as a set of cells."""
    echelon, quiet = _algebra(panel.rows, panel.columns, panel.lamps)
    _, presses = _reduced(echelon, panel.lit, 0)
    return min((presses ^ other for other in quiet), key=lambda cells: (cells.bit_count(), cells))


_SIGNS = bytes.maketrans(bytes(range(3)), "".join(LEGEND).encode())


def _content(panel: Panel) -> bytes:
    cells = range(panel.rows * panel.columns)
    return bytes([(panel.lamps >> cell & 1) + (panel.lit >> cell & 1) for cell in cells])


@lru_cache(maxsize=512)
def _answer(rows: int, columns: int, lamps: int) -> Choice:
    return Choice(tuple(headings.label(cell, columns) for cell in bits.cells(lamps)))


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(kind, size) for kind in (GAP, DARK, LIT))


def _tile(kind: int, size: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    canvas = Canvas(size, size, "deep")
    centre = (size / 2, size / 2)
    if kind == GAP:
        near, line = max(1, size // 16), max(1, size // 40)
        canvas.rectangle((near, near, size - near, size - near), "slate")
        near += line
        canvas.rectangle((near, near, size - near, size - near), "deep")
    else:
        canvas.shape("square", centre, round(size * 1.06), "slate" if kind == DARK else "orange")
        canvas.shape("circle", centre, round(size * 0.76), "grey" if kind == DARK else "yellow")
        if kind == LIT:
            canvas.shape("circle", centre, round(size * 0.4), "paper")
    return canvas.pixels


environment = LightsOut()
