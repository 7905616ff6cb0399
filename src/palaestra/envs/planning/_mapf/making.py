"""The generator: boards on which all can arrive, shown by a plan, and told apart by what matters only.

Holes lie anywhere; walkers and flags are put into the largest room that the holes leave, so that few draws are lost.
Whether a board *needs a wait* (every plan of the least makespan has a wait before its walker arrives) is decided
exactly: for two walkers here, for more by a joint oracle that is handed in.

Source: the generator of LLM-as-Environment-Engineer: size, hole ratio, wait ratio. Departures: its solver and its
rejections are not published; number of walkers, distance of flags, and conflicts are further dials; boards of the
benchmark sets are never given out.
"""

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from palaestra.core.environment import EnvSpec, Knob
from palaestra.core.errors import BadInstance
from palaestra.core.instance import Instance, Setting
from palaestra.envs.kit import bits, grid, splits
from palaestra.envs.planning._mapf import pairs, ways
from palaestra.envs.planning._mapf.lake import HOLE, ICE, JointOracle, Lake

MOST = 5
"""Walkers at most."""

KNOBS = (
    Knob("agents", 2, MOST, "walkers; at most as many as there are rows"),
    Knob("size", 3, 10, "rows and columns"),
    Knob("holes", 0.0, 0.5, "share of cells that are holes, as far as walkers and flags leave room"),
    Knob("reach", 0.0, 1.0, "least distance of each flag from its walker, in rows and columns, as a share of the size"),
    Knob("conflicts", 0.0, 1.0, "share of boards on which heedless shortest ways run into each other"),
    Knob("wait", 0.0, 1.0, "share of boards on which every earliest plan has a wait before its walker arrives"),
    Knob("credit", 0.0, 0.5, "what failure earns at most, by the walkers that do well by themselves"),
)
"""The dials that all faces share."""


def scale(size: int, holes: float, wait: float, **more: Setting) -> dict[str, Setting]:
    """Return the parameters of a difficulty step."""
    same: dict[str, Setting] = {"agents": 2, "reach": 0.5, "conflicts": "any", "credit": 0.5}
    return {"size": size, "holes": holes, "wait": wait, **same, **more}


class Wish(NamedTuple):
    """What a board is to be like; None where anything goes."""

    agents: int
    size: int
    holes: int
    apart: int = 0
    collide: bool | None = None
    waits: bool | None = None

    def proposed(self, rng: np.random.Generator) -> Lake | None:
        """Return a board on which each walker alone has a way, None when the draw leaves no room."""
        size = self.size
        order = rng.permutation(size * size).tolist()
        board = bytearray(size * size)
        for cell in order[: self.holes]:
            board[cell] = HOLE
        cells = bytes(board)
        room = _largest_room(size, bits.where(cells, bytes([ICE])))
        far, starts, goals = _far(size, self.apart), list[int](), list[int]()
        for cell in order[self.holes :]:
            if room >> cell & 1:
                if len(starts) == len(goals):
                    starts.append(cell)
                elif far[starts[-1]] >> cell & 1:
                    goals.append(cell)
                    if len(goals) == self.agents:
                        break
        else:
            return None
        return Lake(size, cells, tuple(starts), tuple(goals))

    def suits(self, lake: Lake, oracle: JointOracle | None = None) -> bool:
        """Return whether all can arrive on a board, and whether it is as wished."""
        two = len(lake.starts) == 2
        if not (ways.solvable(lake) or (two and pairs.best(lake))):
            return False
        if self.collide is not None and ways.collide(lake) is not self.collide:
            return False
        if self.waits is None:
            return True
        if two or oracle is None:
            return pairs.needs_wait(lake) is self.waits
        return (not ways.straight(lake) and oracle.needs_wait(lake)) is self.waits


