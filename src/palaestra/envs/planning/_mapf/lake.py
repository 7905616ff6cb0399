"""The frozen lake of several walkers: what a plan does when all move at once, and what spoils it, where and when.

Two may neither be in one cell nor change places at one time; to follow is allowed, in a ring too. Who has made all
moves stands, and is in the way of others. A plan's *makespan* is when the last walker arrives for good, its *cost* the
sum of all arrivals.

Source: the rules of multi-agent path finding (Stern et al. 2019). Departures: starts and goals are all different cells;
walkers may leave their goals again before they arrive for good.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple, Protocol

from palaestra.envs.kit import grid

ICE, HOLE = 0, 1
WAIT = "wait"
MOVES = (*grid.DIRECTIONS, WAIT)

Plan = tuple[tuple[str, ...], ...]
"""The moves of every walker; who has no more stands."""

ILLEGAL, FELL, VERTEX, SWAP, GOAL = FAULTS = ("illegal_move", "hole", "vertex_conflict", "swap_conflict", "goal_missed")
"""What can spoil a plan: a move off the board, a hole, two in a cell, two that change places, an end elsewhere."""


@dataclass(frozen=True, slots=True)
class Lake:
    """A square board of ICE and HOLE, row by row, and the cells where each walker starts and must end."""

    size: int
    cells: bytes
    starts: tuple[int, ...]
    goals: tuple[int, ...]

    @property
    def longest(self) -> int:
        """How many moves a walker may make: time for all to go one after the other."""
        return (len(self.starts) + 1) * self.size


class Fault(NamedTuple):
    """One thing that spoils a plan: at what time, of which walkers, and the cell where it ends."""

    kind: str
    time: int
    walkers: tuple[int, ...]
    cell: int


class Outcome(NamedTuple):
    """What a plan does: its faults by time, misses last, the cells of each walk, and when each walker arrives."""

    faults: tuple[Fault, ...]
    walks: tuple[tuple[int, ...], ...]
    arrivals: tuple[int, ...]

    @property
    def makespan(self) -> int:
        """When the last one arrives."""
        return max(self.arrivals)

    @property
    def cost(self) -> int:
        """The sum of all arrivals."""
        return sum(self.arrivals)

    @property
    def waits(self) -> bool:
        """Whether somebody waits before arriving."""
        ways = zip(self.walks, self.arrivals, strict=True)
        return any(walk[time] == walk[time + 1] for walk, arrival in ways for time in range(arrival))


class JointOracle(Protocol):
    """Decides what is best for any number of walkers; what is handed to an environment that cannot itself."""

    def best(self, lake: Lake, /) -> Plan | None:
        """Return a plan of the least makespan, None when there is none within the limit."""

    def needs_wait(self, lake: Lake, /) -> bool:
        """Return whether every plan of the least makespan has a wait before its walker arrives."""


def outcome(lake: Lake, plan: Plan) -> Outcome:
    """Return what a plan does; a move off the board leaves its walker where it is, a hole ends a walk."""
    around, faults = onward(lake.size), list[Fault]()
    walks = []
    for walker, (start, moves) in enumerate(zip(lake.starts, plan, strict=True)):
        cells = [start]
        for time, move in enumerate(moves, 1):
            cell = around[cells[-1]][MOVES.index(move)]
            if cell < 0:
                cell = cells[-1]
                faults.append(Fault(ILLEGAL, time, (walker,), cell))
            cells.append(cell)
            if lake.cells[cell] == HOLE:
                faults.append(Fault(FELL, time, (walker,), cell))
                break
        walks.append(tuple(cells))
    faults += meetings(walks)
    for walker, (walk, goal) in enumerate(zip(walks, lake.goals, strict=True)):
        if walk[-1] != goal:
            faults.append(Fault(GOAL, len(walk) - 1, (walker,), walk[-1]))
    faults.sort(key=lambda fault: (fault.kind == GOAL, fault.time, FAULTS.index(fault.kind), fault.walkers))
    return Outcome(tuple(faults), tuple(walks), tuple(map(_arrival, walks)))


def meetings(walks: Sequence[Sequence[int]]) -> Iterator[Fault]:
    """Yield for every two walkers the first time they share a cell, and the first at which they change places."""
    for a, b in combinations(range(len(walks)), 2):
        shared = swapped = False
        for time in range(1, max(len(walks[a]), len(walks[b]))):
            here, there = standing(walks[a], time), standing(walks[b], time)
            if here == there and not shared:
                shared = True
                yield Fault(VERTEX, time, (a, b), here)
            came = standing(walks[a], time - 1), standing(walks[b], time - 1)
            if here != there and (there, here) == came and not swapped:
                swapped = True
                yield Fault(SWAP, time, (a, b), here)


def standing(walk: Sequence[int], time: int) -> int:
    """Return where a walker is at a time; who has arrived stays."""
    return walk[min(time, len(walk) - 1)]


def _arrival(walk: Sequence[int]) -> int:
    """Return when a walker came to where it ends."""
    return max((time for time, cell in enumerate(walk[:-1], 1) if cell != walk[-1]), default=0)


def told(walks: Sequence[Sequence[int]], size: int) -> Plan:
    """Return the moves that make walks, each up to its arrival."""
    around = onward(size)
    return tuple(
        tuple(MOVES[around[here].index(there)] for here, there in pairwise(walk[: _arrival(walk) + 1]))
        for walk in walks
    )


@lru_cache(maxsize=16)
def onward(size: int) -> tuple[tuple[int, ...], ...]:
    """Return where each move leads from every cell, in the order of MOVES; -1 off the board."""
    return tuple((*four, cell) for cell, four in enumerate(grid.neighbours(size, size)))
