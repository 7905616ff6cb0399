"""A learner without a network: it plays by a coin, and its gradients are one direction with planted noise."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from palaestra.core.environment import Pool
from palaestra.core.gradient import Block
from palaestra.core.policy import Completion, Conversation
from palaestra.core.ticket import Group

WIDE = 6000
NOISE = {"toy/clear": 0.2, "toy/blurred": 12.0, "toy/noise": 300.0, "toy/few": 8.0}
"""The noise of one group beside a signal of 1, by environment."""


def coin(conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
    return [Completion(("left", "right")[seed % 2], (1, 2)) for seed in seeds]


@dataclass(frozen=True)
class Source:
    """A learner that plays as told; its gradients are one direction, with planted noise for each group."""

    pool: Pool
    policy: Callable[..., list[Completion]] = coin
    digest: str = "planted"
    folder: Path = Path()
    pixels: int = 0
    stepped: bool = False
    step: int = 0
    asked: list[int] = field(default_factory=list)

    def prompt_tokens(self, groups: Sequence[Group]) -> int:
        return 10 * sum(len(group.trajectories) for group in groups)

    def gradients(self, groups: Sequence[Group]) -> Iterator[Block]:
        self.asked.append(len(groups))
        noise = [
            NOISE.get(group.ticket.cell.env_id, 1.0)
            * np.random.default_rng(group.ticket.instance.seed).standard_normal(WIDE)
            for group in groups
        ]
        yield "w", (np.random.default_rng(0).standard_normal(WIDE) + np.mean(noise, axis=0)).astype(np.float32)

    def second_moments(self) -> Iterator[Block]:
        raise AssertionError("the metric is raw")
