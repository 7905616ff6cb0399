"""The engine of a training run: the embedded one, or a Hugging Face model where the configuration has that table.

To add one, give the configuration a table for it, and a branch to each function here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from palaestra.core import config
from palaestra.core.environment import Pool
from palaestra.core.errors import ConfigError, RunFolderError
from palaestra.core.observation import CAPTION, HARNESSES, IMAGE, Harness
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Group
from palaestra.core.trainer import Checkpoint, TrainerBackend
from palaestra.curriculum.feed import Feed
from palaestra.pipeline.pretrain import CHECKPOINTS, pretrain
from palaestra.training import checkpoints as stored
from palaestra.training.embedded.backend import Embedded
from palaestra.training.embedded.device import device

if TYPE_CHECKING:
    from palaestra.pipeline.train import TrainConfig


LESSONS = 2**40
"""How far from the first instance of training the first one lies that a base is taught on."""


@dataclass(frozen=True, slots=True)
class Round:
    """What one round of training was, whichever engine made it; `learnt` is what an event tells of the update."""

    updates: int
    rollouts: int
    groups: Sequence[Group]
    live: int
    learnt: Mapping[str, float | None]


def prepared(plan: "TrainConfig") -> None:
    """Raise what is wrong with an engine's settings, before anything is written or any weight is read.

    Raises:
        ConfigError: the device is not there, or a model that takes no pictures would be shown nothing else.
        ExtraMissing: transformers is not installed.
    """
    device(plan.device)
    if plan.hugging_face is None:
        return
    from palaestra.training.hugging_face import model as models

    if not models.sees(plan.hugging_face):
        for harness in _harnesses(plan):
            if IMAGE in harness.channels and CAPTION not in harness.channels:
                raise ConfigError(
                    f"{plan.hugging_face.model} takes no pictures, and under {harness.name} there is no caption; let "
                    'curriculum.rule.harness, curriculum.guard.harness and groups.learn be "SYMBOLIC" or "H0"'
                )


def base(plan: "TrainConfig", pool: Pool, out: Path, name: str) -> Checkpoint:
    """Return the checkpoint that training starts from, after making it where it is missing.

    Args:
        pool: what is trained on, and imitated on other instances where the plan says so.
        out: the run folder, which holds its configuration under a `name`.

    Raises:
        RunFolderError: the folder cannot be written, holds another run, or another engine's base.
        ConfigError: the model cannot be read.
    """
    if plan.hugging_face is None:
        return pretrain(plan.base, out).checkpoint
    from palaestra.training.hugging_face.backend import HuggingFace
    from palaestra.training.hugging_face.checkpoint import ENGINE

    RunFolder.open(out, config.dump(plan), name)
    folder = out / CHECKPOINTS / "base"
    there = stored.found(folder)
    if there is not None and stored.engine(folder) != ENGINE:
        raise RunFolderError(f"{folder} was not made by the engine {ENGINE}; choose another run folder")
    if there is not None:
        return there
    specs, taught = [env.spec for env in pool.values()], plan.hugging_face.imitation
    source = Feed(plan.curriculum.make(plan.template(specs)), specs, plan.seed, plan.first_seed + LESSONS)
    lessons = source.draws(taught.steps * taught.episodes)
    return HuggingFace(out / CHECKPOINTS, plan.hugging_face, plan.seed, device=plan.device).base(lessons, pool)


def engine(plan: "TrainConfig", checkpoints: Path, told: Callable[[Round], None]) -> TrainerBackend:
    """Return the engine, which tells of every round."""
    if plan.hugging_face is None:
        return Embedded(
            checkpoints, plan.seed, plan.tickets, plan.every, plan.grpo,
            describe=plan.groups.describe, device=plan.device,
            told=lambda one: told(Round(one.updates, one.rollouts, one.groups, one.live, one.learnt.json(plan.grpo))),
        )  # fmt: skip
    from palaestra.training.hugging_face.backend import HuggingFace

    return HuggingFace(
        checkpoints, plan.hugging_face, plan.seed, plan.tickets, plan.every, plan.device,
        told=lambda one: told(Round(one.updates, one.rollouts, one.groups, one.live, one.learnt.json())),
    )  # fmt: skip


def _harnesses(plan: "TrainConfig") -> Iterator[Harness]:
    """Yield every harness that is learnt under: what groups learn, or else what the curriculum may show."""
    if plan.groups.learn is not None:
        yield HARNESSES[plan.groups.learn]
        return
    rule, guard = plan.curriculum.rule, plan.curriculum.guard
    for value in [*rule.values(), *(guard.values() if guard.get("floor") else ())]:
        names = value if isinstance(value, tuple | list) else (value,)
        yield from (HARNESSES[name] for name in names if isinstance(name, str) and name in HARNESSES)
