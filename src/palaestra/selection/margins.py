"""The gains of many candidates at once, given those chosen so far: what `greedy` asks of AES.

Of each candidate is kept how alike the nearest of the chosen is, how much the worst opposes it, and how many chosen
ones these maxima have met; asking again meets only those that came since.

Source: ours. Departures: none.
"""

import numpy as np

from palaestra.selection.conflict import Places
from palaestra.selection.terms import Array, Terms


class Margins:
    """The gains of `size` candidates by some terms.

    A gain is made of the same sums in the same order whoever is asked beside it, so it is the same to the last bit.
    """

    def __init__(self, terms: Terms) -> None:
        self.size = len(terms.env_ids)
        self.chosen: list[int] = []
        self._terms = terms
        self._covered_A = terms.covered([])
        self._redundancy_E, self._conflict_E = np.zeros(self.size), np.zeros(self.size)
        self._met_E = np.zeros(self.size, np.intp)

    def choose(self, e: int) -> None:
        """Add one to the chosen ones."""
        self.chosen.append(e)
        self._covered_A = np.maximum(self._covered_A, self._terms.weight_EA[e])

    def gains(self, rows: Places) -> Array:
        """Return the gain of each of some candidates."""
        terms, by = self._terms, self._terms.balance
        since = np.array(self.chosen[int(self._met_E[rows].min(initial=len(self.chosen))) :], np.intp)
        if since.size and by.redundancy:
            nearest_R = terms.similarity(rows, since).max(axis=1)
            self._redundancy_E[rows] = np.maximum(self._redundancy_E[rows], nearest_R)
        if since.size and by.conflict:
            self._conflict_E[rows] = np.maximum(self._conflict_E[rows], terms.conflict(rows, since).max(axis=1))
        self._met_E[rows] = len(self.chosen)
        coverage_R = np.maximum(terms.weight_EA[rows] - self._covered_A, 0.0).sum(axis=1)
        return by.gain(coverage_R, self._redundancy_E[rows], self._conflict_E[rows])
