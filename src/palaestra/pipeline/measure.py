"""Stage "measure": a weak and a strong player on every environment, and from what they did a profile of each.

    RUN/weak/, RUN/strong/     what each played: one shard for each environment, on the same instances
    RUN/profiles.json          which abilities each environment exercises
    RUN/labels/                who named which abilities (`pipeline.labels`)
    RUN/agreement.json, overlap.json   once two have: how far they agree, and whether AES would (`pipeline.agreement`)
    RUN/stability.json         how much of each profile would survive other instances
    RUN/sketches.safetensors   with a checkpoint: in which direction its policy gradient pulls (`pipeline.gradients`)
    RUN/cost.json              with a checkpoint: what all of it took

Profiles are made of what was stored and of nothing else, so a run that was killed goes on to the same bytes.

Source: Ability-aware Environment Selection: 5 instances, two players with 20 trajectories each. Departures: there both
are language models; here, unless others are named, the oracle with a more and a less trembling hand. Nothing is
drawn for those of the house, which look at no picture.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from palaestra.core import config
from palaestra.core.distribution import Cell
from palaestra.core.environment import Pool
from palaestra.core.errors import ConfigError
from palaestra.core.instance import seed_from
from palaestra.core.observation import H4
from palaestra.core.profile import AbilityProfile
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Group, Ticket
from palaestra.envs import held_out, registry
from palaestra.integrations.openai import Player
from palaestra.measure.profiles import profile
from palaestra.measure.stability import Stability, stability
from palaestra.pipeline import cost, drift, labelers, players, profiles
from palaestra.pipeline.batches import Cost
from palaestra.pipeline.estimator import GradientConfig
from palaestra.pipeline.gradients import Gradients, gradients
from palaestra.pipeline.labelers import By, LabelerConfig, Labelled
from palaestra.pipeline.learner import learner
from palaestra.rollout.play import ready
from palaestra.rollout.record import Summary, record
from palaestra.rollout.store import arrow, read_shard, shard_path
from palaestra.training import checkpoints

PIXELS = 448
"""The width of pictures that a model behind a server is shown."""

UNREPEATABLE = ("person", "scripted")
"""Players whose replies do not follow from the configuration."""


@dataclass(frozen=True)
class MeasureConfig:
    """Who plays what how often: `environments` without any means all that are not held out, `scales` all of them.

    The instances of an environment are spread over its scales, from the first on; each is played by both players,
    `rollouts` times by each. `checkpoint` is the folder of the policy whose gradients are measured, `gradients` how;
    neither changes a profile, so a folder that holds profiles takes gradients later. `labeler` names the abilities;
    another one labels the same trajectories anew, and `self` is the checkpoint or, without one, the strong player.
    """

    environments: tuple[str, ...] = ()
    weak: str = "epsilon-oracle:0.7"
    strong: str = "epsilon-oracle:0.15"
    instances: int = 5
    rollouts: int = 4
    scales: tuple[int, ...] = ()
    seed: int = 0
    checkpoint: str | None = None
    gradients: GradientConfig | None = None
    labeler: LabelerConfig | None = None

    def __post_init__(self) -> None:
        if self.instances < 1 or self.rollouts < 1:
            raise ConfigError(f"instances = {self.instances}, rollouts = {self.rollouts}; ask for one of each at least")
        if not 0 <= self.seed < 2**63:  # a run stores it in 64 bits
            raise ConfigError(f"seed = {self.seed}; seeds go from 0 to 2**63 - 1")
        for player in (self.weak, self.strong):
            if player.partition(":")[0] in UNREPEATABLE:
                raise ConfigError(f"{player} cannot measure: nothing says that it would play the same again")


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run of the stage found, environment by environment, and what its trajectories came to."""

    profiles: tuple[AbilityProfile, ...]
    stability: tuple[Stability, ...]
    played: Summary
    labelled: Labelled
    cost: Mapping[str, float]
    gradients: Gradients | None = None
    drift: Mapping[str, Any] | None = None


