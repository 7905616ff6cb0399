"""Facility location: the set in which every environment of the pool finds one that is like it.

f(S) = sum over the pool of the similarity to the nearest member of S, from profiles; monotone and submodular, so the
greedy set reaches 1 - 1/e of the best.

Source: Cornuejols, Fisher and Nemhauser (1977); the default of the submodular selection packages. Departures: none.
"""

from collections.abc import Sequence

import numpy as np

from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Selection
from palaestra.selection.conflict import Conflict, Places
from palaestra.selection.greedy import MOST, lazy
from palaestra.selection.method import NOTHING, Evidence
from palaestra.selection.terms import Array, Terms


class Facilities:
    """What each candidate adds to f."""

    def __init__(self, terms: Terms) -> None:
        self.size = len(terms.env_ids)
        self.chosen: list[int] = []
        self._terms = terms
        self._nearest_E = np.zeros(self.size)

    def choose(self, e: int) -> None:
        """Add one to the chosen ones."""
        self.chosen.append(e)
        self._nearest_E = np.maximum(self._nearest_E, self._terms.similarity(np.array([e]), slice(None))[0])

    def gains(self, rows: Places) -> Array:
        """Return the gain of each of some candidates."""
        asked = np.arange(self.size)[rows]
        parts = [asked[start : start + MOST] for start in range(0, len(asked), MOST)]
        similarities = (self._terms.similarity(part, slice(None)) for part in parts)
        return np.concatenate([np.maximum(s - self._nearest_E, 0.0).sum(axis=1) for s in similarities])


def facility_location(
    profiles: Sequence[AbilityProfile],
    conflict: Conflict,
    k: int | None = None,
    seed: int = 0,
    evidence: Evidence = NOTHING,
) -> Selection:
    """Return `k` environments that stand for the pool by their profiles; conflict is accounted for only.

    Raises:
        BadCandidates: no `k`, or one that is out of range.
    """
    terms = Terms.of(profiles, conflict)
    n = terms.given(k, "facility_location")
    order = lazy(Facilities(terms), stop=lambda chosen: len(chosen) == n)
    return terms.selection(order, "facility_location", {"rollouts": float(terms.rollouts)})
