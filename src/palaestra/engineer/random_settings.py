"""Random: weights and dials drawn anew for every stage.

Source: the control that searches are compared with. Departures: weights are drawn evenly over all mixtures (Dirichlet).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from palaestra.core.distribution import Distribution
from palaestra.core.engineer import Evidence, Proposal
from palaestra.core.instance import Setting, seed_from
from palaestra.core.space import WEIGHT, Space


@dataclass(frozen=True)
class RandomSettings:
    """Draws one configuration a stage."""

    reads: ClassVar[bool] = False
    seed: int = 0

    def propose(self, current: Distribution, evidence: Evidence, space: Space) -> Proposal:
        """Return a configuration that follows from the seed and the number of the stage."""
        rng = np.random.default_rng(seed_from("random settings", self.seed, len(evidence.stages)))
        weights = rng.dirichlet(np.ones(len(space.parts)))
        settings: dict[str, dict[str, Setting]] = {}
        for part, weight in zip(space.parts, weights.tolist(), strict=True):
            own: dict[str, Setting] = {dial.name: dial.at(float(rng.random())) for dial in part.dials}
            settings[part.name] = {WEIGHT: round(weight, 4) + 1e-4, **part.within(own)}
        return Proposal(space.distribution(settings), "drawn at random")
