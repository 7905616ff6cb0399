"""The next best by gain, again and again: plainly, and lazily with the same picks for a fraction of the work.

No gain rises as more is chosen: coverage has less left to add, and both maxima can only grow. So an old gain bounds the
new one from above, and a candidate whose fresh gain beats every old one is the best. Ties go to the smaller id in both.

Source: Minoux, accelerated greedy (1978). Departures: none. The sum of gains depends on the order, so the bound of 1 -
1/e for greedy covers holds only without redundancy and conflict.
"""

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush

from palaestra.selection.terms import Terms

Stop = Callable[[Sequence[int]], bool]
"""Tells from the chosen ones whether to stop."""


def plain(terms: Terms, stop: Stop) -> list[int]:
    """Return the order of picking, asking every candidate for its gain each time."""
    chosen: list[int] = []
    left = list(range(len(terms.env_ids)))
    while left and not stop(chosen):
        best = max(left, key=lambda e: (terms.pick(e, chosen).gain, -e))
        left.remove(best)
        chosen.append(best)
    return chosen


def lazy(terms: Terms, stop: Stop) -> list[int]:
    """Return the same order, asking again only the candidates that may be best."""
    chosen: list[int] = []
    heap = [(-terms.pick(e, chosen).gain, e, 0) for e in range(len(terms.env_ids))]  # negative gain, id, its age
    heapify(heap)
    while heap and not stop(chosen):
        _, best, asked = heappop(heap)
        if asked == len(chosen):
            chosen.append(best)
        else:
            heappush(heap, (-terms.pick(best, chosen).gain, best, len(chosen)))
    return chosen
