"""Minesweep: uncover every cell that hides no mine; a number tells how many of the cells around it hide one.

The first cell is open at the start. A field is kept only when deduction alone opens it to the end: a number may settle
its neighbours, and so may two numbers of which one sees all that the other sees. What is settled once stays settled, so
whoever opens other cells first, and survives, never needs a guess either. The guide deduces from what is shown.

*Source*: the rules of Minesweeper. *Departures*: no flags, and fields need no guess.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import or_

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import bits, captions, grid, headings, splits
from palaestra.envs.kit.canvas import Canvas, Pixels

COVERED, MINE = 9, 10
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "covered", "mine")
LEGEND = {sign: NAMES[kind] for kind, sign in enumerate("012345678#*")}
INKS = ("grey", "blue", "green", "red", "navy", "wine", "teal", "black", "slate")  # of the numbers

TASK = "Uncover every cell without a mine; {} cells hide one."
RULES = (
    "An open cell tells how many of the up to eight cells around it hide mines; around a blank one, a zero, all open "
    "at once. Uncovering a mine ends the game."
)
HINT = "Look for a number whose mines are all known: its other neighbours are safe. Compare neighbouring numbers too."


@dataclass(frozen=True, slots=True)
class Field:
    """All that was shown so far: `cells` holds numbers of mines, COVERED or MINE, row by row."""

    rows: int
    columns: int
    mines: int
    cells: bytes


@dataclass(frozen=True, slots=True)
class Sweep:
    """The field, the cells with mines as bits, and how many cells were to be uncovered at first."""

    field: Field
    mined: int
    task: int


class Minesweep:
    """The environment."""

    spec = EnvSpec(
        id="logic/minesweep",
        version=1,
        title="Minesweep",
        horizon=70,
        scales=(
            {"rows": 5, "columns": 6, "mines": 0.17},
            {"rows": 6, "columns": 6, "mines": 0.17},
            {"rows": 6, "columns": 7, "mines": 0.2},
            {"rows": 7, "columns": 7, "mines": 0.2},
            {"rows": 8, "columns": 8, "mines": 0.2},
            {"rows": 8, "columns": 10, "mines": 0.2},
        ),
        knobs=(
            Knob("rows", 3, 8, "rows of cells"),
            Knob("columns", 3, 10, "columns of cells"),
            Knob("mines", 0.1, 0.25, "share of cells that hide a mine"),
        ),
        clairvoyant=True,
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "hidden", "inferred"}),
        source="rules of Minesweeper",
    )

    def reset(self, instance: Instance) -> Sweep:
        settings = self.spec.settings(instance)
        rows, columns = int(settings["rows"]), int(settings["columns"])
        mines = max(1, round(float(settings["mines"]) * rows * columns))
        around = _around(rows, columns)
        bare = Field(rows, columns, mines, bytes([COVERED]) * (rows * columns))

        def propose(rng: np.random.Generator) -> Sweep | None:
            order = rng.permutation(rows * columns).tolist()
            start = order.pop()
            far = [cell for cell in order if not around[start] >> cell & 1]
            if len(far) < mines:
                return None
            mined = sum(1 << cell for cell in far[:mines])
            field = _opened(bare, start, mined)
            left = field.cells.count(COVERED) - mines
            return Sweep(field, mined, left) if left > 1 and _deducible(field, mined) else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Sweep) -> int:
        return state.task + 2

    def public(self, state: Sweep) -> Field:
        return state.field

    def view(self, public: Field, pixels: int = 448) -> View:
        rows, columns, cells = public.rows, public.columns, public.cells
        kind = _answer(rows, columns)
        image, scene = None, grid.NOTHING
        if pixels:
            kinds = np.frombuffer(cells, np.uint8).astype(np.intp).reshape(rows, columns)
            image, scene = headings.draw([NAMES[cell] for cell in cells], kinds, _tiles, pixels, "paper")
        *numbers, (covered, mines) = _facts(public)
        settled = sum(near.bit_count() == count > 0 for near, count in numbers)
        signs = "".join("012345678#*"[cell] for cell in cells)
        return View(
            answer=kind,
            image=image,
            task=f"{TASK.format(public.mines)} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Safe cells left: {max(covered.bit_count() - mines, 0)}. "
            f"Numbers with no more covered cells around them than mines: {settled}.",
            caption=f"{headings.told(rows, columns)}\n{captions.board(LEGEND, signs, columns)}",
            scene=scene,
        )

    def step(self, state: Sweep, action: str) -> Step[Sweep]:
        field, cell = state.field, headings.cell_of(action, state.field.columns)
        if field.cells[cell] != COVERED:
            return Step(state, legal=False, events=("action_illegal",))
        certain = "certain_step_taken" if _deduced(field)[0] >> cell & 1 else "risk_taken"
        after = _opened(field, cell, state.mined)
        if state.mined >> cell & 1:
            return Step(replace(state, field=after), done=True, events=(certain, "hazard_entered"))
        swept, left = replace(state, field=after), after.cells.count(COVERED)
        share = 0.5 * (field.cells.count(COVERED) - left) / state.task
        if left > field.mines:
            return Step(swept, share, events=(certain,))
        return Step(swept, share + 0.5, done=True, success=True, events=(certain, "task_completed"))

    def solve(self, state: Sweep) -> Sequence[str] | None:
        """Return all safe cells that are left, less those that a cell before them opens too."""
        field, plan = state.field, []
        if MINE in field.cells:
            return None
        for cell in range(len(field.cells)):
            if field.cells[cell] == COVERED and not state.mined >> cell & 1:
                plan.append(headings.label(cell, field.columns))
                field = _opened(field, cell, state.mined)
        return plan

    def guide(self, public: Field) -> str | None:
        """Return the first cell that deduction finds safe."""
        if MINE in public.cells or not (safe := _deduced(public)[0]):
            return None
        return headings.label(bits.cells(safe)[0], public.columns)

    def reseal(self, state: Sweep, seed: int) -> Sweep:
        """Return the field over other mines that make the same numbers."""
        if MINE in state.field.cells:
            return state
        rng = np.random.default_rng(seed)
        facts = _facts(state.field)
        seen = reduce(or_, (near for near, _ in facts[:-1]))
        order = sorted(rng.permutation(bits.cells(facts[-1][0])).tolist(), key=lambda cell: not seen >> cell & 1)
        return replace(state, mined=next(_layouts(facts, order, 0, 0, rng)))

    def problem(self, state: Sweep) -> bytes:
        """Return the mines and the cells that are open at first, up to turns and mirrors."""
        field = state.field
        content = [12 if state.mined >> cell & 1 else seen for cell, seen in enumerate(field.cells)]
        return grid.canonical(field.rows, field.columns, np.array(content, np.uint8))


@lru_cache(maxsize=64)
def _around(rows: int, columns: int) -> tuple[int, ...]:
    """Return for each cell the up to eight cells around it, as bits."""
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    return tuple(
        sum(1 << k for k, (y, x) in enumerate(cells) if (y, x) != (r, c) and abs(y - r) < 2 > abs(x - c))
        for r, c in cells
    )


def _facts(field: Field) -> list[tuple[int, int]]:
    """Return sets of covered cells with the mines in them: those around each number, last all that are covered."""
    covered = bits.where(field.cells, bytes([COVERED]))
    around = zip(_around(field.rows, field.columns), field.cells, strict=True)
    return [*((near & covered, seen) for near, seen in around if seen < COVERED), (covered, field.mines)]


def _opened(field: Field, cell: int, mined: int) -> Field:
    """Return the field after uncovering a cell, and all around every zero that this opens."""
    around = _around(field.rows, field.columns)
    cells = bytearray(field.cells)
    todo = [cell]
    while todo:
        here = todo.pop()
        if cells[here] == COVERED:
            cells[here] = MINE if mined >> here & 1 else (around[here] & mined).bit_count()
            if cells[here] == 0:
                todo += bits.cells(around[here])
    return replace(field, cells=bytes(cells))


@lru_cache(maxsize=512)
def _deduced(field: Field) -> tuple[int, int]:
    """Return the covered cells that deduction finds safe, and those that it finds mined, as bits."""
    facts = set(_facts(field))
    safe = mined = 0
    while True:
        before = safe, mined
        facts = {(cells & ~(safe | mined), count - (cells & mined).bit_count()) for cells, count in facts}
        facts = {fact for fact in facts if fact[0]}
        for cells, count in facts:
            if not count:
                safe |= cells
            elif count == cells.bit_count():
                mined |= cells
        if (safe, mined) != before:
            continue
        for cells, count in facts:
            for more, most in facts:
                if cells & ~more == 0 and cells != more:  # what the one sees more holds what it counts more
                    if most == count:
                        safe |= more & ~cells
                    elif most - count == (more & ~cells).bit_count():
                        mined |= more & ~cells
        if (safe, mined) == before:
            return safe, mined


def _deducible(field: Field, mined: int) -> bool:
    """Return whether deduction opens a field to the end."""
    while field.cells.count(COVERED) > field.mines:
        safe, _ = _deduced(field)
        if not safe:
            return False
        for cell in bits.cells(safe):
            field = _opened(field, cell, mined)
    return True


def _layouts(
    facts: Sequence[tuple[int, int]], cells: Sequence[int], mined: int, placed: int, rng: np.random.Generator
) -> Iterator[int]:
    """Yield the ways to mine some cells that agree with every fact, in random order."""
    for near, count in facts:
        here = (near & mined).bit_count()
        if not here <= count <= here + (near & ~placed).bit_count():
            return
    if not cells:
        yield mined
        return
    bit, rest = 1 << cells[0], cells[1:]
    for choice in (bit, 0) if rng.random() < 0.5 else (0, bit):
        yield from _layouts(facts, rest, mined | choice, placed | bit, rng)


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(kind, size) for kind in range(len(NAMES)))


def _tile(kind: int, size: int) -> Pixels:
    """Return a cell: raised while covered, flat and pale when open."""
    line, middle = max(1, size // 28), (size / 2, size / 2)
    canvas = Canvas(size, size, "silver")
    canvas.rectangle((line, line, size, size), "rose" if kind == MINE else "paper")
    if kind == COVERED:
        canvas.rectangle((line, line, size, size), "grey")
        canvas.rectangle((line, line, size - line, size - line), "white")
        canvas.rectangle((2 * line, 2 * line, size - line, size - line), "frost")
    elif kind == MINE:
        near, far = 0.2 * size, 0.8 * size
        spikes = [(near, near, far, far), (near, far, far, near), (middle[0], near, middle[0], far)]
        canvas.segments([*spikes, (near, middle[1], far, middle[1])], size / 16, "ink")
        canvas.shape("circle", middle, round(size * 0.46), "ink")
        canvas.shape("circle", (size * 0.44, size * 0.44), round(size * 0.12), "white")
    elif kind:
        canvas.text(str(kind), middle, max(7, round(size * 0.48)), INKS[kind])
    return canvas.pixels


@lru_cache(maxsize=64)
def _answer(rows: int, columns: int) -> Choice:
    return Choice(tuple(headings.label(cell, columns) for cell in range(rows * columns)))


environment = Minesweep()
