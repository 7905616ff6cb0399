"""What an experiment compares: problems, arms, seeds, the budget, and the conditions asked of the base.

An arm is a table of settings laid over the one that all share. What must be equal for a comparison to mean anything is
set here and cannot be set by an arm: problems, seeds, rollouts, updates, and the base.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from palaestra.core import config
from palaestra.core.errors import ConfigError, nearest
from palaestra.core.trainer import Budget
from palaestra.envs import registry
from palaestra.pipeline.train import TrainConfig
from palaestra.training.embedded.pretrain import WarmStart
from palaestra.training.embedded.scales import scales_of

SUPERVISED = "supervised"
"""The arm that imitates a teacher instead of learning from rewards."""

QUICK = ("flat", "hdc", "guided")
"""The arms of a quick experiment."""


@dataclass(frozen=True)
class Problem:
    """An environment at the scale that is to be learnt, and how many runs each arm makes of it."""

    environment: str
    scale: int
    seeds: int = 3


@dataclass(frozen=True)
class Arm:
    """What sets a method apart: settings of training; with `easier` it also draws the smaller scales."""

    easier: bool = False
    train: Mapping[str, Any] = field(default_factory=dict)


class WhenUnmet(StrEnum):
    """What becomes of a problem whose base does not meet the conditions; it is marked in either case."""

    RUN = "run"
    SKIP = "skip"


@dataclass(frozen=True)
class Gate:
    """The conditions: success at H4 below `unhelped`, and at H1 from `helped[0]` to `helped[1]`."""

    unhelped: float = 0.05
    helped: tuple[float, ...] = (0.25, 0.75)
    when_unmet: WhenUnmet = WhenUnmet.RUN

    def __post_init__(self) -> None:
        if len(self.helped) != 2 or not 0 <= self.helped[0] <= self.helped[1] <= 1 or not 0 <= self.unhelped <= 1:
            raise ConfigError(
                f"gate: unhelped = {self.unhelped}, helped = {list(self.helped)}; a share, and two in order"
            )


@dataclass(frozen=True)
class Judging:
    """How many test problems, drawn by `seed`, each of so many `checkpoints` plays, and the last one `at_end`."""

    seed: int = 0
    checkpoints: int = 4
    problems: int = 256
    at_end: int = 512

    def __post_init__(self) -> None:
        if self.checkpoints < 1 or not 1 <= self.problems <= self.at_end or not 0 <= self.seed < 2**63:
            raise ConfigError(
                f"judging: seed = {self.seed}, checkpoints = {self.checkpoints}, problems = {self.problems}, at_end = "
                f"{self.at_end}; seeds start at 0, counts at 1, and there are at least as many problems at the end"
            )


@dataclass(frozen=True)
class ExperimentConfig:
    """All that decides what an experiment computes.

    `train` holds the settings that all arms share, `supervised` those of the reference that imitates a teacher (its
    steps follow from the rollouts). The budget is `updates` for each run; 0 lets a pilot fix as many as `cpu_hours` pay
    for the whole table. Differences are taken to `baseline`.
    """

    cpu_hours: float = 6.0
    updates: int = 0
    baseline: str = "flat"
    problems: Mapping[str, Problem] = field(default_factory=dict)
    arms: Mapping[str, Arm] = field(default_factory=dict)
    train: Mapping[str, Any] = field(default_factory=dict)
    supervised: WarmStart | None = None
    gate: Gate = field(default_factory=Gate)
    judging: Judging = field(default_factory=Judging)

    def __post_init__(self) -> None:
        if not self.problems or self.baseline not in self.arms or SUPERVISED in self.arms:
            raise ConfigError(
                f"problems: {', '.join(self.problems) or 'none'}; arms: {', '.join(self.arms) or 'none'}; name a "
                f"problem and the arm {self.baseline!r} to compare with; the table [{SUPERVISED}] is an arm of its own"
            )
        for name in (*self.problems, *self.arms):
            if not re.fullmatch(r"\w[\w-]*", name):
                raise ConfigError(f"found the name {name!r}; it is that of a folder too: use letters, digits, _ and -")
        if self.cpu_hours <= 0 or self.updates < 0 or self.updates % self.judging.checkpoints:
            raise ConfigError(
                f"cpu_hours = {self.cpu_hours}, updates = {self.updates}; hours are positive, and updates a multiple "
                f"of judging.checkpoints = {self.judging.checkpoints}, or 0 for as many as the hours pay for"
            )
        for name, problem in self.problems.items():
            scales = scales_of(registry.get(problem.environment).spec)
            if problem.scale not in scales or problem.seeds < 1:
                raise ConfigError(
                    f"problems.{name}: scale = {problem.scale}, seeds = {problem.seeds}; a tiny policy can read the "
                    f"scales {', '.join(map(str, scales))}, and seeds start at 1"
                )
        shared = self.shared
        for name in self.arms:
            own = self.plan(next(iter(self.problems)), name, 0, 1)
            if (own.base, own.budget, own.device) != (shared.base, shared.budget, shared.device):
                raise ConfigError(
                    f"arms.{name} has another base or device than {self.baseline}, or other numbers of rollouts in an "
                    "update; set base, device, tickets and groups.rollouts in [train], where they hold for all"
                )

    @property
    def shared(self) -> TrainConfig:
        """What all arms have in common, as the baseline has it: the base and the device among them."""
        return self.plan(next(iter(self.problems)), self.baseline, 0, 1)

    @property
    def names(self) -> tuple[str, ...]:
        """The arms, and the reference where there is one."""
        return (*self.arms, *([SUPERVISED] if self.supervised else []))

    def plan(self, problem: str, arm: str, seed: int, updates: int) -> TrainConfig:
        """Return the training of one run.

        Raises:
            ConfigError: the arm's settings make no sense, or set what the experiment sets.
        """
        own, method = self.problems[problem], self.arms[arm]
        readable = scales_of(registry.get(own.environment).spec)
        given = {
            "environments": [own.environment],
            "scales": [scale for scale in readable if scale < own.scale] * method.easier + [own.scale],
            "seed": seed,
            "first_seed": seed << 32,  # so that runs of different seeds train on different problems
            "every": max(1, updates // self.judging.checkpoints),
            "keep": True,
        }
        laid, where = _laid(self.train, method.train), f"arms.{arm}.train"
        if taken := sorted(laid.keys() & {*given, "budget"}):
            raise ConfigError(f"{where}: {', '.join(taken)} is set by the experiment; leave it out of arms and [train]")
        made = config.build({**laid, **given}, TrainConfig, where)
        return replace(made, budget=Budget(updates * made.tickets * made.groups.rollouts, updates))

    def chosen(self, arms: Sequence[str], problems: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the arms and the problems that were asked for, all where none was.

        Raises:
            ConfigError: there is none of a name.
        """
        for asked, known, what in ((arms, self.names, "arm"), (problems, self.problems, "problem")):
            for name in asked:
                if name not in known:
                    raise ConfigError(f"the experiment has no {what} {name!r}{nearest(name, known)}")
        return (
            tuple(name for name in self.names if not arms or name in arms),
            tuple(name for name in self.problems if not problems or name in problems),
        )

    def quick(self) -> "ExperimentConfig":
        """Return a small one: `QUICK` arms on the first problem, one seed, a dozen updates, few test problems.

        Raises:
            ConfigError: the baseline is none of these arms.
        """
        name, first = next(iter(self.problems.items()))
        return replace(
            self,
            updates=12,
            problems={name: replace(first, seeds=1)},
            arms={arm: own for arm, own in self.arms.items() if arm in QUICK},
            supervised=None,
            judging=replace(self.judging, checkpoints=2, problems=32, at_end=64),
        )


def _laid(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return one table laid over another, table by table."""
    both = {name for name in under.keys() & over.keys() if isinstance(under[name], Mapping)}
    return {**under, **over, **{name: _laid(under[name], over[name]) for name in sorted(both)}}
