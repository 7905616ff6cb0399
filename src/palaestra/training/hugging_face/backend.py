"""The engine as a `core.trainer.TrainerBackend`: tickets in, groups back, checkpoints out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from palaestra.core.environment import Pool
from palaestra.core.errors import BadDistribution
from palaestra.core.ticket import Ticket, TicketSource
from palaestra.core.trainer import Budget, Checkpoint, Device
from palaestra.rollout.play import play
from palaestra.training.advantage import live
from palaestra.training.hugging_face import checkpoint as stored
from palaestra.training.hugging_face import model as models
from palaestra.training.hugging_face.checkpoint import Instant
from palaestra.training.hugging_face.grpo import Learnt, update
from palaestra.training.hugging_face.imitation import imitate
from palaestra.training.hugging_face.rows import rows
from palaestra.training.hugging_face.sampler import HuggingFacePolicy
from palaestra.training.hugging_face.settings import HuggingFaceConfig
from palaestra.training.rounds import Round


@dataclass(frozen=True)
class HuggingFace:
    """The engine and its settings; a run is a function of them, its seed, its source and its start.

    On a CPU a run repeats bit by bit, and has one thread.
    """

    folder: Path
    plan: HuggingFaceConfig
    seed: int = 0
    tickets: int = 8
    every: int = 10
    device: Device = Device.AUTO
    told: Callable[[Round[Learnt]], None] = field(default=lambda round: None, compare=False)

    def base(self, lessons: Sequence[Ticket] = (), pool: Pool | None = None) -> Checkpoint:
        """Return the checkpoint that training starts from: the model as it is, after imitating a teacher on `lessons`.

        Raises:
            ConfigError: the model cannot be read, or the device is not there.
        """
        torch.set_num_threads(1)
        now = Instant.new(models.load(self.plan, self.device), self.seed)
        if lessons and pool is not None:
            imitate(now, lessons, pool, self.seed)
            now = now.rested()
        return stored.write(self.folder / "base", now, {})

    def train(self, source: TicketSource, pool: Pool, budget: Budget, start: Checkpoint | None) -> Checkpoint:
        """Spend the budget on what the source hands out and return the last checkpoint.

        A checkpoint is written every few updates, with the source's state, and the source goes on from the one given.

        Raises:
            BadDistribution: there is no start.
            RunFolderError: a checkpoint is damaged, or another engine's.
            ConfigError: the model cannot be read, or the device is not there.
        """
        if start is None:
            raise BadDistribution("train: the engine needs a checkpoint to start from; make one with base()")
        torch.set_num_threads(1)
        now, state = stored.read(start, self.plan, self.device)
        if state:
            source.restore(state)
        else:  # a base knows nothing of the runs that start from it
            now.rng = np.random.default_rng(self.seed)
        policy, last = HuggingFacePolicy(now.model), start
        pixels = self.plan.pixels if now.model.processor is not None else 0
        while now.updates < budget.updates and now.rollouts < budget.rollouts:
            tickets = source.draws(self.tickets)
            groups = play(tickets, pool, policy, seed=self.seed, pixels=pixels)
            found = rows(groups, pool, now.model, source.report(groups))
            now.optimiser.param_groups[0]["lr"] = self.plan.grpo.rate_at(now.updates)
            learnt = update(now.model, now.optimiser, found, self.plan.grpo, now.rng)
            now.updates += 1
            now.rollouts += sum(ticket.cell.rollouts for ticket in tickets)
            self.told(Round(now.updates, now.rollouts, groups, live(groups), learnt))
            if now.updates % self.every == 0:
                last = stored.write(self.folder / f"{now.updates:06d}", now, source.state)
        if last.step != now.updates:
            last = stored.write(self.folder / f"{now.updates:06d}", now, source.state)
        return last

    def policy(self, checkpoint: Checkpoint) -> HuggingFacePolicy:
        """Return the policy of a checkpoint."""
        torch.set_num_threads(1)
        return HuggingFacePolicy(stored.read(checkpoint, self.plan, self.device)[0].model)
