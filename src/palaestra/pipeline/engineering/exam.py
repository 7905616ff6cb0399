"""The problems that engineers are compared on: the same for every arm, seed and stage, and never trained on.

Every part gives equally many different ones at the settings of the exam: of the split `valid` after each stage, of the
split `test` before the first and after the last.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from palaestra.core.errors import ConfigError, EnvironmentFailed, PalaestraError
from palaestra.core.instance import Split, seed_from
from palaestra.core.policy import Insider, Policy
from palaestra.core.space import Part
from palaestra.core.ticket import Group, Ticket
from palaestra.engineer.log import Counts, counted
from palaestra.engineer.probe import digest
from palaestra.evaluation.suite import PATIENCE
from palaestra.pipeline.engineering.design import ExamConfig, Ground
from palaestra.rollout.play import play


@dataclass(frozen=True, slots=True)
class Sat:
    """An exam that was sat: what came of each part, which problems were won (None where the environment failed), and
    how each was played."""

    counts: Mapping[str, Counts]
    won: tuple[bool | None, ...]
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class Exam:
    """Tickets of one rollout each, by the part they stand for, the digests of their problems, and how wide a picture of
    them is, 0 for none."""

    ground: Ground
    tickets: tuple[tuple[str, Ticket], ...]
    digests: frozenset[str]
    seed: int
    pixels: int

    def sit(self, policy: Policy | Insider) -> Sat:
        """Return how a policy does, seeing what the update sees."""
        tickets = [ticket for _, ticket in self.tickets]
        groups = play(tickets, self.ground.pool, policy, seed=self.seed, pixels=self.pixels)
        by_part: dict[str, list[Group]] = {}
        for (name, _), group in zip(self.tickets, groups, strict=True):
            by_part.setdefault(name, []).append(group)
        counts = {name: counted([m for group in own for m in group.judged()]) for name, own in by_part.items()}
        won = tuple(next((member.success for member in group.judged()), None) for group in groups)
        return Sat(counts, won, tuple(groups))


def exam(ground: Ground, plan: ExamConfig, split: Split, pixels: int = 0) -> Exam:
    """Return the problems of a split.

    Raises:
        ConfigError: a part has too few.
    """
    each = plan.validation if split is Split.VALID else plan.test
    tickets: list[tuple[str, Ticket]] = []
    digests: set[str] = set()
    for part in ground.space.parts:
        own = ground.space.cell(part, ground.exam[part.name])
        cell = replace(own, harness=own.learn or own.harness, learn=None, rollouts=1)
        before = len(tickets)
        for k in range(PATIENCE * each):
            env = ground.pool[part.env_id]
            instance = env.spec.instance(
                cell.scale, seed_from("engineer exam", plan.seed, split, part.name, k), split, cell.knobs
            )
            try:
                name = digest(env, env.reset(instance))
            except EnvironmentFailed as error:
                raise _few(part, split, len(tickets) - before, each) from error
            except PalaestraError as error:
                raise ConfigError(f"{part.name}: {error}") from error
            if name not in digests:
                digests.add(name)
                tickets.append((part.name, Ticket(len(tickets), cell, instance)))
            if len(tickets) == before + each:
                break
        else:
            raise _few(part, split, len(tickets) - before, each)
    return Exam(ground, tuple(tickets), frozenset(digests), plan.seed, pixels)


def _few(part: Part, split: Split, found: int, wanted: int) -> ConfigError:
    return ConfigError(
        f"{part.name} gives {found} different problems of the split {split} at the settings of the exam, {wanted} "
        "wanted; ask for fewer, or set `exam` to values with more"
    )
