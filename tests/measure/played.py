"""Hand-made trajectories and groups, and a source of gradients that are known in advance."""

from collections.abc import Iterator, Sequence

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.distribution import Cell
from palaestra.core.gradient import Block
from palaestra.core.instance import Instance
from palaestra.core.observation import H4, Observation
from palaestra.core.policy import Completion
from palaestra.core.ticket import Group, Ticket
from palaestra.core.trajectory import Stop, Trajectory, Turn

MOVES = Choice(("left", "right"))


def trajectory(*turns: str, seed: int = 0, reward: float = 0.0, error: str = "") -> Trajectory:
    """One trajectory; each turn is its events, separated by spaces."""
    played = tuple(
        Turn(
            Observation(None, "Go.", MOVES), Completion("left"), MOVES.parse("left"), True, reward, tuple(turn.split())
        )
        for turn in turns or ("",)
    )
    return Trajectory(Instance("a/a", 1, 0, seed), H4, played, False, Stop.ERROR if error else Stop.DONE, error)


def group(seed: int, *members: Trajectory, env_id: str = "a/a", number: int | None = None) -> Group:
    instance = Instance(env_id, 1, 0, seed)
    return Group(Ticket(seed if number is None else number, Cell(env_id, 0, H4), instance), members)


def scored(seed: int, *returns: float, number: int | None = None) -> Group:
    """A group of one-turn members with these returns."""
    return group(seed, *(trajectory("", seed=seed, reward=reward) for reward in returns), number=number)


class Planted:
    """Yields in each block the mean over groups of a vector that the instance's seed determines."""

    sizes = (("layer.weight", (30, 20)), ("layer.bias", (20,)))

    def __init__(self, moment: float = 1.0) -> None:
        self.moment = moment
        self.asked: list[list[int]] = []

    def gradients(self, groups: Sequence[Group]) -> Iterator[Block]:
        self.asked.append([group.ticket.id for group in groups])
        for name, shape in self.sizes:
            drawn = [np.random.default_rng([group.ticket.instance.seed, len(name)]) for group in groups]
            yield name, np.mean([rng.standard_normal(shape) for rng in drawn], axis=0).astype(np.float32)

    def second_moments(self) -> Iterator[Block]:
        for name, shape in self.sizes:
            yield name, (self.moment * np.arange(1, 1 + np.prod(shape)) ** 2).reshape(shape).astype(np.float32)
