"""Portals: walk to the exit of a walled board on which every portal carries you to its twin.

Some rooms are joined by portals only, and the exit lies in another room than the start: the way leads from colour to
colour. A portal carries whoever steps onto it, so it also stands in the way; who has arrived on one may walk off.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.grid import _board
from palaestra.envs.kit import bits, grid, rooms, splits, sprites
from palaestra.envs.kit.canvas import Pixels

COLOURS = ("red", "blue", "orange", "purple", "teal", "pink")
FORMS = ("circle", "square", "triangle", "star", "diamond", "cross")  # tell twins to who sees few colours, too
FLOOR, WALL, EXIT, PORTAL = range(4)  # PORTAL + colour
YOU = PORTAL + len(COLOURS)  # on the floor; YOU + 1 + colour on a portal, and at last on the exit
NAMES = (
    *("floor", "wall", "exit", *(f"{colour} portal" for colour in COLOURS)),
    *("you", *(f"you on {colour} portal" for colour in COLOURS), "you on exit"),
)
SIGNS = ".#GrbopkiYRBOPKIE"

ANSWER = Choice(grid.DIRECTIONS)
TASK = f"Walk to the exit. {ANSWER.describe()}"
RULES = "Stepping onto a portal carries you to its twin of the same colour. Walls and the edge stop you."
HINT = "Work backwards from the exit: which portals lie in its room, and where are their twins?"


@dataclass(frozen=True, slots=True)
class Board:
    """What never moves, row by row."""

    rows: int
    columns: int
    cells: bytes


@dataclass(frozen=True, slots=True)
class Walk:
    """All there is, and all of it is seen: the board, the cell where you stand, and the one before (-1 at first)."""

    board: Board
    cell: int
    came_from: int = -1


class Portals:
    """The environment."""

    spec = EnvSpec(
        id="grid/portals",
        version=1,
        title="Portals",
        horizon=40,
        scales=(
            {"rows": 5, "columns": 6, "rooms": 2, "portals": 1, "reach": 5},
            {"rows": 6, "columns": 6, "rooms": 2, "portals": 2, "reach": 7},
            {"rows": 7, "columns": 7, "rooms": 3, "portals": 3, "reach": 8},
            {"rows": 8, "columns": 8, "rooms": 4, "portals": 4, "reach": 11},
            {"rows": 9, "columns": 9, "rooms": 5, "portals": 5, "reach": 14},
            {"rows": 10, "columns": 10, "rooms": 6, "portals": 6, "reach": 17},
        ),
        knobs=(
            Knob("rows", 3, 10, "rows of cells"),
            Knob("columns", 3, 10, "columns of cells"),
            Knob("rooms", 2, 6, "rooms that walls make"),
            Knob("portals", 1, 6, "pairs of portals; where they are too few to join the rooms, walls have gaps"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn"}),
    )

    def reset(self, instance: Instance) -> Walk:
        settings = self.spec.settings(instance)
        rows, columns, parts, pairs = (int(settings[name]) for name in ("rows", "columns", "rooms", "portals"))
        reach = min(int(settings["reach"]), rows + columns - 3)

        def propose(rng: np.random.Generator) -> Walk | None:
            return _build(rows, columns, parts - 1, pairs, reach, rng)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Walk) -> int:
        return 2 * (state.board.rows + state.board.columns)

    def public(self, state: Walk) -> Walk:
        return state

    def view(self, public: Walk, pixels: int = 448) -> View:
        board, cell = public.board, public.cell
        columns = board.columns
        under = board.cells[cell]
        you = YOU if under == FLOOR else YOU + 1 + (len(COLOURS) if under == EXIT else under - PORTAL)
        content = board.cells[:cell] + bytes([you]) + board.cells[cell + 1 :]
        image, elements = _board.drawn(NAMES, _tiles, content, columns, pixels)
        goal, room = board.cells.index(EXIT), _room(board, cell)
        near = ", ".join(COLOURS[kind - PORTAL] for kind in sorted({board.cells[c] for c in room}) if kind >= PORTAL)
        return View(
            ANSWER,
            image,
            TASK,
            RULES,
            HINT,
            f"You are at row {cell // columns}, column {cell % columns}; the exit is at row {goal // columns}, "
            f"column {goal % columns}. Portals in your room: {near or 'none'}.",
            _board.told(NAMES, SIGNS, content, columns),
            elements,
        )

    def step(self, state: Walk, action: str) -> Step[Walk]:
        board = state.board
        entered = grid.neighbours(board.rows, board.columns)[state.cell][grid.DIRECTIONS.index(action)]
        if entered < 0 or board.cells[entered] == WALL:
            bump = "edge_bumped" if entered < 0 else "obstacle_bumped"
            return Step(replace(state, came_from=-1), events=(bump,))
        cell = _twins(board).get(entered, entered)
        after = Walk(board, cell, state.cell)
        if board.cells[cell] == EXIT:
            return Step(after, 1.0, done=True, success=True, events=("goal_reached",))
        way = _way(board)
        events = [_board.moved(way[state.cell] - way[cell])]
        if cell != entered:
            events.append("carried_on")
        elif cell == state.came_from:
            events.append("path_reversed")
        return Step(after, events=tuple(events))

    def solve(self, state: Walk) -> Sequence[str] | None:
        """Return a shortest way."""
        board, cell, plan = state.board, state.cell, list[str]()
        way, twins, around = _way(board), _twins(board), grid.neighbours(board.rows, board.columns)
        if way[cell] < 0:
            return None
        while left := way[cell]:
            landings = [twins.get(entered, entered) for entered in around[cell]]
            heading = next(d for d, landing in enumerate(landings) if landing >= 0 and way[landing] == left - 1)
            plan.append(grid.DIRECTIONS[heading])
            cell = landings[heading]
        return tuple(plan)

    def problem(self, state: Walk) -> bytes:
        content = np.frombuffer(state.board.cells, np.uint8).copy()
        content[state.cell] = YOU
        return grid.canonical(state.board.rows, state.board.columns, content, _recoloured)


@lru_cache(maxsize=512)
def _twins(board: Board) -> dict[int, int]:
    """Return for every portal the cell of its twin."""
    twins, first = dict[int, int](), dict[int, int]()
    for cell, kind in enumerate(board.cells):
        if kind >= PORTAL:
            other = first.setdefault(kind, cell)
            twins[cell], twins[other] = other, cell
    return twins


@lru_cache(maxsize=512)
def _way(board: Board) -> list[int]:
    """Return the fewest moves from every cell to the exit, -1 where there is no way.

    Searched backwards: one comes to a portal from beside its twin.
    """
    twins, around = _twins(board), grid.neighbours(board.rows, board.columns)
    goal = board.cells.index(EXIT)
    way = [-1] * len(board.cells)
    way[goal] = 0
    queue = deque([goal])
    while queue:
        cell = queue.popleft()
        for other in around[twins.get(cell, cell)]:
            if other >= 0 and way[other] < 0 and board.cells[other] != WALL:
                way[other] = way[cell] + 1
                queue.append(other)
    return way


def _room(board: Board, cell: int) -> list[int]:
    """Return the cells that can be walked to, portals that would carry one away included."""
    free = bits.where(board.cells, bytes([FLOOR, EXIT]))
    inside = bits.flood(board.rows, board.columns, free, 1 << cell)
    edge = bits.around(board.rows, board.columns, inside)
    return bits.cells(inside | edge)


def _build(rows: int, columns: int, walls: int, pairs: int, reach: int, rng: np.random.Generator) -> Walk | None:
    """Return a board whose parts are joined by portals, with the start in another part than the exit and far enough
    from it; None when the walls came out badly or no cell is far enough."""
    plan = rooms.divide(rows, columns, walls, rng)
    if plan is None:
        return None
    solid = {*plan.walls, *(way.cell for way in plan.passages[: min(pairs, walls)])}
    cells = bytearray(WALL if cell in solid else FLOOR for cell in range(rows * columns))
    free, parts = bits.where(bytes(cells), bytes([FLOOR])), list[list[int]]()
    while free:
        inside = bits.flood(rows, columns, free, free & -free)
        free &= ~inside
        parts.append(rng.permutation(bits.cells(inside)).tolist())
    luck = iter(rng.random(3 * pairs + len(parts) + 1).tolist())
    parts.sort(key=lambda part: next(luck))
    cells[parts[-1].pop()] = EXIT
    for pair, colour in enumerate(rng.permutation(len(COLOURS)).tolist()[:pairs]):
        if pair + 1 < len(parts):  # join one more part, most often to the last
            one, other = (pair if next(luck) < 0.7 else int(next(luck) * (pair + 1))), pair + 1
        else:
            one, other = int(next(luck) * len(parts)), int(next(luck) * len(parts))
        for room in (parts[one], parts[other]):
            if not room:
                return None
            cells[room.pop()] = PORTAL + colour
    board = Board(rows, columns, bytes(cells))
    way = _way(board)
    starts = [cell for part in parts[:-1] for cell in part if reach <= way[cell] <= (rows + columns) * 3 // 2]
    return Walk(board, starts[int(next(luck) * len(starts))]) if starts else None


def _recoloured(content: bytes) -> bytes:
    """Return a board with its colours named in the order in which they appear."""
    new: dict[int, int] = {}
    for kind in content:
        if PORTAL <= kind < YOU:
            new.setdefault(kind, PORTAL + len(new))
    return bytes([new.get(kind, kind) for kind in content])


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(name, size) for name in NAMES)


def _tile(name: str, size: int) -> Pixels:
    if name == "wall":
        return _board.floor(size, "slate", "navy").pixels
    canvas = _board.floor(size, "mist", "paper")
    if name.endswith("exit"):
        sprites.flag(canvas, "green")
    elif name.endswith("portal"):
        colour, middle = name.split()[-2], (size / 2, size / 2)
        for margin, shape, fill in (
            (0.05, "circle", colour),
            (0.15, "circle", "white"),
            (0.23, FORMS[COLOURS.index(colour)], "ink"),
        ):
            canvas.shape(shape, middle, size - 2 * round(size * margin), fill)
    if name.startswith("you"):
        sprites.walker(canvas, "gold", "ink")
    return canvas.pixels


environment = Portals()
