"""Skeleton: walk to the flag past stones before the turns run out.

`palaestra new FAMILY/NAME` copies this file, and it passes the check as it stands: change one thing at a time. Say in
the first line what a player does, and below it what is special: how instances are made, why each has a solution.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, splits, sprites
from palaestra.envs.kit.canvas import Canvas

GROUND, STONE, FLAG, YOU = range(4)
NAMES = ("ground", "stone", "flag", "you")
LEGEND = {".": "ground", "#": "stone", "F": "flag", "@": "you"}

# What a reply may say: see `palaestra.core.answer` for numbers, points, sequences, boards and records.
ANSWER = Choice(grid.DIRECTIONS)


@dataclass(frozen=True, slots=True)
class Position:
    """What a player sees, and here all there is: content of the cells row by row, the cell of the player, turns left.

    A world with secrets or chance keeps them in another class around this one; then it also needs `guide` and `reseal`.
    """

    rows: int
    columns: int
    cells: bytes
    cell: int
    left: int


class Skeleton:
    """The environment."""

    spec = EnvSpec(
        id="family/name",
        version=1,
        title="Skeleton",
        horizon=40,  # the largest turn limit of all scales and knobs
        scales=(  # five at least, each harder than the one before; an instance is drawn *at* its scale
            {"rows": 5, "columns": 5, "stones": 0.1, "reach": 4},
            {"rows": 6, "columns": 6, "stones": 0.15, "reach": 6},
            {"rows": 7, "columns": 7, "stones": 0.2, "reach": 8},
            {"rows": 8, "columns": 8, "stones": 0.25, "reach": 10},
            {"rows": 9, "columns": 9, "stones": 0.3, "reach": 12},
        ),
        knobs=(  # what an engineer may set; both ends must be solvable, and each must change something
            Knob("rows", 4, 10, "rows of cells"),
            Knob("stones", 0.0, 0.35, "share of cells that are stones"),
        ),
        embedded_scales=(0, 1),  # those that are legible at 96 pixels
        tags=frozenset({"multi_turn"}),
    )

    def reset(self, instance: Instance) -> Position:
        settings = self.spec.settings(instance)
        rows, columns = int(settings["rows"]), int(settings["columns"])
        stones = round(float(settings["stones"]) * rows * columns)
        reach = min(int(settings["reach"]), (rows + columns) * 3 // 4)

        def propose(rng: np.random.Generator) -> Position | None:
            order = rng.permutation(rows * columns).tolist()
            cells = bytearray(rows * columns)
            for cell in order[2 : 2 + stones]:
                cells[cell] = STONE
            cells[order[1]] = FLAG
            way = _way(rows, columns, bytes(cells))[order[0]]
            return Position(rows, columns, bytes(cells), order[0], way + 2) if way >= reach else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Position) -> int:
        return state.left

    def public(self, state: Position) -> Position:
        return state

    def view(self, public: Position, pixels: int = 448) -> View:
        rows, columns = public.rows, public.columns
        content = public.cells[: public.cell] + bytes([YOU]) + public.cells[public.cell + 1 :]
        image, scene = None, grid.NOTHING
        if pixels:
            size = pixels // max(rows, columns)
            kinds = np.frombuffer(content, np.uint8).astype(np.intp).reshape(rows, columns)
            image = grid.paint(kinds, _tiles(size))
            scene = grid.scene(NAMES, content, rows, columns, size)
        goal = public.cells.index(FLAG)
        return View(
            answer=ANSWER,
            image=image,
            task=f"Walk to the flag in time. {ANSWER.describe()}",
            rules="A move goes one cell. Stones and the edge stop you, and the turn is lost.",
            hint="Trace a way back from the flag before the first step.",
            state=f"The flag is {abs(goal // columns - public.cell // columns)} rows and "
            f"{abs(goal % columns - public.cell % columns)} columns away. Turns left: {public.left}.",
            caption=captions.board(LEGEND, "".join(tuple(LEGEND)[kind] for kind in content), columns),
            scene=scene,
        )

    def step(self, state: Position, action: str) -> Step[Position]:
        cell = grid.neighbours(state.rows, state.columns)[state.cell][grid.DIRECTIONS.index(action)]
        stays = replace(state, left=state.left - 1)
        if cell < 0:
            return Step(stays, events=("edge_bumped",))
        if state.cells[cell] == STONE:
            return Step(stays, events=("obstacle_bumped",))
        after = replace(stays, cell=cell)
        if state.cells[cell] == FLAG:
            return Step(after, 1.0, done=True, success=True, events=("goal_reached",))
        way = _way(state.rows, state.columns, state.cells)
        return Step(after, events=("moved_closer" if way[cell] < way[state.cell] else "moved_away",))

    def solve(self, state: Position) -> Sequence[str] | None:
        way, cell = _way(state.rows, state.columns, state.cells), state.cell
        around = grid.neighbours(state.rows, state.columns)
        plan = []
        while state.cells[cell] != FLAG:
            heading = next(d for d, n in enumerate(around[cell]) if n >= 0 and way[n] == way[cell] - 1)
            plan.append(grid.DIRECTIONS[heading])
            cell = around[cell][heading]
        return plan

    def problem(self, state: Position) -> bytes:
        """Return board, start and flag, equal for boards that differ by a turn or a mirror only."""
        content = np.frombuffer(state.cells, np.uint8).copy()
        content[state.cell] = YOU
        return grid.canonical(state.rows, state.columns, content)


@lru_cache(maxsize=512)
def _way(rows: int, columns: int, cells: bytes) -> list[int]:
    """Return the fewest moves from every cell to the flag, -1 where there is no way."""
    return grid.distances(rows, columns, cells.index(FLAG), lambda cell: cells[cell] != STONE)


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    canvases = [Canvas(size, size, "grass") for _ in NAMES]
    canvases[STONE].shape("hexagon", (size / 2, size / 2), round(size * 0.8), "grey", edge="slate")
    sprites.flag(canvases[FLAG], "red")
    sprites.walker(canvases[YOU], "blue", "navy")
    return grid.stack(canvas.pixels for canvas in canvases)


environment = Skeleton()
