"""What every method works with: how much an environment would cover, repeat and oppose, given those already chosen.

Coverage of an ability is the largest weight that any chosen environment gives it (1 core, 0.3 soft), and new coverage
is what an environment adds to the sum: not divided by the number of abilities, so that one new core ability outweighs
the greatest redundancy or the greatest conflict, but not both.

Source: Ability-aware Environment Selection, Gain = lambda1 NewCoverage - lambda2 Redundancy - lambda3 Conflict, all 1.
Departures: how the paper normalises coverage is not known; with us an ability that was covered as soft can still be
covered as core, for what that adds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from palaestra.core.errors import BadCandidates
from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Pick, Selection
from palaestra.selection.balance import Balance

Array = NDArray[np.float64]

Conflict = Mapping[tuple[str, str], float]
"""The expected conflict of each measured pair, in [0, 1], by its two ids in order; a missing pair is unmeasured."""


class Method(Protocol):
    """Any way of choosing. `k` is how many (None: the method decides), `seed` settles what is left to chance."""

    def __call__(
        self, profiles: Sequence[AbilityProfile], conflict: Conflict, k: int | None = None, seed: int = 0
    ) -> Selection:
        """Return the chosen environments, in order."""


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """The terms of a pool as arrays; environments and abilities are sorted, so a smaller index is a smaller id."""

    env_ids: tuple[str, ...]
    abilities: tuple[str, ...]
    core_A: NDArray[np.bool_]
    weight_EA: Array
    similarity_EE: Array
    conflict_EE: Array
    unmeasured: frozenset[str]
    rollouts: int
    balance: Balance

    @classmethod
    def of(cls, profiles: Sequence[AbilityProfile], conflict: Conflict, balance: Balance | None = None) -> "Terms":
        """Return the terms of a pool; an unmeasured pair costs nothing and its environments are named.

        Raises:
            BadCandidates: no environment or one twice, or a conflict of unknown ids, out of order or range.
        """
        balance = balance or Balance()
        profiles = sorted(profiles, key=lambda profile: profile.env_id)
        index = {profile.env_id: e for e, profile in enumerate(profiles)}
        if not index or len(index) < len(profiles):
            raise BadCandidates(f"{len(profiles)} profiles of {len(index)} environments; give one of each")
        for pair, penalty in conflict.items():
            if not (pair[0] < pair[1] and {*pair} <= index.keys() and 0 <= penalty <= 1):
                raise BadCandidates(
                    f"conflict {penalty} of {pair}: a pair is two profiled ids in order, its conflict lies in [0, 1]"
                )
        weights = [profile.weights(balance.soft) for profile in profiles]
        abilities = tuple(sorted(set().union(*weights)))
        conflict_EE = np.zeros((len(index), len(index)))
        for (one, other), penalty in conflict.items():
            conflict_EE[index[one], index[other]] = conflict_EE[index[other], index[one]] = penalty
        return cls(
            tuple(index),
            abilities,
            np.array([any(ability in profile.core for profile in profiles) for ability in abilities], np.bool_),
            np.array([[weighting.get(ability, 0.0) for ability in abilities] for weighting in weights]),
            np.array([[balance.similarity(one, other) for other in weights] for one in weights]),
            conflict_EE,
            frozenset(index) - {env_id for pair in conflict for env_id in pair},
            sum(profile.support.get("", 0) for profile in profiles),
            balance,
        )

    def pick(self, e: int, chosen: Sequence[int]) -> Pick:
        """Return the terms of adding environment `e` to the chosen ones."""
        coverage = float(np.maximum(self.weight_EA[e] - self.covered(chosen), 0.0).sum())
        redundancy = float(self.similarity_EE[e, list(chosen)].max(initial=0.0))
        conflict = float(self.conflict_EE[e, list(chosen)].max(initial=0.0))
        by = self.balance
        gain = by.coverage * coverage - by.redundancy * redundancy - by.conflict * conflict
        return Pick(self.env_ids[e], coverage, redundancy, conflict, gain)

    def covered(self, chosen: Sequence[int]) -> Array:
        """Return the largest weight that the chosen environments give each ability."""
        covered_A: Array = self.weight_EA[list(chosen)].max(axis=0, initial=0.0)
        return covered_A

    def complete(self, chosen: Sequence[int]) -> bool:
        """Tell whether every ability that is core anywhere is covered as core."""
        return bool((self.covered(chosen)[self.core_A] >= 1.0).all())

    def count(self, k: int) -> int:
        """Return how many picks `k` asks for.

        Raises:
            BadCandidates: fewer than one, or more than there are.
        """
        if not 1 <= k <= len(self.env_ids):
            raise BadCandidates(f"asked for {k} of {len(self.env_ids)} environments")
        return k

    def selection(self, order: Sequence[int], method: str, cost: Mapping[str, float]) -> Selection:
        """Return an order of picking as a selection, each pick with its terms at that moment."""
        covered = [a for a, weight in zip(self.abilities, self.covered(order), strict=True) if weight > 0]
        picks = tuple(self.pick(e, order[:place]) for place, e in enumerate(order))
        return Selection(picks, frozenset(covered), self.unmeasured, method, cost)