def wish(spec: EnvSpec, instance: Instance, settings: Mapping[str, Setting], oracle: JointOracle | None) -> Wish:
    """Return what an instance asks for.

    Raises:
        BadInstance: its knobs contradict one another, or ask for what only a joint oracle can decide.
    """
    asked = dict(instance.knobs)
    agents, size = int(settings["agents"]), int(settings["size"])
    if agents > size:
        raise BadInstance(f"{spec.id}: {agents} agents on a board of size {size}; there may be as many as rows")
    holes = holes_of(size, agents, float(settings["holes"]))
    apart = int(size * float(settings["reach"]))
    wait = float(settings["wait"]) if agents == 2 or "wait" in asked else None
    conflicts = float(asked["conflicts"]) if "conflicts" in asked else None
    if wait is not None and conflicts is not None and wait > conflicts:
        if "wait" in asked:
            raise BadInstance(
                f"{spec.id}: wait {wait} with conflicts {conflicts}; what needs a wait has a conflict: ask for no less"
            )
        wait = conflicts
    if wait is not None and agents > 2 and oracle is None:
        raise BadInstance(
            f"{spec.id}: the knob wait for {agents} agents takes a joint oracle; pip install 'palaestra[mapf]' and "
            f"name {ORACLES}{spec.id.partition('/')[2]} instead, or leave wait out"
        )
    if wait is None and conflicts is None:
        return Wish(agents, size, holes, apart)
    luck = instance.rng("wait").random()  # one number for both, as a board that needs a wait has a conflict
    collide, waits = (None if share is None else bool(luck < share) for share in (conflicts, wait))
    return Wish(agents, size, holes, apart, collide, waits)


ORACLES = "palaestra.integrations.mapf:"
"""Where the same environments are found with a joint oracle."""


def drawn(
    spec: EnvSpec,
    instance: Instance,
    settings: Mapping[str, Setting],
    oracle: JointOracle | None,
    reserved: Callable[[int, int], Collection[bytes]],
) -> Lake:
    """Return the board of an instance, the same with an oracle and without where it can be had without.

    Args:
        settings: every parameter's value for the instance.
        reserved: the problems, by number of walkers and size, that are not to be given out.

    Raises:
        BadInstance: as `wish` does.
        GenerationFailed: there are too few such boards.
    """
    wanted = wish(spec, instance, settings, oracle)
    barred = reserved(wanted.agents, wanted.size)
    return splits.draw(
        instance,
        wanted.proposed,
        problem,
        lambda lake: wanted.suits(lake, oracle) and not (barred and problem(lake) in barred),
    )


def holes_of(size: int, agents: int, share: float) -> int:
    """Return how many holes a share of the cells is, rounded down, as far as walkers and flags leave room."""
    return min(int(size * size * share + 1e-9), size * size - 2 * agents)


@lru_cache(maxsize=4)  # the split and the reserved boards are asked for by the same
def problem(lake: Lake) -> bytes:
    """Return a board as bytes, the same up to its eight symmetries and to the colours of the walkers."""
    turns, places = _symmetries(lake.size)
    turned: bytes = np.frombuffer(lake.cells, np.uint8)[turns].tobytes()
    area = len(lake.cells)
    images = [turned[k * area : (k + 1) * area] for k in range(8)]
    least = min(images)
    ends = min(
        sorted(zip(map(place, lake.starts), map(place, lake.goals), strict=True))
        for image, place in zip(images, places, strict=True)
        if image == least
    )
    return bytes([lake.size]) + least + bytes([cell for pair in ends for cell in pair])


@lru_cache(maxsize=16)
def _symmetries(size: int) -> tuple[Any, list[Any]]:
    """Return the cell orders of a board's symmetries, and for each where a cell goes."""
    turns = grid.symmetries(size, size)
    return turns, [np.argsort(turn).tolist().__getitem__ for turn in turns]


def _largest_room(size: int, free: int) -> int:
    """Return the largest set of cells that hang together; of equals, the one with the first cell."""
    largest, most = 0, 0
    while free.bit_count() > most:
        room = bits.flood(size, size, free, free & -free)
        free &= ~room
        if room.bit_count() > most:
            largest, most = room, room.bit_count()
    return largest


@lru_cache(maxsize=64)
def _far(size: int, apart: int) -> list[int]:
    """Return for each cell those that lie so far apart in rows and columns, as sets."""
    places = [divmod(cell, size) for cell in range(size * size)]
    return [
        sum(1 << k for k, (r, c) in enumerate(places) if abs(row - r) + abs(column - c) >= max(apart, 1))
        for row, column in places
    ]
