"""Frozen lake: walk over ice to the goal; holes end the walk, and at some scales the ice is slippery.

On slippery ice a move is turned aside, to its left or to its right, with the probability `slip`. Which turns slip is
fixed by a key inside the state, so an episode replays exactly; only the oracle knows it. The guide plans with the
probabilities that a player is told.

Source: the rules of Gymnasium's FrozenLake. Departures: start and goal lie anywhere, every board has a way, the slip
probability is a knob, walking against the edge is legal and does nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, chance, grid, splits, sprites

ICE, HOLE, GOAL, YOU = range(4)
NAMES = ("ice", "hole", "goal", "you")
LEGEND = {".": "ice", "O": "hole", "G": "goal", "@": "you"}
SIGNS = bytes.maketrans(bytes(range(4)), "".join(LEGEND).encode())

ANSWER = Choice(grid.DIRECTIONS)
TASK = f"Walk to the goal and stay off the holes. {ANSWER.describe()}"
RULES = "A move goes one cell; a hole ends the walk, the edge stops you."
SLIPPERY = "The ice is slippery: {:.3g} % of the moves are turned aside to either hand."
HINT = "Look for a way round the holes from the goal backwards."
HINT_SLIPPERY = "Every cell beside a hole is a risk on slippery ice: a longer way through open ice is safer."


@dataclass(frozen=True, slots=True)
class Lake:
    """What never moves: `cells` holds ICE, HOLE or GOAL row by row."""

    rows: int
    columns: int
    cells: bytes
    slip: float


@dataclass(frozen=True, slots=True)
class Position:
    """All that a player sees: the lake, the cell where they stand, and the one before (-1 at first)."""

    lake: Lake
    cell: int
    came_from: int = -1


@dataclass(frozen=True, slots=True)
class Walk:
    """The position, how many moves were made, and the key that decides which of them slip."""

    position: Position
    moves: int
    key: int


class FrozenLake:
    """The environment."""

    spec = EnvSpec(
        id="grid/frozen_lake",
        version=1,
        title="Frozen lake",
        horizon=72,
        scales=(
            {"rows": 4, "columns": 4, "holes": 0.20, "reach": 2, "slip": 0.0},
            {"rows": 5, "columns": 5, "holes": 0.25, "reach": 3, "slip": 0.0},
            {"rows": 6, "columns": 6, "holes": 0.30, "reach": 5, "slip": 0.0},
            {"rows": 6, "columns": 6, "holes": 0.25, "reach": 6, "slip": 0.1},
            {"rows": 7, "columns": 7, "holes": 0.25, "reach": 7, "slip": 0.1},
            {"rows": 8, "columns": 8, "holes": 0.25, "reach": 8, "slip": 0.15},
            {"rows": 9, "columns": 9, "holes": 0.25, "reach": 10, "slip": 0.2},
        ),
        knobs=(
            Knob("rows", 3, 12, "rows of cells"),
            Knob("columns", 3, 12, "columns of cells"),
            Knob("holes", 0.0, 0.4, "share of cells that are holes"),
            Knob("slip", 0.0, 0.5, "probability that a move is turned aside"),
        ),
        clairvoyant=True,
        embedded_scales=(0, 1, 2),
        tags=frozenset({"multi_turn", "stochastic"}),
        source="rules of Gymnasium's FrozenLake",
    )

    def reset(self, instance: Instance) -> Walk:
        settings = self.spec.settings(instance)
        rows, columns = int(settings["rows"]), int(settings["columns"])
        holes, slip = round(float(settings["holes"]) * rows * columns), float(settings["slip"])
        reach = min(int(settings["reach"]), (rows + columns) // 2)
        key = chance.key(instance)

        def propose(rng: np.random.Generator) -> Walk | None:
            order = rng.permutation(rows * columns).tolist()
            cells = bytearray(rows * columns)
            for cell in order[2 : 2 + holes]:
                cells[cell] = HOLE
            cells[order[1]] = GOAL
            lake = Lake(rows, columns, bytes(cells), slip)
            return Walk(Position(lake, order[0]), 0, key) if _way(lake)[order[0]] >= reach else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Walk) -> int:
        lake = state.position.lake
        return (lake.rows + lake.columns) * (4 if lake.slip else 2)

    def public(self, state: Walk) -> Position:
        return state.position

    def view(self, public: Position, pixels: int = 448) -> View:
        lake, cell = public.lake, public.cell
        rows, columns = lake.rows, lake.columns
        content = lake.cells[:cell] + b"\x03" + lake.cells[cell + 1 :]
        image, elements = None, grid.NOTHING
        if pixels:
            size = pixels // max(rows, columns)
            kinds = np.frombuffer(content, np.uint8).astype(np.intp).reshape(rows, columns)
            kinds[cell // columns, cell % columns] += lake.cells[cell]  # who stands in a hole or on the goal looks so
            image = grid.paint(kinds, _tiles(size))
            elements = grid.scene(NAMES, content, rows, columns, size)
        goal, around = lake.cells.index(GOAL), grid.neighbours(rows, columns)[cell]
        return View(
            ANSWER,
            image,
            TASK,
            f"{RULES} {SLIPPERY.format(100 * lake.slip)}" if lake.slip else RULES,
            HINT_SLIPPERY if lake.slip else HINT,
            f"You are at row {cell // columns}, column {cell % columns}; the goal is at row {goal // columns}, "
            f"column {goal % columns}. Holes beside you: {sum(lake.cells[n] == HOLE for n in around if n >= 0)}.",
            captions.board(LEGEND, content.translate(SIGNS).decode(), columns),
            elements,
        )

    def step(self, state: Walk, action: str) -> Step[Walk]:
        position, lake = state.position, state.position.lake
        wanted = grid.DIRECTIONS.index(action)
        turned = (wanted + _aside(lake.slip, state.key, state.moves)) % 4
        around = grid.neighbours(lake.rows, lake.columns)
        cell = around[position.cell][turned]
        if cell < 0:
            stays = replace(state, position=replace(position, came_from=-1), moves=state.moves + 1)
            return Step(stays, events=("edge_bumped",))
        after = Walk(Position(lake, cell, position.cell), state.moves + 1, state.key)
        if lake.cells[cell] == HOLE:
            return Step(after, done=True, events=("hazard_entered",))
        if lake.cells[cell] == GOAL:
            return Step(after, 1.0, done=True, success=True, events=("goal_reached",))
        way = _way(lake)
        nearer = way[position.cell] - way[cell]
        events = ["moved_closer" if nearer > 0 else "moved_away" if nearer < 0 else "moved_level"]
        if cell == position.came_from:
            events.append("path_reversed")
        if any(n >= 0 and lake.cells[n] == HOLE for n in around[cell]):
            events.append("hazard_skirted")
        return Step(after, events=tuple(events))

    def solve(self, state: Walk) -> Sequence[str] | None:
        """Return the shortest way, each move aimed so that the slip that will come carries it there."""
        lake, cell = state.position.lake, state.position.cell
        way, around = _way(lake), grid.neighbours(lake.rows, lake.columns)
        if lake.cells[cell] == GOAL:
            return ()
        if way[cell] < 0 or lake.cells[cell] == HOLE:
            return None
        plan: list[str] = []
        while lake.cells[cell] != GOAL:
            heading = next(d for d, n in enumerate(around[cell]) if n >= 0 and way[n] == way[cell] - 1)
            aside = _aside(lake.slip, state.key, state.moves + len(plan))
            plan.append(grid.DIRECTIONS[(heading - aside) % 4])
            cell = around[cell][heading]
        return plan

    def guide(self, public: Position) -> str | None:
        """Return the move that most likely reaches the goal, soon rather than late."""
        if public.lake.cells[public.cell] != ICE:
            return None
        return grid.DIRECTIONS[_policy(public.lake)[public.cell]]

    def reseal(self, state: Walk, seed: int) -> Walk:
        return replace(state, key=seed)

    def problem(self, state: Walk) -> bytes:
        """Return board, start and goal; a board is one problem however slippery it is."""
        lake = state.position.lake
        content = np.frombuffer(lake.cells, np.uint8).copy()
        content[state.position.cell] = YOU
        return grid.canonical(lake.rows, lake.columns, content)


def _aside(slip: float, key: int, move: int) -> int:
    """Return by how many quarter turns a move is turned aside: 0, 1 or -1."""
    if not slip:
        return 0
    luck = chance.uniform(key, move)
    return 0 if luck >= slip else 1 if luck < slip / 2 else -1


@lru_cache(maxsize=512)
def _way(lake: Lake) -> list[int]:
    """Return the fewest moves from every cell to the goal, -1 where there is no way."""
    return grid.distances(lake.rows, lake.columns, lake.cells.index(GOAL), lambda cell: lake.cells[cell] == ICE)


@lru_cache(maxsize=512)
def _policy(lake: Lake) -> list[int]:
    """Return the best heading at every cell by value iteration, a reward late being worth a little less."""
    cells = np.frombuffer(lake.cells, np.uint8)
    around = np.array(grid.neighbours(lake.rows, lake.columns))
    stays = np.where(around < 0, np.arange(len(cells))[:, None], around)
    value = (cells == GOAL).astype(float)
    worth = np.zeros(around.shape)
    for _ in range(8 * (lake.rows + lake.columns)):
        heading = value[stays]
        sides = np.roll(heading, 1, axis=1) + np.roll(heading, -1, axis=1)
        worth = 0.99 * ((1 - lake.slip) * heading + lake.slip / 2 * sides)
        value = np.where(cells == ICE, worth.max(axis=1), value)
    best: list[int] = worth.argmax(axis=1).tolist()
    return best


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    """Return the tiles: ice, hole, goal, then the walker on ice, in a hole, on the goal."""
    return grid.stack(_tile(kind, walker, size) for walker in (False, True) for kind in (ICE, HOLE, GOAL))


def _tile(kind: int, walker: bool, size: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    canvas = sprites.ice(size)
    if kind == HOLE:
        sprites.hole(canvas)
    if kind == GOAL:
        sprites.flag(canvas, "green")
    if walker:
        sprites.walker(canvas, "red", "wine")
    return canvas.pixels


environment = FrozenLake()
