"""Small lakes written as letter grids, moves by their first letters, and a search that tries everything."""

from itertools import combinations, product

from palaestra.envs.planning._mapf import looks
from palaestra.envs.planning._mapf.lake import Lake, Plan, onward

WORDS = {"u": "up", "r": "right", "d": "down", "l": "left", "w": "wait"}


def lake(rows: str) -> Lake:
    """The board whose rows are written as in captions."""
    return looks.read(rows.replace(" ", "/"))


def plan(*walks: str) -> Plan:
    """The plan whose moves are written by their first letters."""
    return tuple(tuple(WORDS[letter] for letter in moves) for moves in walks)


def earliest(board: Lake, *, waits: bool = True) -> int | None:
    """The least makespan, by trying all joint moves; with `waits` False nobody waits before arriving for good (-1)."""
    reached = _arrived(board, {board.starts})
    for time in range(board.longest + 1):
        if (-1,) * len(board.goals) in reached:
            return time
        following = set()
        for state in reached:
            here = [goal if cell < 0 else cell for cell, goal in zip(state, board.goals, strict=True)]
            for after in product(*(_onto(board, cell, waits) for cell in state)):
                there = [goal if cell < 0 else cell for cell, goal in zip(after, board.goals, strict=True)]
                if not any(
                    there[a] == there[b] or (there[a], there[b]) == (here[b], here[a])
                    for a, b in combinations(range(len(here)), 2)
                ):
                    following.add(after)
        reached = _arrived(board, following)
    return None


def _onto(board: Lake, cell: int, waits: bool) -> list[int]:
    if cell < 0:
        return [-1]
    return [n for n in onward(board.size)[cell] if n >= 0 and not board.cells[n] and (waits or n != cell)]


def _arrived(board: Lake, states: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """The states, and those in which walkers at their goals have arrived for good."""
    return {
        chosen
        for state in states
        for chosen in product(*((c, -1) if c == goal else (c,) for c, goal in zip(state, board.goals, strict=True)))
    }
