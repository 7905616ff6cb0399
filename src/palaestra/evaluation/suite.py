"""Which problems are judged: distinct ones of the test split, the same for every method and under every harness.

Every environment gives equally many problems at each scale that has a test split and that the policy can read. Two
seeds may draw one problem, so problems are told apart by `Environment.problem`. Which they are follows from the
suite's seed, the environment and its scales, never from who plays. What cannot be judged is listed.

Source: the evaluation of Hierarchical Difficulty Curriculum (in-distribution single-turn and multi-turn, held-out
environments). Departures: test problems never met in training, told apart by what they are and not by seed.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, NamedTuple

from palaestra.core.distribution import Cell
from palaestra.core.environment import Environment, EnvSpec, Pool
from palaestra.core.errors import ConfigError, UnknownEnvironment, nearest
from palaestra.core.instance import Instance, Split, seed_from
from palaestra.core.observation import H4, Harness
from palaestra.core.ticket import Ticket

SINGLE_TURN, MULTI_TURN, HELD_OUT = "single_turn", "multi_turn", "held_out"
"""The groups: in-distribution by tag (multi-turn where it is not single-turn), and out-of-distribution."""

PATIENCE = 20
"""How many seeds are tried for each problem that is wanted."""

UNREADABLE = "not among the scales that the policy can read"


class LeftOut(NamedTuple):
    """A scale that is not judged, and why."""

    env_id: str
    scale: int
    why: str


@dataclass(frozen=True, slots=True)
class Suite:
    """Tickets of one rollout each, all of different problems, and the environments of each group."""

    tickets: tuple[Ticket, ...]
    groups: Mapping[str, tuple[str, ...]]
    left_out: tuple[LeftOut, ...]
    harness: Harness

    @staticmethod
    def draw(
        pool: Pool,
        held_out: Set[str] = frozenset(),
        *,
        per_scale: int = 20,
        seed: int = 0,
        harness: Harness = H4,
        scales: Mapping[str, Sequence[int]] | None = None,
        split: Split = Split.TEST,
    ) -> "Suite":
        """Return the suite of a pool.

        Args:
            pool: every environment to be judged, held-out ones included.
            held_out: the ids that were never used to profile, select, pretrain or train.
            per_scale: how many distinct problems each scale gives; one that has fewer is left out.
            seed: decides which.
            harness: what the policy is shown.
            scales: those that the policy can read, by environment; None for all, one that is not named has none.
            split: which problems; dials are set on those of the split `valid`.

        Raises:
            ConfigError: `per_scale` is not positive.
            UnknownEnvironment: a held-out environment is not in the pool.
        """
        if per_scale < 1:
            raise ConfigError(f"per_scale is {per_scale}; a scale is judged by one problem at least")
        for env_id in sorted(held_out - pool.keys()):
            raise UnknownEnvironment(f"held-out environment {env_id!r} is not in the pool{nearest(env_id, pool)}")
        instances: list[Instance] = []
        left_out: list[LeftOut] = []
        groups: dict[str, list[str]] = {SINGLE_TURN: [], MULTI_TURN: [], HELD_OUT: []}
        for env_id, env in sorted(pool.items()):
            readable = range(len(env.spec.scales)) if scales is None else scales.get(env_id, ())
            seen: set[bytes] = set()
            for scale in range(len(env.spec.scales)):
                wanted = scale in readable
                found, why = _problems(env, scale, per_scale, seed, seen, split) if wanted else ([], UNREADABLE)
                instances += found
                left_out += [LeftOut(env_id, scale, why)] if why else []
            if any(instance.env_id == env_id for instance in instances):
                groups[HELD_OUT if env_id in held_out else _turns(env.spec)].append(env_id)
        cells = [Cell(instance.env_id, instance.scale, harness, rollouts=1) for instance in instances]
        tickets = (Ticket(i, cell, instance) for i, (cell, instance) in enumerate(zip(cells, instances, strict=True)))
        return Suite(tuple(tickets), {name: tuple(ids) for name, ids in groups.items()}, tuple(left_out), harness)

    def only(self, env_ids: Set[str]) -> "Suite":
        """Return the same problems of fewer environments."""
        groups = {name: tuple(id_ for id_ in ids if id_ in env_ids) for name, ids in self.groups.items()}
        left_out = tuple(left for left in self.left_out if left.env_id in env_ids)
        tickets = tuple(ticket for ticket in self.tickets if ticket.cell.env_id in env_ids)
        return replace(self, tickets=tickets, groups=groups, left_out=left_out)

    def under(self, harness: Harness) -> "Suite":
        """Return the same problems under another harness; tickets keep their numbers, so chance is the same too."""
        tickets = (replace(ticket, cell=replace(ticket.cell, harness=harness)) for ticket in self.tickets)
        return replace(self, tickets=tuple(tickets), harness=harness)

    @property
    def unjudged(self) -> tuple[str, ...]:
        """The environments of which no scale is judged."""
        judged = {ticket.cell.env_id for ticket in self.tickets}
        return tuple(sorted({left.env_id for left in self.left_out} - judged))

    @property
    def digest(self) -> str:
        """What tells two suites apart: the names of their problems, under whichever harness."""
        names = (ticket.instance.key() for ticket in self.tickets)
        return sha256("\n".join(names).encode()).hexdigest()[:16]


def _turns(spec: EnvSpec) -> str:
    return SINGLE_TURN if SINGLE_TURN in spec.tags else MULTI_TURN


def _problems(
    env: Environment[Any, Any], scale: int, n: int, seed: int, seen: set[bytes], split: Split
) -> tuple[list[Instance], str]:
    """Return n instances of problems not yet in `seen`, where they are added; or none, and the reason."""
    spec = env.spec
    if scale in spec.train_only:
        return [], f"train-only: too few problems for a {split} split"
    found: list[Instance] = []
    try:
        for attempt in range(PATIENCE * n):
            instance = spec.instance(scale, seed_from("suite", seed, spec.id, scale, attempt), split)
            problem = env.problem(env.reset(instance))
            if problem not in seen:
                seen.add(problem)
                found.append(instance)
            if len(found) == n:
                return found, ""
    except Exception as error:  # its author's to mend; the other scales go on
        return [], f"{type(error).__name__}: {error}"
    return [], f"{len(found)} new {split} problems in {PATIENCE * n} draws, {n} wanted"
