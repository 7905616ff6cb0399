"""Domain randomisation: all parts alike, and within each a spread of settings drawn over the whole range of its dials.

Source: Tobin et al. 2017; "uniform" in every comparison of curricula. Departures: so many settings drawn once stand for
all of them, spread evenly along every dial (a Latin hypercube), so that what is drawn from is a list.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from palaestra.core.distribution import Cell, Distribution
from palaestra.core.engineer import Evidence, Proposal
from palaestra.core.errors import ConfigError
from palaestra.core.instance import seed_from
from palaestra.core.space import Space


@dataclass(frozen=True)
class DomainRandomisation:
    """The same wide mixture at every stage, of so many `draws` for each part."""

    reads: ClassVar[bool] = False
    seed: int = 0
    draws: int = 16

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise ConfigError(f"domain randomisation: draws = {self.draws}; they start at 1")

    def propose(self, current: Distribution, evidence: Evidence, space: Space) -> Proposal:
        """Return the mixture; it follows from the seed alone."""
        rng = np.random.default_rng(seed_from("domain randomisation", self.seed))
        weights: dict[Cell, float] = {}
        for part in space.parts:
            draws = self.draws if part.dials else 1
            places = {dial.name: (rng.permutation(draws) + rng.random(draws)) / draws for dial in part.dials}
            for k in range(draws):
                own = part.within({dial.name: dial.at(float(places[dial.name][k])) for dial in part.dials})
                cell = space.cell(part, own)
                weights[cell] = weights.get(cell, 0.0) + 1 / (draws * len(space.parts))
        return Proposal(Distribution(weights), f"{self.draws} settings for each part, over all values")
