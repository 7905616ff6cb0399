"""Sokoban: push every crate onto a mark; what is pushed wrongly cannot be pulled back.

A level is played backwards from its end: crates are pulled off their marks, each pull leading a crate farther from its
own, so the way back wastes no push. That way travels inside the state as a witness until another push is made; from
there on a search answers, which the largest levels are too much for.

Source: Sokoban (Imabayashi, 1982). Departures: the edge of the board takes the place of outer walls.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import bits, captions, grid, splits, sprites
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.puzzle._crates import Depot, Position, Push, approach, moves, pulled, pushes_left, solution

FLOOR, WALL, MARK, CRATE, STORED, YOU, YOU_ON_MARK = range(7)
NAMES = ("floor", "wall", "mark", "crate", "crate on mark", "you", "you on mark")
LEGEND = dict(zip("-#.$*@+", NAMES, strict=True))
SIGNS = bytes.maketrans(bytes(range(7)), "".join(LEGEND).encode())

ANSWER = Choice(grid.DIRECTIONS)
TASK = f"Push every crate onto a mark. {ANSWER.describe()}"
RULES = "Walking against a crate pushes it one cell if the cell behind is free. Nothing can be pulled."
HINT = "A crate in a corner stays there: ask before a push how the crate could move on."


@dataclass(frozen=True, slots=True)
class Shift:
    """The position, the pushes that solve it (none once another one was made), and the turn limit."""

    position: Position
    witness: tuple[Push, ...]
    limit: int


class Sokoban:
    """The environment."""

    spec = EnvSpec(
        id="puzzle/sokoban",
        version=1,
        title="Sokoban",
        horizon=214,
        scales=(
            {"rows": 5, "columns": 5, "crates": 1, "pushes": 3, "walls": 0.12},
            {"rows": 5, "columns": 5, "crates": 2, "pushes": 5, "walls": 0.12},
            {"rows": 6, "columns": 6, "crates": 2, "pushes": 8, "walls": 0.15},
            {"rows": 6, "columns": 7, "crates": 3, "pushes": 11, "walls": 0.15},
            {"rows": 7, "columns": 8, "crates": 4, "pushes": 15, "walls": 0.18},
            {"rows": 8, "columns": 9, "crates": 5, "pushes": 20, "walls": 0.18},
        ),
        knobs=(
            Knob("rows", 3, 10, "rows of cells"),
            Knob("columns", 3, 10, "columns of cells"),
            Knob("crates", 1, 6, "crates, and marks"),
            Knob("pushes", 2, 20, "pushes that solve the level, or up to a quarter less, and less in a small room"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "planted"}),
        source="Sokoban",
    )

    def reset(self, instance: Instance) -> Shift:
        settings = self.spec.settings(instance)
        rows, columns, crates, pushes = (int(settings[name]) for name in ("rows", "columns", "crates", "pushes"))
        crates = min(crates, rows * columns // 8)
        pushes = max(crates, min(pushes, crates * (rows + columns) // 3))
        walls = round(float(settings["walls"]) * rows * columns)
        limit = 8 * pushes + 2 * (rows + columns)

        def propose(rng: np.random.Generator) -> Shift | None:
            order = rng.permutation(rows * columns).tolist()
            open_cells = sum(1 << cell for cell in order[walls:])
            marks = order[walls : walls + crates]
            floor = bits.flood(rows, columns, open_cells, 1 << marks[0])
            if 2 * floor.bit_count() < rows * columns or any(not floor >> mark & 1 for mark in marks):
                return None
            depot = Depot(rows, columns, floor, sum(1 << mark for mark in marks))
            position, witness = pulled(depot, marks, rng.random(pushes + 1).tolist())
            if 4 * len(witness) < 3 * pushes or position.crates & depot.marks:
                return None
            return Shift(position, witness, limit) if 3 * len(moves(position, witness)) < 2 * limit else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Shift) -> int:
        return state.limit

    def public(self, state: Shift) -> Position:
        return state.position

    def view(self, public: Position, pixels: int = 448) -> View:
        depot, content = public.depot, _content(public)
        rows, columns = depot.rows, depot.columns
        image, elements = None, grid.NOTHING
        if pixels:
            size = pixels // max(rows, columns)
            image = grid.paint(np.frombuffer(content, np.uint8).astype(np.intp).reshape(rows, columns), _tiles(size))
            elements = grid.scene(NAMES, content, rows, columns, size)
        left = pushes_left(depot, depot.marks)
        needs = ["lost" if left[crate] < 0 else str(left[crate]) for crate in bits.cells(public.crates)]
        state = f"You: row {public.you // columns}, column {public.you % columns}. Pushes to the next mark by crate: "
        caption = captions.board(LEGEND, content.translate(SIGNS).decode(), columns)
        return View(ANSWER, image, TASK, RULES, HINT, f"{state}{' '.join(needs)}.", caption, elements)

    def step(self, state: Shift, action: str) -> Step[Shift]:
        position, depot = state.position, state.position.depot
        heading = grid.DIRECTIONS.index(action)
        around = grid.neighbours(depot.rows, depot.columns)
        cell = around[position.you][heading]
        if cell < 0 or not depot.floor >> cell & 1:
            return Step(state, events=("edge_bumped" if cell < 0 else "obstacle_bumped",))
        if not position.crates >> cell & 1:
            after = Position(depot, position.crates, cell, position.you)
            back = ("path_reversed",) if cell == position.came_from else ()
            return Step(replace(state, position=after), events=(_moved(approach(position), approach(after)), *back))
        beyond = around[cell][heading]
        if beyond < 0 or not depot.floor >> beyond & ~position.crates >> beyond & 1:
            return Step(state, events=("obstacle_bumped",))
        pushed = Position(depot, position.crates ^ 1 << cell ^ 1 << beyond, cell)
        followed = state.witness[:1] == ((cell, heading),)
        after_push = Shift(pushed, state.witness[1:] if followed else (), state.limit)
        events = ["subgoal_undone"] * (depot.marks >> cell & 1)
        events += ["subgoal_reached"] * (depot.marks >> beyond & 1)
        if pushed.crates == depot.marks:
            return Step(after_push, 1.0, done=True, success=True, events=(*events, "task_completed"))
        before, left = (pushes_left(depot, depot.marks)[crate] for crate in (cell, beyond))
        return Step(after_push, events=(*events, "dead_end_entered" if left < 0 <= before else _moved(before, left)))

    def solve(self, state: Shift) -> Sequence[str] | None:
        """Return the witness, or what a search finds once another push was made, with the shortest walks between its
        pushes; None when the level is lost, or too large for the search."""
        plan = state.witness or solution(state.position)
        return None if plan is None else tuple(grid.DIRECTIONS[heading] for heading in moves(state.position, plan))

    def problem(self, state: Shift) -> bytes:
        depot = state.position.depot
        return grid.canonical(depot.rows, depot.columns, np.frombuffer(_content(state.position), np.uint8))


def _moved(before: int, left: int) -> str:
    return "moved_closer" if left < before else "moved_away" if left > before else "moved_level"


def _content(position: Position) -> bytes:
    """Return what lies on every cell, row by row."""
    depot = position.depot
    cells = bytearray([WALL]) * (depot.rows * depot.columns)
    for cell in bits.cells(depot.floor):
        cells[cell] = MARK if depot.marks >> cell & 1 else FLOOR
    for cell in bits.cells(position.crates):
        cells[cell] = STORED if depot.marks >> cell & 1 else CRATE
    cells[position.you] = YOU_ON_MARK if depot.marks >> position.you & 1 else YOU
    return bytes(cells)


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(kind, size) for kind in range(7))


def _tile(kind: int, size: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    canvas = Canvas(size, size, "silver")
    line, centre = max(1, size // 40), (size / 2, size / 2)
    canvas.rectangle((line, line, size - line, size - line), "mist")
    if kind == WALL:
        sprites.bricks(canvas, "slate", "grey")
    if kind in {MARK, YOU_ON_MARK}:
        canvas.shape("diamond", centre, round(size * 0.86), "green")
        canvas.shape("diamond", centre, round(size * 0.62), "mist")
        canvas.shape("diamond", centre, round(size * 0.3), "green")
    if kind in {CRATE, STORED}:
        dark, light = ("brown", "sand") if kind == CRATE else ("green", "mint")
        rim, frame, edge = round(size * 0.1), round(size * 0.2), size - round(size * 0.2)
        for margin, fill in ((rim, "ink"), (rim + line, dark), (frame, light)):
            canvas.rectangle((margin, margin, size - margin, size - margin), fill)
        battens = [(frame, frame, edge - 1, edge - 1), (frame, edge - 1, edge - 1, frame)]
        if kind == CRATE:
            canvas.segments(battens, round(size * 0.12), dark)
        else:  # told from a crate by its shape too
            canvas.shape("diamond", centre, round(size * 0.44), dark)
    if kind in {YOU, YOU_ON_MARK}:
        sprites.walker(canvas, "blue", "navy")
    return canvas.pixels


environment = Sokoban()
