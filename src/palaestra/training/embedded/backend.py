"""The embedded engine as a `core.trainer.TrainerBackend`: tickets in, groups back, checkpoints out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from palaestra.core.environment import Pool
from palaestra.core.errors import BadDistribution
from palaestra.core.ticket import Group, TicketSource
from palaestra.core.trainer import Budget, Checkpoint
from palaestra.rollout.play import play
from palaestra.training.advantage import live
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.batch import rows
from palaestra.training.embedded.checkpoint import Instant
from palaestra.training.embedded.grpo import Grpo, update
from palaestra.training.embedded.model import Network, Shape
from palaestra.training.embedded.pretrain import Told, WarmStart, vocabulary, warm_start
from palaestra.training.embedded.prompt import PIXELS
from palaestra.training.embedded.sampler import EmbeddedPolicy


@dataclass(frozen=True)
class Round:
    """What one round of training was: for progress bars, logs and benchmarks; `rows` are those that were learnt."""

    updates: int
    rollouts: int
    groups: Sequence[Group]
    live: int
    clipped: float
    rows: int


@dataclass(frozen=True)
class Embedded:
    """The engine and its settings; a run is a function of them, its seed, its source and its start.

    Replies that are learnt from end after `longest` tokens.
    """

    folder: Path
    seed: int = 0
    tickets: int = 8
    every: int = 10
    grpo: Grpo = field(default_factory=Grpo)
    warm: WarmStart = field(default_factory=WarmStart)
    width: int = 96
    layers: int = 3
    longest: int = 48
    told: Callable[[Round], None] = field(default=lambda round: None, compare=False)

    def base(self, pool: Pool, told: Told | None = None, start: Checkpoint | None = None) -> Checkpoint:
        """Return the checkpoint that training starts from: a fresh network, or that of `start`, after its warm start.

        Raises:
            RunFolderError: `start` is damaged.
        """
        torch.set_num_threads(1)  # two threads were slower at these sizes, and one is reproducible
        torch.manual_seed(self.seed)
        if start is None:
            tokenizer = vocabulary(pool)
            network = Network(Shape(tokenizer.size, tokenizer.speakable, self.width, self.layers))
        else:
            before, _ = stored.read(start)
            network, tokenizer = before.network, before.tokenizer
        warm_start(network, pool, tokenizer, self.warm, self.seed, told)
        return stored.write(self.folder / "base", Instant.new(network, tokenizer, self.grpo.rate, self.seed), {})

    def train(self, source: TicketSource, pool: Pool, budget: Budget, start: Checkpoint | None) -> Checkpoint:
        """Spend the budget on what the source hands out and return the last checkpoint.

        A checkpoint is written every few updates, with the source's state, and the source goes on from the one given.

        Raises:
            BadDistribution: the budget leaves nothing to do, or there is no start.
        """
        if start is None:
            raise BadDistribution("train: the embedded engine needs a checkpoint to start from; make one with base()")
        torch.set_num_threads(1)
        now, state = stored.read(start)
        if state:
            source.restore(state)
        else:  # a base knows nothing of the runs that start from it
            now.rng = np.random.default_rng(self.seed)
        last = start
        while now.updates < budget.updates and now.rollouts < budget.rollouts:
            tickets = source.draws(self.tickets)
            policy = EmbeddedPolicy(now.network, now.tokenizer, longest=self.longest)
            groups = play(tickets, pool, policy, seed=self.seed, pixels=PIXELS)
            admitted = source.report(groups)
            now.optimiser.param_groups[0]["lr"] = self.grpo.rate_at(now.updates)
            learnt = update(now.network, now.optimiser, rows(groups, pool, now.tokenizer, admitted), self.grpo, now.rng)
            now.updates += 1
            now.rollouts += sum(ticket.cell.rollouts for ticket in tickets)
            self.told(Round(now.updates, now.rollouts, groups, live(groups), learnt.clipped, learnt.rows))
            if now.updates % self.every == 0:
                last = stored.write(self.folder / f"{now.updates:06d}", now, source.state)
        if last.step != now.updates:
            last = stored.write(self.folder / f"{now.updates:06d}", now, source.state)
        return last

    def policy(self, checkpoint: Checkpoint) -> EmbeddedPolicy:
        """Return the policy of a checkpoint."""
        torch.set_num_threads(1)
        now, _ = stored.read(checkpoint)
        return EmbeddedPolicy(now.network.eval(), now.tokenizer)
