"""Which environments to train on, in the order they were picked and with the reason for each.

Source: Ability-aware Environment Selection, Gain = coverage - redundancy - conflict.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pick:
    """One chosen environment with the terms of its gain at the moment it was picked.

    `inclusion` is the share of resampled pools in which it was picked too, None when that was not computed.

    >>> Pick("grid/frozen_lake", coverage=3.3, redundancy=0.2, conflict=0.1, gain=3.0).inclusion is None
    True
    """

    env_id: str
    coverage: float
    redundancy: float
    conflict: float
    gain: float
    inclusion: float | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """A chosen subset.

    `covered` are the abilities it covers, `unmeasured` the environments without a measured gradient, `cost` what
    finding it took, by name (rollouts, gradient samples, seconds). `bound` is what no set can exceed in value, where a
    method proved that.

    >>> first = Pick("grid/frozen_lake", 3.3, 0.0, 0.0, 3.3)
    >>> Selection((first,), frozenset({"track"}), frozenset(), "aes", {"rollouts": 320.0}).env_ids
    ('grid/frozen_lake',)
    """

    picks: tuple[Pick, ...]
    covered: frozenset[str]
    unmeasured: frozenset[str]
    method: str
    cost: Mapping[str, float]
    bound: float | None = None

    @property
    def env_ids(self) -> tuple[str, ...]:
        """The chosen ids in the order of picking."""
        return tuple(pick.env_id for pick in self.picks)
