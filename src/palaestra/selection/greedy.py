"""The next best by gain, again and again: plainly, and lazily with the same picks for a fraction of the work.

Where no gain rises as more is chosen, as with AES, an old gain bounds the new one from above, and a candidate whose
fresh gain beats every old one is the best. Ties go to the smaller id in both. The lazy way asks twice as many
candidates each time that the best of them was not fresh yet: asking many at once costs little more than asking one.

Source: Minoux, accelerated greedy (1978). Departures: candidates are asked in batches. The sum of gains depends on the
order, so the bound of 1 - 1/e for greedy covers holds only without redundancy and conflict.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from palaestra.selection.conflict import Places
from palaestra.selection.terms import Array

Stop = Callable[[Sequence[int]], bool]
"""Tells from the chosen ones whether to stop."""

FIRST, MOST = 8, 512
"""How many candidates are asked at once: at first, and at most."""


class Marginal(Protocol):
    """The gains of `size` candidates beyond `chosen`; a fresh one is never above an older one."""

    size: int
    chosen: list[int]

    def choose(self, e: int) -> None:
        """Add one to the chosen ones."""

    def gains(self, rows: Places) -> Array:
        """Return the gain of each of some candidates."""


def plain(marginal: Marginal, stop: Stop) -> list[int]:
    """Return the order of picking, asking every candidate for its gain each time."""
    left_E = np.ones(marginal.size, bool)
    while left_E.any() and not stop(marginal.chosen):
        best = int(np.where(left_E, marginal.gains(slice(None)), -np.inf).argmax())  # the first of equals
        left_E[best] = False
        marginal.choose(best)
    return marginal.chosen


def lazy(marginal: Marginal, stop: Stop, among: Sequence[int] | None = None) -> list[int]:
    """Return the same order, asking again only the candidates that may be best; `among` are all that can be picked."""
    open_E = np.array(range(marginal.size) if among is None else among, np.intp)
    bound_E, asked_E = np.full(marginal.size, -np.inf), np.zeros(marginal.size, np.intp)
    bound_E[open_E] = marginal.gains(open_E)
    while np.isfinite(bound_E.max()) and not stop(marginal.chosen):
        many = FIRST
        while asked_E[best := int(bound_E.argmax())] < len(marginal.chosen):  # the first of equals
            top = np.argpartition(-bound_E, min(many, marginal.size) - 1)[:many]
            rows = np.union1d(best, top[(asked_E[top] < len(marginal.chosen)) & np.isfinite(bound_E[top])])
            bound_E[rows], asked_E[rows] = marginal.gains(rows), len(marginal.chosen)
            many = min(2 * many, MOST)
        bound_E[best] = -np.inf
        marginal.choose(best)
    return marginal.chosen
