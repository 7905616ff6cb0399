"""Stage "pretrain": the checkpoint that training starts from, in RUN/checkpoints/base.

    RUN/pretrain.toml       the table `base` of a training run: runs that differ in all else may share a base
    RUN/checkpoints/warm    the warm start under way by its steps, written every hundred of them
    RUN/events.jsonl        its losses, a line for every tenth step
    RUN/clock.json          seconds of processor time that it took

A warm start that was stopped goes on, to the same bytes and the same losses. A base that was put there by hand is taken
as it is.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from palaestra.core import config
from palaestra.core.environment import Pool
from palaestra.core.errors import ConfigError, RunFolderError, nearest
from palaestra.core.runfolder import RunFolder
from palaestra.core.trainer import Checkpoint, Device
from palaestra.envs import held_out, registry
from palaestra.envs.digest import pool_digest
from palaestra.pipeline import profiles
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.backend import Embedded
from palaestra.training.embedded.device import device
from palaestra.training.embedded.model import HEAD
from palaestra.training.embedded.pretrain import Losses, Told, WarmStart

CHECKPOINTS = "checkpoints"
"""The folder in a run folder."""

NAME, CLOCK = "pretrain.toml", "clock.json"

EVENT, LOGGED = "lessons", 10
"""What tells of the losses of a step, and of which: every tenth."""

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
        if self.width < HEAD or self.width % HEAD or self.layers < 1:
            raise ConfigError(
                f"width = {self.width}, layers = {self.layers}; widths are multiples of {HEAD}, layers start at 1"
            )
        if not 0 <= self.seed < 2**63:
            raise ConfigError(f"seed = {self.seed}; seeds go from 0 to 2**63 - 1")


@dataclass(frozen=True, slots=True)
class Base:
    """The checkpoint, the environments of its warm start, and whether this call made it."""

    checkpoint: Checkpoint
    environments: tuple[str, ...]
    made: bool


def pretrain(plan: BaseConfig, out: Path, progress: Told | None = None) -> Base:
    """Return the base of a run folder, after making it where it is missing.

    Args:
        plan: the network and its warm start.
        out: the run folder.
        progress: told how many steps of how many are made, and the losses of the last; it may interrupt.

    Raises:
        UnknownEnvironment: the plan names one that does not exist.
        ConfigError: the plan names one that is held out, or a device that is not there.
        RunFolderError: the folder cannot be written, or holds another base.
    """
    device(plan.device)
    pool = training_pool(plan.environments)
    plan = replace(plan, environments=tuple(pool))
    for env_id in plan.warm.first:
        if env_id not in pool:
            raise ConfigError(
                f"base.warm.first names {env_id!r}, which is none of the environments{nearest(env_id, pool)}"
            )
    there, made_here = stored.found(out / CHECKPOINTS / "base"), (out / NAME).exists()
    if there is not None and not made_here:
        return Base(there, plan.environments, made=False)
    start = _start(plan.start)
    folder = RunFolder.open(out, config.dump(plan), NAME)
    if there is not None:
        return Base(there, plan.environments, made=False)
    engine = Embedded(
        out / CHECKPOINTS, plan.seed, warm=plan.warm, width=plan.width, layers=plan.layers, device=plan.device
    )
    budget = {"steps": plan.warm.steps, "lessons": plan.warm.steps * plan.warm.contexts}
    made = {"pool": pool_digest(pool), "budget": budget}
    return Base(engine.base(pool, _logging(folder, out, progress), start, made), plan.environments, made=True)


def _logging(folder: RunFolder, out: Path, progress: Told | None) -> Told:
    """Return what logs the losses of a warm start as it goes, from where it goes on."""
    under_way = stored.numbered(out / CHECKPOINTS / "warm")[-1:]
    events, done = folder.events(), under_way[0].step if under_way else 0
    kept = [event for event in events if event["event"] != EVENT or event["steps"] <= done]
    if len(kept) < len(events):
        folder.rewind(kept)
    clock, since = out / CLOCK, time.process_time()
    spent = json.loads(clock.read_text("utf-8"))["seconds"] if clock.exists() and done else 0.0

    def told(done: int, total: int, losses: Losses) -> None:
        if done % LOGGED == 0 or done == total:
            folder.log(EVENT, steps=done, losses={name: round(loss, 5) for name, loss in losses.items()})
            folder.write_json(CLOCK, {"seconds": round(spent + time.process_time() - since, 1)})
        if progress is not None:
            progress(done, total, losses)

    return told


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
