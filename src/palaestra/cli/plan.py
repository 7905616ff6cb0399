"""The configuration of ``palaestra play``, and the tickets that it stands for.

Two runs of one configuration are the same run: everything that decides what is played is in it, and nothing else is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from palaestra.cli.effective import effective
from palaestra.cli.options import picture_width, rung
from palaestra.core.distribution import Cell
from palaestra.core.environment import EnvSpec, Pool
from palaestra.core.errors import ConfigError
from palaestra.core.instance import Split, knobs, seed_from
from palaestra.core.ticket import Ticket


@dataclass(frozen=True)
class PlayConfig:
    """What is played, by whom, and what they see; `scales` without any means all of them.

    `script` is the digest of a scripted player's file, filled in when the file is read: another script is another run.
    """

    environments: tuple[str, ...] = ()
    policy: str = "random"
    script: str = ""
    episodes: int = 100
    scales: tuple[int, ...] = ()
    rung: str = "H4"
    learn: str | None = None
    guided: float = 0.5
    rollouts: int = 1
    split: Split = Split.TRAIN
    pixels: int = 448
    seed: int = 0
    knobs: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.environments:
            raise ConfigError("no environment is named; give one id or more, as in: palaestra play grid/frozen_lake")
        if self.episodes < 1 or self.rollouts < 1:
            raise ConfigError(f"episodes = {self.episodes}, rollouts = {self.rollouts}; ask for one of each at least")
        if self.episodes % self.rollouts:
            raise ConfigError(
                f"{self.episodes} episodes are no multiple of {self.rollouts} rollouts; give one, such as "
                f"--episodes {(self.episodes // self.rollouts + 1) * self.rollouts}"
            )
        picture_width(self.pixels)
        if not 0 <= self.seed < 2**63:  # a run stores it in 64 bits
            raise ConfigError(f"seed = {self.seed}; seeds go from 0 to 2**63 - 1")


def play_config(file: Path | None, flags: Mapping[str, object], sets: Sequence[str] | None) -> PlayConfig:
    """Return the effective configuration of `play`, with the digest of a scripted player's file.

    Raises:
        ConfigError: the file cannot be read, a key is unknown, or a value makes no sense.
    """
    plan = effective(PlayConfig, file, flags, sets)
    head, _, path = plan.policy.partition(":")
    if head != "scripted" or not Path(path).is_file():  # a file that is missing is refused where it is read
        return plan
    return replace(plan, script=sha256(Path(path).read_bytes()).hexdigest()[:12])


def tickets(plan: PlayConfig, pool: Pool) -> list[Ticket]:
    """Return the tickets of a run: environments in turn, for each its scales in turn, for each of these its seeds.

    Raises:
        BadInstance: an environment has no such scale or knob, or a scale no problems of the split.
        ConfigError: there is no such rung.
        BadDistribution: `guided` is no share.
    """
    shown, learnt = rung(plan.rung), rung(plan.learn) if plan.learn is not None else None
    settings, specs = knobs(plan.knobs), [env.spec for env in pool.values()]
    orders = []
    for index in range(plan.episodes // plan.rollouts):
        visit, place = divmod(index, len(specs))
        spec = specs[place]
        scales = _scales(plan, spec)
        lap, step = divmod(visit, len(scales))
        instance = spec.instance(scales[step], seed_from(plan.seed, spec.id, scales[step], lap), plan.split, settings)
        cell = Cell(spec.id, scales[step], shown, settings, None, learnt, plan.guided, plan.rollouts, plan.policy)
        orders.append(Ticket(index, cell, instance))
    return orders


def _scales(plan: PlayConfig, spec: EnvSpec) -> Sequence[int]:
    """Return the scales asked for, or all that have problems of the split."""
    if plan.scales:
        return list(dict.fromkeys(plan.scales))
    every = range(len(spec.scales))
    return [scale for scale in every if plan.split is Split.TRAIN or scale not in spec.train_only] or every
