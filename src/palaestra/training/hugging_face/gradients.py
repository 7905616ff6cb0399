"""The policy gradient of what is trained of a model, block by block: a `core.gradient.GradientSource`.

It is the gradient of the loss that `grpo` descends, at ratio 1, over adapters or chosen layers alone: minus the
log-probability of each reply, weighed by its sender's advantage within the group, averaged over all groups, the dead
ones as the zeros that they are. As in the embedded engine every rollout weighs alike, while `grpo` divides by the
tokens of an update: one factor, which no cosine sees.
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
from palaestra.training import checkpoints
from palaestra.training.hugging_face import checkpoint as stored
from palaestra.training.hugging_face.checkpoint import Instant
from palaestra.training.hugging_face.prompt import laid, prompt
from palaestra.training.hugging_face.rows import parts, rows
from palaestra.training.hugging_face.sampler import HuggingFacePolicy
from palaestra.training.moments import second_moments


@dataclass(frozen=True, eq=False)
class HuggingFaceGradients:
    """The gradients of one checkpoint: `digest` names it, and it lies in `folder`."""

    now: Instant
    pool: Pool
    digest: str = ""
    folder: Path = Path()

    @staticmethod
    def read(folder: Path, pool: Pool) -> "HuggingFaceGradients":
        """Return the gradients of the checkpoint in a folder.

        Raises:
            RunFolderError: there is none, or its files are damaged.
            ConfigError: its model cannot be read.
        """
        torch.set_num_threads(1)
        found = checkpoints.found(folder)
        if found is None:
            raise RunFolderError(
                f"{folder} holds no checkpoint; name a folder that training wrote, such as RUN/checkpoints/base"
            )
        return HuggingFaceGradients(stored.read(found)[0], pool, found.digest, folder)

    @property
    def policy(self) -> HuggingFacePolicy:
        """The player whose gradients these are."""
        return HuggingFacePolicy(self.now.model)

    @property
    def stepped(self) -> bool:
        """Whether the optimiser has second moments, which is so from its first step on."""
        return bool(self.now.optimiser.state)

    @property
    def step(self) -> int:
        """How many updates the checkpoint holds."""
        return self.now.updates

    @property
    def pixels(self) -> int:
        """The width of the pictures that it is shown, 0 where it takes none."""
        return self.now.model.plan.pixels if self.now.model.processor is not None else 0

    def prompt_tokens(self, groups: Sequence[Group]) -> int:
        """Return how many tokens of prompts the players of some groups read, each turn of each member by itself."""
        model = self.now.model
        return sum(
            laid([prompt(talk, model)], model)["input_ids"].shape[1]
            for group in groups
            for member in group.trajectories
            for talk in talks(member, self.pool[member.instance.env_id].spec.memory)
        )

    def gradients(self, groups: Sequence[Group]) -> Iterator[Block]:
        """Yield the gradient of the mean loss over groups, as (name, array); zero where no group has a signal."""
        model = self.now.model
        even = [1 / (len(groups) * max(len(group.trajectories), 1)) for group in groups]
        self.now.optimiser.zero_grad()
        for part in parts(rows(groups, self.pool, model, even), model.plan.grpo.tokens):
            told, _ = part.logprobs(model)
            gains, losses = part.weights()
            loss = -(told * (gains + losses).to(told).unsqueeze(1)).sum()
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        for name, parameter in self.now.trained.items():
            pulled = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
            yield name, pulled.detach().cpu().numpy()

    def second_moments(self) -> Iterator[Block]:
        """Return Adam's second moments above their floor, as (name, array), corrected for their start.

        Raises:
            BadMeasurement: the optimiser has not taken a step yet.
        """
        return second_moments(self.now.optimiser, self.now.trained)
