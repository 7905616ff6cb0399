"""Plans for any number of walkers: quick, and where one is found all can arrive; where none is there may still be one.

A board is a set of cells in one number, and the boards of all walkers lie side by side in one still larger, so that one
flood serves all. Two kinds of plan are known: all go one after the other, past the flags of those before and the starts
of those after; or all go at once, each planned past or round those planned before. A plan in which nobody goes round
or waits is best in makespan and in cost.

Source: prioritised planning after Erdmann and Lozano-Perez (1987).
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, permutations

from palaestra.envs.kit import bits, grid
from palaestra.envs.planning._mapf.lake import ICE, Lake, Plan, meetings, told

ORDERS = 8
"""In how many orders walkers are planned for, at most."""

Walks = list[tuple[int, ...]]
Floods = tuple[list[int], list[int]]
"""The rings of cells at each distance from the goals, and the steps of each walker, -1 where there is no way."""


def solvable(lake: Lake) -> bool:
    """Return whether a plan was found."""
    return _in_turn(lake) is not None or walked(lake) is not None


@lru_cache(maxsize=512)
def witness(lake: Lake) -> Plan | None:
    """Return a plan, None when none was found."""
    if (walks := walked(lake)) is None and (floods := _in_turn(lake)) is not None:
        rings, steps = floods
        walks = [(*[start] * sum(steps[:k]), *_down(rings, lake, k)) for k, start in enumerate(lake.starts)]
    return None if walks is None else told(walks, lake.size)


@lru_cache(maxsize=512)
def walked(lake: Lake) -> Walks | None:
    """Return walks of all at once, None when no order of planning gives any."""
    return next(_tried(lake), None)


@lru_cache(maxsize=512)
def soonest(lake: Lake) -> Plan | None:
    """Return a plan in which the last one is as early as if alone, so a best one; None when none was found."""
    span = max(alone(lake)[1])
    return next((told(walks, lake.size) for walks in _tried(lake) if max(map(len, walks)) == span + 1), None)


def _tried(lake: Lake) -> Iterator[Walks]:
    """Yield walks of all at once, planned for in some orders, the longest way first."""
    steps = alone(lake)[1]
    if min(steps) >= 0 and max(steps) <= lake.longest:
        longest_first = sorted(range(len(steps)), key=steps.__getitem__, reverse=True)
        for order in islice(permutations(longest_first), ORDERS):
            if walks := one_by_one(lake, order):
                yield walks


def straight(lake: Lake) -> bool:
    """Return whether a plan was found in which all go a shortest way without a wait: there is no better one."""
    walks = walked(lake)
    return walks is not None and [len(walk) - 1 for walk in walks] == alone(lake)[1]


def collide(lake: Lake) -> bool:
    """Return whether any two meet when each takes the first of its shortest ways and heeds nobody."""
    rings, _ = alone(lake)
    return any(meetings([tuple(_down(rings, lake, k)) for k in range(len(lake.starts))]))


@lru_cache(maxsize=512)
def alone(lake: Lake) -> Floods:
    """Return the floods from each goal when nobody else is there."""
    return _floods(lake, bits.where(lake.cells, bytes([ICE])) * _side_by_side(lake.size, len(lake.goals))[2])


def _in_turn(lake: Lake) -> Floods | None:
    """Return the floods past the goals of those before and the starts of those after, None when somebody has no way
    or there is no time for all to go when the one before has arrived."""
    free = bits.where(lake.cells, bytes([ICE]))
    for start in lake.starts:
        free ^= 1 << start
    rooms, back = 0, 0
    for start, goal in zip(lake.starts, lake.goals, strict=True):
        free |= 1 << start
        rooms |= free << back
        free &= ~(1 << goal)
        back += _stride(lake.size)
    found = _floods(lake, rooms)
    return found if min(found[1]) >= 0 and sum(found[1]) <= lake.longest else None


def _floods(lake: Lake, rooms: int) -> Floods:
    """Return the floods from each goal through its walker's room, until all starts are reached."""
    size, stride, ends = lake.size, _stride(lake.size), enumerate(zip(lake.starts, lake.goals, strict=True))
    keep_left, keep_right, _ = _side_by_side(size, len(lake.goals))
    starts = ring = 0
    for k, (start, goal) in ends:
        starts |= 1 << k * stride + start
        ring |= 1 << k * stride + goal
    seen, rings, steps = 0, list[int](), [-1] * len(lake.goals)
    while ring:
        seen |= ring
        if ring & starts:
            for k, start in enumerate(lake.starts):
                if ring >> k * stride + start & 1:
                    steps[k] = len(rings)
        rings.append(ring)
        if not starts & ~seen:
            break
        ring = ((ring & keep_left) << 1 | (ring & keep_right) >> 1 | ring << size | ring >> size) & rooms & ~seen
    return rings, steps


