"""Berry round: pick all the berries of a wood and be back at the hut in time.

A travelling salesman's problem on foot: trees force detours, and the moves allowed are those of the shortest round and
a few more, so that the order in which the berries are picked decides. In all but the easiest woods, who always goes on
to the nearest berry comes too late.

Source: the shortest round is found by dynamic programming over sets of stops (Held, Karp 1962).
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
from palaestra.envs.kit import grid, splits, sprites
from palaestra.envs.kit.canvas import Pixels

GRASS, BERRY, HUT, TREE, YOU, YOU_HOME = range(6)
NAMES = ("grass", "berry", "hut", "tree", "you", "you at the hut")
SIGNS = ".bH#@A"

ANSWER = Choice(grid.DIRECTIONS)
TASK = "Pick every berry and be back at the hut within {} moves. {}"
RULES = "Walking onto a berry picks it. Trees and the edge stop you, and a move against them counts too."
HINT = "Plan the whole round before the first step: the nearest berry is not always the first one to pick."


@dataclass(frozen=True, slots=True)
class Wood:
    """What there is at first, row by row."""

    rows: int
    columns: int
    cells: bytes

    @property
    def hut(self) -> int:
        """The cell of the hut."""
        return self.cells.index(HUT)

    @property
    def berries(self) -> list[int]:
        """The cells of all berries, picked or not; the bits of a set of berries are in this order."""
        return [cell for cell, kind in enumerate(self.cells) if kind == BERRY]


@dataclass(frozen=True, slots=True)
class Round:
    """All there is, and all of it is seen: the wood, the cell where you stand, the set of berries left, the moves
    allowed in all and those made, and the cell before (-1 at first)."""

    wood: Wood
    cell: int
    left: int
    limit: int
    moves: int = 0
    came_from: int = -1


class BerryRound:
    """The environment."""

    spec = EnvSpec(
        id="grid/berry_round",
        version=1,
        title="Berry round",
        horizon=80,
        scales=(
            {"rows": 4, "columns": 5, "berries": 2, "trees": 0.15, "slack": 8, "lure": 0},
            {"rows": 5, "columns": 6, "berries": 3, "trees": 0.20, "slack": 6, "lure": 0},
            {"rows": 6, "columns": 7, "berries": 4, "trees": 0.25, "slack": 4, "lure": 1},
            {"rows": 7, "columns": 8, "berries": 5, "trees": 0.25, "slack": 2, "lure": 1},
            {"rows": 8, "columns": 9, "berries": 6, "trees": 0.28, "slack": 2, "lure": 1},
            {"rows": 9, "columns": 10, "berries": 8, "trees": 0.30, "slack": 0, "lure": 1},
        ),
        knobs=(
            Knob("rows", 3, 10, "rows of cells"),
            Knob("columns", 3, 10, "columns of cells"),
            Knob("berries", 1, 8, "berries to pick"),
            Knob("slack", 0, 10, "moves allowed beyond the shortest round"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn"}),
    )

    def reset(self, instance: Instance) -> Round:
        settings = self.spec.settings(instance)
        rows, columns, berries, slack = (int(settings[name]) for name in ("rows", "columns", "berries", "slack"))
        trees, lure = round(float(settings["trees"]) * rows * columns), bool(settings["lure"]) and berries > 2

        def propose(rng: np.random.Generator) -> Round | None:
            order = rng.permutation(rows * columns).tolist()
            cells = bytearray(rows * columns)
            cells[order[0]] = HUT
            for cell in order[1 : 1 + trees]:
                cells[cell] = TREE
            way = grid.distances(rows, columns, order[0], lambda cell: cells[cell] != TREE)
            reached = [cell for cell in order if way[cell] > 1]
            if len(reached) < berries:
                return None
            for cell in reached[:berries]:
                cells[cell] = BERRY
            wood, every = Wood(rows, columns, bytes(cells)), (1 << berries) - 1
            best, greedy = _rest(wood, order[0], every), _nearest_first(wood)
            limit = min(best + slack, greedy - 2) if lure else best + slack  # all rounds are even
            return Round(wood, order[0], every, limit) if best <= limit <= self.spec.horizon else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Round) -> int:
        return state.limit

    def public(self, state: Round) -> Round:
        return state

    def view(self, public: Round, pixels: int = 448) -> View:
        wood, cell, columns = public.wood, public.cell, public.wood.columns
        content, told = bytearray(wood.cells), list[str]()
        for bit, berry in enumerate(wood.berries):
            if public.left >> bit & 1:
                told.append(f"{berry // columns},{berry % columns} in {_stops(wood).ways[bit][cell]}")
            else:
                content[berry] = GRASS
        content[cell] = YOU_HOME if cell == wood.hut else YOU
        image, elements = _board.drawn(NAMES, _tiles, bytes(content), columns, pixels)
        return View(
            ANSWER,
            image,
            TASK.format(public.limit, ANSWER.describe()),
            RULES,
            HINT,
            f"Moves left: {public.limit - public.moves}. You reach the berries at row,column: "
            f"{'; '.join(told) or 'none left'}; the hut in {_stops(wood).ways[-1][cell]}.",
            _board.told(NAMES, SIGNS, bytes(content), columns),
            elements,
        )

    def step(self, state: Round, action: str) -> Step[Round]:
        wood, allowed = state.wood, state.limit - state.moves - 1
        cell = grid.neighbours(wood.rows, wood.columns)[state.cell][grid.DIRECTIONS.index(action)]
        before = _rest(wood, state.cell, state.left)
        if cell < 0 or wood.cells[cell] == TREE:
            events = ["edge_bumped" if cell < 0 else "obstacle_bumped"]
            after, rest, pay = replace(state, moves=state.moves + 1, came_from=-1), before, 0.0
        else:
            left = _picked(wood, cell, state.left)
            after, rest = Round(wood, cell, left, state.limit, state.moves + 1, state.cell), _rest(wood, cell, left)
            pay = 0.5 / len(wood.berries) if left != state.left else 0.0
            if not rest:
                return Step(after, 0.5, done=True, success=True, events=("goal_reached", "deadline_kept"))
            events = [_board.moved(before - rest)]
            if pay:
                events.append("subgoal_reached")
            elif cell == state.came_from:
                events.append("path_reversed")
        if before <= allowed + 1 and rest > allowed:
            events.append("dead_end_entered")
        if not allowed:
            events.append("deadline_missed")
        return Step(after, pay, done=not allowed, events=tuple(events))

    def solve(self, state: Round) -> Sequence[str] | None:
        """Return a shortest round from here, None when the moves left do not suffice."""
        wood, cell, left, plan = state.wood, state.cell, state.left, list[str]()
        rest = _rest(wood, cell, left)
        if rest > state.limit - state.moves:
            return None
        while rest:
            rest -= 1
            for heading, other in zip(grid.DIRECTIONS, grid.neighbours(wood.rows, wood.columns)[cell], strict=True):
                if other >= 0 and wood.cells[other] != TREE and _rest(wood, other, _picked(wood, other, left)) == rest:
                    plan.append(heading)
                    cell, left = other, _picked(wood, other, left)
                    break
        return tuple(plan)

    def problem(self, state: Round) -> bytes:
        """Return the wood; it is one problem however many moves are allowed."""
        return grid.canonical(state.wood.rows, state.wood.columns, np.frombuffer(state.wood.cells, np.uint8))


@dataclass(frozen=True, slots=True)
class _Stops:
    """The fewest moves from every cell to each berry, and last to the hut; and what is `left` to walk, for each set of
    berries to pick and each berry to start from, with the way home."""

    ways: list[list[int]]
    left: list[list[int]]


@lru_cache(maxsize=512)
def _stops(wood: Wood) -> _Stops:
    berries = wood.berries
    ways = [
        grid.distances(wood.rows, wood.columns, stop, lambda cell: wood.cells[cell] != TREE)
        for stop in (*berries, wood.hut)
    ]
    apart = [[way[berry] for berry in berries] for way in ways]
    left = [apart[-1]]
    for berries_left in range(1, 1 << len(berries)):
        last = [(apart[k], left[berries_left ^ 1 << k][k]) for k in range(len(berries)) if berries_left >> k & 1]
        left.append([min([steps[start] + home for steps, home in last]) for start in range(len(berries))])
    return _Stops(ways, left)


def _picked(wood: Wood, cell: int, left: int) -> int:
    """Return the set of berries left after a cell was entered."""
    return left & ~(1 << wood.berries.index(cell)) if wood.cells[cell] == BERRY else left


def _rest(wood: Wood, cell: int, left: int) -> int:
    """Return the fewest moves that pick the berries left and lead home."""
    stops = _stops(wood)
    if not left:
        return stops.ways[-1][cell]
    return min(stops.ways[k][cell] + stops.left[left ^ 1 << k][k] for k in range(left.bit_length()) if left >> k & 1)


def _nearest_first(wood: Wood) -> int:
    """Return the moves of the round that always goes on to the nearest berry."""
    ways, cell, moves = _stops(wood).ways, wood.hut, 0
    left = dict(zip(wood.berries, ways, strict=False))
    while left:
        nearest = min(left, key=lambda berry: left[berry][cell])
        moves += left.pop(nearest)[cell]
        cell = nearest
    return moves + ways[-1][cell]


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(name, size) for name in NAMES)


def _tile(name: str, size: int) -> Pixels:
    canvas = _board.floor(size, "paper", "grass")
    if name == "tree":
        canvas.rectangle((round(size * 0.44), round(size * 0.7), round(size * 0.56), round(size * 0.94)), "brown")
        for x, y, share in ((0.32, 0.52, 0.46), (0.68, 0.52, 0.46), (0.5, 0.34, 0.54)):
            canvas.shape("circle", (size * x, size * y), round(size * share), "green")
    elif name == "berry":
        canvas.segments([(size * 0.5, size * 0.5, size * 0.62, size * 0.16)], size * 0.08, "green")
        for x, y in ((0.34, 0.5), (0.64, 0.46), (0.5, 0.7)):
            canvas.shape("circle", (size * x, size * y), round(size * 0.34), "red", edge="wine")
    elif name.endswith("hut"):
        _board.hut(canvas)
    if name.startswith("you"):
        sprites.walker(canvas, "blue", "navy")
    return canvas.pixels


environment = BerryRound()
