"""The engine of a plan: the embedded one, or a Hugging Face model where the configuration has that table.

To add one, give the configurations a table for it, and a branch to each function here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from palaestra.core import config
from palaestra.core.environment import EnvSpec, Pool
from palaestra.core.errors import ConfigError, RunFolderError
from palaestra.core.observation import CAPTION, IMAGE, Harness
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Ticket
from palaestra.core.trainer import Checkpoint, Device, TrainerBackend
from palaestra.pipeline.pretrain import CHECKPOINTS, BaseConfig, pretrain
from palaestra.training import checkpoints as stored
from palaestra.training import rounds
from palaestra.training.embedded import checkpoint as embedded
from palaestra.training.embedded.backend import Embedded
from palaestra.training.embedded.device import device
from palaestra.training.embedded.grpo import Grpo
from palaestra.training.embedded.pretrain import Told
from palaestra.training.embedded.prompt import PIXELS
from palaestra.training.embedded.scales import read_scales
from palaestra.training.hugging_face.settings import HuggingFaceConfig

if TYPE_CHECKING:
    from palaestra.pipeline.train import GroupConfig


LESSONS = 2**40
"""How far from the first instance of training the first one lies that a base is taught on."""


class Plan(Protocol):
    """What an engine needs of a plan, be it of one run or of a comparison."""

    @property
    def tickets(self) -> int:
        """Groups of an update."""

    @property
    def every(self) -> int:
        """Updates from one checkpoint to the next."""

    @property
    def device(self) -> Device:
        """Where it computes."""

    @property
    def groups(self) -> "GroupConfig":
        """How groups are played."""

    @property
    def grpo(self) -> Grpo:
        """The embedded engine's updates."""

    @property
    def base(self) -> BaseConfig:
        """The embedded engine's base."""

    @property
    def hugging_face(self) -> HuggingFaceConfig | None:
        """The other engine's model and updates."""


Round = rounds.Round[Mapping[str, float | None]]
"""What one round of training was, whichever engine made it; `learnt` is what an event tells of the update."""


def consistent(plan: Plan) -> None:
    """Raise ConfigError where a plan sets what its engine does not read."""
    if plan.hugging_face and (plan.grpo != Grpo() or plan.base != BaseConfig() or plan.groups.describe):
        raise ConfigError(
            "grpo, base and groups.describe are the embedded engine's, and hugging_face names another one; set "
            "hugging_face.grpo instead"
        )


def name(plan: Plan) -> str:
    """Return the name of the engine."""
    return "embedded" if plan.hugging_face is None else "hugging_face"


def prepared(plan: Plan, learnt: Sequence[Harness]) -> None:
    """Raise what is wrong with an engine's settings, before anything is written or any weight is read.

    Args:
        learnt: every harness that is learnt under.

    Raises:
        ConfigError: the device is not there, or a model that takes no pictures would be shown nothing else.
        ExtraMissing: transformers is not installed.
    """
    device(plan.device)
    if plan.hugging_face is None or pixels(plan):
        return
    for harness in learnt:
        if IMAGE in harness.channels and CAPTION not in harness.channels:
            raise ConfigError(
                f"{plan.hugging_face.model} takes no pictures, and under {harness.name} there is no caption; let "
                "what is learnt (curriculum.rule.harness, curriculum.guard.harness, groups.learn, the rungs of a "
                'mixture) be "SYMBOLIC" or "H0"'
            )


def pixels(plan: Plan) -> int:
    """Return how wide the pictures are that a policy is shown, 0 where it takes none.

    Raises:
        ConfigError: the model cannot be read.
        ExtraMissing: transformers is not installed.
    """
    if plan.hugging_face is None:
        return PIXELS
    from palaestra.training.hugging_face import model as models

    return plan.hugging_face.pixels if models.sees(plan.hugging_face) else 0


def grpo(plan: Plan) -> dict[str, Any]:
    """Return the settings of the engine's updates."""
    return asdict(plan.grpo if plan.hugging_face is None else plan.hugging_face.grpo)


def base(
    plan: Plan,
    pool: Pool,
    out: Path,
    config_name: str,
    lessons: Callable[[int], Sequence[Ticket]],
    seed: int = 0,
    progress: Told | None = None,
) -> Checkpoint:
    """Return the checkpoint that training starts from, after making it where it is missing.

    Args:
        pool: what is trained on.
        out: the run folder, which holds its configuration under a name.
        config_name: that name.
        lessons: gives so many tickets, of other instances than are trained on, for a Hugging Face model to imitate.
        seed: what its adapters are drawn with.
        progress: told of an embedded base's warm start.

    Raises:
        RunFolderError: the folder cannot be written, holds another run, or another engine's base.
        ConfigError: the model cannot be read.
    """
    if plan.hugging_face is None:
        return pretrain(plan.base, out, progress).checkpoint
    from palaestra.training.hugging_face.backend import HuggingFace
    from palaestra.training.hugging_face.checkpoint import ENGINE

    RunFolder.open(out, config.dump(plan), config_name)
    folder = out / CHECKPOINTS / "base"
    there = stored.found(folder)
    if there is not None and stored.engine(folder) != ENGINE:
        raise RunFolderError(f"{folder} was not made by the engine {ENGINE}; choose another run folder")
    if there is not None:
        return there
    taught = plan.hugging_face.imitation
    engine = HuggingFace(out / CHECKPOINTS, plan.hugging_face, seed, device=plan.device)
    return engine.base(lessons(taught.steps * taught.episodes), pool)


def readable(plan: Plan, pool: Pool, base: Checkpoint, warn: Callable[[str], None]) -> list[EnvSpec]:
    """Return what is trained on, at those of its scales that a tiny base can read; a large model reads all of them."""
    if plan.hugging_face is not None:
        return [env.spec for env in pool.values()]
    found = read_scales(pool, embedded.read(base)[0].tokenizer)
    for one in found.skipped:
        warn(f"{one.env_id} at scale {one.scale} is skipped: {one.why}")
    return [replace(pool[env_id].spec, embedded_scales=scales) for env_id, scales in found.kept.items()]


def engine(
    plan: Plan, checkpoints: Path, seed: int = 0, told: Callable[[Round], None] = lambda round_: None
) -> TrainerBackend:
    """Return the engine, which tells of every round."""
    if plan.hugging_face is None:
        return Embedded(
            checkpoints, seed, plan.tickets, plan.every, plan.grpo,
            describe=plan.groups.describe, device=plan.device,
            told=lambda one: told(Round(one.updates, one.rollouts, one.groups, one.live, one.learnt.json(plan.grpo))),
        )  # fmt: skip
    from palaestra.training.hugging_face.backend import HuggingFace

    return HuggingFace(
        checkpoints, plan.hugging_face, seed, plan.tickets, plan.every, plan.device,
        told=lambda one: told(Round(one.updates, one.rollouts, one.groups, one.live, one.learnt.json())),
    )  # fmt: skip
