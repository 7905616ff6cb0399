"""The policy gradient of the embedded network, block by block: a `core.gradient.GradientSource`.

It is the gradient of the loss that `grpo` descends, at ratio 1: minus the log-probability of each reply, weighed by its
sender's advantage within the group. It is averaged over all groups, the dead ones as the zeros that they are: only then
do batches of one size estimate one vector without bias, however many of their groups are alive.

Departures: every rollout weighs alike, while `grpo` divides by the summed weights of a step. That is one factor for
each environment, which no cosine sees; taken batch by batch it would blow up the batches with the least signal.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from palaestra.core.environment import Pool
from palaestra.core.errors import RunFolderError
from palaestra.core.gradient import Block
from palaestra.core.ticket import Group
from palaestra.rollout.messages import talks
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.batch import logprobs, parts, rows
from palaestra.training.embedded.checkpoint import Instant
from palaestra.training.embedded.prompt import PIXELS, prompt
from palaestra.training.embedded.sampler import EmbeddedPolicy
from palaestra.training.moments import second_moments


@dataclass(frozen=True, eq=False)
class EmbeddedGradients:
    """The gradients of one checkpoint: `digest` names it, and it lies in `folder`; it sees pictures of `pixels`."""

    now: Instant
    pool: Pool
    digest: str = ""
    folder: Path = Path()
    pixels: int = PIXELS

    @staticmethod
    def read(folder: Path, pool: Pool) -> "EmbeddedGradients":
        """Return the gradients of the checkpoint in a folder.

        Raises:
            RunFolderError: there is none, or its files are damaged.
        """
        torch.set_num_threads(1)  # one is reproducible, and costs least in all
        found = stored.found(folder)
        if found is None:
            raise RunFolderError(
                f"{folder} holds no checkpoint; name a folder that training wrote, such as RUN/checkpoints/base"
            )
        now, _ = stored.read(found)
        now.network.eval()
        return EmbeddedGradients(now, pool, found.digest, folder)

    @property
    def policy(self) -> EmbeddedPolicy:
        """The player whose gradients these are."""
        return EmbeddedPolicy(self.now.network, self.now.tokenizer)

    @property
    def stepped(self) -> bool:
        """Whether the optimiser has second moments, which is so from its first step on."""
        return bool(self.now.optimiser.state)

    @property
    def step(self) -> int:
        """How many updates the checkpoint holds."""
        return self.now.updates

    def prompt_tokens(self, groups: Sequence[Group]) -> int:
        """Return how many tokens of prompts the players of some groups read, each turn of each member by itself."""
        total, known = 0, dict[object, int]()
        for group in groups:
            memory = self.pool[group.ticket.instance.env_id].spec.memory
            for member in group.trajectories:
                for talk in talks(member, memory):
                    told = tuple((message.role, message.text, message.image is None) for message in talk)
                    if told not in known:  # what a picture shows changes no length
                        known[told] = len(prompt(talk, self.now.tokenizer).tokens)
                    total += known[told]
        return total

    def gradients(self, groups: Sequence[Group]) -> Iterator[Block]:
        """Yield the gradient of the mean loss over groups, as (name, array); zero where no group has a signal."""
        network = self.now.network
        even = [1 / (len(groups) * max(len(group.trajectories), 1)) for group in groups]
        network.zero_grad()
        for part in parts(rows(groups, self.pool, self.now.tokenizer, even)):
            weights = torch.tensor([row.gains[said] + row.losses[said] for row in part for said in row.gains])
            loss = -(logprobs(network, part) * weights).sum()
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        for name, parameter in network.named_parameters():
            pulled = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
            yield name, pulled.detach().numpy()

    def second_moments(self) -> Iterator[Block]:
        """Return Adam's second moments above their floor, as (name, array), corrected for their start.

        Raises:
            BadMeasurement: the optimiser has not taken a step yet.
        """
        return second_moments(self.now.optimiser, dict(self.now.network.named_parameters()))
