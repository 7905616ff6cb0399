"""What every training engine looks like from here: it takes tickets, spends a budget, and leaves a checkpoint."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from palaestra.core.environment import Pool
from palaestra.core.errors import BadDistribution
from palaestra.core.policy import Policy
from palaestra.core.ticket import TicketSource


class Device(StrEnum):
    """Where an engine computes: `auto` is a CUDA device where there is one, and else the CPU.

    >>> Device("cuda")
    <Device.CUDA: 'cuda'>
    """

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be spent: rollouts played and optimiser updates made. Equal budgets are equal in both.

    >>> Budget(rollouts=7680 * 16, updates=240) == Budget(122880, 240)
    True
    """

    rollouts: int
    updates: int

    def __post_init__(self) -> None:
        if self.rollouts < 0 or self.updates < 0:
            raise BadDistribution(f"budget: {self.rollouts} rollouts, {self.updates} updates; neither may be negative")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Weights, optimiser, generators and ticket source of one instant, in one folder with a digest of its content.

    >>> Checkpoint(Path("checkpoints/000240"), step=240, digest="9f3a").path.name
    '000240'
    """

    path: Path
    step: int
    digest: str


class TrainerBackend(Protocol):
    """A training engine: in process, TRL, verl."""

    def train(self, source: TicketSource, pool: Pool, budget: Budget, start: Checkpoint | None) -> Checkpoint:
        """Spend the budget on what the source hands out and return the last checkpoint."""

    def policy(self, checkpoint: Checkpoint) -> Policy:
        """Return the policy of a checkpoint, for play and evaluation."""
