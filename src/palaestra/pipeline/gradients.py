"""Part of stage "measure": in which direction a checkpoint's policy gradient pulls on each environment.

    RUN/gradients/DIGEST/      what a checkpoint played, a few groups to a shard; DIGEST names it and all settings
    RUN/sketches.safetensors   the sketched batch gradients, for `select`

The policy plays disjoint batches of groups; each batch becomes one gradient and one sketch. Sketches are made of what
was stored and of nothing else, so a run that was killed goes on to the same bytes; another checkpoint, or more batches,
finds its own place beside the first and replaces the sketches.

Equal problems are one instance here, whatever their seeds: a tiny scale has few problems, and one that stood in two
batches would pass its noise off as signal. A group in which all earned alike has a zero gradient, and it is averaged in
as that: a batch of such groups alone is a zero vector, which is what it measured. Cross-fitted norms shrink by the same
share as products do, so cosines stay where they are; an environment without a single live group is unmeasured.

Source: Ability-aware Environment Selection: 10 batches of 10 samples. Departures: a sample is a group of 16 rollouts,
5 a batch; in guided groups a share of the members acts under all help and the group is learnt without it, for policies
that never succeed unaided: its ratio is not corrected, so it is the pull of guided training that is measured.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palaestra.core import config
from palaestra.core.distribution import Cell
from palaestra.core.environment import Environment, Pool
from palaestra.core.errors import ConfigError, ExtraMissing, nearest
from palaestra.core.gradient import GradientSketch
from palaestra.core.instance import Instance, seed_from
from palaestra.core.observation import H0, HARNESSES
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Ticket
from palaestra.measure.conflict import cosines
from palaestra.measure.hashing import CountSketch
from palaestra.measure.sketches import sketch
from palaestra.pipeline import profiles, sketches
from palaestra.rollout.record import Summary, record
from palaestra.rollout.store import arrow, read_shard, shard_path
from palaestra.training import checkpoints

if TYPE_CHECKING:
    from palaestra.training.embedded.gradients import EmbeddedGradients
    from palaestra.training.hugging_face.gradients import HuggingFaceGradients

NARROWEST = 4096
"""The fewest numbers of a sketch: below, the projection's own noise is what one reads."""


class Metric(StrEnum):
    """What gradients are divided by before they are compared.

    `adam` and `fisher` need the optimiser's second moments, at the power 1/4 and 1/2 of each side. `auto` is `adam`
    where there are any, since raw products get a quarter of clear signs wrong, and `raw` before the first step.
    """

    AUTO = "auto"
    RAW = "raw"
    ADAM = "adam"
    FISHER = "fisher"


_POWERS = {Metric.RAW: 0.0, Metric.ADAM: 0.5, Metric.FISHER: 1.0}


@dataclass(frozen=True)
class GradientConfig:
    """How gradients are measured: `batches` disjoint batches of `groups` groups of `rollouts` members each.

    `k` is how many numbers a sketch keeps, `rung` names the harness that is learnt, `guided` the share of each group
    that acts under H0 instead.
    """

    batches: int = 10
    groups: int = 5
    rollouts: int = 16
    k: int = 8192
    rung: str = "H4"
    guided: float = 0.0
    metric: Metric = Metric.AUTO

    def __post_init__(self) -> None:
        if self.batches < 3 or self.groups < 1 or self.rollouts < 2:
            raise ConfigError(
                f"batches = {self.batches}, groups = {self.groups}, rollouts = {self.rollouts}; errors need 3 batches, "
                "a batch one group, and a group 2 members to differ"
            )
        if self.k < NARROWEST:
            raise ConfigError(f"k = {self.k}; below {NARROWEST} a sketch adds too much noise of its own")
        if self.rung not in HARNESSES:
            raise ConfigError(f"rung = {self.rung!r}; there is no such harness{nearest(self.rung, HARNESSES)}")
        if not 0 <= self.guided <= 1:
            raise ConfigError(f"guided = {self.guided}; it is a share of each group, from 0 to 1")


@dataclass(frozen=True)
class _Run:
    """All that decides what a folder of gradients holds."""

    environments: tuple[str, ...]
    checkpoint: str
    seed: int
    gradients: GradientConfig


@dataclass(frozen=True, slots=True)
class Gradients:
    """What was found: a sketch and its reliability for each environment that was measured, and why others were not.

    `samples` counts the gradients that were taken: one for each batch with a live group.
    """

    sketches: tuple[GradientSketch, ...]
    reliability: Mapping[str, float]
    skipped: Mapping[str, str]
    groups: int
    samples: int
    played: Summary


