"""The benchmark sets: 3,150 fixed boards for three to five walkers, which no generator gives out.

Three wait ratios, each with fifty boards for every number of walkers and size from that number to ten; of fifty, ten
have each hole ratio, and the share that the wait ratio says needs a wait, spread evenly. The file holds one board a
line as its letter grid with its least makespan, which is proven; no two boards are the same problem.

Source: the evaluation set of LLM-as-Environment-Engineer: numbers, sizes and ratios. Departures: the boards are ours;
`rows` reads theirs.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from palaestra.core.errors import EnvironmentFailed
from palaestra.core.instance import seed_from
from palaestra.envs.planning._mapf import looks, making
from palaestra.envs.planning._mapf.lake import JointOracle, Lake

FILE = Path(__file__).with_name("sets.txt")
DIGEST = "e07c4ec0097977a2b6bdd82a96cd109d6ba6eb934b04b86f0813cd139198015d"
"""SHA-256 of the file."""

WAITS, HOLES, AGENTS, LARGEST, EACH = (0.25, 0.5, 0.75), (0.1, 0.2, 0.3, 0.4, 0.5), (3, 4, 5), 10, 50


class Place(NamedTuple):
    """Which board of the sets one is."""

    wait: float
    agents: int
    size: int
    holes: float
    number: int

    @property
    def name(self) -> str:
        """Its name, in the style of the published ones."""
        return f"{self.agents}ag_{self.size}x{self.size}_hr{self.holes}_wr{self.wait}_{self.number:03}"

    @property
    def waits(self) -> bool:
        """Whether it needs a wait."""
        return int((self.number + 1) * self.wait) > int(self.number * self.wait)


class Board(NamedTuple):
    """One board of the sets, with its least makespan."""

    place: Place
    lake: Lake
    makespan: int


def places() -> Iterator[Place]:
    """Yield the places of all boards in the order of the file."""
    for wait in WAITS:
        for agents in AGENTS:
            for size in range(agents, LARGEST + 1):
                for number in range(EACH):
                    yield Place(wait, agents, size, HOLES[number * len(HOLES) // EACH], number)


@lru_cache(maxsize=1)
def boards() -> tuple[Board, ...]:
    """Return all boards.

    Raises:
        EnvironmentFailed: the file is not the one that belongs to this version.
    """
    content = FILE.read_bytes()
    if sha256(content).hexdigest() != DIGEST:
        raise EnvironmentFailed(f"{FILE.name} was changed; install palaestra anew, or judge on boards of your own")
    lines = (line.split() for line in content.decode().splitlines())
    return tuple(
        Board(place, looks.read(grid), int(makespan)) for place, (grid, makespan) in zip(places(), lines, strict=True)
    )


@lru_cache(maxsize=64)
def reserved(agents: int, size: int) -> frozenset[bytes]:
    """Return the problems of the boards of one number of walkers and size."""
    if agents not in AGENTS:
        return frozenset()
    return frozenset(
        making.problem(board.lake) for board in boards() if (board.place.agents, board.place.size) == (agents, size)
    )


def founded(oracle: JointOracle, progress: Callable[[int], None] = lambda done: None) -> Iterator[str]:
    """Yield the lines of the file, made anew."""
    known: set[bytes] = set()
    for done, place in enumerate(places()):
        progress(done)
        rng = np.random.default_rng(seed_from("mapf sets", *place))
        holes = making.holes_of(place.size, place.agents, place.holes)
        wish = making.Wish(place.agents, place.size, holes, waits=place.waits)
        while True:
            lake = wish.proposed(rng)
            if lake is not None and (problem := making.problem(lake)) not in known and wish.suits(lake, oracle):
                break
        known.add(problem)
        best = oracle.best(lake)
        assert best is not None  # there is a plan, or the board would not suit
        yield f"{looks.written(lake)} {max(map(len, best))}\n"
