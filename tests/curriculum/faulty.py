"""Curricula with one planted fault each, and the check that must find it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from palaestra.core.curriculum import Curriculum, Update
from palaestra.core.distribution import Distribution
from palaestra.core.environment import EnvSpec
from palaestra.core.ticket import Group
from palaestra.curriculum.guarded import Guarded, GuardedState
from palaestra.curriculum.hdc import HDC, HDCState
from palaestra.curriculum.tally import NOTHING
from palaestra.curriculum.template import Roster
from palaestra.curriculum.uniform import Uniform


@dataclass(frozen=True)
class Quick(HDC):
    """The sound rule below the faults: it moves often."""

    tau_scale: float = 0.6
    tau_harness: float = 0.6
    least: int = 2
    width: int = 2


class KeepsItsChanges(Quick):
    def update(self, state: HDCState, groups: Sequence[Group]) -> Update[HDCState]:
        return Update(super().update(state, groups).state, {})


class LeaksWeight(Quick):
    """Cells that are left keep their weight in the changes."""

    def update(self, state: HDCState, groups: Sequence[Group]) -> Update[HDCState]:
        update = super().update(state, groups)
        return Update(update.state, {cell: weight for cell, weight in update.changes.items() if weight})


class NamesEverything(Quick):
    def update(self, state: HDCState, groups: Sequence[Group]) -> Update[HDCState]:
        update = super().update(state, groups)
        return Update(update.state, {**update.changes, **self.distribution(update.state).weights})


CALLS = count()


class ThrowsACoin(Quick):
    """Drops a group now and then, by a number that is not in its state."""

    def update(self, state: HDCState, groups: Sequence[Group]) -> Update[HDCState]:
        return super().update(state, groups[next(CALLS) % 2 :])


class ForgetsOnLoad(Quick):
    def load(self, data: Mapping[str, Any]) -> HDCState:
        return tuple(replace(at, tally=NOTHING) for at in super().load(data))


class TakesRewardForSuccess(Quick):
    def update(self, state: HDCState, groups: Sequence[Group]) -> Update[HDCState]:
        return super().update(state, [_relabelled(group) for group in groups])


class TakesMissingForFailed(Quick):
    def update(self, state: HDCState, groups: Sequence[Group]) -> Update[HDCState]:
        return super().update(state, [_unmarked(group) for group in groups])


class DividesByTheJudged(Quick):
    def update(self, state: HDCState, groups: Sequence[Group]) -> Update[HDCState]:
        assert all(sum(member.success for member in group.judged()) / len(group.judged()) <= 1 for group in groups)
        return super().update(state, groups)


class TakesLateForFresh(Quick):
    """Credits every group of an environment to where the environment stands now."""

    def update(self, state: HDCState, groups: Sequence[Group]) -> Update[HDCState]:
        frontier = self.frontier(state, [at.env_id for at in state])
        moved = [
            replace(group, ticket=replace(group.ticket, cell=frontier[group.ticket.cell.env_id])) for group in groups
        ]
        return super().update(state, moved)


class FailsOnStrangers(Quick):
    def update(self, state: HDCState, groups: Sequence[Group]) -> Update[HDCState]:
        assert {group.ticket.cell.harness for group in groups} <= set(self.ladder)
        return super().update(state, groups)


class InventsAScale(Uniform):
    def start(self, specs: Sequence[EnvSpec]) -> Roster:
        return tuple((env_id, (*scales, len(scales))) for env_id, scales in super().start(specs))


class InventsAnEnvironment(Uniform):
    def start(self, specs: Sequence[EnvSpec]) -> Roster:
        return (*super().start(specs), ("check/none", (0,)))


class Overweighs(Uniform):
    """Weights that are finite one by one, and infinite together."""

    def distribution(self, state: Roster) -> Distribution:
        return Distribution(dict.fromkeys(super().distribution(state).weights, 1e308))


class AdmitsTwice(Uniform):
    def admit(self, state: Roster, group: Group) -> float:
        return 2.0


@dataclass(frozen=True)
class Drains(Uniform):
    """Keeps a single environment, as a pool does that drops what is solved."""

    def start(self, specs: Sequence[EnvSpec]) -> Roster:
        return super().start(specs)[:1]


class Unfloored(Guarded[Any]):
    """A guard that says it has a floor, and has none."""

    def distribution(self, state: GuardedState[Any]) -> Distribution:
        return self.curriculum.distribution(state.inner)

    def update(self, state: GuardedState[Any], groups: Sequence[Group]) -> Update[GuardedState[Any]]:
        update = super().update(state, groups)
        return Update(update.state, {})


FAULTY: Sequence[tuple[str, Curriculum[Any], str]] = (
    ("replay", KeepsItsChanges(), "by its changes"),
    ("replay", LeaksWeight(), "by its changes"),
    ("replay", NamesEverything(), "whose weight stays"),
    ("determinism", ThrowsACoin(), "another time"),
    ("resume", ForgetsOnLoad(), "are others"),
    ("success", TakesRewardForSuccess(), "because they earned rewards"),
    ("missing", TakesMissingForFailed(), "without a score were counted"),
    ("missing", DividesByTheJudged(), "raised ZeroDivisionError"),
    ("lag", TakesLateForFresh(), "late groups of"),
    ("lag", FailsOnStrangers(), "raised AssertionError"),
    ("cells", InventsAScale(), "it has the scales 0 to"),
    ("cells", InventsAnEnvironment(), "check/none is not among"),
    ("distribution", Overweighs(), "do not sum to one"),
    ("admission", AdmitsTwice(), "with weight 2.0"),
    ("starvation", Unfloored(Drains()), "has a share of 0.0000"),
)
"""The check that must find it, the faulty curriculum, and what the finding says."""


def _relabelled(group: Group) -> Group:
    return replace(
        group, trajectories=tuple(replace(member, success=member.ret > 0.5) for member in group.trajectories)
    )


def _unmarked(group: Group) -> Group:
    return replace(group, trajectories=tuple(replace(member, error="") for member in group.trajectories))
