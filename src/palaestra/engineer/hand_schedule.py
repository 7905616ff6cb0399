"""Hand schedule: from the first part to the last and from the easiest value to the hardest, at a pace set beforehand.

Source: the Gaussian schedule of E2H: weights are a bell over the parts whose centre moves as t**gamma. Departures:
dials rise in step with it, and its clock counts only stages in which something was surely won now and then, so that a
policy that cannot do anything yet stays with what is easiest: it therefore proposes when nothing is known (cold start).
"""

from dataclasses import dataclass
from math import exp
from typing import ClassVar

from palaestra.core.distribution import Distribution
from palaestra.core.engineer import Evidence, Proposal
from palaestra.core.errors import BadDistribution
from palaestra.core.space import WEIGHT, Space
from palaestra.engineer.evidence import signal


@dataclass(frozen=True)
class HandSchedule:
    """Arrives at the hardest after so many `stages`; `sigma` is the bell's width as a share of all parts."""

    reads: ClassVar[bool] = False
    seed: int = 0
    stages: int = 4
    gamma: float = 0.5
    sigma: float = 0.35
    floor: float = 0.05

    def __post_init__(self) -> None:
        if self.stages < 1 or not self.gamma > 0 or not self.sigma > 0 or not self.floor >= 0:
            raise BadDistribution(
                f"HandSchedule: stages {self.stages}, gamma {self.gamma}, sigma {self.sigma}, floor {self.floor}; "
                "stages start at 1, gamma and sigma are above 0, floor is not negative"
            )

    def propose(self, current: Distribution, evidence: Evidence, space: Space) -> Proposal:
        """Return the configuration of this time."""
        won = sum(map(signal, evidence.stages))
        time = min(1.0, won / self.stages) ** self.gamma
        centre, width = time * (len(space.parts) - 1), self.sigma * len(space.parts)
        settings = {
            part.name: part.within(
                {
                    WEIGHT: round(self.floor + exp(-(((k - centre) / width) ** 2) / 2), 4),
                    **{dial.name: dial.at(time) for dial in part.dials},
                }
            )
            for k, part in enumerate(space.parts)
        }
        return Proposal(space.distribution(settings), f"{time:.0%} of the way from the easiest to the hardest")