def _down(rings: Sequence[int], lake: Lake, walker: int) -> Iterator[int]:
    """Yield the cells of the first shortest way of a walker down the flood from its goal."""
    near, back, cell = _near(lake.size), walker * _stride(lake.size), lake.starts[walker]
    yield cell
    for left in range(next(left for left, ring in enumerate(rings) if ring >> back + cell & 1) - 1, -1, -1):
        onto = rings[left] >> back & near[cell]
        cell = (onto & -onto).bit_length() - 1
        yield cell


def one_by_one(lake: Lake, order: Sequence[int]) -> Walks | None:
    """Return walks in which each walker goes a shortest way past, or else round, those before it in the order."""
    rings, steps = alone(lake)
    near, stride = _near(lake.size), _stride(lake.size)
    found: dict[int, Sequence[int]] = {}
    taken, stand = [0], 0  # the cells of those before, at each time, and when all have arrived
    for walker in order:
        cell, goal, back = lake.starts[walker], lake.goals[walker], walker * stride
        walk, time = [cell], 0
        taken += [stand] * (steps[walker] + 1 - len(taken))
        for left in range(steps[walker] - 1, -1, -1):
            time += 1
            onto = rings[left] >> back & near[cell] & ~taken[time]
            if taken[time] >> cell & 1:
                onto &= ~_left_for(cell, time, found.values())
            if not onto:
                break
            cell = (onto & -onto).bit_length() - 1
            walk.append(cell)
        if cell != goal or any(goal in other[time:] for other in found.values()):
            led = _round(lake, walker, taken, found.values())
            if led is None:
                return None
            walk = led
            taken += [stand] * (len(walk) - len(taken))
        found[walker] = walk
        stand |= 1 << goal
        for time, cell in enumerate(walk):
            taken[time] |= 1 << cell
        for time in range(len(walk), len(taken)):
            taken[time] |= 1 << goal
    return [tuple(found[walker]) for walker in sorted(found)]


def _left_for(cell: int, time: int, others: Iterable[Sequence[int]]) -> int:
    """Return where somebody comes from who enters a cell at a time, as a set."""
    return next((1 << other[time - 1] for other in others if time < len(other) and other[time] == cell), 0)


def _round(lake: Lake, walker: int, taken: Sequence[int], others: Collection[Sequence[int]]) -> list[int] | None:
    """Return a quickest walk that meets none of the others, by a flood through time; None when there is none."""
    size, goal = lake.size, lake.goals[walker]
    near, free = _near(size), bits.where(lake.cells, bytes([ICE]))
    busy = max((time for time, cells in enumerate(taken) if cells >> goal & 1), default=-1)
    edge = 1 << lake.starts[walker]
    layers = [edge]
    for time in range(1, lake.longest + 1):
        barred = taken[min(time, len(taken) - 1)]
        reached = (edge | bits.around(size, size, edge)) & free & ~barred
        if edge & barred:
            for other in others:
                if time < len(other) and edge >> other[time] & 1:
                    came = other[time - 1]  # nobody may enter this cell from where the other goes
                    if not edge & (near[came] | 1 << came) & ~(1 << other[time]):
                        reached &= ~(1 << came)
        layers.append(reached)
        if reached >> goal & 1 and time > busy:
            return _back(layers, goal, near, others)
        edge = reached
    return None


def _back(layers: Sequence[int], goal: int, near: Sequence[int], others: Iterable[Sequence[int]]) -> list[int]:
    """Return the walk to a goal through layers of cells, traced from its end; it stands rather than wanders."""
    cell, walk = goal, [goal]
    for time in range(len(layers) - 1, 0, -1):
        came = layers[time - 1]
        if not came >> cell & 1:
            came &= near[cell]
            for other in others:
                if time < len(other) and other[time - 1] == cell:
                    came &= ~(1 << other[time])
            cell = (came & -came).bit_length() - 1
        walk.append(cell)
    return walk[::-1]


def forget() -> None:
    """Forget what was found on any board, so that finding it can be timed."""
    for known in (alone, walked, soonest, witness):
        known.cache_clear()


def _stride(size: int) -> int:
    """Return how many bits a board takes that lies beside others: an empty row keeps them apart."""
    return size * size + size


@lru_cache(maxsize=64)
def _side_by_side(size: int, many: int) -> tuple[int, int, int]:
    """Return for boards side by side all cells but those of the last columns, all but those of the first, and what
    copies one board to all."""
    once = sum(1 << k * _stride(size) for k in range(many))
    rows = sum(1 << row * size for row in range(size))
    board = (1 << size * size) - 1
    return (board & ~(rows << size - 1)) * once, (board & ~rows) * once, once


@lru_cache(maxsize=16)
def _near(size: int) -> tuple[int, ...]:
    """Return the neighbours of each cell as a set."""
    return tuple(sum(1 << cell for cell in four if cell >= 0) for four in grid.neighbours(size, size))
