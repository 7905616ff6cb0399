"""Staged: a mixture that stays as it is while results come in, and changes as a whole between two stages.

Results are only counted, by cell. Between two calls of `train` somebody has an engineer propose, writes that down, and
applies `next_stage`; whoever resumes a run does so again from what was written.

Source: the rounds of LLM-as-Environment-Engineer as a `core.curriculum.Curriculum`. Departures: none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.core.codec import cell_from_json, cell_to_json
from palaestra.core.curriculum import Update
from palaestra.core.distribution import Cell, Distribution
from palaestra.core.environment import EnvSpec
from palaestra.core.rate import Rate
from palaestra.core.ticket import Group


@dataclass(frozen=True, slots=True)
class StagedState:
    """The number of the stage, its weights, and what judged members have come to in it, by cell."""

    stage: int
    weights: Mapping[Cell, float]
    counts: Mapping[Cell, Rate]


@dataclass(frozen=True, slots=True)
class Staged:
    """A rule that starts with one distribution and changes only when it is told the next.

    >>> from palaestra.core.observation import H4
    >>> easy, hard = Cell("a/b", 0, H4), Cell("a/b", 1, H4)
    >>> staged = Staged(Distribution({easy: 1.0}))
    >>> update = staged.next_stage(staged.start(()), Distribution({hard: 1.0}))
    >>> update.state.stage, [weight for weight in update.changes.values()]
    (1, [0.0, 1.0])
    """

    first: Distribution

    def start(self, specs: Sequence[EnvSpec]) -> StagedState:
        """Return the first stage, nothing counted."""
        return StagedState(0, dict(self.first.weights), {})

    def distribution(self, state: StagedState) -> Distribution:
        """Return the mixture of this stage."""
        return Distribution(state.weights)

    def update(self, state: StagedState, groups: Sequence[Group]) -> Update[StagedState]:
        """Count what came back, and change nothing."""
        counts = dict(state.counts)
        for group in groups:
            if judged := group.judged():
                cell = group.ticket.cell
                before = counts.get(cell, Rate(0, 0))
                hits = sum(member.success for member in judged)
                counts[cell] = Rate(before.hits + hits, before.n + len(judged))
        return Update(StagedState(state.stage, state.weights, counts), {})

    def next_stage(self, state: StagedState, mixture: Distribution) -> Update[StagedState]:
        """Begin the next stage with another mixture, its counts at nothing."""
        before, after = state.weights, mixture.weights
        gone = {cell: 0.0 for cell, weight in before.items() if weight and not after.get(cell, 0.0)}
        new = {cell: weight for cell, weight in after.items() if weight != before.get(cell, 0.0)}
        return Update(StagedState(state.stage + 1, dict(after), {}), gone | new)

    def admit(self, state: StagedState, group: Group) -> float:
        """Admit every group in full."""
        return 1.0

    def dump(self, state: StagedState) -> Mapping[str, Any]:
        """Return the state as JSON data."""
        return {
            "stage": state.stage,
            "weights": [[cell_to_json(cell), weight] for cell, weight in state.weights.items()],
            "counts": [[cell_to_json(cell), rate.hits, rate.n] for cell, rate in state.counts.items()],
        }

    def load(self, data: Mapping[str, Any]) -> StagedState:
        """Return the state that was dumped."""
        weights = {cell_from_json(cell): weight for cell, weight in data["weights"]}
        return StagedState(data["stage"], weights, {cell_from_json(c): Rate(hits, n) for c, hits, n in data["counts"]})