def measure(
    plan: MeasureConfig, out: Path, progress: Callable[[int, int], None] | None = None, workers: int = 1
) -> Measured:
    """Measure a pool into a run folder; the same call goes on after a kill at any moment.

    Args:
        progress: told how many episodes of how many are there; then how many batches of gradients.
        workers: how many processes measure gradients side by side, with the same result.

    Raises:
        UnknownEnvironment: the plan names one that does not exist.
        ConfigError: the plan names one that is held out, a metric that the checkpoint cannot give, or labels that
            cannot be read.
        PolicyFailed: there is no such player, or it refuses an environment.
        BadInstance: an environment has no such scale.
        RunFolderError: the folder cannot be written, or holds another run; or there is no such checkpoint.
        ExtraMissing: pyarrow is not installed, or what a checkpoint needs.
        BadMeasurement: a gradient is not finite, or labels are not those of this run.
        EndpointFailed: a model's server is down, or refuses the key or the model.
    """
    seconds = cost.clock()
    named = plan.environments or tuple(env_id for env_id in registry.ids() if env_id not in held_out.HELD_OUT)
    plan, pool = replace(plan, environments=named), registry.pool(dict.fromkeys(named))
    profiles.allowed(pool)
    orders = tickets(plan, pool)
    sides = {"weak": players.make(plan.weak, out), "strong": players.make(plan.strong, out)}
    for side, player in sides.items():
        ready(orders[side], pool, player)
    who = plan.labeler or LabelerConfig()
    if who.by is By.SELF and who.model is None:
        talks = plan.checkpoint and checkpoints.engine(Path(plan.checkpoint))  # the embedded engine's speak no words
        who = replace(who, model=f"hugging-face:{plan.checkpoint}" if talks else plan.checkpoint or plan.strong)
    labeler = labelers.prepared(who)
    arrow()  # when it is missing, no folder is made
    how = plan.gradients or GradientConfig()
    source = learner(Path(plan.checkpoint), pool, how.metric) if plan.checkpoint else None
    described = config.dump(replace(plan, checkpoint=None, gradients=None, labeler=None))
    folder, played = RunFolder.open(out, described), Summary()
    total = sum(ticket.cell.rollouts for group in orders.values() for ticket in group)
    for side, player in sides.items():

        def told(done: int, _: int, before: int = played.episodes) -> None:
            if progress is not None:
                progress(before + done, total)

        part, together = RunFolder.open(out / side, described), plan.instances
        pixels = PIXELS if isinstance(player, Player) else 0
        played += record(
            part, orders[side], pool, player, seed=plan.seed, pixels=pixels, shard_size=together, progress=told
        )
    places = {env_id: place for place, env_id in enumerate(pool)}

    def groups(env_id: str) -> list[Group]:  # one environment in memory at a time
        return [group for side in sides for group in read_shard(shard_path(out / side, places[env_id]))]

    named_by = labeler(folder, pool, groups, progress)
    found, steady = [], []
    for env_id in pool:
        own = groups(env_id)
        found.append(profile(env_id, own, named_by.labels))
        steady.append(stability(env_id, own, named_by.labels, seed=plan.seed))
    profiles.write(folder, found)
    folder.write_json("stability.json", {env_id: asdict(own) for env_id, own in zip(pool, steady, strict=True)})
    spent = Cost(rollouts=played.episodes)
    if source is None:
        return Measured(tuple(found), tuple(steady), played, named_by, {**asdict(spent), "cpu_seconds": seconds()})
    pulls = gradients(how, source, out, plan.seed, progress, workers)
    took = cost.write(folder, spent + pulls.cost, seconds())
    return Measured(tuple(found), tuple(steady), played, named_by, took, pulls, drift.write(out))


def tickets(plan: MeasureConfig, pool: Pool) -> dict[str, list[Ticket]]:
    """Return the tickets of both players, environment by environment; they share instances, and no number.

    Raises:
        BadInstance: an environment has no such scale.
    """
    instances = [
        env.spec.instance(scales[n * len(scales) // plan.instances], seed_from("measure", plan.seed, env.spec.id, n))
        for env in pool.values()
        for scales in [plan.scales or range(len(env.spec.scales))]
        for n in range(plan.instances)
    ]
    orders: dict[str, list[Ticket]] = {}
    for side, player in (("weak", plan.weak), ("strong", plan.strong)):
        first = len(instances) * len(orders)  # replies are drawn by the number: the two players' chances are unrelated
        orders[side] = [
            Ticket(first + n, Cell(own.env_id, own.scale, H4, rollouts=plan.rollouts, policy=player), own)
            for n, own in enumerate(instances)
        ]
    return orders
