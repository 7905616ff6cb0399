"""The rules of a parcel round: towns, what happens when the van comes to a crossing, and plans."""

from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush

from palaestra.envs.kit import grid

MOST = 5  # parcels
ROAD, CLOSED, GARDEN, PUMP, HOUSE = range(5)
PARCEL = HOUSE + MOST
VAN = PARCEL + MOST
SIGNS = ".x#PABCDEabcde@"
NAMES = ("road", "closed", "garden", "pump", *(f"{thing} {c}" for thing in ("house", "parcel") for c in "abcde"), "van")
HELD, DONE = -1, -2
WEIGHT = 2  # of the lower bound in the search: a plan is then found soon, and is a good one


@dataclass(frozen=True, slots=True)
class Town:
    """What never moves: crossings at even rows and columns, streets between; what the van holds, parcels and fuel."""

    rows: int
    columns: int
    cells: bytes
    capacity: int
    tank: int


@dataclass(frozen=True, slots=True)
class Round:
    """Town and van: the cell of each parcel (or HELD, DONE), the fuel, the turn limit, where the van came from."""

    town: Town
    at: int
    parcels: tuple[int, ...]
    fuel: int
    limit: int = 0
    came_from: int = -1


def content(state: Round) -> bytearray:
    """Return what lies at each cell without the van, places in NAMES."""
    cells = bytearray(state.town.cells)
    for k, place in enumerate(state.parcels):
        if place >= 0:
            cells[place] = PARCEL + k
    return cells


@lru_cache(maxsize=2048)
def ways(town: Town, start: int) -> list[int]:
    """Return the fewest steps between cells, two for each street, from a cell to all; -1 where there is no way."""
    return grid.distances(town.rows, town.columns, start, lambda cell: town.cells[cell] not in (CLOSED, GARDEN))


def arrived(town: Town, cell: int, parcels: tuple[int, ...], fuel: int) -> tuple[tuple[int, ...], int]:
    """Return parcels and fuel after the van came to a crossing and unloaded, loaded or filled its tank there."""
    kind, changed = town.cells[cell], list(parcels)
    if kind >= HOUSE and parcels[kind - HOUSE] == HELD:
        changed[kind - HOUSE] = DONE
    elif cell in parcels and parcels.count(HELD) < town.capacity:
        changed[parcels.index(cell)] = HELD
    return tuple(changed), town.tank if kind == PUMP else fuel - (town.tank > 0)


def stops(town: Town, parcels: tuple[int, ...]) -> list[int]:
    """Return the cells where the van has something to load or unload."""
    room = parcels.count(HELD) < town.capacity
    houses = [town.cells.index(HOUSE + k) for k, place in enumerate(parcels) if place == HELD]
    return houses + [place for place in parcels if place >= 0 and room]


@lru_cache(maxsize=4096)
def _way(town: Town, start: int, stop: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the moves of a shortest way, and the crossings that they lead to."""
    around, left = grid.neighbours(town.rows, town.columns), ways(town, stop)
    moves, cells = list[str](), [start]
    while cells[-1] != stop:
        streets = enumerate(around[cells[-1]])
        heading = next(d for d, street in streets if street >= 0 and left[street] == left[cells[-1]] - 1)
        moves.append(grid.DIRECTIONS[heading])
        cells.append(around[around[cells[-1]][heading]][heading])
    return tuple(moves), tuple(cells[1:])


def _least(town: Town, at: int, parcels: tuple[int, ...]) -> int:
    """Return a lower bound of the moves left: those for the parcel that needs most alone."""
    most = 0
    for k, place in enumerate(parcels):
        if place != DONE:
            home = ways(town, town.cells.index(HOUSE + k))
            most = max(most, home[at] if place == HELD else home[place] + ways(town, place)[at])
    return most // 2


@lru_cache(maxsize=2048)
def plan(town: Town, at: int, parcels: tuple[int, ...], fuel: int) -> tuple[str, ...] | None:
    """Return a short plan of shortest ways from stop to stop, by weighted A*; None when the fuel does not last."""
    heap: list[tuple[int, int, int, tuple[int, ...], int, tuple[str, ...]]] = [(0, 0, at, parcels, fuel, ())]
    best, done, pushed = {(at, parcels, fuel): 0}, (DONE,) * len(parcels), 0
    pumps = [cell for cell, kind in enumerate(town.cells) if kind == PUMP]
    while heap:
        _, _, at, parcels, fuel, moves = heappop(heap)
        if parcels == done:
            return moves
        if len(moves) > best[at, parcels, fuel]:
            continue
        for stop in stops(town, parcels) + (pumps if fuel < town.tank else []):
            onward, cells = _way(town, at, stop)
            there, left = parcels, fuel
            for cell in cells:
                there, left = arrived(town, cell, there, left)
                if there == done or (town.tank and not left):
                    break
            cost = len(moves) + len(onward)
            if (there == done or left or not town.tank) and cost < best.get((stop, there, left), cost + 1):
                best[stop, there, left] = cost
                pushed += 1
                heappush(
                    heap, (cost + WEIGHT * _least(town, stop, there), pushed, stop, there, left, (*moves, *onward))
                )
    return None
