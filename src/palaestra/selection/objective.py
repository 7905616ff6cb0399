"""The value of a finished set: F(S) = lambda1 Cov(S) - sum over pairs of (lambda2 similarity + lambda3 conflict).

The gains of a greedy run add up to another number for every order of picking; F depends on the set alone. It is
submodular, as both kinds of pairs are penalties, and not monotone: a set can be too large.

Source: ours. Departures: the paper sums nothing up; its gain takes the maximum over the chosen ones where F takes the
sum.
"""

from collections.abc import Sequence

import numpy as np

from palaestra.core.selection import Selection
from palaestra.selection.terms import Terms


def objective(terms: Terms, chosen: Sequence[int]) -> float:
    """Return F of the chosen environments, by index."""
    by, members = terms.balance, np.sort(np.asarray(chosen, np.intp))
    pairs_EE = by.redundancy * terms.similarity_EE + by.conflict * terms.conflict_EE
    return float(by.coverage * terms.covered(chosen).sum() - np.triu(pairs_EE[np.ix_(members, members)], 1).sum())


def saturation(selection: Selection) -> int:
    """Return after how many picks nothing new was covered; no gain beyond is positive."""
    return max((place for place, pick in enumerate(selection.picks, start=1) if pick.coverage > 0), default=0)
