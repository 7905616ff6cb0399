"""Plans for several walkers on one lake: what happens when they all move at once, and the best there is.

The search runs over the joint positions of all walkers, so it is exact and proves that a board has no plan; it is meant
for few walkers. Planning one walker after the other is quicker and may fail where a plan exists.

Source: A* over joint states; prioritised planning after Erdmann and Lozano-Perez (1987).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from itertools import combinations, product
from typing import Any, NamedTuple

from palaestra.envs.kit import grid

ICE, HOLE = 0, 1
MOVES = (*grid.DIRECTIONS, "wait")
BUDGET = 3000  # joint positions opened before a board counts as unsolvable: in steps, not in time


Plan = tuple[tuple[str, ...], ...]
"""The moves of every walker, each list ending with its arrival."""


@dataclass(frozen=True, slots=True)
class Lake:
    """One question: a square board of ICE and HOLE, row by row, and the cells where each walker starts and must end."""

    size: int
    cells: bytes
    starts: tuple[int, ...]
    goals: tuple[int, ...]

    @property
    def longest(self) -> int:
        """How many moves a walker may make."""
        return 3 * self.size


class Walk(NamedTuple):
    """Where one walker is at every time, and whether it ran against the edge; a hole ends its walk."""

    cells: tuple[int, ...]
    bumped: bool


def walked(lake: Lake, start: int, moves: Sequence[str]) -> Walk:
    """Return the walk of one walker by its moves, whoever else is there."""
    around = _around(lake.size)
    cells, bumped = [start], False
    for move in moves:
        cell = around[cells[-1]][MOVES.index(move)]
        bumped |= cell < 0
        cells.append(cells[-1] if cell < 0 else cell)
        if lake.cells[cells[-1]] == HOLE:
            break
    return Walk(tuple(cells), bumped)


def conflicts(walks: Sequence[Sequence[int]]) -> list[str]:
    """Return what happened between walkers: sharing a cell, changing places, both or neither."""
    shared = swapped = False
    for a, b in combinations(walks, 2):
        for time in range(1, max(len(a), len(b))):
            here, there = at(a, time), at(b, time)
            shared |= here == there
            swapped |= here == at(b, time - 1) and there == at(a, time - 1) and here != there
    return ["agents_collided"] * shared + ["agents_swapped"] * swapped


def at(walk: Sequence[int], time: int) -> int:
    """Return where a walker is at a time; who has arrived stays."""
    return walk[min(time, len(walk) - 1)]


def arrival(walk: Sequence[int]) -> int:
    """Return when a walker came to where it ends, leaving out that it waited there."""
    return max(time for time, cell in enumerate(walk[:-1], 1) if cell != walk[-1])


@lru_cache(maxsize=16)
def _around(size: int) -> tuple[tuple[int, ...], ...]:
    """Return where each move leads from every cell, in the order of MOVES."""
    return tuple((*four, cell) for cell, four in enumerate(grid.neighbours(size, size)))


@lru_cache(maxsize=512)
def _ways(lake: Lake) -> tuple[list[int], ...]:
    """Return for each walker the fewest steps from every cell to its goal."""
    return tuple(
        grid.distances(lake.size, lake.size, goal, lambda cell: lake.cells[cell] == ICE) for goal in lake.goals
    )


def alone(lake: Lake) -> list[int]:
    """Return the fewest steps of each walker without the others, -1 where there is no way."""
    return [way[start] for way, start in zip(_ways(lake), lake.starts, strict=True)]


def makespan(plan: Plan) -> int:
    """Return when the last walker arrives."""
    return max(map(len, plan))


@lru_cache(maxsize=512)
def best_plan(lake: Lake) -> Plan | None:
    """Return a best plan, None when there is none or the budget ends first."""
    if min(alone(lake)) < 0:
        return None
    for preferred in (1, -1):
        plan = tuple(_straight(lake, k, preferred) for k in range(len(lake.starts)))
        if not conflicts([walked(lake, start, moves).cells for start, moves in zip(lake.starts, plan, strict=True)]):
            return plan
    return _search(lake, len(MOVES), (len(lake.cells) ** 2, 0))


def _straight(lake: Lake, walker: int, preferred: int) -> tuple[str, ...]:
    """Return a shortest way of one walker, by the first or, with -1, by the last move that leads closer."""
    way, around, cell = _ways(lake)[walker], _around(lake.size), lake.starts[walker]
    moves: list[str] = []
    while way[cell]:
        closer = [move for move, other in enumerate(around[cell]) if other >= 0 and way[other] == way[cell] - 1]
        moves.append(MOVES[closer[::preferred][0]])
        cell = around[cell][closer[::preferred][0]]
    return tuple(moves)


def needs_wait(lake: Lake) -> bool:
    """Return whether every plan without waiting is worse than the best one."""
    best = best_plan(lake)
    if best is None:
        return False
    cost, steps = (makespan(best), sum(map(len, best))), alone(lake)
    return cost != (max(steps), sum(steps)) and _search(lake, len(grid.DIRECTIONS), cost) is None


def _search(lake: Lake, moves: int, bound: tuple[int, int]) -> Plan | None:
    """Return the best plan of the first so many moves within a bound (makespan, moves in all), by A*.

    A walker's place is its cell, or -1 once it has arrived for good.
    """
    ways, around, goals = _ways(lake), _around(lake.size), lake.goals
    pairs = tuple(combinations(range(len(goals)), 2))
    known: list[dict[int, list[Option]]] = [{-1: [Option(-1, -1, goal, 0)]} for goal in goals]

    def options(walker: int, place: int) -> list[Option]:
        if place not in known[walker]:
            leads = [(m, n) for m, n in enumerate(around[place][:moves]) if n >= 0 and lake.cells[n] == ICE]
            leads.reverse()  # of equals, waiting comes before wandering
            found = [Option(move, cell, cell, ways[walker][cell]) for move, cell in leads]
            known[walker][place] = found + [Option(move, -1, cell, 0) for move, _, cell, left in found if not left]
        return known[walker][place]

    steps = alone(lake)
    heap: list[tuple[int, int, int, int, tuple[int, ...], Any]] = [(max(steps), sum(steps), 0, 0, lake.starts, None)]
    done: set[tuple[int, ...]] = set()
    pushed = 0
    while heap and len(done) < BUDGET:
        _, _, late, _, places, past = heappop(
            heap
        )  # `late` counts steps downwards: of equals, the furthest comes first
        if places in done:
            continue
        done.add(places)
        if max(places) < 0:
            return _told(past, len(goals))
        here = [goal if place < 0 else place for place, goal in zip(places, goals, strict=True)]
        spent = sum(place >= 0 for place in places) + (past[2] if past else 0)
        for chosen in product(*(options(walker, place) for walker, place in enumerate(places))):
            doing, after, there, left = zip(*chosen, strict=True)
            if after in done:
                continue
            for a, b in pairs:
                if there[a] == there[b] or (there[a] == here[b] and there[b] == here[a]):
                    break
            else:
                cost = (1 - late + max(left), spent + sum(left))
                if cost <= bound:
                    pushed += 1
                    heappush(heap, (*cost, late - 1, pushed, after, (doing, past, spent)))
    return None


class Option(NamedTuple):
    """What one walker may do: a move, the place and the cell it leads to, and the steps left from there."""

    move: int
    place: int
    cell: int
    left: int


def _told(past: Any, walkers: int) -> Plan:
    """Return the moves of each walker from the links of a search, last step first."""
    steps = []
    while past:
        doing, past, _ = past
        steps.append(doing)
    return tuple(tuple(MOVES[step[k]] for step in reversed(steps) if step[k] >= 0) for k in range(walkers))


def one_by_one(lake: Lake, order: Sequence[int]) -> Plan | None:
    """Return a plan in which each walker goes a shortest way round those before it, None when one finds none."""
    around = _around(lake.size)
    walks: list[Sequence[int]] = []
    plan: list[tuple[str, ...]] = [()] * len(order)
    for walker in order:
        layer: dict[int, tuple[str, ...]] = {lake.starts[walker]: ()}
        goal = lake.goals[walker]
        for time in range(1, lake.longest + 1):
            layer = {
                there: (*moves, move)
                for here, moves in layer.items()
                for move, there in zip(MOVES, around[here], strict=True)
                if there >= 0 and lake.cells[there] == ICE and not any(_blocks(w, time, here, there) for w in walks)
            }
            if goal in layer and all(at(w, later) != goal for w in walks for later in range(time, lake.longest + 1)):
                plan[walker] = layer[goal]
                break
        else:
            return None
        walks.append(walked(lake, lake.starts[walker], plan[walker]).cells)
    return tuple(plan)


def _blocks(walk: Sequence[int], time: int, here: int, there: int) -> bool:
    """Return whether a walk forbids the step that ends at a time."""
    return at(walk, time) == there or (at(walk, time) == here and at(walk, time - 1) == there)
