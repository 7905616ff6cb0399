"""Key and door: fetch the keys that open the way to the goal, one at a time and in an order that works.

Walking onto a key takes it when the hand is empty; walking into a door of its colour uses it up. With a key in hand
every other key is an obstacle, so a key taken too early, or one that opens nothing, can end all hope. Nothing is hidden
and nothing is left to chance.

Source: the locked rooms of MiniGrid (Chevalier-Boisvert et al. 2023). Departures: fully visible, four moves and no
other action, keys that open nothing, and rooms are opened along a chain, so that doors have an order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import bits, captions, grid, rooms, splits, sprites
from palaestra.envs.kit.canvas import Canvas

COLOURS = ("red", "blue", "orange", "purple", "pink")
FLOOR, WALL, GOAL, KEY = range(4)  # KEY + colour, then DOOR + colour
DOOR = KEY + len(COLOURS)
YOU = DOOR + len(COLOURS)  # with an empty hand; YOU + 1 + colour carries a key
NAMES = (
    *("floor", "wall", "goal", *(f"{colour} key" for colour in COLOURS), *(f"{colour} door" for colour in COLOURS)),
    *("you", *(f"you with {colour} key" for colour in COLOURS)),
)
OPEN = bytes([FLOOR])
SIGNS = ".#GrbopkRBOPK@@@@@@"

ANSWER = Choice(grid.DIRECTIONS)
TASK = f"Walk to the goal. {ANSWER.describe()}"
RULES = "Walk onto a key to take it; its door uses it up. With a key in hand, other keys block you."
HINT = "Work backwards from the goal: which door, then which key?"


@dataclass(frozen=True, slots=True)
class House:
    """All there is, and all of it is seen: what lies at each cell, where you stand, the colour in your hand (-1: none),
    and the cell before (-1 at first)."""

    rows: int
    columns: int
    cells: bytes
    cell: int
    hand: int = -1
    came_from: int = -1


class KeyDoor:
    """The environment."""

    spec = EnvSpec(
        id="grid/key_door",
        version=1,
        title="Key and door",
        horizon=76,
        scales=(
            {"rows": 5, "columns": 5, "doors": 1, "decoys": 0, "reach": 5},
            {"rows": 5, "columns": 6, "doors": 1, "decoys": 1, "reach": 7},
            {"rows": 7, "columns": 7, "doors": 2, "decoys": 0, "reach": 13},
            {"rows": 7, "columns": 8, "doors": 2, "decoys": 1, "reach": 15},
            {"rows": 8, "columns": 9, "doors": 3, "decoys": 1, "reach": 20},
            {"rows": 9, "columns": 10, "doors": 3, "decoys": 2, "reach": 25},
        ),
        knobs=(
            Knob("rows", 3, 10, "rows of cells"),
            Knob("columns", 3, 10, "columns of cells"),
            Knob("doors", 1, 3, "locked doors, each with a key"),
            Knob("decoys", 0, 2, "keys that open nothing"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn"}),
        source="the locked rooms of MiniGrid",
    )

    def reset(self, instance: Instance) -> House:
        settings = self.spec.settings(instance)
        rows, columns, doors, decoys = (int(settings[name]) for name in ("rows", "columns", "doors", "decoys"))
        longest = (rows + columns) * (doors + 1) * 4 // 5
        reach = min(int(settings["reach"]), (rows + columns) * (doors + 1) // 3)

        def propose(rng: np.random.Generator) -> House | None:
            house = _furnish(rows, columns, doors, decoys, rng)
            return house if house and reach <= _way(house) <= longest else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: House) -> int:
        return (state.rows + state.columns) * (1 + sum(kind >= DOOR for kind in state.cells))

    def public(self, state: House) -> House:
        return state

    def view(self, public: House, pixels: int = 448) -> View:
        rows, columns, cell = public.rows, public.columns, public.cell
        content = public.cells[:cell] + bytes([YOU + 1 + public.hand]) + public.cells[cell + 1 :]
        image, elements = None, grid.NOTHING
        if pixels:
            size = pixels // max(rows, columns)
            kinds = np.frombuffer(content, np.uint8).astype(np.intp).reshape(rows, columns)
            image = grid.paint(kinds, _tiles(size))
            elements = grid.scene(NAMES, content, rows, columns, size)
        locked = ", ".join(COLOURS[kind - DOOR] for kind in sorted(public.cells) if kind >= DOOR)
        hand = f"the {COLOURS[public.hand]} key" if public.hand >= 0 else "nothing"
        goal = public.cells.index(GOAL)
        return View(
            ANSWER,
            image,
            TASK,
            RULES,
            HINT,
            f"At row {cell // columns}, column {cell % columns} you hold {hand}; goal: row {goal // columns}, "
            f"column {goal % columns}. Locked: {locked or 'nothing'}.",
            captions.board(
                {SIGNS[kind]: NAMES[kind] for kind in sorted(set(content))},
                "".join([SIGNS[kind] for kind in content]),
                columns,
            ),
            elements,
        )

    def step(self, state: House, action: str) -> Step[House]:
        cell = grid.neighbours(state.rows, state.columns)[state.cell][grid.DIRECTIONS.index(action)]
        if cell < 0 or not _enters(state.cells[cell], state.hand):
            return Step(replace(state, came_from=-1), events=("edge_bumped" if cell < 0 else "obstacle_bumped",))
        kind = state.cells[cell]
        cells = _cleared(state.cells, cell) if kind >= KEY else state.cells
        after = House(state.rows, state.columns, cells, cell, _hand(kind, state.hand), state.cell)
        if kind == GOAL:
            return Step(after, 1.0, done=True, success=True, events=("goal_reached",))
        before, left = _way(state), _way(after)
        if left < 0:
            events = ["dead_end_entered" if before >= 0 else "moved_level"]
        else:
            events = ["moved_closer" if left < before else "moved_away" if left > before else "moved_level"]
        if kind >= KEY:
            events.append("cargo_taken" if kind < DOOR else "way_opened")
        elif cell == state.came_from:
            events.append("path_reversed")
        return Step(after, events=tuple(events))

    def solve(self, state: House) -> Sequence[str] | None:
        """Return a shortest way, keys and doors included."""
        if _way(state) < 0:
            return None
        plan: list[str] = []
        while left := _way(state):
            around, nearer = grid.neighbours(state.rows, state.columns)[state.cell], _around(state)[left - 1]
            plan.append(next(d for d, n in zip(grid.DIRECTIONS, around, strict=True) if n >= 0 and nearer >> n & 1))
            state = self.step(state, plan[-1]).state
        return tuple(plan)

    def problem(self, state: House) -> bytes:
        content = np.frombuffer(state.cells, np.uint8).copy()
        content[state.cell] = YOU
        return grid.canonical(state.rows, state.columns, content, _recoloured)


def _enters(kind: int, hand: int) -> bool:
    """Return whether one can go to a cell with what is in the hand."""
    if KEY <= kind < DOOR:
        return hand < 0
    return kind - DOOR == hand if kind >= DOOR else kind != WALL


def _hand(kind: int, hand: int) -> int:
    """Return what is in the hand at a cell that was just entered."""
    return hand if kind < KEY else kind - KEY if kind < DOOR else -1


def _cleared(cells: bytes, cell: int) -> bytes:
    return cells[:cell] + bytes([FLOOR]) + cells[cell + 1 :]


def _way(house: House) -> int:
    """Return the fewest moves to the goal, -1 when it cannot be reached any more."""
    return 0 if house.cells[house.cell] == GOAL else _moves(_around(house), house.cell)


def _moves(layers: list[int], cell: int) -> int:
    return next((moves for moves, layer in enumerate(layers) if layer >> cell & 1), -1)


def _around(house: House) -> list[int]:
    """Return the layers of the room in which you stand."""
    room = bits.flood(house.rows, house.columns, bits.where(house.cells, OPEN), 1 << house.cell)
    return _layers(house.rows, house.columns, house.cells, house.hand, room)


@lru_cache(maxsize=8192)
def _layers(rows: int, columns: int, cells: bytes, hand: int, room: int) -> list[int]:
    """Return for each number of moves the cells of a room, and what it leads to, from which the goal is that far.

    Keys and doors only ever vanish, so what follows the next one is known before: each is a source of the search, with
    the moves that are left after it.
    """
    free, sources = bits.where(cells, OPEN), dict[int, int]()
    for cell in bits.cells(bits.around(rows, columns, room) & ~room):
        kind = cells[cell]
        if not _enters(kind, hand):
            continue
        moves = 0
        if kind != GOAL:
            beyond = bits.flood(rows, columns, free, room | 1 << cell)
            moves = _moves(_layers(rows, columns, _cleared(cells, cell), _hand(kind, hand), beyond), cell)
        if moves >= 0:
            sources[moves] = sources.get(moves, 0) | 1 << cell
    layers: list[int] = []
    unseen, edge = room, 0
    while sources or edge:
        edge = bits.around(rows, columns, edge) & unseen
        unseen &= ~edge
        edge |= sources.pop(len(layers), 0)
        layers.append(edge)
    return layers


def _furnish(rows: int, columns: int, doors: int, decoys: int, rng: np.random.Generator) -> House | None:
    """Return a house whose doors can be opened in some order, None when its walls came out badly.

    Rooms are opened one after another, each key lying in the room opened last or in the first.
    """
    plan = rooms.divide(rows, columns, doors, rng)
    if plan is None:
        return None
    cells = bytearray(rows * columns)
    for cell in plan.walls:
        cells[cell] = WALL
    luck = iter(rng.random(4 * doors + 2 * decoys + 3).tolist())
    colours = rng.permutation(len(COLOURS)).tolist()

    def put(room: int, kind: int) -> int:
        free = plan.rooms[room]
        if not free:
            return -1
        cell = free.pop(int(next(luck) * len(free)))
        cells[cell] = kind
        return cell

    opened = [int(next(luck) * len(plan.rooms))]
    placed = [put(opened[0], FLOOR)]
    for colour in colours[:doors]:
        ways = [way for way in plan.passages if (way.one in opened) != (way.other in opened)]
        way = ways[int(next(luck) * len(ways))]
        cells[way.cell] = DOOR + colour
        placed.append(put(opened[-1] if next(luck) < 0.6 else opened[0], KEY + colour))
        opened.append(way.other if way.one in opened else way.one)
    placed.append(put(opened[-1], GOAL))
    placed += [put(opened[int(next(luck) * doors)], KEY + colour) for colour in colours[doors : doors + decoys]]
    return House(rows, columns, bytes(cells), placed[0]) if min(placed) >= 0 else None


def _recoloured(content: bytes) -> bytes:
    """Return a board with its colours named in the order in which they appear."""
    new: dict[int, int] = {}
    table = bytearray(range(256))
    for kind in content:
        if KEY <= kind < YOU:
            colour = (kind - KEY) % len(COLOURS)
            first = KEY + new.setdefault(colour, len(new))
            table[KEY + colour], table[DOOR + colour] = first, first + len(COLOURS)
    return content.translate(bytes(table))


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(name, size) for name in NAMES)


def _tile(name: str, size: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    canvas = Canvas(size, size, "mist")
    line = max(1, size // 40)
    canvas.rectangle((line, line, size - line, size - line), "paper")
    thing = name.rpartition(" ")[2]
    colour = name.split()[-2] if thing in {"key", "door"} else ""
    if name == "wall":
        sprites.bricks(canvas, "slate", "silver")
    elif name == "goal":
        sprites.flag(canvas, "green")
    elif thing == "door":
        rim = max(2, size // 12)
        canvas.rectangle((line, line, size - line, size - line), "ink")
        canvas.rectangle((rim, rim, size - rim, size - rim), colour)
        canvas.shape("circle", (size / 2, size * 0.42), round(size * 0.26), "ink")
        canvas.rectangle((round(size * 0.44), round(size * 0.45), round(size * 0.56), round(size * 0.75)), "ink")
    elif name.startswith("you"):
        sprites.walker(canvas, "teal", "deep", 0.36 if colour else 0.5)
        if colour:
            sprites.key(canvas, colour, "paper", 0.76, 0.6)
    elif thing == "key":
        sprites.key(canvas, colour, "paper")
    return canvas.pixels


environment = KeyDoor()
