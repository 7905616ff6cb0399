"""The joint search for two walkers: every joint position that can be reached by each time, as one set.

A joint position is one bit of a number: place of the first times places, plus place of the second. One step of all
positions at once is a few shifts of that number, so the search is exact and takes under a millisecond. Beside the cells
there is one more place, *arrived*, which is entered from the goal and never left: with it the search can forbid all
other waits.

Source: breadth-first search over joint states.
"""

from functools import lru_cache
from typing import NamedTuple

from palaestra.envs.kit import bits, grid
from palaestra.envs.planning._mapf.lake import ICE, Lake, Plan, told
from palaestra.envs.planning._mapf.ways import alone, straight


@lru_cache(maxsize=512)
def best(lake: Lake) -> Plan | None:
    """Return a plan for two of the least makespan, None when there is none within the limit."""
    board = _Board(lake, waits=True)
    layers = board.layers(lake.longest)
    return None if layers is None else told(_traced(lake, board, layers), lake.size)


def makespan(lake: Lake) -> int | None:
    """Return the least makespan of two, None when there is no plan within the limit."""
    plan = best(lake)
    return None if plan is None else max(map(len, plan))


@lru_cache(maxsize=512)
def needs_wait(lake: Lake) -> bool:
    """Return whether every plan of the least makespan has a wait before its walker arrives; False without a plan."""
    _, steps = alone(lake)
    soonest = max(steps)  # nobody can be earlier than the last one is alone
    if min(steps) < 0 or straight(lake) or _Board(lake, waits=False).layers(soonest) is not None:
        return False
    least = makespan(lake)
    return least is not None and (least == soonest or _Board(lake, waits=False).layers(least) is None)


class _Sizes(NamedTuple):
    """Sets of joint positions that depend on the size of the board only."""

    places: int
    row: int  # every place of the second, beside place 0 of the first
    column: int  # every place of the first, beside place 0 of the second
    same: int  # both in one cell


@lru_cache(maxsize=16)
def _sizes(size: int) -> _Sizes:
    places = size * size + 1
    column = sum(1 << (place * places) for place in range(places))
    return _Sizes(places, (1 << places) - 1, column, sum(1 << (cell * (places + 1)) for cell in range(places - 1)))


class _Board:
    """One lake as a set of joint positions, and what a step does to such a set."""

    def __init__(self, lake: Lake, waits: bool) -> None:
        self.places, row, column, same = _sizes(lake.size)
        size, arrived = lake.size, self.places - 1
        free = bits.where(lake.cells, bytes([ICE]))
        standing = (free if waits else 0) | 1 << arrived
        onto = [free << size, free >> 1 & _west(size), free >> size, free << 1 & _west(size) << 1]
        leave = [free & cells for cells in onto]  # from where a walker can go up, right, down, left
        self.shifts = (-size, 1, size, -1)
        self.first = [*(_spread(cells, self.places) * row for cells in leave), _spread(standing, self.places) * row]
        self.second = [*(cells * column for cells in leave), standing * column]
        self.same = same
        a, b = lake.goals
        self.arrive = (row << a * self.places, (arrived - a) * self.places), (column << b, arrived - b)
        self.barred = same | 1 << arrived * self.places + a | 1 << b * self.places + arrived
        self.start = self.arriving(1 << lake.starts[0] * self.places + lake.starts[1])
        self.end = 1 << (self.places**2 - 1)

    def arriving(self, joint: int) -> int:
        """Return positions and those in which walkers at their goals have arrived."""
        for at_goal, shift in self.arrive:
            joint |= (joint & at_goal) << shift
        return joint

    def step(self, joint: int) -> int:
        """Return the positions that one step of both leads to."""
        places, same = self.places, self.same
        moved = [
            (joint & cells) << shift * places if shift > 0 else (joint & cells) >> -shift * places
            for cells, shift in zip(self.first, self.shifts, strict=False)
        ]
        stood = joint & self.first[4]
        apart = (moved[0] | moved[1] | moved[2] | moved[3] | stood) & ~same
        after = 0
        for heading, shift in enumerate(self.shifts):
            # the first has entered the cell of the second, which may leave it, but not by where the first came from
            entered = (moved[heading] | moved[heading - 1] | moved[heading - 3]) & same
            leaving = (apart | entered) & self.second[heading]
            after |= leaving << shift if shift > 0 else leaving >> -shift
        return self.arriving((after | apart & self.second[4]) & ~self.barred)

    def layers(self, longest: int) -> list[int] | None:
        """Return the positions reached at each time until both have arrived, None when that takes longer."""
        layers = [self.start]
        while not layers[-1] & self.end:
            if len(layers) > longest:
                return None
            layers.append(self.step(layers[-1]))
            if not layers[-1]:
                return None
        return layers


def _traced(lake: Lake, board: _Board, layers: list[int]) -> list[tuple[int, ...]]:
    """Return walks to both goals through layers, traced from their end; a walker stands rather than wanders."""
    places = board.places
    around = grid.neighbours(lake.size, lake.size)
    here = lake.goals
    walks = [here]
    for layer in layers[-2::-1]:
        came = [
            (a, b)
            for a in (here[0], *around[here[0]])
            for b in (here[1], *around[here[1]])
            if a >= 0 and b >= 0 and (a, b) != (here[1], here[0]) and layer >> a * places + b & 1
        ]
        here = came[0]
        walks.append(here)
    return list(zip(*reversed(walks), strict=True))


def _west(size: int) -> int:
    """Return all cells but those of the last column."""
    return sum(((1 << size - 1) - 1) << row * size for row in range(size))


def _spread(cells: int, places: int) -> int:
    """Return a set with its bits that far apart.

    >>> bin(_spread(0b101, 2))
    '0b10001'
    """
    return int(("0" * (places - 1)).join(f"{cells:b}"), 2)
