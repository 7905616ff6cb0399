"""What is compared when engineers are: one mixture and its dials, and arms that differ in who sets them.

Stages, updates and rollouts of each, base, first configuration, problems and bounds are the same for all arms.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from palaestra.core.distribution import Distribution
from palaestra.core.environment import EnvSpec, Pool
from palaestra.core.errors import ConfigError, nearest
from palaestra.core.instance import Setting
from palaestra.core.observation import Harness
from palaestra.core.space import WEIGHT, Part, Settings, Space
from palaestra.core.trainer import Device
from palaestra.engineer import ENGINEERS
from palaestra.engineer import space as spaces
from palaestra.engineer.evidence import Modules
from palaestra.engineer.rails import Rails
from palaestra.envs import registry
from palaestra.pipeline import curricula, engines
from palaestra.pipeline.engineering import chats
from palaestra.pipeline.pretrain import BaseConfig, training_pool
from palaestra.pipeline.train import GroupConfig
from palaestra.training.embedded.grpo import Grpo
from palaestra.training.hugging_face.settings import HuggingFaceConfig

LANGUAGE_MODEL = "language_model"
"""The engineer of an arm that asks a chat."""


@dataclass(frozen=True)
class Parts:
    """Parts of the mixture that one environment gives.

    `each` names a knob and its values, one part for each, at `scale`; without it there is one part for each scale.
    `dials` are the knobs that may be set, each with its values from the easiest on; `first` says where they stand at
    first, `exam` where they stand in the problems that are validated and judged on (where they stand at first, if it
    does not say).
    """

    environment: str
    each: Mapping[str, Any] = field(default_factory=dict)
    scale: int = 0
    knobs: Mapping[str, Any] = field(default_factory=dict)
    dials: Mapping[str, Any] = field(default_factory=dict)
    rungs: tuple[str, ...] = ("H4",)
    first: Mapping[str, Any] = field(default_factory=dict)
    exam: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.each) > 1 or not self.rungs:
            raise ConfigError(f"parts of {self.environment}: `each` names one knob, and `rungs` one rung at least")
        for name, values in {**self.each, **self.dials}.items():
            if not isinstance(values, list | tuple) or not values:
                raise ConfigError(f"parts of {self.environment}: {name} = {values!r}; wanted a list of values")

    def parts(self, name: str, spec: EnvSpec) -> tuple[Part, ...]:
        """Return the parts, their names opened by one."""
        each = next(((knob, tuple(values)) for knob, values in self.each.items()), None)
        fixed = tuple(sorted(self.knobs.items()))
        return spaces.parts(
            spec, name=name, each=each, fixed=fixed, dials=self.dials, rungs=self.rungs, scale=self.scale
        )  # fmt: skip


@dataclass(frozen=True)
class Arm:
    """Who sets the dials: an engineer by name with its `settings`, or a language model behind a `chat`, which gives so
    many `candidates` and has `rivals` that stand in for it. `seeds` is the number of runs, the design's by default."""

    engineer: str
    seeds: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    chat: Mapping[str, Any] = field(default_factory=dict)
    candidates: int = 3
    rivals: tuple[str, ...] = ("thresholds", "bandit", "no_change")

    def __post_init__(self) -> None:
        for name in (self.engineer, *self.rivals):
            if name not in ENGINEERS and (name != LANGUAGE_MODEL or name in self.rivals):
                raise ConfigError(f"no engineer is called {name!r}{nearest(name, [*ENGINEERS, LANGUAGE_MODEL])}")
        model = self.engineer == LANGUAGE_MODEL
        unread = "settings" if model else "chat"
        if getattr(self, unread):
            raise ConfigError(f"the engineer {self.engineer} does not read the table `{unread}`; leave it out")
        if model:
            chats.read(self.chat)
        if self.candidates < 1 or (self.seeds is not None and self.seeds < 1):
            raise ConfigError(f"candidates = {self.candidates}, seeds = {self.seeds}; both start at 1")


@dataclass(frozen=True)
class ExamConfig:
    """How many different problems of each part are validated on after a stage, and judged on before and at the end."""

    validation: int = 24
    test: int = 60
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.validation, self.test) < 1 or not 0 <= self.seed < 2**63:
            raise ConfigError(f"exam: validation = {self.validation}, test = {self.test}, seed = {self.seed}")


