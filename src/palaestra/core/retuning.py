"""What a training loop of somebody else tells while it trains, and what it is told between two stages.

Source: the curriculum callbacks of such loops, which move on by one number of their own. Departures: every episode is
told with the cell it was played in, so that success is known by setting; what comes back is a `Distribution`.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from palaestra.core.distribution import Cell, Distribution


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode that has ended: its cell (None where the loop has only one), whether it was won, its return (None
    where nobody says), its length [steps], and whether a limit of time cut it off.

    >>> Episode(None, success=False, ret=0.25, steps=40, truncated=True).failure
    'out of time'
    """

    cell: Cell | None
    success: bool
    ret: float | None = None
    steps: int = 0
    truncated: bool = False

    @property
    def failure(self) -> str:
        """How a lost episode ended."""
        return "out of time" if self.truncated else "lost"


class Retuning(Protocol):
    """Counts episodes of a stage, and says what the next one plays."""

    @property
    def mixture(self) -> Distribution:
        """What is played now."""

    def ended(self, episode: Episode) -> None:
        """Take one episode in."""

    def next_stage(self, **facts: Any) -> Distribution:
        """End the stage and return what the next one plays; `facts` about training, such as its steps, are told too."""
