"""What all cells of one rule have in common: how a group is played, and which scales an environment may be drawn at.

A rule decides environments, scales and harnesses; the rest of a `Cell` it takes from here. With `learn`, groups are
*guided*: the first round(guided * rollouts) members act under the cell's harness, and the whole group is learnt
without it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from palaestra.core.distribution import Cell
from palaestra.core.environment import EnvSpec
from palaestra.core.errors import BadDistribution
from palaestra.core.instance import Knobs
from palaestra.core.observation import Harness

Roster = tuple[tuple[str, tuple[int, ...]], ...]
"""Environment ids, each with the scales it may be drawn at, easiest first."""


@dataclass(frozen=True, slots=True)
class Template:
    """How groups are played, and the `scales` allowed by environment id; one that is not named has all of its scales.

    Every environment must have the `knobs`, if any are set.

    >>> from palaestra.core.observation import H1, H4
    >>> guided = Template(learn=H4, guided=0.5, rollouts=8)
    >>> guided.cell("grid/frozen_lake", 2, H1).helped, guided.cell("grid/frozen_lake", 2, H4).learn
    (4, None)
    """

    learn: Harness | None = None
    guided: float = 1.0
    rollouts: int = 16
    policy: str = "learner"
    scales: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    knobs: Knobs = ()

    def cell(self, env_id: str, scale: int, harness: Harness) -> Cell:
        """Return the cell of one environment, scale and harness."""
        return Cell(env_id, scale, harness, self.knobs, None, self.learn, self.guided, self.rollouts, self.policy)

    def roster(self, specs: Sequence[EnvSpec]) -> Roster:
        """Return the environments with the scales they may be drawn at.

        Raises:
            BadDistribution: no environment, one named twice, one without an allowed scale, or a scale it does not have.
        """
        roster = tuple((spec.id, tuple(self.scales.get(spec.id, range(len(spec.scales))))) for spec in specs)
        if not specs or len(dict(roster)) < len(specs):
            raise BadDistribution(
                f"curriculum over {[spec.id for spec in specs]}: name at least one environment, each once"
            )
        for spec, (env_id, scales) in zip(specs, roster, strict=True):
            if not scales or scales != tuple(sorted(set(scales) & set(range(len(spec.scales))))):
                raise BadDistribution(
                    f"curriculum: {env_id} was allowed the scales {list(scales)}; it has 0 to {len(spec.scales) - 1}; "
                    "list some of them in order, each once, or leave the environment out"
                )
        return roster


PLAIN = Template()
"""Unaided groups of 16 on every scale."""
