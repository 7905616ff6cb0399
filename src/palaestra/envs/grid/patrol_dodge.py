"""Patrol dodge: slip through the walls of a yard along the very rounds that its guards walk.

Every wall has one opening, and it lies on a guard's round, drawn as arrows; guards never turn nor stop, so where they
will be is certain, and a plan is a path in space and time. You move first, then all guards do; a turn may be waited.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.grid import _board
from palaestra.envs.kit import bits, grid, splits, sprites
from palaestra.envs.kit.canvas import Canvas, Pixels

FLOOR, WALL, EXIT, PATH = range(4)  # PATH + heading
GUARD = PATH + 4  # + heading
YOU = GUARD + 4  # on the floor; YOU + 1 + heading on a path
AT_EXIT, CAUGHT = YOU + 5, YOU + 6
NAMES = (
    *("floor", "wall", "exit", *(f"path {heading}" for heading in grid.DIRECTIONS)),
    *(f"guard {heading}" for heading in grid.DIRECTIONS),
    *("you", *(f"you on path {heading}" for heading in grid.DIRECTIONS), "you at the exit", "you caught"),
)
SIGNS = ".#E^>v<URDL@nesw!X"
WAIT = "wait"

ANSWER = Choice((*grid.DIRECTIONS, WAIT))
TASK = f"Walk to the exit and meet no guard. {ANSWER.describe()}"
RULES = (
    "After your turn every guard goes one cell along its arrows. To share a cell with one, before or after, is the end."
)
HINT = "Behind a guard you are safe for a while; count its steps before you enter its round."


@dataclass(frozen=True, slots=True)
class Yard:
    """What never moves, row by row; on a path lies the heading of the guard who walks there."""

    rows: int
    columns: int
    cells: bytes


@dataclass(frozen=True, slots=True)
class Walk:
    """All there is, and all of it is seen: the yard, where you stand, and where the guards do."""

    yard: Yard
    cell: int
    guards: tuple[int, ...]


class PatrolDodge:
    """The environment."""

    spec = EnvSpec(
        id="grid/patrol_dodge",
        version=1,
        title="Patrol dodge",
        horizon=46,
        scales=(
            {"rows": 5, "columns": 6, "walls": 1, "guards": 1, "reach": 5, "delay": 0},
            {"rows": 6, "columns": 7, "walls": 1, "guards": 2, "reach": 8, "delay": 1},
            {"rows": 6, "columns": 8, "walls": 2, "guards": 1, "reach": 10, "delay": 2},
            {"rows": 7, "columns": 9, "walls": 2, "guards": 2, "reach": 12, "delay": 3},
            {"rows": 8, "columns": 10, "walls": 3, "guards": 1, "reach": 14, "delay": 3},
            {"rows": 9, "columns": 12, "walls": 4, "guards": 2, "reach": 17, "delay": 4},
        ),
        knobs=(
            Knob("rows", 3, 12, "rows of cells"),
            Knob("columns", 3, 12, "columns of cells"),
            Knob("walls", 1, 4, "walls, each with a guarded opening; as many as there is room for"),
            Knob("guards", 1, 2, "guards on each round"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn"}),
    )

    def reset(self, instance: Instance) -> Walk:
        settings = self.spec.settings(instance)
        rows, columns, walls, guards = (int(settings[name]) for name in ("rows", "columns", "walls", "guards"))
        reach, longest = min(int(settings["reach"]), rows + columns - 4), (rows + columns) * 3 // 2
        delay = min(int(settings["delay"]), walls * guards)  # so many turns guards cost, or one need not look at them

        def propose(rng: np.random.Generator) -> Walk | None:
            walk = _build(rows, columns, walls, guards, rng)
            turns, cells = len(_layers(walk)) - 1, walk.yard.cells
            way = grid.distances(rows, columns, cells.index(EXIT), lambda cell: cells[cell] != WALL)[walk.cell]
            return walk if reach <= turns <= longest and turns >= way + delay else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Walk) -> int:
        return 2 * (state.yard.rows + state.yard.columns) + 4

    def public(self, state: Walk) -> Walk:
        return state

    def view(self, public: Walk, pixels: int = 448) -> View:
        yard, cell, columns = public.yard, public.cell, public.yard.columns
        content, under = bytearray(yard.cells), yard.cells[cell]
        for guard in public.guards:
            content[guard] += GUARD - PATH
        content[cell] = YOU if under == FLOOR else AT_EXIT if under == EXIT else YOU + 1 + under - PATH
        if cell in public.guards:
            content[cell] = CAUGHT
        image, elements = _board.drawn(NAMES, _tiles, bytes(content), columns, pixels)
        goal = yard.cells.index(EXIT)
        coming = [f"{guard // columns},{guard % columns}" for guard in sorted(_moved(yard, public.guards))]
        return View(
            ANSWER,
            image,
            TASK,
            RULES,
            HINT,
            f"You are at {cell // columns},{cell % columns} (row,column); the exit is at {goal // columns},"
            f"{goal % columns}. Guards next enter {', '.join(coming)}.",
            _board.told(NAMES, SIGNS, bytes(content), columns),
            elements,
        )

    def step(self, state: Walk, action: str) -> Step[Walk]:
        yard, cell, events = state.yard, state.cell, list[str]()
        if action != WAIT:
            cell = grid.neighbours(yard.rows, yard.columns)[cell][grid.DIRECTIONS.index(action)]
            if cell < 0 or yard.cells[cell] == WALL:
                events.append("edge_bumped" if cell < 0 else "obstacle_bumped")
                cell = state.cell
        if cell in state.guards:
            swapped = _moved(yard, state.guards)[state.guards.index(cell)] == state.cell
            return Step(
                replace(state, cell=cell), done=True, events=("agents_swapped" if swapped else "agents_collided",)
            )
        after = Walk(yard, cell, _moved(yard, state.guards))
        if cell in after.guards:
            return Step(after, done=True, events=(*events, "agents_collided"))
        if yard.cells[cell] == EXIT:
            return Step(after, 1.0, done=True, success=True, events=("goal_reached",))
        before, way = len(_layers(state)), len(_layers(after))
        if action == WAIT:
            events.append("turn_waited")
        elif not events:
            events.append("moved_closer" if 0 < way < before else "moved_level" if way == before else "moved_away")
        if before and not way:
            events.append("dead_end_entered")
        if any(guard in grid.neighbours(yard.rows, yard.columns)[cell] for guard in after.guards):
            events.append("hazard_skirted")
        return Step(after, events=tuple(events))

    def solve(self, state: Walk) -> Sequence[str] | None:
        """Return a plan of the fewest turns, traced back from the exit."""
        yard, layers, plan = state.yard, _layers(state), list[str]()
        if not layers:
            return None
        cell = yard.cells.index(EXIT)
        for layer in reversed(layers[:-1]):
            near = (bits.around(yard.rows, yard.columns, 1 << cell) | 1 << cell) & layer
            before = near.bit_length() - 1
            around = grid.neighbours(yard.rows, yard.columns)[before]
            plan.append(WAIT if before == cell else grid.DIRECTIONS[around.index(cell)])
            cell = before
        return tuple(reversed(plan))

    def problem(self, state: Walk) -> bytes:
        """Return the yard with the turns until a guard comes for each cell of a path, which tells headings too."""
        yard, guards, turn = state.yard, state.guards, 0
        content = np.frombuffer(yard.cells, np.uint8).copy()
        content[content >= PATH] = 255
        while 255 in content:
            for guard in guards:
                content[guard] = min(content[guard], YOU + 1 + turn)
            guards, turn = _moved(yard, guards), turn + 1
        content[state.cell] = YOU
        return grid.canonical(yard.rows, yard.columns, content)


def _moved(yard: Yard, guards: tuple[int, ...]) -> tuple[int, ...]:
    """Return where guards stand a turn later."""
    around = grid.neighbours(yard.rows, yard.columns)
    return tuple([around[guard][yard.cells[guard] - PATH] for guard in guards])


@lru_cache(maxsize=4096)
def _layers(walk: Walk) -> list[int]:
    """Return for each turn the cells where one can be by then, until the exit is one of them; [] when it never is."""
    yard, guards = walk.yard, walk.guards
    free, goal = ~bits.where(yard.cells, bytes([WALL])), 1 << yard.cells.index(EXIT)
    layers = [1 << walk.cell] if walk.cell not in guards else [0]
    for _ in range(3 * (yard.rows + yard.columns)):
        if layers[-1] & goal:
            return layers
        following = _moved(yard, guards)
        taken = sum({1 << cell for cell in guards + following})
        guards = following
        layers.append((layers[-1] | bits.around(yard.rows, yard.columns, layers[-1])) & free & ~taken)
    return []


def _build(rows: int, columns: int, walls: int, guards: int, rng: np.random.Generator) -> Walk:
    """Return a yard whose walls stand across it one behind the other, each pierced twice by one round of guards."""
    across = columns < 5 or (rows > 4 and rng.random() < 0.5)  # whether the walls stand one below the other
    length, width = (rows, columns) if across else (columns, rows)
    walls = min(walls, length // 3)
    gaps = np.sort(rng.integers(0, length - 3 * walls + 1, walls)).tolist()
    lines = [1 + 3 * k + gap for k, gap in enumerate(gaps)]
    cells, posts = bytearray(rows * columns), list[int]()

    def at(along: int, side: int) -> int:
        return along * columns + side if across else side * columns + along

    for line in lines:
        for side in range(width):
            cells[at(line, side)] = WALL
        high = int(rng.integers(2, min(5, width)))
        top = int(rng.integers(0, width - high + 1))
        bottom = top + high - 1
        ring = [at(line + k, top) for k in (-1, 0, 1)] + [at(line + 1, side) for side in range(top + 1, bottom)]
        ring += [at(line + k, bottom) for k in (1, 0, -1)] + [at(line - 1, side) for side in range(bottom - 1, top, -1)]
        if rng.random() < 0.5:
            ring.reverse()
        around = grid.neighbours(rows, columns)
        for cell, following in zip(ring, ring[1:] + ring[:1], strict=True):
            cells[cell] = PATH + around[cell].index(following)
        first = int(rng.integers(len(ring)))
        posts += [ring[first - k * len(ring) // 2] for k in range(guards)]
    ends = [
        [at(along, side) for along in stretch for side in range(width) if cells[at(along, side)] == FLOOR]
        for stretch in (range(lines[0]), range(lines[-1] + 1, length))
    ]
    start, goal = (end[int(rng.integers(len(end)))] for end in ends)
    cells[goal] = EXIT
    return Walk(Yard(rows, columns, bytes(cells)), start, tuple(posts))


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(name, size) for name in NAMES)


def _tile(name: str, size: int) -> Pixels:
    line = max(1, size // 40)
    thing, _, heading = name.rpartition(" ")
    path = heading in grid.DIRECTIONS
    canvas = _board.floor(size, "silver", "sand" if path else "mist")
    if name == "wall":
        sprites.bricks(canvas, "slate", "silver")
    elif name.endswith("exit"):
        sprites.flag(canvas, "green")
    elif path:
        room = round(size * 0.4) if name.startswith("you") else size - 2 * line
        sign = Canvas(room, room, "sand")
        if thing == "guard":
            sign.shape("circle", (room / 2, room / 2), round(room * 0.94), "red", edge="wine")
            sign.shape("arrow", (room / 2, room / 2), round(room * 0.72), "white")
        else:
            sign.shape("arrow", (room / 2, room / 2), round(room * (0.74 if thing == "path" else 0.9)), "brown")
        left, top = size - line - room, (size - room) // 2
        turned = np.rot90(sign.pixels, -grid.DIRECTIONS.index(heading))
        canvas.pixels[top : top + room, left : left + room] = turned
    if name == "you caught":
        canvas.shape("cross", (size * 0.5, size * 0.5), round(size * 0.9), "red")
    if name.startswith("you"):
        sprites.walker(canvas, "blue", "navy", 0.32 if path else 0.5)
    return canvas.pixels


environment = PatrolDodge()
