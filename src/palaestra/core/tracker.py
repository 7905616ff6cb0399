"""Who is shown how a run goes: an experiment tracker, as a view of the run's events."""

from collections.abc import Mapping
from typing import Protocol


class Tracker(Protocol):
    """A log of named numbers, step by step; `integrations` implements it.

    Each time a run is started it opens its trackers anew and tells them every step from the first on, those of earlier
    starts out of its events. So a tracker drops what it kept of earlier starts, or skips the steps that it has.
    """

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Keep the values of one step; steps start at 1 and rise. A name is a path whose first part is its chart."""

    def close(self) -> None:
        """Finish: nothing is logged any more."""
