"""Boards divided into rooms by straight walls with one passage each, so that the rooms hang together as a tree."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

_ROOMY = 5  # cells; what is at least so long is divided into rooms of two at least


class Passage(NamedTuple):
    """The cell of a gap in a wall, and the numbers of the rooms on its sides."""

    cell: int
    one: int
    other: int


class Plan(NamedTuple):
    """What a division gives: the cells of each room, the cells of the walls, the passages."""

    rooms: Sequence[list[int]]
    walls: Sequence[int]
    passages: Sequence[Passage]


def divide(rows: int, columns: int, walls: int, rng: np.random.Generator) -> Plan | None:
    """Return a board divided by some walls, the largest room first; None when it is too small, or when a wall ended
    in front of an earlier passage."""
    rooms, solid, gaps = [list(range(rows * columns))], set[int](), []
    for where, gap in rng.random((walls, 2)).tolist():
        rooms.sort(key=len)
        room = rooms.pop()
        first, last = divmod(room[0], columns), divmod(room[-1], columns)
        high, wide = last[0] - first[0] + 1, last[1] - first[1] + 1
        places = [cell // columns if high >= wide else cell % columns for cell in room]
        least = 2 if max(high, wide) >= _ROOMY else 1
        line = places[0] + least + int(where * (max(high, wide) - 2 * least))
        wall = [cell for cell, place in zip(room, places, strict=True) if place == line]
        rooms.append([cell for cell, place in zip(room, places, strict=True) if place < line])
        rooms.append([cell for cell, place in zip(room, places, strict=True) if place > line])
        if not rooms[-1] or not rooms[-2]:
            return None
        cell = wall[int(gap * len(wall))]
        gaps.append((cell, columns if high >= wide else 1))
        solid.update(wall)
    solid -= {cell for cell, _ in gaps}
    room_of = {cell: number for number, room in enumerate(rooms) for cell in room}
    if any(cell + side not in room_of for cell, step in gaps for side in (step, -step)):
        return None
    return Plan(rooms, sorted(solid), [Passage(c, room_of[c - step], room_of[c + step]) for c, step in gaps])
