"""Thresholds: what is won too often gets harder, what is hardly ever won gets easier, all else stays.

Source: the rule that Eurekaverse writes into its prompt (above 80 % harder, below 20 % easier), and the two thresholds
of reasoning-gym. Departures: a dial moves one value at a time; where none is left to move, the part has half of an even
weight.
"""

from dataclasses import dataclass
from typing import ClassVar

from palaestra.core.distribution import Distribution
from palaestra.core.engineer import Evidence, Proposal
from palaestra.core.errors import BadDistribution
from palaestra.core.instance import Setting
from palaestra.core.space import WEIGHT, Space


@dataclass(frozen=True)
class Thresholds:
    """Moves every dial of a part at once; a part that is not stuck has its even weight."""

    reads: ClassVar[bool] = True
    seed: int = 0
    low: float = 0.2
    high: float = 0.8

    def __post_init__(self) -> None:
        if not 0 <= self.low < self.high <= 1:
            raise BadDistribution(f"Thresholds: low {self.low}, high {self.high}; they lie in [0, 1], in this order")

    def propose(self, current: Distribution, evidence: Evidence, space: Space) -> Proposal:
        """Return every part moved by what the last stage says of it."""
        settings = space.settings(current)
        moved: list[str] = []
        for part in space.parts:
            rate = evidence.stages[-1].success(part.name) if evidence.stages else None
            if rate is None or not rate.n:
                continue
            own = settings[part.name]
            step = (rate.value > self.high) - (rate.value < self.low)
            dials: dict[str, Setting] = {dial.name: dial.moved(own[dial.name], step) for dial in part.dials}
            after = part.within({**own, **dials})
            stuck = step != 0 and all(after[name] == own[name] for name in dials)
            after[WEIGHT] = round((0.5 if stuck else 1.0) / len(space.parts), 4)
            if after != own:
                moved.append(f"{part.name} {'halved' if stuck else ('easier', 'kept', 'harder')[step + 1]}")
            settings[part.name] = after
        return Proposal(space.distribution(settings), "; ".join(moved) or "all parts lie between the thresholds")