@dataclass(frozen=True)
class EngineeringConfig:
    """All that decides what the runs compute; `updates` are those of one stage.

    With `hugging_face` such a model is trained, and what `grpo` and `base` say of the embedded engine is left alone.
    """

    mixture: Mapping[str, Parts]
    arms: Mapping[str, Arm]
    stages: int = 4
    seeds: int = 3
    updates: int = 40
    tickets: int = 8
    every: int = 10
    device: Device = Device.CPU
    groups: GroupConfig = field(default_factory=GroupConfig)
    grpo: Grpo = field(default_factory=Grpo)
    base: BaseConfig = field(default_factory=BaseConfig)
    exam: ExamConfig = field(default_factory=ExamConfig)
    rails: Rails = field(default_factory=Rails)
    evidence: Modules = field(default_factory=Modules)
    hugging_face: HuggingFaceConfig | None = None

    def __post_init__(self) -> None:
        engines.consistent(self)
        own = [name for name, arm in self.arms.items() if chats.of_the_run(arm.chat)]
        if own and self.hugging_face is None:
            raise ConfigError(
                f"arms.{own[0]}.chat asks what is trained, and an embedded policy is trained, which cannot be asked in "
                "words; give the table hugging_face, or name a model"
            )
        for name in (*self.mixture, *self.arms):
            if not re.fullmatch(r"\w[\w-]*", name):
                raise ConfigError(
                    f"found the name {name!r}; an arm's is that of a folder too: use letters, digits, _ and -"
                )
        if not self.mixture or not self.arms:
            raise ConfigError("an experiment with engineers needs a table [mixture.NAME], and one [arms.NAME]")
        if min(self.stages, self.seeds, self.updates, self.tickets, self.every) < 1 or self.groups.rollouts < 2:
            raise ConfigError(
                f"stages = {self.stages}, seeds = {self.seeds}, updates = {self.updates}, tickets = {self.tickets}, "
                f"every = {self.every}, groups.rollouts = {self.groups.rollouts}; counts start at 1, and a group has 2 "
                "members"
            )

    @property
    def learnt(self) -> list[Harness]:
        """Every harness that is learnt under: what groups learn, or else the rungs of the mixture."""
        rungs = dict.fromkeys(rung for own in self.mixture.values() for rung in own.rungs)
        return [curricula.harness(name) for name in ((self.groups.learn,) if self.groups.learn else rungs)]

    @property
    def rollouts(self) -> int:
        """How many rollouts one stage plays."""
        return self.updates * self.tickets * self.groups.rollouts

    def runs(self, arm: str) -> range:
        """Return the seeds of an arm."""
        own = self.arms[arm].seeds
        return range(self.seeds if own is None else own)

    def chosen(self, arms: tuple[str, ...]) -> tuple[str, ...]:
        """Return the arms that were asked for, all where none was.

        Raises:
            ConfigError: there is none of a name.
        """
        for name in arms:
            if name not in self.arms:
                raise ConfigError(f"there is no arm {name!r}{nearest(name, self.arms)}")
        return tuple(name for name in self.arms if not arms or name in arms)


@dataclass(frozen=True)
class Ground:
    """What all arms stand on: the environments, the legal space, the first settings, and those of the exam."""

    pool: Pool
    space: Space
    first: Settings
    exam: Settings

    @property
    def mixture(self) -> Distribution:
        """The first mixture."""
        return self.space.distribution(self.first)


def ground(design: EngineeringConfig) -> Ground:
    """Return what a design's arms stand on.

    Raises:
        UnknownEnvironment: it names an environment that does not exist.
        ConfigError: one is held out, has no such knob, or settings are not legal.
        BadDistribution: two parts can be one cell.
    """
    named = {name: registry.get(own.environment) for name, own in design.mixture.items()}
    pool = training_pool([env.spec.id for env in named.values()])
    made = {name: own.parts(name, named[name].spec) for name, own in design.mixture.items()}
    learn = None if design.groups.learn is None else curricula.harness(design.groups.learn)
    every = tuple(part for parts in made.values() for part in parts)
    space = Space(every, design.groups.rollouts, learn, design.groups.guided)
    natural = spaces.natural(space, {env_id: env.spec for env_id, env in pool.items()})
    first: dict[str, Mapping[str, Setting]] = {}
    exam: dict[str, Mapping[str, Setting]] = {}
    for name, own in design.mixture.items():
        for part in made[name]:
            first[part.name] = _stood(part, natural[part.name], own.first, f"mixture.{name}.first")
            exam[part.name] = _stood(part, first[part.name], own.exam, f"mixture.{name}.exam")
    return Ground(pool, space, first, exam)


def _stood(part: Part, own: Mapping[str, Setting], said: Mapping[str, Any], where: str) -> Mapping[str, Setting]:
    """Return settings with those that were said in their place; each has to be a value of its dial."""
    dials = {dial.name: dial.values for dial in part.dials}
    for name, value in said.items():
        if name != WEIGHT and value not in dials.get(name, ()):
            raise ConfigError(f"{where}: {name} = {value!r}; {part.name} takes {dials.get(name) or 'no such dial'}")
    return part.within({**own, **said})
