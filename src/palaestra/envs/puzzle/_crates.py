"""Crates in a depot, as sets of cells: where they can be pushed and pulled, and which pushes bring them all home."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush

from palaestra.envs.kit import bits, grid

BUDGET = 2000  # positions that a search looks at before it gives up: in steps, not in time

Push = tuple[int, int]  # the cell of a crate, and its heading


@dataclass(frozen=True, slots=True)
class Depot:
    """What never moves, a bit for each cell: where one can walk, and which cells are marked."""

    rows: int
    columns: int
    floor: int
    marks: int


@dataclass(frozen=True, slots=True)
class Position:
    """All that a player sees: the depot, its crates, the cell where they stand, and the one before (-1: a push)."""

    depot: Depot
    crates: int
    you: int
    came_from: int = -1


@lru_cache(maxsize=256)
def _lines(rows: int, columns: int) -> list[list[tuple[int, int, int]]]:
    """Return for each cell the headings in which two more cells follow, with these."""
    around = grid.neighbours(rows, columns)
    return [[(d, to, around[to][d]) for d, to in enumerate(near) if to >= 0 <= around[to][d]] for near in around]


@lru_cache(maxsize=4096)
def pushes_left(depot: Depot, marks: int) -> list[int]:
    """Return how many pushes take a lone crate from each cell to one of some marks, -1 where none do."""
    left = [-1] * (depot.rows * depot.columns)
    queue = deque(bits.cells(marks))
    for mark in queue:
        left[mark] = 0
    while queue:
        cell = queue.popleft()
        for _, other, behind in _lines(depot.rows, depot.columns)[cell]:
            if left[other] < 0 and depot.floor >> other & depot.floor >> behind & 1:
                left[other] = left[cell] + 1
                queue.append(other)
    return left


def pulled(depot: Depot, marks: Sequence[int], luck: Sequence[float]) -> tuple[Position, tuple[Push, ...]]:
    """Return a position to which pulls lead from the end, as many as there is luck and room, and the pushes back."""
    rows, columns, floor = depot.rows, depot.columns, depot.floor
    tables = {mark: pushes_left(depot, 1 << mark) for mark in marks}  # by the cell of the crate
    free = floor & ~depot.marks
    room, witness = free, tuple[Push, ...]()
    for share in luck[1:]:
        choices = [
            (crate, to, behind, heading)
            for crate, left in tables.items()
            for heading, to, behind in _lines(rows, columns)[crate]
            if room >> to & free >> behind & 1 and left[to] > left[crate]
        ]
        if not choices:
            break
        crate, to, behind, heading = choices[int(share * len(choices))]
        tables[to] = tables.pop(crate)
        free ^= 1 << crate ^ 1 << to
        witness = ((to, (heading + 2) % 4), *witness)
        room = bits.flood(rows, columns, free, 1 << behind)
    places = bits.cells(room)
    return Position(depot, floor & ~free, places[int(luck[0] * len(places))]), witness


def _layers(depot: Depot, free: int, targets: int, start: int) -> list[int]:
    """Return the cells by their steps from some targets up to a start, empty when there is no way."""
    layers, seen = [targets], targets
    while not layers[-1] >> start & 1:
        layers.append(bits.around(depot.rows, depot.columns, layers[-1]) & free & ~seen)
        if not layers[-1]:
            return []
        seen |= layers[-1]
    return layers


def moves(position: Position, pushes: Sequence[Push]) -> list[int]:
    """Return the headings of all moves that make some pushes in order, by the shortest walks."""
    depot, crates, you = position.depot, position.crates, position.you
    around = grid.neighbours(depot.rows, depot.columns)
    plan = []
    for crate, heading in pushes:
        layers = _layers(depot, depot.floor & ~crates, 1 << around[crate][heading - 2], you)
        for layer in layers[-2::-1]:
            step = next(d for d, cell in enumerate(around[you]) if cell >= 0 and layer >> cell & 1)
            you = around[you][step]
            plan.append(step)
        plan.append(heading)
        crates ^= 1 << crate ^ 1 << around[crate][heading]
        you = crate
    return plan


def solution(position: Position) -> tuple[Push, ...] | None:
    """Return pushes that bring all crates home, None when there are none or the search gives up."""
    free = position.depot.floor & ~position.crates
    room = bits.flood(position.depot.rows, position.depot.columns, free, 1 << position.you)
    return _solution(position.depot, position.crates, room)


@lru_cache(maxsize=4096)
def _solution(depot: Depot, crates: int, room: int) -> tuple[Push, ...] | None:
    """Return pushes from anywhere in a room: A* on what lone crates need, counted twice, so that it hurries."""
    lines, left = _lines(depot.rows, depot.columns), pushes_left(depot, depot.marks)
    seen, found = set[tuple[int, int]](), 0
    queue: list[tuple[int, int, int, int, tuple[Push, ...]]] = [(0, 0, crates, room, ())]
    while queue and len(seen) < BUDGET:
        *_, crates, start, made = heappop(queue)
        if crates == depot.marks:
            return made
        free = depot.floor & ~crates
        room = bits.flood(depot.rows, depot.columns, free, start)
        if (crates, room) in seen:
            continue
        seen.add((crates, room))
        for place in bits.cells(bits.around(depot.rows, depot.columns, crates) & room):
            for heading, crate, to in lines[place]:
                if crates >> crate & free >> to & 1 and left[to] >= 0:
                    pushed = crates ^ 1 << crate ^ 1 << to
                    cost = len(made) + 1 + 2 * sum(left[cell] for cell in bits.cells(pushed))
                    found += 1  # of equals the latest first
                    heappush(queue, (cost, -found, pushed, 1 << crate, (*made, (crate, heading))))
    return None


def approach(position: Position) -> int:
    """Return the fewest steps to a place from which a crate can be pushed nearer to a mark, 0 when there is none."""
    depot, left = position.depot, pushes_left(position.depot, position.depot.marks)
    free, around = depot.floor & ~position.crates, grid.neighbours(depot.rows, depot.columns)
    places = 0
    for crate in bits.cells(position.crates):
        for heading, to in enumerate(around[crate]):
            place = around[crate][heading - 2]
            if to >= 0 <= place and free >> to & free >> place & 1 and 0 <= left[to] < left[crate]:
                places |= 1 << place
    return max(0, len(_layers(depot, free, places, position.you)) - 1)
