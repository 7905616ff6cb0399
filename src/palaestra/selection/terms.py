"""What every method works with: how much an environment would cover, repeat and oppose, given those already chosen.

Coverage of an ability is the largest weight that any chosen environment gives it (1 core, 0.3 soft), and new coverage
is what an environment adds to the sum: not divided by the number of abilities, so that one new core ability outweighs
the greatest redundancy or the greatest conflict, but not both. Nothing here is as large as the pool squared, unless
conflict comes pair by pair.

Source: Ability-aware Environment Selection, Gain = lambda1 NewCoverage - lambda2 Redundancy - lambda3 Conflict, all 1.
Departures: how the paper normalises coverage is not known; with us an ability that was covered as soft can still be
covered as core, for what that adds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from palaestra.core.errors import BadCandidates
from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Pick, Selection
from palaestra.selection.balance import Balance
from palaestra.selection.conflict import Conflict, Penalty, Places, penalty

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """The terms of a pool as arrays; environments and abilities are sorted, so a smaller index is a smaller id."""

    env_ids: tuple[str, ...]
    abilities: tuple[str, ...]
    core_A: NDArray[np.bool_]
    weight_EA: Array
    conflict: Penalty
    rollouts: int
    balance: Balance

    @classmethod
    def of(cls, profiles: Sequence[AbilityProfile], conflict: Conflict, balance: Balance | None = None) -> "Terms":
        """Return the terms of a pool; what an unmeasured pair is charged `conflict` says, its environments are named.

        Raises:
            BadCandidates: no environment or one twice, or a conflict of unknown ids, out of order or range.
        """
        balance = balance or Balance()
        profiles = sorted(profiles, key=lambda profile: profile.env_id)
        env_ids = tuple(profile.env_id for profile in profiles)
        if not env_ids or len(set(env_ids)) < len(env_ids):
            raise BadCandidates(f"{len(env_ids)} profiles of {len(set(env_ids))} environments; give one of each")
        weights = [profile.weights(balance.soft) for profile in profiles]
        abilities = sorted(set().union(*weights))
        place, core = {ability: a for a, ability in enumerate(abilities)}, {a for own in profiles for a in own.core}
        weight_EA = np.zeros((len(env_ids), len(abilities)))
        for e, weighting in enumerate(weights):
            weight_EA[e, [place[ability] for ability in weighting]] = [*weighting.values()]
        return cls(
            env_ids,
            tuple(abilities),
            np.array([ability in core for ability in abilities], np.bool_),
            weight_EA,
            penalty(conflict, env_ids),
            sum(profile.support.get("", 0) for profile in profiles),
            balance,
        )

    def by(self, balance: Balance) -> "Terms":
        """Return the same terms, weighed otherwise; the weight of a soft ability stays."""
        return replace(self, balance=balance)

    def similarity(self, rows: Places, others: Places) -> Array:
        """Return the similarity [rows, others] of each with each."""
        one, other = self.weight_EA[rows][:, None], self.weight_EA[others][None]
        shape = np.broadcast_shapes(one.shape, other.shape)[:-1]
        return np.broadcast_to(np.asarray(self.balance.similarity(one, other), np.float64), shape)

    def pick(self, e: int, chosen: Sequence[int]) -> Pick:
        """Return the terms of adding environment `e` to the chosen ones."""
        own, others = np.array([e]), np.array(chosen, np.intp)
        coverage = float(np.maximum(self.weight_EA[e] - self.covered(chosen), 0.0).sum())
        redundancy = float(self.similarity(own, others).max(initial=0.0))
        conflict = float(self.conflict(own, others).max(initial=0.0))
        gain = self.balance.gain(coverage, redundancy, conflict)
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

    def given(self, k: int | None, method: str) -> int:
        """Return how many picks `k` asks for from a method that cannot decide that itself.

        Raises:
            BadCandidates: as `count`, or there is no `k`.
        """
        if k is None:
            raise BadCandidates(f"{method} cannot decide how many environments to take; give k")
        return self.count(k)

    def selection(self, order: Sequence[int], method: str, cost: Mapping[str, float]) -> Selection:
        """Return an order of picking as a selection, each pick with its terms at that moment."""
        covered = [a for a, weight in zip(self.abilities, self.covered(order), strict=True) if weight > 0]
        picks = tuple(self.pick(e, order[:place]) for place, e in enumerate(order))
        unmeasured = frozenset(self.env_ids) - self.conflict.measured
        return Selection(picks, frozenset(covered), unmeasured, method, cost)
