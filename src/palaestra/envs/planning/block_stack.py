"""Block stack: move top blocks from stack to stack until all towers stand as in the goal beside them.

A block is settled when it and all below it stand as in the goal. Few stacks of little height make blocks stand in the
way of others. A problem is made backwards: blocks are moved from the goal, each twice at most, and the way back travels
inside the state as a witness, a little longer than the best at times. A move that is not its next one is to be undone
first, so that it stays true.

Source: the blocks world (Winograd, 1972). Departures: the table has so many places, and towers are so high at most.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import Element, Picture, View
from palaestra.envs.kit import captions, grid, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.palette import PALETTE

COLOURS = ("red", "blue", "yellow", "green", "purple", "orange", "teal", "pink", "brown", "navy")
NAMES = (*"ABCDEFGHJK", "-", "|")
AIR, DIVIDE = len(COLOURS), len(COLOURS) + 1

TASK = "Build the towers of the goal at their places: move the top block of one stack to another."
RULES = "Only top blocks move. A stack holds {} blocks."
HINT = "Build each tower from below; park a block where it is in nobody's way."

Towers = tuple[bytes, ...]
"""The blocks of each stack from the bottom, as places in COLOURS."""

Move = tuple[int, int]
"""The stack that a block leaves, and the one it comes to."""


@dataclass(frozen=True, slots=True)
class Table:
    """All there is to see: the towers, those wanted, how high they may be, and the last move."""

    towers: Towers
    goal: Towers
    height: int
    last: Move | None = None


@dataclass(frozen=True, slots=True)
class Building:
    """A table, moves that lead to its goal, and the turn limit."""

    table: Table
    witness: tuple[Move, ...]
    limit: int


class BlockStack:
    """The environment."""

    spec = EnvSpec(
        id="planning/block_stack",
        version=1,
        title="Block stack",
        horizon=32,
        scales=(
            {"stacks": 4, "blocks": 6, "height": 3, "moves": 5},
            {"stacks": 4, "blocks": 7, "height": 3, "moves": 7},
            {"stacks": 4, "blocks": 8, "height": 3, "moves": 9},
            {"stacks": 4, "blocks": 8, "height": 3, "moves": 11},
            {"stacks": 4, "blocks": 9, "height": 3, "moves": 13},
            {"stacks": 4, "blocks": 10, "height": 4, "moves": 15},
        ),
        knobs=(
            Knob("stacks", 4, 6, "places for towers"),
            Knob("blocks", 5, 10, "blocks; three places at least stay free"),
            Knob("height", 3, 5, "blocks of a tower at most"),
            Knob("moves", 3, 16, "moves from the goal; few blocks go less far"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "planted"}),
        source="the blocks world",
    )

    def reset(self, instance: Instance) -> Building:
        settings = self.spec.settings(instance)
        stacks, height = int(settings["stacks"]), int(settings["height"])
        blocks = min(int(settings["blocks"]), stacks * height - 3)
        moves = min(int(settings["moves"]), 3 * blocks // 2)

        def propose(rng: np.random.Generator) -> Building | None:
            places = (rng.permutation(stacks * height)[:blocks] % stacks).tolist()
            goal = _piled(stacks, places, rng.permutation(blocks).tolist())
            towers, way = _scattered(goal, height, rng.random(moves).tolist())
            unsettled = blocks - sum(_settled(towers, goal))
            if len(way) < moves or unsettled < moves * 3 // 5:
                return None
            return Building(Table(towers, goal, height), way, 2 * moves + 2)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Building) -> int:
        return state.limit

    def public(self, state: Building) -> Table:
        return state.table

    def view(self, public: Table, pixels: int = 448) -> View:
        stacks, blocks = len(public.goal), sum(map(len, public.goal))
        kind, content = _answer(stacks), _content(public)
        image, elements = _drawn(content, pixels) if pixels else (None, grid.NOTHING)
        settled = _settled(public.towers, public.goal)
        return View(
            kind,
            image,
            f"{TASK} {kind.describe()}",
            RULES.format(public.height),
            HINT,
            f"In place from the bottom: {' '.join(map(str, settled))} by stacks, {sum(settled)} of {blocks} in all.",
            f"Stacks {' '.join(map(str, range(1, stacks + 1)))}: NOW, then the GOAL.\n"
            f"{captions.rows([NAMES[code] for row in content for code in row], 2 * stacks + 1)}",
            elements,
        )

    def step(self, state: Building, action: str) -> Step[Building]:
        table = state.table
        move = int(action[0]) - 1, int(action[-1]) - 1
        if not table.towers[move[0]] or len(table.towers[move[1]]) == table.height:
            return Step(state, legal=False, events=("action_illegal",))
        towers = _moved(table.towers, move)
        before, after = (_settled(towers, table.goal) for towers in (table.towers, towers))
        events = []
        if after[move[0]] < before[move[0]]:
            events.append("subgoal_undone")
        if after[move[1]] > before[move[1]]:
            events.append("subgoal_reached")
        elif before[move[1]] == len(table.towers[move[1]]) < len(table.goal[move[1]]):
            events.append("piece_misplaced")
        if table.last and table.last[1] == move[0]:  # the move before could have brought it here at once
            events.append("resource_wasted")
        witness = state.witness[1:] if state.witness[:1] == (move,) else (move[::-1], *state.witness)
        moved = Building(Table(towers, table.goal, table.height, move), witness, state.limit)
        if towers == table.goal:
            return Step(moved, 1.0, done=True, success=True, events=(*events, "task_completed"))
        return Step(moved, events=tuple(events) or ("moved_level",))

    def solve(self, state: Building) -> Sequence[str] | None:
        if state.table.towers == state.table.goal:
            return ()
        return tuple(f"{source + 1} to {target + 1}" for source, target in state.witness)

    def problem(self, state: Building) -> bytes:
        """Return the towers with the stacks in the least order and the blocks named in the order of the goal."""
        table = state.table
        sizes = [(len(goal), len(tower)) for goal, tower in zip(table.goal, table.towers, strict=True)]
        least = sorted(sizes)
        orders = [order for order in permutations(range(len(sizes))) if [sizes[k] for k in order] == least]
        return bytes([table.height]) + min(_renamed(table, order) for order in orders)


def _renamed(table: Table, order: Sequence[int]) -> bytes:
    blocks = b"".join([table.goal[k] for k in order])
    names = bytes.maketrans(blocks, bytes(range(len(blocks))))
    towers = (*(table.goal[k] for k in order), *(table.towers[k] for k in order))
    return b"|".join([tower.translate(names) for tower in towers])


def _piled(stacks: int, places: Sequence[int], blocks: Sequence[int]) -> Towers:
    """Return towers of blocks that are put at these places in turn."""
    pairs = list(zip(places, blocks, strict=True))
    return tuple(bytes([block for place, block in pairs if place == stack]) for stack in range(stacks))


def _moved(towers: Towers, move: Move) -> Towers:
    source, target = move
    changed = list(towers)
    changed[target] += changed[source][-1:]
    changed[source] = changed[source][:-1]
    return tuple(changed)


def _settled(towers: Towers, goal: Towers) -> list[int]:
    """Return how many blocks of each stack, from the bottom, are in place."""
    return [
        next((k for k, (a, b) in enumerate(zip(tower, wanted, strict=False)) if a != b), min(len(tower), len(wanted)))
        for tower, wanted in zip(towers, goal, strict=True)
    ]


def _scattered(goal: Towers, height: int, luck: Sequence[float]) -> tuple[Towers, tuple[Move, ...]]:
    """Return where moves lead from the goal, no block moved twice running or thrice, and the moves that lead back."""
    towers, way = goal, list[Move]()
    moved, last = dict[int, int](), -1
    for share in luck:
        tops = [tower[-1] if tower else -1 for tower in towers]
        sources = [stack for stack, top in enumerate(tops) if top >= 0 and top != last and moved.get(top, 0) < 2]
        moves = [(a, b) for a in sources for b, tower in enumerate(towers) if b != a and len(tower) < height]
        if not moves:
            break
        source, target = moves[int(share * len(moves))]
        last = tops[source]
        moved[last] = moved.get(last, 0) + 1
        towers = _moved(towers, (source, target))
        way.append((target, source))
    return towers, tuple(reversed(way))


@lru_cache(maxsize=16)
def _answer(stacks: int) -> Choice:
    return Choice(tuple(f"{a + 1} to {b + 1}" for a in range(stacks) for b in range(stacks) if a != b))


def _content(table: Table) -> list[list[int]]:
    """Return what lies at each cell from the top row down, places in NAMES: the towers, the divide, the goal."""
    stacks = (*table.towers, bytes([DIVIDE] * table.height), *table.goal)
    return [
        [stack[level] if level < len(stack) else AIR for stack in stacks] for level in reversed(range(table.height))
    ]


def _drawn(content: list[list[int]], pixels: int) -> tuple[Picture, tuple[Element, ...]]:
    """Draw the towers above the table."""
    rows, columns = len(content), len(content[0])
    size = pixels // columns
    board = grid.paint(np.array(content, np.intp), _tiles(size)).pixels
    table, elements = _table(rows, columns, size)
    scene = grid.scene(NAMES, [code for row in content for code in row], rows, columns, size)
    return Picture(np.concatenate([board, table]), PALETTE), (*scene, *elements)


@lru_cache(maxsize=32)
def _table(rows: int, columns: int, size: int) -> tuple[Pixels, tuple[Element, ...]]:
    """Return the table with the numbers of the stacks and what its halves are, and the elements below the board."""
    canvas = Canvas(columns * size, 2 * size)
    glyph, stacks = max(6, round(size * 0.42)), columns // 2
    for half, (name, first) in enumerate((("NOW", 0), ("GOAL", stacks + 1))):
        for stack in range(stacks):
            left = (first + stack) * size
            canvas.rectangle((left, 0, left + size, size), "brown")
            canvas.rectangle((left, max(2, size // 8), left + size, size), "sand")
            canvas.text(str(stack + 1), (left + size / 2, size * 0.56), glyph)
            canvas.element(str(stack + 1), (left, 0, left + size, size), glyph=glyph)
        box = canvas.text(name, ((first + stacks / 2) * size, size * 1.5), glyph, ("slate", "green")[half])
        canvas.element(name, box, glyph=box[3] - box[1])
    canvas.pixels.setflags(write=False)
    boxes = [
        (left, rows * size + top, right, rows * size + bottom)
        for _, _, (left, top, right, bottom), _ in canvas.elements
    ]
    return canvas.pixels, tuple(e._replace(box=box) for e, box in zip(canvas.elements, boxes, strict=True))


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    """Return the tiles in the order of NAMES: blocks with their letters, air, the divide."""
    return grid.stack(_tile(code, size).pixels for code in range(len(NAMES)))


def _tile(code: int, size: int) -> Canvas:
    canvas = Canvas(size, size, "mist")
    line = max(1, size // 40)
    if code == DIVIDE:
        canvas.rectangle((0, 0, size, size), "paper")
        canvas.rectangle((round(size * 0.44), 0, round(size * 0.56), size), "silver")
    elif code == AIR:
        canvas.rectangle((line, line, size - line, size - line), "paper")
    else:
        canvas.rectangle((0, 0, size, size), "ink")
        canvas.rectangle((line, line, size - line, size - line), COLOURS[code])
        canvas.shape("circle", (size / 2, size / 2), round(size * 0.76), "white")
        canvas.text(NAMES[code], (size / 2, size / 2), max(6, round(size * 0.4)))
    return canvas


environment = BlockStack()
