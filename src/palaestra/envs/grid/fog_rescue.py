"""Fog rescue: find a stranded hiker on a foggy glacier and bring them back to the hut.

Only cells within a small radius are seen, and those seen before: the fog lifts for good where you have looked. Rocks
and crevasses are no danger, but they stand in the way. The guide explores frontiers: it walks to the nearest cell from
which something new is seen, until the hiker is.

Source: frontier-based exploration (Yamauchi 1997), here the guide.
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
from palaestra.envs.kit.canvas import Pixels

SNOW, HUT, HIKER, ROCK, CREVASSE, FOG = range(6)
YOU = 6  # on the snow; + 1 in the hut; + 2 with the hiker
NAMES = (
    *("snow", "hut", "hiker", "rock", "crevasse", "fog"),
    *("you", "you at the hut", "you with the hiker", "you with the hiker at the hut"),
)
SIGNS = ".HX^~?@A&B"

ANSWER = Choice(grid.DIRECTIONS)
TASK = f"Find the lost hiker in the fog and bring them to the hut. {ANSWER.describe()}"
RULES = "You see {} around you, and what you saw stays known. Rocks and crevasses block you."
HINT = "Look where one step clears the most fog nearby before you go far; remember the way home."


@dataclass(frozen=True, slots=True)
class Known:
    """All that was seen so far: `cells` row by row with FOG where nobody looked, how far one sees, the cell where you
    stand, the one before (-1 at first), and whether the hiker is with you."""

    rows: int
    columns: int
    radius: int
    cells: bytes
    cell: int
    came_from: int = -1
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """What is known, and what is there, the hiker included until found."""

    known: Known
    terrain: bytes


class FogRescue:
    """The environment."""

    spec = EnvSpec(
        id="grid/fog_rescue",
        version=1,
        title="Fog rescue",
        horizon=120,
        scales=(
            {"rows": 5, "columns": 5, "rough": 0.12, "radius": 1, "reach": 4},
            {"rows": 6, "columns": 6, "rough": 0.16, "radius": 1, "reach": 5},
            {"rows": 7, "columns": 7, "rough": 0.20, "radius": 1, "reach": 7},
            {"rows": 8, "columns": 8, "rough": 0.24, "radius": 1, "reach": 9},
            {"rows": 9, "columns": 9, "rough": 0.28, "radius": 1, "reach": 11},
            {"rows": 10, "columns": 10, "rough": 0.30, "radius": 1, "reach": 13},
        ),
        knobs=(
            Knob("rows", 3, 12, "rows of cells"),
            Knob("columns", 3, 12, "columns of cells"),
            Knob("rough", 0.0, 0.35, "share of cells that are rocks or crevasses"),
            Knob("radius", 1, 3, "rows and columns seen to each side"),
        ),
        clairvoyant=True,
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "hidden"}),
    )

    def reset(self, instance: Instance) -> Search:
        settings = self.spec.settings(instance)
        rows, columns, radius = (int(settings[name]) for name in ("rows", "columns", "radius"))
        blocks = round(float(settings["rough"]) * rows * columns)
        reach = min(int(settings["reach"]), (rows + columns) // 2)

        def propose(rng: np.random.Generator) -> Search | None:
            order = rng.permutation(rows * columns).tolist()
            terrain = bytearray(rows * columns)
            for cell, kind in zip(order[1:], rng.integers(ROCK, FOG, blocks).tolist(), strict=False):
                terrain[cell] = kind
            terrain[order[0]] = HUT
            way = _way(rows, columns, bytes(terrain), order[0])
            seen = _sight(rows, columns, radius)[order[0]]
            far = [cell for cell in order if way[cell] >= reach and not seen >> cell & 1]
            if not far:
                return None
            terrain[far[0]] = HIKER
            return _looked(Known(rows, columns, radius, bytes([FOG]) * len(order), order[0]), bytes(terrain))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Search) -> int:
        return state.known.rows * state.known.columns + state.known.rows + state.known.columns

    def public(self, state: Search) -> Known:
        return state.known

    def view(self, public: Known, pixels: int = 448) -> View:
        columns, cell, cells = public.columns, public.cell, public.cells
        you = YOU + (cells[cell] == HUT) + 2 * public.joined
        content = cells[:cell] + bytes([you]) + cells[cell + 1 :]
        image, elements = _board.drawn(NAMES, _tiles, content, columns, pixels)
        hut, hiker = cells.index(HUT), cells.find(HIKER)
        where = "with you" if public.joined else f"at row {hiker // columns}, column {hiker % columns}"
        return View(
            ANSWER,
            image,
            TASK,
            RULES.format("the cells" if public.radius == 1 else f"{public.radius} cells"),
            HINT,
            f"You are at row {cell // columns}, column {cell % columns}, the hut at row {hut // columns}, column "
            f"{hut % columns}. The hiker is {where if public.joined or hiker >= 0 else 'not found yet'}. "
            f"Cells in fog: {cells.count(FOG)}.",
            _board.told(NAMES, SIGNS, content, columns),
            elements,
        )

    def step(self, state: Search, action: str) -> Step[Search]:
        known, terrain = state.known, state.terrain
        cell = grid.neighbours(known.rows, known.columns)[known.cell][grid.DIRECTIONS.index(action)]
        if cell < 0 or terrain[cell] >= ROCK:
            bump = "edge_bumped" if cell < 0 else "obstacle_bumped"
            return Step(replace(state, known=replace(known, came_from=-1)), events=(bump,))
        moved = replace(known, cell=cell, came_from=known.cell)
        if terrain[cell] == HIKER:
            terrain = terrain[:cell] + bytes([SNOW]) + terrain[cell + 1 :]
            return Step(_looked(replace(moved, joined=True), terrain), 0.5, events=("cargo_taken",))
        after = _looked(moved, terrain)
        if known.joined and terrain[cell] == HUT:
            return Step(after, 0.5, done=True, success=True, events=("cargo_delivered", "task_completed"))
        goal = terrain.index(HUT) if known.joined else known.cells.find(HIKER)
        if goal >= 0:
            way = _way(known.rows, known.columns, terrain, goal)
            events = ["moved_closer" if way[cell] < way[known.cell] else "moved_away"]
        else:
            events = ["unseen_explored" if after.known.cells != known.cells else "seen_revisited"]
        if cell == known.came_from:
            events.append("path_reversed")
        return Step(after, events=tuple(events))

    def solve(self, state: Search) -> Sequence[str] | None:
        """Return the shortest way to the hiker and home."""
        known, cell, plan = state.known, state.known.cell, list[str]()
        legs = [state.terrain.index(HUT)] if known.joined else [state.terrain.index(HIKER), state.terrain.index(HUT)]
        for goal in legs:
            way = _way(known.rows, known.columns, state.terrain, goal)
            if way[cell] < 0:
                return None
            while cell != goal:
                heading = _nearer(known, way, cell)
                plan.append(grid.DIRECTIONS[heading])
                cell = grid.neighbours(known.rows, known.columns)[cell][heading]
        return tuple(plan)

    def guide(self, public: Known) -> str | None:
        """Return a step towards the hut or the hiker, else towards the nearest cell from which most new is seen."""
        rows, columns, cells = public.rows, public.columns, public.cells
        way = _way(rows, columns, cells, public.cell)
        goal = cells.find(HUT if public.joined else HIKER)
        if goal < 0 or way[goal] < 0:
            fog, sight = bits.where(cells, bytes([FOG])), _sight(rows, columns, public.radius)
            lookouts = [(steps, -(sight[c] & fog).bit_count(), c) for c, steps in enumerate(way) if steps > 0]
            goal = min([lookout for lookout in lookouts if lookout[1]], default=(0, 0, public.cell))[2]
        if goal == public.cell:
            return None
        return grid.DIRECTIONS[_nearer(public, _way(rows, columns, cells, goal), public.cell)]

    def reseal(self, state: Search, seed: int) -> Search:
        """Return the unseen cells in another order that leaves a way to the hiker."""
        known, rng = state.known, np.random.default_rng(seed)
        unseen = [cell for cell, kind in enumerate(known.cells) if kind == FOG]
        for _ in range(100):
            terrain = bytearray(state.terrain)
            for cell, source in zip(unseen, rng.permutation(unseen).tolist(), strict=True):
                terrain[cell] = state.terrain[source]
            other = Search(known, bytes(terrain))
            if self.solve(other) is not None:
                return other
        return state

    def problem(self, state: Search) -> bytes:
        """Return terrain, hut and hiker; rocks and crevasses are the same obstacle."""
        content = np.frombuffer(state.terrain, np.uint8)
        return grid.canonical(state.known.rows, state.known.columns, np.minimum(content, ROCK))


@lru_cache(maxsize=64)
def _sight(rows: int, columns: int, radius: int) -> list[int]:
    """Return for every cell the set of cells seen from there."""
    return [
        sum(
            1 << (r * columns + c)
            for r in range(max(0, row - radius), min(rows, row + radius + 1))
            for c in range(max(0, column - radius), min(columns, column + radius + 1))
        )
        for row in range(rows)
        for column in range(columns)
    ]


def _looked(known: Known, terrain: bytes) -> Search:
    """Return the search after a look around."""
    seen = _sight(known.rows, known.columns, known.radius)[known.cell]
    cells = bytearray(known.cells)
    for cell in bits.cells(seen):
        cells[cell] = terrain[cell]
    return Search(replace(known, cells=bytes(cells)), terrain)


@lru_cache(maxsize=512)
def _way(rows: int, columns: int, cells: bytes, start: int) -> list[int]:
    """Return the fewest moves from a cell to every other over what does not block, -1 where there is no way."""
    return grid.distances(rows, columns, start, lambda cell: cells[cell] < ROCK)


def _nearer(known: Known, way: list[int], cell: int) -> int:
    """Return a heading that shortens the way by a move."""
    around = grid.neighbours(known.rows, known.columns)[cell]
    return next(d for d, other in enumerate(around) if other >= 0 and way[other] == way[cell] - 1)


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(name, size) for name in NAMES)


def _tile(name: str, size: int) -> Pixels:
    canvas = _board.floor(size, "frost", "white")
    if name == "fog":  # scales that go on in the neighbours
        canvas.rectangle((0, 0, size, size), "silver")
        for x, y in ((0.0, 0.3), (1.0, 0.3), (0.5, 0.8)):
            for drop, share, fill in ((0.0, 0.8, "mist"), (0.07, 0.66, "silver")):
                canvas.shape("circle", (size * x, size * (y + drop)), round(size * share), fill)
    elif name == "rock":
        canvas.shape("hexagon", (size * 0.5, size * 0.56), round(size * 0.8), "slate", edge="ink")
        canvas.shape("hexagon", (size * 0.4, size * 0.42), round(size * 0.3), "grey")
    elif name == "crevasse":
        x, y = (size * np.array([(0.42, 0.04), (0.6, 0.34), (0.38, 0.6), (0.58, 0.96)])).T.tolist()
        crack = list(zip(x, y, x[1:], y[1:], strict=False))
        canvas.segments(crack, size * 0.42, "frost")
        canvas.segments(crack, size * 0.26, "deep")
    if name.endswith("hut"):
        _board.hut(canvas)
    if name.startswith("you"):
        sprites.walker(canvas, "red", "wine", 0.32 if "hiker" in name else 0.5)
    if "hiker" in name:
        sprites.walker(canvas, "orange", "brown", 0.7 if name.startswith("you") else 0.5)
    return canvas.pixels


environment = FogRescue()
