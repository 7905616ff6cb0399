"""Stage "pretrain": the checkpoint that training starts from, in RUN/checkpoints/base.

Its configuration is the table `base` of a training run, kept in RUN/pretrain.toml: runs that differ in all else may
share a base. It is made as a whole or not at all, so a run that was killed makes it again, to the same bytes. A base
that was put there by hand is taken as it is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from palaestra.core import config
from palaestra.core.environment import Pool
from palaestra.core.errors import ConfigError, RunFolderError
from palaestra.core.runfolder import RunFolder
from palaestra.core.trainer import Checkpoint, Device
from palaestra.envs import held_out, registry
from palaestra.pipeline import profiles
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.backend import Embedded
from palaestra.training.embedded.device import device
from palaestra.training.embedded.pretrain import WarmStart

CHECKPOINTS = "checkpoints"
"""The folder in a run folder."""

NAME = "pretrain.toml"

TINY = "tiny"
"""How a configuration names the base that comes with the package."""


@dataclass(frozen=True)
class BaseConfig:
    """The network and its warm start; `environments` without any means all that are not held out.

    `start` is the folder of a checkpoint to go on from, or "tiny" for the base that comes with the package; its network
    has its own size.
    """

    start: str = ""
    environments: tuple[str, ...] = ()
    seed: int = 0
    width: int = 96
    layers: int = 3
    device: Device = Device.AUTO
    warm: WarmStart = field(default_factory=WarmStart)

    def __post_init__(self) -> None:
        if self.width < 8 or self.width % 8 or self.layers < 1:
            raise ConfigError(
                f"width = {self.width}, layers = {self.layers}; a width is a multiple of 8, and one layer the least"
            )
        if not 0 <= self.seed < 2**63:
            raise ConfigError(f"seed = {self.seed}; seeds go from 0 to 2**63 - 1")


@dataclass(frozen=True, slots=True)
class Base:
    """The checkpoint, the environments of its warm start, and whether this call made it."""

    checkpoint: Checkpoint
    environments: tuple[str, ...]
    made: bool


def pretrain(plan: BaseConfig, out: Path, progress: Callable[[int, int], None] | None = None) -> Base:
    """Return the base of a run folder, after making it where it is missing.

    Args:
        plan: the network and its warm start.
        out: the run folder.
        progress: told how many steps of how many are made.

    Raises:
        UnknownEnvironment: the plan names one that does not exist.
        ConfigError: the plan names one that is held out, or a device that is not there.
        RunFolderError: the folder cannot be written, or holds another base.
    """
    device(plan.device)
    pool = training_pool(plan.environments)
    plan = replace(plan, environments=tuple(pool))
    there, made_here = stored.found(out / CHECKPOINTS / "base"), (out / NAME).exists()
    if there is not None and not made_here:
        return Base(there, plan.environments, made=False)
    start = _start(plan.start)
    RunFolder.open(out, config.dump(plan), NAME)
    if there is not None:
        return Base(there, plan.environments, made=False)
    engine = Embedded(
        out / CHECKPOINTS, plan.seed, warm=plan.warm, width=plan.width, layers=plan.layers, device=plan.device
    )
    return Base(engine.base(pool, progress, start), plan.environments, made=True)


def _start(named: str) -> Checkpoint | None:
    """Return the checkpoint that a warm start goes on from, None for a fresh network."""
    if not named:
        return None
    start = stored.found(stored.SHIPPED if named == TINY else Path(named))
    if start is None:
        raise RunFolderError(
            f"base.start = {named!r} holds no checkpoint; name a folder that does, {TINY!r}, or leave it out"
        )
    return start


def training_pool(named: Sequence[str]) -> Pool:
    """Return environments that may be trained on, by id: all of them unless some are named.

    Raises:
        UnknownEnvironment: there is none of a name.
        ConfigError: one is held out.
    """
    pool = registry.pool(dict.fromkeys(named or (i for i in registry.ids() if i not in held_out.HELD_OUT)))
    profiles.allowed(pool)
    return pool
