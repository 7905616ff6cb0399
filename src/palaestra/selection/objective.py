"""The value of a finished set: F(S) = lambda1 Cov(S) - sum over pairs of (lambda2 similarity + lambda3 conflict).

The gains of a greedy run add up to another number for every order of picking; F depends on the set alone. It is
submodular, as both kinds of pairs are penalties, and not monotone: a set can be too large.

Source: ours. Departures: the paper sums nothing up; its gain takes the maximum over the chosen ones where F takes the
sum.
"""

from collections.abc import Sequence

import numpy as np

from palaestra.core.selection import Selection
from palaestra.selection.conflict import Places
from palaestra.selection.terms import Array, Terms


def objective(terms: Terms, chosen: Sequence[int]) -> float:
    """Return F of the chosen environments, by index."""
    members = np.sort(np.asarray(chosen, np.intp))
    covered = terms.balance.coverage * terms.covered(members.tolist()).sum()
    return float(covered - np.triu(pairs(terms, members, members), 1).sum())


def pairs(terms: Terms, rows: Places, others: Places) -> Array:
    """Return what F takes off for each pair [rows, others]; that of an environment with itself means nothing."""
    by = terms.balance
    return by.redundancy * terms.similarity(rows, others) + by.conflict * terms.conflict(rows, others)


def saturation(selection: Selection) -> int:
    """Return after how many picks nothing new was covered; no gain beyond is positive."""
    return max((place for place, pick in enumerate(selection.picks, start=1) if pick.coverage > 0), default=0)
