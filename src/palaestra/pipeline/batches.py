"""The batches of one environment: where it is measured, which problems it plays, what its gradients are.

    FOLDER/pilot/   what was played to find the place; FOLDER/ what was played there, one batch to a shard

*Where* is, unless a rung is named, the rung and the scale at which the policy's success was nearest one half in a small
pilot: there most groups have a gradient. Ties go to the least help, then to the smallest scale; a scale with fewer
problems than batches is passed over where there is another. At a named rung it is every scale that the policy reads,
but for those that could not fill the first batches by themselves, again where there is another.

Batches share no problem, whatever its seeds: a tiny scale has few, and one that stood in two batches would pass its
noise off as signal. Each batch takes the next problems that no other has, so that further batches change none before,
from each scale in turn, so that all are drawn alike: where one scale has no more, the batches end.
An environment with too few problems for its first batches plays each of them several times, within one batch.

All of it follows from what is stored, from the checkpoint and from the order to play: any process may do any part.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palaestra.core.distribution import Cell
from palaestra.core.environment import Environment
from palaestra.core.errors import BadMeasurement
from palaestra.core.instance import Instance, seed_from
from palaestra.core.observation import H0, HARNESSES, LADDER, Harness
from palaestra.core.rate import Rate
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Group, Ticket
from palaestra.measure.fisher import fisher_root
from palaestra.measure.hashing import CountSketch
from palaestra.measure.sketches import live, whitened
from palaestra.pipeline.estimator import AUTO, POWERS, GradientConfig, Metric
from palaestra.pipeline.learner import Learner, unplaced
from palaestra.rollout.record import Summary, record
from palaestra.rollout.store import read_shard, shard_path

Array = NDArray[np.float64]

TRIALS = 4
"""How often each problem of the pilot is played at each rung."""

IN_VAIN = 50
"""After so many draws without a new problem an environment is taken to have no more."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What measuring took, whoever did it and in how many calls; `backward_passes` counts gradients of a batch."""

    rollouts: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    backward_passes: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.rollouts + other.rollouts,
            self.prompt_tokens + other.prompt_tokens,
            self.reply_tokens + other.reply_tokens,
            self.backward_passes + other.backward_passes,
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where an environment is measured: the rung that is learnt, the scales, and how often the pilot succeeded."""

    rung: str
    scales: tuple[int, ...]
    success: Rate | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Batches:
    """Batches of one environment, `rows_MK` one sketched gradient for each; `root_K` is zero until a group is live."""

    place: Place
    rows_MK: Array
    root_K: Array
    groups: int = 0
    live_groups: int = 0
    problems: int = 0
    cost: Cost = field(default_factory=Cost)
    played: Summary = field(default_factory=Summary)

    def __add__(self, later: "Batches") -> "Batches":
        return replace(
            later,
            rows_MK=np.concatenate([self.rows_MK, later.rows_MK]),
            root_K=self.root_K if self.root_K.any() else later.root_K,
            groups=self.groups + later.groups,
            live_groups=self.live_groups + later.live_groups,
            cost=self.cost + later.cost,
            played=replace(later.played, mended=self.played.mended + later.played.mended),
        )


@dataclass(frozen=True, slots=True)
class Order:
    """What to measure of one environment: the batches from `first` to before `last`, and with `root` its Fisher."""

    env_id: str
    first: int
    last: int
    root: bool = True


@dataclass(frozen=True, slots=True)
class Site:
    """What all orders of a measurement share: `described` is what stands in each folder under `path`, `scales` are
    those that the policy reads, by environment."""

    plan: GradientConfig
    metric: Metric
    seed: int
    path: Path
    described: str
    scales: Mapping[str, tuple[int, ...]]

    def batches(self, source: Learner, order: Order) -> Batches:
        """Return the batches of an order, playing what is not stored yet.

        There are fewer where the problems run out, none where they are too few to begin with.

        Raises:
            BadMeasurement: a gradient is not finite.
        """
        plan, env = self.plan, source.pool[order.env_id]
        project = CountSketch(k=plan.k)
        part = RunFolder.open(self.path / order.env_id, self.described, lock=False)
        place, piloted, played = self._place(part, source, env)
        dealt, problems = self._dealt(env, place, order.last)
        found = Batches(place, np.zeros((0, plan.k)), np.zeros(plan.k), problems=problems, played=played)
        if not dealt:
            return replace(found, cost=_cost(source, piloted))
        played += self._recorded(part, self._tickets(place, dealt), source, "gradients", plan.groups)
        rows, cost = [], _cost(source, piloted if order.first == 0 else [])
        for batch in range(order.first, len(dealt)):
            groups = read_shard(shard_path(part.path, batch))
            row_K, passes = np.zeros(plan.k), 0
            if alive := sum(map(live, groups)):
                row_K, passes = project(whitened(source, groups, POWERS[self.metric])), 1
                if order.root and not found.root_K.any():
                    found, passes = replace(found, root_K=fisher_root(source, groups, project)), 2
            rows.append(row_K)
            found = replace(found, groups=found.groups + len(groups), live_groups=found.live_groups + alive)
            cost += _cost(source, groups, passes)
        if not np.isfinite(rows).all():
            raise BadMeasurement(
                f"sketch of {order.env_id}: its gradient holds nan or infinity; see to the policy or the loss"
            )
        return replace(found, rows_MK=np.reshape(rows, (-1, plan.k)), cost=cost, played=played)

    def _place(
        self, part: RunFolder, source: Learner, env: Environment[Any, Any]
    ) -> tuple[Place, list[Group], Summary]:
        """Return where an environment is measured, and what was played to find out."""
        plan = self.plan
        if plan.rung != AUTO:
            return Place(plan.rung, self._plenty(env, plan.first * plan.groups)), [], Summary()
        scales = self._plenty(env, plan.first)
        cells = [(rung, scale) for rung in reversed(LADDER) for scale in scales]  # the least help first
        problems = {scale: list(islice(self._instances(env, (scale,), "pilot"), plan.pilot)) for scale in scales}
        orders = [(rung, own) for rung, scale in cells for own in problems[scale]]
        tickets = [
            Ticket(n, Cell(env.spec.id, own.scale, rung, rollouts=TRIALS), own) for n, (rung, own) in enumerate(orders)
        ]
        pilot = RunFolder.open(part.path / "pilot", self.described, lock=False)
        played = self._recorded(pilot, tickets, source, "pilot", len(tickets))
        groups = read_shard(shard_path(pilot.path, 0))
        rates = [_success(groups, rung, scale) for rung, scale in cells]
        best = min(range(len(cells)), key=lambda n: abs(rates[n].value - 0.5))
        return Place(cells[best][0].name, (cells[best][1],), rates[best]), groups, played

    def _plenty(self, env: Environment[Any, Any], wanted: int) -> tuple[int, ...]:
        """Return the scales that have so many problems, or else one for each of the first batches, or else all."""
        readable = self.scales[env.spec.id]
        for n in (wanted, self.plan.first) if len(readable) > 1 else ():
            problems = {scale: islice(self._instances(env, (scale,), "gradients"), n) for scale in readable}
            if kept := tuple(scale for scale, own in problems.items() if sum(1 for _ in own) == n):
                return kept
        return readable

    def _recorded(self, part: RunFolder, tickets: Sequence[Ticket], source: Learner, stream: str, size: int) -> Summary:
        """Return what a folder holds once all tickets are played: replies do not depend on what else is in the pool."""
        seed = seed_from(stream, self.seed, tickets[0].instance.env_id)
        return record(part, tickets, source.pool, source.policy, seed=seed, pixels=source.pixels, shard_size=size)

    def _dealt(self, env: Environment[Any, Any], place: Place, last: int) -> tuple[list[list[Instance]], int]:
        """Return the problems of the first batches, and how many different ones were found."""
        size, least = self.plan.groups, self.plan.first
        new = list(islice(self._instances(env, place.scales, "gradients"), last * size))
        if len(new) >= least * size:
            return [new[n * size : (n + 1) * size] for n in range(len(new) // size)], len(new)
        share = len(new) // least
        own = [new[n * share : (n + 1) * share] for n in range(least if share else 0)]
        return [[few[n % share] for n in range(size)] for few in own], len(new)

    def _tickets(self, place: Place, dealt: Sequence[Sequence[Instance]]) -> list[Ticket]:
        """Return what is to be played; the numbers of an environment's tickets are its own."""
        plan, learnt = self.plan, HARNESSES[place.rung]
        seen, learn = (H0, learnt) if plan.guided else (learnt, None)
        return [
            Ticket(n, Cell(own.env_id, own.scale, seen, (), None, learn, plan.guided or 1.0, plan.rollouts), own)
            for n, own in enumerate(instance for batch in dealt for instance in batch)
        ]

    def _instances(self, env: Environment[Any, Any], scales: Sequence[int], stream: str) -> Iterator[Instance]:
        """Yield training instances of different problems, from each scale in turn, until one of these has no more."""
        known, drawn, vain = set[bytes](), 0, 0
        while vain < IN_VAIN:
            scale = scales[len(known) % len(scales)]
            instance = env.spec.instance(scale, seed_from(stream, self.seed, env.spec.id, drawn))
            drawn, vain = drawn + 1, vain + 1
            try:
                problem = env.problem(env.reset(instance))
            except Exception:  # its author's to mend; play says so, and the other instances go on
                problem = instance.key().encode()
            if problem not in known:
                known.add(problem)
                vain = 0
                yield instance


def _success(groups: Sequence[Group], rung: Harness, scale: int) -> Rate:
    """Return how often the pilot succeeded at one rung and scale."""
    own = [member for group in groups if (group.ticket.cell.harness, group.ticket.cell.scale) == (rung, scale)
           for member in group.judged()]  # fmt: skip
    return Rate(sum(member.success for member in own), len(own))


def _cost(source: Learner, groups: Sequence[Group], passes: int = 0) -> Cost:
    members = [member for group in groups for member in group.trajectories]
    replies = sum(len(turn.completion.token_ids) for member in members for turn in member.turns)
    return Cost(len(members), source.prompt_tokens(groups), replies, passes)


def elsewhere(site: Site, checkpoint: Path, digest: str, order: Order) -> Batches:
    """Return the batches of an order in a process that was told nothing else; environments are the registry's.

    Raises:
        BadMeasurement: the checkpoint is no longer the one that is measured, or a gradient is not finite.
    """
    from palaestra.envs import registry

    source = unplaced(checkpoint)
    if source.digest != digest:
        raise BadMeasurement(f"{checkpoint} changed while it was measured; measure it again")
    here: Any = source
    return site.batches(replace(here, pool=registry.pool([order.env_id])), order)
