"""The policy of a checkpoint with its gradients, whichever engine wrote it, and the scales that it reads.

They are those that its engine trains and is judged at: what a gradient says of other problems selects for nobody.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

from palaestra.core.environment import Pool
from palaestra.core.errors import ConfigError, ExtraMissing
from palaestra.core.gradient import GradientSource
from palaestra.core.policy import Policy
from palaestra.core.ticket import Group
from palaestra.pipeline import profiles
from palaestra.pipeline.estimator import Metric
from palaestra.rollout.store import arrow
from palaestra.training import checkpoints


class Learner(GradientSource, Protocol):
    """A policy that can tell its gradients on a pool, at one checkpoint."""

    @property
    def pool(self) -> Pool:
        """Where it plays."""

    @property
    def digest(self) -> str:
        """The name of its checkpoint."""

    @property
    def folder(self) -> Path:
        """Where that lies."""

    @property
    def pixels(self) -> int:
        """The width of the pictures that it is shown."""

    @property
    def policy(self) -> Policy:
        """Who plays."""

    @property
    def stepped(self) -> bool:
        """Whether there are second moments."""

    @property
    def step(self) -> int:
        """How many updates the checkpoint holds."""

    def prompt_tokens(self, groups: Sequence[Group]) -> int:
        """Return how many tokens of prompts were read in some groups."""


def learner(checkpoint: Path, pool: Pool, metric: Metric) -> Learner:
    """Return the policy of a checkpoint with its gradients, before anything is written or played.

    Raises:
        ExtraMissing: torch, safetensors or pyarrow is not installed.
        RunFolderError: the folder holds no checkpoint, or a damaged one.
        ConfigError: an environment is held out, or the metric needs second moments that the checkpoint does not have.
    """
    profiles.allowed(pool)
    arrow()
    source = _source(checkpoint, pool)
    if metric in (Metric.ADAM, Metric.FISHER) and not source.stepped:
        raise ConfigError(
            f"metric = '{metric}' needs the optimiser's second moments, and {checkpoint} has none, as no update was "
            "made before it; ask for 'raw' or 'auto', or for a later checkpoint"
        )
    return source


def _source(checkpoint: Path, pool: Pool) -> Learner:
    """Return the gradients of a checkpoint, by the engine that wrote it."""
    if checkpoints.engine(checkpoint):
        from palaestra.training.hugging_face.gradients import HuggingFaceGradients

        return HuggingFaceGradients.read(checkpoint, pool)
    try:
        from palaestra.training.embedded.gradients import EmbeddedGradients
    except ImportError as error:
        raise ExtraMissing("gradients are those of a torch network: pip install 'palaestra[cpu]'") from error
    return EmbeddedGradients.read(checkpoint, pool)


@cache
def unplaced(checkpoint: Path) -> Learner:
    """Return the policy of a checkpoint without a pool, read once by each process; raises as `learner` does."""
    return _source(checkpoint, {})


def readable(source: Learner) -> dict[str, tuple[int, ...]]:
    """Return the scales that a policy reads, by environment; one that it cannot read at all is left out."""
    if checkpoints.engine(source.folder):  # a large model is taken to read all of them, as it is in training
        return {env_id: tuple(range(len(env.spec.scales))) for env_id, env in source.pool.items()}
    try:
        from palaestra.training.embedded.gradients import EmbeddedGradients
        from palaestra.training.embedded.scales import read_scales
    except ImportError:  # then it is a learner of somebody else's
        pass
    else:
        if isinstance(source, EmbeddedGradients):
            return dict(read_scales(source.pool, source.now.tokenizer).kept)
    return {env_id: env.spec.embedded_scales or (0,) for env_id, env in source.pool.items()}
