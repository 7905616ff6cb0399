"""Uniform: every environment alike, every scale of it alike, at one harness. The flat baseline.

Source: domain randomisation; "All Envs" and "Random-K" in the comparisons of Hierarchical Difficulty Curriculum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.core.curriculum import Update
from palaestra.core.distribution import Distribution
from palaestra.core.environment import EnvSpec
from palaestra.core.observation import H4, Harness
from palaestra.core.ticket import Group
from palaestra.curriculum.template import PLAIN, Roster, Template


@dataclass(frozen=True, slots=True)
class Uniform:
    """A rule that never changes; its state is the roster.

    >>> spec = EnvSpec("toy/walk", 1, "Walk", 9, ({"size": 3}, {"size": 5}))
    >>> uniform = Uniform()
    >>> uniform.distribution(uniform.start([spec])).marginal("scale")
    {0: 0.5, 1: 0.5}
    """

    harness: Harness = H4
    template: Template = PLAIN

    def start(self, specs: Sequence[EnvSpec]) -> Roster:
        """Return the environments with their scales."""
        return self.template.roster(specs)

    def distribution(self, state: Roster) -> Distribution:
        """Return weight 1 for each environment, shared evenly by its scales."""
        return Distribution({
            self.template.cell(env_id, scale, self.harness): 1 / len(scales)
            for env_id, scales in state
            for scale in scales
        })  # fmt: skip

    def update(self, state: Roster, groups: Sequence[Group]) -> Update[Roster]:
        """Learn nothing."""
        return Update(state, {})

    def admit(self, state: Roster, group: Group) -> float:
        """Admit every group in full."""
        return 1.0

    def dump(self, state: Roster) -> Mapping[str, Any]:
        """Return the roster by environment id."""
        return {env_id: list(scales) for env_id, scales in state}

    def load(self, data: Mapping[str, Any]) -> Roster:
        """Return the roster that was dumped."""
        return tuple((env_id, tuple(scales)) for env_id, scales in data.items())
