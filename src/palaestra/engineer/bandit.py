"""Bandit: a part's weight grows with how much its groups have had to teach.

The value of a part is a running mean of the mean absolute advantage of its rollouts, 2 sqrt(p (1 - p)) for a success
rate p, and weights are the softmax of the values.

Source: the self-evolving curriculum (SEC): Q <- (1 - a) Q + a |A|, P ~ exp(Q / tau). Departures: one update for each
stage, from the success rate; constants unpublished, these are ours; parts that were not played keep their value.
"""

from dataclasses import dataclass
from math import exp, sqrt
from typing import ClassVar

from palaestra.core.distribution import Distribution
from palaestra.core.engineer import Evidence, Proposal
from palaestra.core.errors import BadDistribution
from palaestra.core.space import WEIGHT, Space


@dataclass(frozen=True)
class Bandit:
    """Sets weights and leaves dials alone; its values follow from all stages so far."""

    reads: ClassVar[bool] = True
    seed: int = 0
    alpha: float = 0.5
    tau: float = 0.4

    def __post_init__(self) -> None:
        if not 0 < self.alpha <= 1 or not self.tau > 0:
            raise BadDistribution(f"Bandit: alpha {self.alpha}, tau {self.tau}; alpha lies in (0, 1], tau above 0")

    def propose(self, current: Distribution, evidence: Evidence, space: Space) -> Proposal:
        """Return the current settings with new weights."""
        values = dict.fromkeys((part.name for part in space.parts), 0.5)
        for stage in evidence.stages:
            for name in values:
                if (rate := stage.success(name)).n:
                    signal = 2 * sqrt(rate.value * (1 - rate.value))
                    values[name] += self.alpha * (signal - values[name])
        total = sum(exp(value / self.tau) for value in values.values())
        settings = space.settings(current)
        for name, value in values.items():
            settings[name][WEIGHT] = round(exp(value / self.tau) / total, 4)
        told = ", ".join(f"{name} {value:.2f}" for name, value in values.items())
        return Proposal(space.distribution(settings), f"values: {told}")
