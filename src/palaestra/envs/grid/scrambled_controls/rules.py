"""What buttons do in a room, and what can be concluded from what they were seen to do."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from palaestra.envs.kit import grid

BUTTONS = ("red", "blue", "green", "yellow")
FLOOR, CRATE, GOAL = range(3)
EDGE, BLOCKED = -1, -2
UNKNOWN = ""

STEPS = dict(zip(grid.DIRECTIONS, ((-1, 0), (0, 1), (1, 0), (0, -1)), strict=True))
FAMILIES = (
    tuple(STEPS),
    tuple(f"{heading} {heading}" for heading in STEPS),
    tuple(f"{heading} {heading} {aside}" for k, heading in enumerate(STEPS) for aside in tuple(STEPS)[1 - k % 2 :: 2]),
)
"""Single steps, jumps of two cells and knight's moves, as the words of their steps."""


@dataclass(frozen=True, slots=True)
class Room:
    """What never moves, row by row, the families of moves that buttons may have, and the presses allowed in all."""

    rows: int
    columns: int
    cells: bytes
    families: tuple[int, ...]
    limit: int


@dataclass(frozen=True, slots=True)
class Seen:
    """All that was seen so far: the room, the cell where you stand, for each button the move that it made (UNKNOWN at
    first), and the cells where it had no effect."""

    room: Room
    cell: int
    moves: tuple[str, ...] = (UNKNOWN,) * len(BUTTONS)
    idle: tuple[frozenset[int], ...] = (frozenset(),) * len(BUTTONS)


def wired(jumps: int, knights: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Return a move for each button: every heading once, some of them as jumps or knight's moves."""
    families = rng.permutation([1] * jumps + [2] * knights + [0] * (len(BUTTONS) - jumps - knights)).tolist()
    headings, luck = rng.permutation(len(STEPS)).tolist(), rng.integers(2, size=len(BUTTONS)).tolist()
    return tuple(
        FAMILIES[family][2 * heading + aside if family == 2 else heading]
        for family, heading, aside in zip(families, headings, luck, strict=True)
    )


def shift(move: str) -> tuple[int, int]:
    """Return by how many rows and columns a move goes."""
    down, right = zip(*[STEPS[word] for word in move.split()], strict=True)
    return sum(down), sum(right)


@lru_cache(maxsize=1024)
def _landings(rows: int, columns: int, move: str) -> list[int]:
    """Return for every cell where a move leads from there, EDGE beyond the edge."""
    down, right = shift(move)
    return [
        (row + down) * columns + column + right if 0 <= row + down < rows and 0 <= column + right < columns else EDGE
        for row in range(rows)
        for column in range(columns)
    ]


@lru_cache(maxsize=4096)
def targets(room: Room, move: str) -> list[int]:
    """Return for every cell where a move leads from there, EDGE or BLOCKED."""
    landings = _landings(room.rows, room.columns, move)
    return [BLOCKED if cell >= 0 and room.cells[cell] == CRATE else cell for cell in landings]


@lru_cache(maxsize=512)
def way(room: Room, moves: tuple[str, ...]) -> list[int]:
    """Return the fewest presses from every cell to the goal, -1 where there is no way."""
    before: list[list[int]] = [[] for _ in room.cells]
    for move in moves:
        for cell, target in enumerate(targets(room, move)):
            if target >= 0:
                before[target].append(cell)
    goal = room.cells.index(GOAL)
    left = [-1] * len(room.cells)
    left[goal] = 0
    queue = deque([goal])
    while queue:
        cell = queue.popleft()
        for other in before[cell]:
            if left[other] < 0 and room.cells[other] != CRATE:
                left[other] = left[cell] + 1
                queue.append(other)
    return left


def presses(room: Room, moves: Mapping[int, str], start: int) -> dict[int, int]:
    """Return every cell that some buttons lead to, nearest first, with the first press on the way there; -1 at the
    start itself."""
    first = {start: -1}
    queue = deque([start])
    while queue:
        cell = queue.popleft()
        for button, move in moves.items():
            target = targets(room, move)[cell]
            if target >= 0 and target not in first:
                first[target] = button if cell == start else first[cell]
                queue.append(target)
    return first


@lru_cache(maxsize=4096)
def candidates(seen: Seen) -> tuple[tuple[str, ...], ...]:
    """Return for each button the moves that it can still make, after all that was seen."""
    every = [move for family in seen.room.families for move in FAMILIES[family]]
    possible = []
    for made, idle in zip(seen.moves, seen.idle, strict=True):
        fitting = [move for move in every if all(targets(seen.room, move)[cell] < 0 for cell in idle)]
        possible.append(fitting if made == UNKNOWN else [made])
    for _ in BUTTONS:  # a heading that one button must have is no other's
        for owner in possible:
            headings = {move.split()[0] for move in owner}
            for other in possible:
                if len(headings) == 1 and other is not owner:
                    other[:] = [move for move in other if move.split()[0] not in headings]
    return tuple(map(tuple, possible))
