"""The whole loop in one folder: a base, profiles and gradients, a selection, training, judgement, a report.

    palaestra demo            does what these do, one after the other, with `demo.toml` for all settings

    palaestra pretrain, measure --checkpoint, select, train, evaluate, report

Held-out environments are only judged. Each stage goes on where it was stopped, and so does the whole.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from palaestra.core import config
from palaestra.envs import held_out
from palaestra.pipeline.evaluate import EvaluateConfig, evaluate
from palaestra.pipeline.measure import MeasureConfig, measure
from palaestra.pipeline.pretrain import CHECKPOINTS, pretrain
from palaestra.pipeline.report import report
from palaestra.pipeline.select import select
from palaestra.pipeline.train import TrainConfig, train

SETTINGS = Path(__file__).parent / "demo.toml"
"""What the demo does unless told otherwise."""


@dataclass(frozen=True)
class SelectConfig:
    """How environments are chosen; without `k` the method decides how many."""

    method: str = "aes"
    k: int | None = None


@dataclass(frozen=True)
class DemoConfig:
    """The settings of every stage; `seed` is that of all of them.

    `environments` are those that the base has seen, and held-out ones: these are only judged.
    """

    environments: tuple[str, ...]
    seed: int = 0
    measure: MeasureConfig = field(default_factory=MeasureConfig)
    select: SelectConfig = field(default_factory=SelectConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    evaluate: EvaluateConfig = field(default_factory=EvaluateConfig)

    def spread(self) -> "DemoConfig":
        """Return it with its environments and its seed in every stage; the problems that are judged stay the same."""
        known = tuple(env_id for env_id in self.environments if env_id not in held_out.HELD_OUT)
        return replace(
            self,
            measure=replace(self.measure, environments=known, seed=self.seed),
            train=replace(
                self.train, seed=self.seed, base=replace(self.train.base, environments=known, seed=self.seed)
            ),
            evaluate=replace(self.evaluate, environments=self.environments),
        )


@dataclass(frozen=True, slots=True)
class Demonstrated:
    """Where the report stands, what was selected, and what `evaluation.json` holds."""

    report: Path
    selected: tuple[str, ...]
    evaluation: dict[str, Any]


Told = Callable[[str], Callable[..., None]]
"""Told the name of the stage that begins; what it returns is told how much of how much is done, and for "train" how the
run stands."""


def settings(sets: tuple[str, ...] = ()) -> DemoConfig:
    """Return the settings of the demo.

    Raises:
        ConfigError: one of `sets` names no setting, or makes no sense.
    """
    return config.load(SETTINGS, DemoConfig, sets)


def demo(plan: DemoConfig, out: Path, told: Told) -> Demonstrated:
    """Go through the whole loop; the same call goes on after a kill at any moment.

    Raises:
        RunFolderError: the folder cannot be written, or holds another run.
        ExtraMissing: an extra is not installed.
    """
    plan = plan.spread()
    pretrain(plan.train.base, out, told("base"))
    profiled = replace(plan.measure, checkpoint=str(out / CHECKPOINTS / "base"))
    measure(profiled, out, told("measure"))
    told("select")
    selected = select(out, plan.select.method, plan.select.k, plan.seed).selection.env_ids
    train(plan.train, out, told("train"))
    judged = evaluate(plan.evaluate, out, told("evaluate"))
    told("report")
    return Demonstrated(report(out).page, selected, judged)