def learner(checkpoint: Path, pool: Pool, metric: Metric) -> "EmbeddedGradients | HuggingFaceGradients":
    """Return the policy of a checkpoint with its gradients, before anything is written or played.

    Raises:
        ExtraMissing: torch, safetensors or pyarrow is not installed.
        RunFolderError: the folder holds no checkpoint, or a damaged one.
        ConfigError: an environment is held out, or the metric needs second moments that the checkpoint does not have.
    """
    profiles.allowed(pool)
    arrow()
    source = _source(checkpoint, pool)
    if metric in (Metric.ADAM, Metric.FISHER) and not source.stepped:
        raise ConfigError(
            f"metric = '{metric}' needs the optimiser's second moments, and {checkpoint} has none, as no update was "
            "made before it; ask for 'raw' or 'auto', or for a later checkpoint"
        )
    return source


def _source(checkpoint: Path, pool: Pool) -> "EmbeddedGradients | HuggingFaceGradients":
    """Return the gradients of a checkpoint, by the engine that wrote it."""
    if checkpoints.engine(checkpoint):
        from palaestra.training.hugging_face.gradients import HuggingFaceGradients

        return HuggingFaceGradients.read(checkpoint, pool)
    try:
        from palaestra.training.embedded.gradients import EmbeddedGradients
    except ImportError as error:
        raise ExtraMissing("gradients are those of a torch network: pip install 'palaestra[cpu]'") from error
    return EmbeddedGradients.read(checkpoint, pool)


def gradients(
    plan: GradientConfig,
    source: "EmbeddedGradients | HuggingFaceGradients",
    out: Path,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Gradients:
    """Sketch the gradients of a policy on its pool into a run folder; the same call goes on after a kill.

    Args:
        out: the run folder.
        progress: told how many episodes, and then how many sketches, of how many are there.

    Raises:
        RunFolderError: the folder cannot be written.
        BadMeasurement: a gradient is not finite.
    """
    from palaestra.training.embedded.prompt import PIXELS

    orders, skipped = _orders(plan, source.pool, seed)
    pool = {env_id: source.pool[env_id] for env_id in orders}
    described = config.dump(_Run(tuple(source.pool), source.digest, seed, plan))
    part = RunFolder.open(out / "gradients" / sha256(described.encode()).hexdigest()[:12], described)
    tickets = [ticket for own in orders.values() for ticket in own]
    played = record(
        part, tickets, pool, source.policy, seed=seed, pixels=PIXELS, shard_size=plan.groups, progress=progress
    )
    metric = plan.metric if plan.metric is not Metric.AUTO else Metric.ADAM if source.stepped else Metric.RAW
    found = []
    for place, env_id in enumerate(pool):  # one environment in memory at a time
        shards = range(place * plan.batches, (place + 1) * plan.batches)
        groups = [group for shard in shards for group in read_shard(shard_path(part.path, shard))]
        found.append(sketch(env_id, groups, source, plan.batches, _POWERS[metric], CountSketch(k=plan.k)))
        if progress is not None:
            progress(place + 1, len(pool))
    reliability = dict(zip(pool, cosines(found).reliability_E.tolist(), strict=True)) if found else {}
    sketches.write(RunFolder(out), found)
    samples = sum(int(own.batches_MK.any(axis=1).sum()) for own in found)
    return Gradients(tuple(found), reliability, skipped, plan.batches * plan.groups, samples, played)


def _orders(plan: GradientConfig, pool: Pool, seed: int) -> tuple[dict[str, list[Ticket]], dict[str, str]]:
    """Return the tickets of each environment that can be measured, and why the others cannot."""
    learnt = HARNESSES[plan.rung]
    seen, learn = (H0, learnt) if plan.guided else (learnt, None)
    orders: dict[str, list[Ticket]] = {}
    skipped: dict[str, str] = {}
    for env_id, env in pool.items():
        instances = _instances(env, plan.batches * plan.groups, seed)
        if (distinct := len(set(instances))) < plan.batches:
            few = f"{distinct} problems are too few for {plan.batches} disjoint batches"
            skipped[env_id] = few if instances else "it has no scale that the embedded policy can read"
            continue
        first = len(orders) * len(instances)
        orders[env_id] = [
            Ticket(
                first + n,
                Cell(env_id, own.scale, seen, learn=learn, guided=plan.guided or 1.0, rollouts=plan.rollouts),
                own,
            )
            for n, own in enumerate(instances)
        ]
    return orders, skipped


def _instances(env: Environment[Any, Any], n: int, seed: int) -> list[Instance]:
    """Return n training instances spread over the scales that the policy can read, one for all seeds of a problem."""
    spec, known, drawn = env.spec, dict[bytes, Instance](), []
    for k in range(n if spec.embedded_scales else 0):
        scale = spec.embedded_scales[k % len(spec.embedded_scales)]
        instance = spec.instance(scale, seed_from("gradients", seed, spec.id, k))
        try:
            problem = env.problem(env.reset(instance))
        except Exception:  # its author's to mend: play says so, and the other instances go on
            problem = instance.key().encode()
        drawn.append(known.setdefault(problem, instance))
    return drawn
