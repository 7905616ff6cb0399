"""What an engine tells of each update: for progress bars, logs and benchmarks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from palaestra.core.ticket import Group

L = TypeVar("L")


@dataclass(frozen=True)
class Round(Generic[L]):
    """What one round of training was; `learnt` is what its engine says of the update."""

    updates: int
    rollouts: int
    groups: Sequence[Group]
    live: int
    learnt: L
