"""The embedded engine as a `core.trainer.TrainerBackend`: tickets in, groups back, checkpoints out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from palaestra.core.environment import Pool
from palaestra.core.errors import BadDistribution, RunFolderError
from palaestra.core.policy import Policy
from palaestra.core.ticket import TicketSource
from palaestra.core.trainer import Budget, Checkpoint, Device
from palaestra.rollout.play import play
from palaestra.training.advantage import live
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.batch import rows
from palaestra.training.embedded.checkpoint import Instant
from palaestra.training.embedded.describing import Describing
from palaestra.training.embedded.device import device
from palaestra.training.embedded.grpo import Grpo, Learnt, update
from palaestra.training.embedded.imitation import DESCRIBE
from palaestra.training.embedded.lessons import captions, unhelped
from palaestra.training.embedded.model import Network, Shape
from palaestra.training.embedded.pretrain import Course, Told, WarmStart, vocabulary
from palaestra.training.embedded.prompt import PIXELS
from palaestra.training.embedded.sampler import EmbeddedPolicy
from palaestra.training.embedded.scales import read_scales
from palaestra.training.rounds import Round

SAVED = 100
"""After how many steps a warm start under way is written."""


@dataclass(frozen=True)
class Embedded:
    """The engine and its settings; a run is a function of them, its seed, its source and its start.

    With `describe` its policies put what they see into words before they reply; replies that are learnt from end after
    `longest` tokens. On a CPU a run repeats bit by bit.
    """

    folder: Path
    seed: int = 0
    tickets: int = 8
    every: int = 10
    grpo: Grpo = field(default_factory=Grpo)
    warm: WarmStart = field(default_factory=WarmStart)
    width: int = 96
    layers: int = 3
    describe: bool = False
    device: Device = Device.AUTO
    longest: int = 48
    told: Callable[[Round[Learnt]], None] = field(default=lambda round: None, compare=False)

    def base(
        self,
        pool: Pool,
        told: Told | None = None,
        start: Checkpoint | None = None,
        made: Mapping[str, Any] | None = None,
    ) -> Checkpoint:
        """Return the checkpoint that training starts from: a fresh network, or that of `start`, after its warm start.

        A warm start that was stopped goes on from the last that it left in the folder "warm".

        Args:
            pool: what it meets; scales whose prompts are too long are left out.
            told: told how many steps of how many are done, and the losses; if it interrupts, nothing is lost.
            start: whose network and vocabulary are taken.
            made: kept in the checkpoint, as what is said of how it was made.

        Raises:
            RunFolderError: `start` is damaged.
            ConfigError: the device is not there.
        """
        course = self._course(pool, start)
        warm = self.folder / "warm"
        for under_way in stored.numbered(warm)[-1:]:
            stored.read_course(under_way, course)
        while course.done < self.warm.steps:
            losses = course.step()
            try:
                if told is not None:
                    told(course.done, self.warm.steps, losses)
            except KeyboardInterrupt:
                stored.write_course(warm, course)
                raise
            if course.done % SAVED == 0:
                stored.write_course(warm, course)
        base = Instant.new(course.network, course.tokenizer, self.grpo.rate, self.seed)
        base.made = made or {}
        written = stored.write(self.folder / "base", base, {})
        stored.remove(warm)
        return written

    def _course(self, pool: Pool, start: Checkpoint | None) -> Course:
        at = device(self.device)
        torch.set_num_threads(1)  # one is reproducible, and costs least in all
        torch.manual_seed(self.seed)
        if start is None:
            tokenizer = vocabulary(pool, scales=self.warm.taught)
            network = Network(Shape(tokenizer.size, tokenizer.speakable, self.width, self.layers)).to(at)
        else:
            before, _ = stored.read(start, at)
            network, tokenizer = before.network, before.tokenizer
        kept = read_scales(pool, tokenizer, scales=self.warm.taught).kept
        return Course(network, pool, tokenizer, kept, self.warm, self.seed)

    def train(self, source: TicketSource, pool: Pool, budget: Budget, start: Checkpoint | None) -> Checkpoint:
        """Spend the budget on what the source hands out and return the last checkpoint.

        A checkpoint is written every few updates, with the source's state, and the source goes on from the one given.

        Raises:
            BadDistribution: there is no start.
            RunFolderError: a checkpoint is damaged, or there is no base to hold to.
            ConfigError: the device is not there.
        """
        if start is None:
            raise BadDistribution("train: the embedded engine needs a checkpoint to start from; make one with base()")
        torch.set_num_threads(1)
        now, state = stored.read(start, device(self.device))
        reference = self._reference() if self.grpo.kl else None
        if state:
            source.restore(state)
        else:  # a base knows nothing of the runs that start from it
            now.rng = np.random.default_rng(self.seed)
        last = start
        while now.updates < budget.updates and now.rollouts < budget.rollouts:
            tickets = source.draws(self.tickets)
            groups = play(tickets, pool, self._player(now), seed=self.seed, pixels=PIXELS)
            admitted = source.report(groups)
            lessons = captions(groups, pool, now.tokenizer, self.grpo.most, now.rng) if self.grpo.captions else ()
            taught = unhelped(groups, pool, self.grpo.dropout, now.rng) if self.grpo.dropout else groups
            found = rows(taught, pool, now.tokenizer, admitted)
            now.optimiser.param_groups[0]["lr"] = self.grpo.rate_at(now.updates)
            learnt = update(now.network, now.optimiser, found, self.grpo, now.rng, lessons, reference)
            now.updates += 1
            now.rollouts += sum(ticket.cell.rollouts for ticket in tickets)
            self.told(Round(now.updates, now.rollouts, groups, live(groups), learnt))
            if now.updates % self.every == 0:
                last = stored.write(self.folder / f"{now.updates:06d}", now, source.state)
        if last.step != now.updates:
            last = stored.write(self.folder / f"{now.updates:06d}", now, source.state)
        return last

    def policy(self, checkpoint: Checkpoint) -> Policy:
        """Return the policy of a checkpoint."""
        torch.set_num_threads(1)
        now, _ = stored.read(checkpoint, device(self.device))
        now.network.eval()
        return self._player(now)

    def _player(self, now: Instant) -> Policy:
        policy = EmbeddedPolicy(now.network, now.tokenizer, longest=self.longest)
        return Describing(policy, DESCRIBE) if self.describe else policy

    def _reference(self) -> Network:
        """Return the base, frozen: what the KL term holds to, in a run that goes on as in one that starts."""
        base = stored.found(self.folder / "base")
        if base is None:
            raise RunFolderError(
                f"grpo.kl = {self.grpo.kl} holds the policy to the base, and {self.folder / 'base'} holds none; "
                "put the checkpoint there that the run started from, or set grpo.kl = 0"
            )
        return stored.read(base, device(self.device))[0].network.requires_grad_(False)
