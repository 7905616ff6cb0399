"""Stage "train": a curriculum draws tickets, an engine plays and learns from them, update by update.

    RUN/train.toml        the effective configuration; RUN/pretrain.toml that of an embedded base
    RUN/checkpoints/      base, and the last two of the rest: the last one, when the run is through; all with `keep`
    RUN/events.jsonl      one line for each update: what was played, won, learnt and clipped
    RUN/curriculum.json   what the curriculum did meanwhile

An update is written before the checkpoint that holds it, so a checkpoint never knows more than the events. A run that
was killed goes on from the newest checkpoint, drops the events after it, and ends with the same bytes.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from palaestra.core import config
from palaestra.core.environment import EnvSpec
from palaestra.core.errors import ConfigError
from palaestra.core.instance import knobs
from palaestra.core.observation import H4, HARNESSES, Harness
from palaestra.core.rate import Rate
from palaestra.core.runfolder import RunFolder
from palaestra.core.trainer import Budget, Checkpoint, Device
from palaestra.curriculum.feed import Feed
from palaestra.curriculum.template import Template
from palaestra.pipeline import course, curricula, engines, select
from palaestra.pipeline.curricula import CurriculumConfig
from palaestra.pipeline.pretrain import CHECKPOINTS, BaseConfig, training_pool
from palaestra.pipeline.standing import Progress, standing, success
from palaestra.pipeline.tracking import Opener, tracked
from palaestra.training import checkpoints as stored
from palaestra.training.embedded.grpo import Grpo
from palaestra.training.embedded.scales import ScalesOf, scales_of
from palaestra.training.hugging_face.settings import HuggingFaceConfig

NAME = "train.toml"

ALARMS = {
    "starved": "hardly ever drawn, give them more weight",
    "silent": "no signal for long, all or none of a group succeed; another scale, more help, or out of the pool",
}
"""What is said of an environment that a guard raises an alarm for."""


@dataclass(frozen=True)
class GroupConfig:
    """How groups are played: `rollouts` members; with `learn`, the name of a harness, a share `guided` acts with help
    and all are learnt under `learn`. With `describe` all say first what they see, and learn that too. `knobs` are set
    in every problem, and every environment must have them."""

    learn: str | None = None
    guided: float = 0.5
    rollouts: int = 16
    describe: bool = False
    knobs: Mapping[str, bool | int | float | str] | None = None

    def template(
        self,
        specs: Sequence[EnvSpec],
        scales: Sequence[int] = (),
        readable: ScalesOf = scales_of,
    ) -> Template:
        """Return the template of such groups, at the scales that a policy can read: those named, if any are."""
        learn = None if self.learn is None else curricula.harness(self.learn)
        drawn = {spec.id: tuple(s for s in readable(spec) if not scales or s in scales) for spec in specs}
        return Template(learn, self.guided, self.rollouts, scales=drawn, knobs=knobs(self.knobs or {}))


@dataclass(frozen=True)
class TrainConfig:
    """All that decides what a run computes.

    `environments` without any means those that were selected in the run folder, and all that are not held out where
    nothing was; `scales` without any all that a tiny policy can read. `first_seed` is that of the first instance; a
    checkpoint is written and the curriculum told `every` so many updates, and with `keep` no checkpoint is removed.
    With `hugging_face` such a model is trained, and what `grpo` and `base` say of the embedded engine is left alone.
    """

    environments: tuple[str, ...] = ()
    scales: tuple[int, ...] = ()
    seed: int = 0
    first_seed: int = 0
    tickets: int = 8
    every: int = 10
    keep: bool = False
    device: Device = Device.AUTO
    budget: Budget = field(default_factory=lambda: Budget(rollouts=10_240, updates=80))
    curriculum: CurriculumConfig = field(default_factory=CurriculumConfig)
    groups: GroupConfig = field(default_factory=GroupConfig)
    grpo: Grpo = field(default_factory=Grpo)
    base: BaseConfig = field(default_factory=BaseConfig)
    hugging_face: HuggingFaceConfig | None = None

    def __post_init__(self) -> None:
        if self.tickets < 1 or self.every < 1:
            raise ConfigError(f"tickets = {self.tickets}, every = {self.every}; both start at 1")
        if not (0 <= self.seed < 2**63 and 0 <= self.first_seed < 2**62):
            raise ConfigError(f"seed = {self.seed}, first_seed = {self.first_seed}; seeds start at 0, and end at 2**62")
        if self.groups.rollouts < 2:
            raise ConfigError(f"groups.rollouts = {self.groups.rollouts}; a group needs 2 members to differ")
        if self.grpo.dropout and self.groups.learn and curricula.harness(self.groups.learn).channels <= H4.channels:
            raise ConfigError(
                f"grpo.dropout = {self.grpo.dropout} learns without help, and so does groups.learn = "
                f"{self.groups.learn!r} in every group; drop one of them"
            )
        engines.consistent(self)
        if not self.updates:
            raise ConfigError(
                f"the budget of {self.budget.rollouts} rollouts and {self.budget.updates} updates pays for nothing; "
                f"give one update and {self.tickets * self.groups.rollouts} rollouts at least"
            )

    @property
    def updates(self) -> int:
        """How many updates the budget pays for; the last one may play a few rollouts more than were asked for."""
        return min(self.budget.updates, -(-self.budget.rollouts // (self.tickets * self.groups.rollouts)))

    @property
    def learnt(self) -> list[Harness]:
        """Every harness that is learnt under: what groups learn, or else what the curriculum may show."""
        if self.groups.learn is not None:
            return [curricula.harness(self.groups.learn)]
        rule, guard = self.curriculum.rule, self.curriculum.guard
        said = [*rule.values(), *(guard.values() if guard.get("floor") else ())]
        named = [name for value in said for name in (value if isinstance(value, tuple | list) else (value,))]
        return [HARNESSES[name] for name in named if isinstance(name, str) and name in HARNESSES]

    def template(self, specs: Sequence[EnvSpec]) -> Template:
        """Return how groups are played; a Hugging Face model is taken to read every scale."""
        readable = scales_of if self.hugging_face is None else _every
        return self.groups.template(specs, self.scales, readable)


@dataclass(frozen=True, slots=True)
class Trained:
    """The last checkpoint, what the run came to, and how many of its updates this call made."""

    checkpoint: Checkpoint
    environments: tuple[str, ...]
    rollouts: int
    success: Rate
    made: int


def train(
    plan: TrainConfig,
    out: Path,
    progress: Progress | None = None,
    trackers: Mapping[str, Opener] | None = None,
    warn: Callable[[str], None] = warnings.warn,
) -> Trained:
    """Train into a run folder; the same call goes on after a kill at any moment, and does nothing after the end.

    Args:
        plan: all that decides what is computed.
        out: the run folder.
        progress: told how the run stands.
        trackers: shown the same, by name; another call may name others. One that fails ends nothing.
        warn: told of scales whose prompts are too long for the base, and of trackers that fail.

    Raises:
        UnknownEnvironment: the plan names one that does not exist.
        ConfigError: the plan names one that is held out, no such harness, a device that is not there, or a model that
            cannot be read.
        ExtraMissing: what the engine needs is not installed.
        BadDistribution: a parameter of the curriculum is out of its range.
        RunFolderError: the folder cannot be written, holds another run, or a damaged file.
    """
    engines.prepared(plan, plan.learnt)
    pool = training_pool(plan.environments or select.chosen(out))
    plan, specs = replace(plan, environments=tuple(pool)), [env.spec for env in pool.values()]
    # what is wrong with it is told before a base is made
    taught = Feed(plan.curriculum.make(plan.template(specs)), specs, plan.seed, plan.first_seed + engines.LESSONS)
    base = engines.base(plan, pool, out, NAME, taught.draws, plan.seed)
    specs = engines.readable(plan, pool, base, warn)
    curriculum = plan.curriculum.make(plan.template(specs))
    feed = Feed(curriculum, specs, plan.seed, plan.first_seed)
    first = course.shares(feed.distribution)
    folder, checkpoints = RunFolder.open(out, config.dump(plan), NAME), out / CHECKPOINTS
    start, updates = resumed(folder, checkpoints, base)
    before, alarmed = len(updates), set[tuple[str, str]]()

    def told(round_: engines.Round) -> None:
        at = {"updates": round_.updates, "rollouts": round_.rollouts}
        learnt = {"groups": len(round_.groups), "live": round_.live, **round_.learnt}
        event: dict[str, Any] = {**at, **learnt, "environments": course.played(round_.groups, pool)}
        event["cells"] = course.cells(round_.groups)
        due = round_.updates % plan.every == 0 or round_.updates == plan.updates
        if due:
            event["shares"] = course.shares(feed.distribution)
        folder.log("update", **event)
        updates.append(event)
        track(event)
        if due:
            tell()
            for kind, ids in feed.alarms.items():
                if new := [env_id for env_id in ids if (kind, env_id) not in alarmed]:
                    alarmed.update((kind, env_id) for env_id in new)
                    warn(f"{ALARMS[kind]}: {', '.join(new)}")
            if not plan.keep:
                stored.keep(checkpoints, stored.numbered(checkpoints)[-1:])  # with the next one there are two
        if progress is not None:
            progress(standing(updates, plan.updates, event.get("shares") or course.shares(feed.distribution)))

    def tell() -> None:
        name, ids = str(plan.curriculum), tuple(pool)
        folder.write_json(course.NAME, course.course(name, ids, first, updates, feed.distribution))

    engine = engines.engine(plan, checkpoints, plan.seed, told)
    with tracked(trackers or {}, out, warn) as track:
        for event in updates:
            track(event)
        last = engine.train(feed, pool, plan.budget, start)
    tell()
    if not plan.keep:
        stored.keep(checkpoints, [last])
    return Trained(last, plan.environments, updates[-1]["rollouts"], success(updates), len(updates) - before)


def _every(spec: EnvSpec) -> Sequence[int]:
    return range(len(spec.scales))


def resumed(folder: RunFolder, checkpoints: Path, base: Checkpoint) -> tuple[Checkpoint, list[Mapping[str, Any]]]:
    """Return where to go on, and the events up to there; what was written beyond it is dropped."""
    events = folder.events()
    updates = [event for event in events if event["event"] == "update"]
    logged = sum(event["updates"] == number for number, event in enumerate(updates, start=1))
    whole = [one for one in stored.numbered(checkpoints) if one.step <= logged]
    start = whole[-1] if whole else base
    stored.keep(checkpoints, whole)
    kept = [event for event in events if event["event"] != "update" or event["updates"] <= start.step]
    if len(kept) < len(events):
        folder.rewind(kept)
    return start, updates[: start.step]
