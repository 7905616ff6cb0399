"""What a comparison of selections fixes before its first run: methods, K, seeds, budget, and the problems that judge.

All arms train alike, without help, uniformly over their environments and scales, by the embedded engine: settings that
say otherwise are refused, and the set is the one difference. What choosing it costs is told apart from the budget,
which is the same number of rollouts and of updates for every run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from palaestra.core import config
from palaestra.core.errors import ConfigError, nearest
from palaestra.core.trainer import Budget
from palaestra.envs import held_out, registry
from palaestra.pipeline import profiles
from palaestra.pipeline.curricula import CurriculumConfig
from palaestra.pipeline.measure import MeasureConfig
from palaestra.pipeline.select import CONFLICTS
from palaestra.pipeline.train import GroupConfig, TrainConfig
from palaestra.selection import METHODS
from palaestra.selection.exact import LIMIT

MARK = "methods"
"""The key that tells such a configuration from one that compares ways of training."""

WHOLE = "everything"
"""The method that takes no K."""

FLAT = {"name": "uniform", "guarded": False}
"""The curriculum of every run."""

CHECKPOINTS = 4
"""How often a run writes one: as many parts of it at most are made again after a kill."""


@dataclass(frozen=True)
class Judging:
    """Who judges: so many problems `per_scale`, drawn by `seed`, of the whole pool and of the environments `held_out`,
    all that there are where none is named."""

    per_scale: int = 8
    seed: int = 0
    held_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.per_scale < 2 or not 0 <= self.seed < 2**63:
            raise ConfigError(
                f"judging: per_scale = {self.per_scale}, seed = {self.seed}; an interval takes 2 problems of each "
                "scale, and seeds start at 0"
            )
        for env_id in self.held_out:
            if env_id not in held_out.HELD_OUT:
                raise ConfigError(f"judging.held_out: {env_id!r} is not held out{nearest(env_id, held_out.HELD_OUT)}")


@dataclass(frozen=True)
class SelectionsConfig:
    """All that decides what a comparison of selections computes.

    The pool are the `environments`, all that are not held out where none is named. Each of the `methods` picks `k` of
    them, with the run's seed where it leaves that to chance; differences are taken to `baseline`. `train` holds the
    settings of every run, `measure` how the pool is measured, by the base.
    """

    methods: tuple[str, ...] = (WHOLE, "random_k", "without_conflict", "aes")
    baseline: str = WHOLE
    k: int = 15
    seeds: int = 3
    updates: int = 40
    environments: tuple[str, ...] = ()
    conflict: str = CONFLICTS[0]
    measure: MeasureConfig = field(default_factory=MeasureConfig)
    train: Mapping[str, Any] = field(default_factory=dict)
    judging: Judging = field(default_factory=Judging)

    def __post_init__(self) -> None:
        for name in self.methods:
            if name not in METHODS:
                raise ConfigError(f"methods: none is called {name!r}{nearest(name, METHODS)}")
        if self.baseline not in self.methods:
            raise ConfigError(f"baseline = {self.baseline!r} is none of the methods {', '.join(self.methods)}")
        if self.conflict not in CONFLICTS:
            raise ConfigError(f"no conflict is called {self.conflict!r}{nearest(self.conflict, CONFLICTS)}")
        if self.seeds < 1 or self.updates < 1 or not 1 <= self.k <= len(self.pool):
            raise ConfigError(
                f"seeds = {self.seeds}, updates = {self.updates}, k = {self.k}; all start at 1, and k ends at the "
                f"{len(self.pool)} environments of the pool"
            )
        if "exact" in self.methods and len(self.pool) > LIMIT:
            raise ConfigError(
                f"methods: exact chooses among {LIMIT} environments at most, and the pool has {len(self.pool)}; leave "
                "it out (local_search takes any pool), or name fewer environments"
            )
        if self.measure.environments or self.measure.checkpoint:
            raise ConfigError("measure: environments and checkpoint are set by the experiment; leave them out")
        registry.pool(self.pool)
        profiles.allowed(self.pool)
        self.plan(self.pool, 0)

    @property
    def pool(self) -> tuple[str, ...]:
        """The environments that are chosen from."""
        return self.environments or tuple(id_ for id_ in registry.ids() if id_ not in held_out.HELD_OUT)

    @property
    def ood(self) -> frozenset[str]:
        """The environments that judge, and that nothing was chosen from."""
        return frozenset(self.judging.held_out) or held_out.HELD_OUT

    def size(self, method: str) -> int | None:
        """Return how many environments a method picks, None for all."""
        return None if method == WHOLE else self.k

    def measured(self, base: Path) -> MeasureConfig:
        """Return how the pool is measured, by the base in a folder."""
        return replace(self.measure, environments=self.pool, checkpoint=str(base))

    def plan(self, env_ids: tuple[str, ...], seed: int) -> TrainConfig:
        """Return the training of one run.

        Raises:
            ConfigError: the settings make no sense, set what the experiment sets, or would have arms train otherwise
                than without help and uniformly.
        """
        given = {
            "environments": list(env_ids),
            "seed": seed,
            "first_seed": seed << 32,  # so that runs of different seeds train on different problems
            "every": max(1, self.updates // CHECKPOINTS),
        }
        if taken := sorted(self.train.keys() & {*given, "budget", "keep"}):
            raise ConfigError(f"train: {', '.join(taken)} is set by the experiment; leave it out")
        made = config.build({"curriculum": FLAT, **self.train, **given}, TrainConfig, "train")
        _flat(made)
        return replace(made, budget=Budget(self.updates * made.tickets * made.groups.rollouts, self.updates))

    def chosen(self, arms: tuple[str, ...]) -> tuple[str, ...]:
        """Return the methods that were asked for, all where none was.

        Raises:
            ConfigError: there is none of a name.
        """
        for name in arms:
            if name not in self.methods:
                raise ConfigError(f"the experiment has no arm {name!r}{nearest(name, self.methods)}")
        return arms or self.methods


def _flat(made: TrainConfig) -> None:
    """Refuse settings by which arms would train otherwise than without help and uniformly, by the embedded engine."""
    groups, plain = made.groups, GroupConfig()
    if made.hugging_face is not None:
        raise ConfigError("train.hugging_face is set, and selections are compared by the embedded engine; drop it")
    if (groups.learn, groups.guided, groups.describe) != (plain.learn, plain.guided, plain.describe):
        raise ConfigError("train.groups: learn, guided or describe is set, and arms train without help; leave them out")
    if made.curriculum != (flat := CurriculumConfig("uniform", guarded=False)):
        raise ConfigError(
            f"train.curriculum: found {made.curriculum} with {dict(made.curriculum.rule)}; all arms train by "
            f"{flat} with {dict(flat.rule)}, not guarded, which is what they do where the table is left out"
        )
