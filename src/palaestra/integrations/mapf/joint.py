"""Joint-state A*: the least makespan or sum of costs of a few walkers, or the proof that there is no plan at all.

A state is where every walker is, with those that have arrived for good marked as such; a step moves all. The search
looks at every joint position that can be reached before it says that none leads to the goals, so its *none* is a proof;
beyond a budget of states it says that it does not know.

Source: A* over joint states (Standley 2010, without its decompositions).
"""

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import combinations, product
from typing import Any, NamedTuple, Protocol

from palaestra.core.errors import PalaestraError

MOVES = ("up", "right", "down", "left", "wait")
BUDGET = 50_000
"""States that are opened before the search gives up: counted, not timed, so that it always ends alike."""

Plan = tuple[tuple[str, ...], ...]


class Undecided(PalaestraError, RuntimeError):
    """The search met its budget before it found a plan or the proof that there is none."""


class Board(Protocol):
    """A square board, 1 where there is a hole, row by row, with the cells where each walker starts and must end."""

    @property
    def size(self) -> int: ...
    @property
    def cells(self) -> bytes: ...
    @property
    def starts(self) -> tuple[int, ...]: ...
    @property
    def goals(self) -> tuple[int, ...]: ...
    @property
    def longest(self) -> int:
        """How many moves a walker may make."""
        ...


class Option(NamedTuple):
    """What one walker may do: a move, the place it leads to (-1: arrived), the cell, and the steps left from there."""

    move: int
    place: int
    cell: int
    left: int


def around(size: int, cells: bytes) -> list[list[int]]:
    """Return where up, right, down and left lead from each cell, -1 onto a hole or off the board."""
    found = []
    for cell in range(size * size):
        row, column = divmod(cell, size)
        places = ((row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1))
        on_board = [r * size + c if 0 <= r < size and 0 <= c < size else -1 for r, c in places]
        found.append([other if other >= 0 and not cells[other] else -1 for other in on_board])
    return found


def steps_to(goal: int, ways: Sequence[Sequence[int]]) -> list[int]:
    """Return the fewest steps from every cell to a goal, -1 where there is no way."""
    steps = [-1] * len(ways)
    steps[goal], ring = 0, [goal]
    while ring:
        ring = [other for cell in ring for other in ways[cell] if other >= 0]
        ring = [cell for cell in dict.fromkeys(ring) if steps[cell] < 0]
        for cell in ring:
            steps[cell] = min(steps[other] for other in ways[cell] if other >= 0 and steps[other] >= 0) + 1
    return steps


def search(board: Board, *, costs: bool = False, budget: int = BUDGET) -> Plan | None:
    """Return a plan of the least makespan, or with `costs` of the least sum of costs; None when there is none at all.

    Raises:
        Undecided: the budget did not suffice.
    """
    ways = around(board.size, board.cells)
    to_goal = [steps_to(goal, ways) for goal in board.goals]
    alone = [steps[start] for steps, start in zip(to_goal, board.starts, strict=True)]
    if min(alone) < 0:
        return None
    pairs = tuple(combinations(range(len(board.goals)), 2))
    known: list[dict[int, list[Option]]] = [{-1: [Option(-1, -1, goal, 0)]} for goal in board.goals]

    def options(walker: int, place: int) -> list[Option]:
        if place not in known[walker]:
            leads = [(4, place), *((move, other) for move, other in enumerate(ways[place]) if other >= 0)]
            found = [Option(move, cell, cell, to_goal[walker][cell]) for move, cell in leads]
            known[walker][place] = found + [Option(move, -1, cell, 0) for move, _, cell, left in found if not left]
        return known[walker][place]

    first_of = int(costs)  # which of makespan and sum of costs comes first
    first = (max(alone), sum(alone))
    heap: list[Any] = [(first[first_of], first[1 - first_of], 0, 0, 0, board.starts, None)]
    done: set[tuple[int, ...]] = set()
    pushed = 0
    while heap:
        _, _, late, _, spent, places, past = heappop(heap)  # `late` counts downwards: of equals the furthest first
        if places in done:
            continue
        if len(done) == budget:
            raise Undecided(f"{budget} joint positions did not decide a board; take a smaller one, or a larger budget")
        done.add(places)
        if max(places) < 0:
            return _told(past, len(board.goals))
        here = [goal if place < 0 else place for place, goal in zip(places, board.goals, strict=True)]
        spent += sum(place >= 0 for place in places)
        for chosen in product(*(options(walker, place) for walker, place in enumerate(places))):
            doing, after, there, left = zip(*chosen, strict=True)
            if after not in done and not any(
                there[a] == there[b] or (there[a] == here[b] and there[b] == here[a]) for a, b in pairs
            ):
                pushed += 1
                total = (1 - late + max(left), spent + sum(left))
                heappush(heap, (total[first_of], total[1 - first_of], late - 1, pushed, spent, after, (doing, past)))
    return None


def _told(past: Any, walkers: int) -> Plan:
    """Return the moves of each walker from the links of a search, last step first."""
    steps = []
    while past:
        doing, past = past
        steps.append(doing)
    return tuple(tuple(MOVES[step[k]] for step in reversed(steps) if step[k] >= 0) for k in range(walkers))
