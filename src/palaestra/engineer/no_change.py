"""No change: the baseline that every other engineer is compared with; stages of it are one training run.

Source: "GRPO (random)" of LLM-as-Environment-Engineer, one configuration kept for all stages. Departures: none.
"""

from dataclasses import dataclass
from typing import ClassVar

from palaestra.core.distribution import Distribution
from palaestra.core.engineer import Evidence, Proposal
from palaestra.core.space import Space


@dataclass(frozen=True)
class NoChange:
    """Leaves everything as it is; `reads` says that an engineer goes by results, and waits for some."""

    reads: ClassVar[bool] = False
    seed: int = 0

    def propose(self, current: Distribution, evidence: Evidence, space: Space) -> Proposal:
        """Return the current distribution."""
        return Proposal(current, "nothing is changed")
