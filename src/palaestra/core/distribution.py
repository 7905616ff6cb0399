"""What to train on now: relative weights over cells. The noun that selection, curriculum and engineer all produce."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from palaestra.core.errors import BadDistribution, nearest
from palaestra.core.instance import Knobs
from palaestra.core.observation import Harness


@dataclass(frozen=True, slots=True)
class Cell:
    """One kind of ticket: which environment at which scale, what its rollouts see and what the update sees.

    `harness` is what the first round(guided * rollouts) members of a group see; the others see `learn`, and the update
    learns all of them under `learn` (None: the same as `harness`). With `learn` set and `guided` = 1 nobody acts
    unhelped, so nobody is judged. `seed` pins one instance, for replay. `policy` names who plays.

    >>> from palaestra.core.observation import H1, H4
    >>> guided = Cell("grid/frozen_lake", 2, H1, learn=H4, guided=0.5, rollouts=16)
    >>> guided.helped, guided.shown_to(7).name, guided.shown_to(8).name
    (8, 'H1', 'H4')
    """

    env_id: str
    scale: int
    harness: Harness
    knobs: Knobs = ()
    seed: int | None = None
    learn: Harness | None = None
    guided: float = 1.0
    rollouts: int = 16
    policy: str = "learner"

    def __post_init__(self) -> None:
        if not 0 <= self.guided <= 1 or self.rollouts < 1 or self.scale < 0:
            raise BadDistribution(
                f"cell of {self.env_id}: scale {self.scale}, guided {self.guided}, rollouts {self.rollouts}; "
                "scale starts at 0, guided lies in [0, 1], rollouts start at 1"
            )
        if self.learn == self.harness:  # one way to say one thing: equal cells are equal
            object.__setattr__(self, "learn", None)
        if self.learn is None:
            object.__setattr__(self, "guided", 1.0)

    @property
    def helped(self) -> int:
        """How many members of a group see `harness` rather than `learn`."""
        return self.rollouts if self.learn is None else round(self.guided * self.rollouts)

    def shown_to(self, member: int) -> Harness:
        """Return what one member of a group sees."""
        return self.harness if self.learn is None or member < self.helped else self.learn


_AXES = frozenset(field.name for field in fields(Cell))


@dataclass(frozen=True, slots=True)
class Distribution:
    """Relative weights over cells; only their ratios matter.

    >>> from palaestra.core.observation import H0, H4
    >>> lake = {Cell("grid/frozen_lake", 0, H0): 3.0, Cell("grid/frozen_lake", 1, H4): 1.0}
    >>> Distribution(lake).marginal("scale")
    {0: 0.75, 1: 0.25}
    """

    weights: Mapping[Cell, float]

    def __post_init__(self) -> None:
        bad = [cell for cell, weight in self.weights.items() if not 0 <= weight < float("inf")]
        if bad or not sum(self.weights.values()) > 0:
            found = f"weight {self.weights[bad[0]]} for {bad[0]}" if bad else "no cell with a positive weight"
            raise BadDistribution(
                f"distribution: found {found}; weights are finite, not negative, and one at least is positive"
            )

    def probabilities(self) -> dict[Cell, float]:
        """Return the weights scaled to sum to one."""
        total = sum(self.weights.values())
        return {cell: weight / total for cell, weight in self.weights.items()}

    def marginal(self, axis: str) -> dict[object, float]:
        """Return the probability of each value of one field of the cells, such as "env_id", "scale" or "harness".

        Raises:
            BadDistribution: cells have no such field.
        """
        if axis not in _AXES:
            raise BadDistribution(f"marginal over {axis!r}: cells have no such field{nearest(axis, _AXES)}")
        marginal: dict[object, float] = {}
        for cell, probability in self.probabilities().items():
            value = getattr(cell, axis)
            marginal[value] = marginal.get(value, 0.0) + probability
        return marginal

    def sample(self, rng: np.random.Generator) -> Cell:
        """Draw one cell; linear in the number of cells, for reports and small mixtures (the Feed draws in log time)."""
        cells = list(self.weights)
        edges = np.cumsum([self.weights[cell] for cell in cells])
        return cells[int(np.searchsorted(edges, rng.random() * edges[-1], side="right"))]
