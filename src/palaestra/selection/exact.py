"""The best set of a small pool, by trying all: what a greedy choice is measured against.

Source: exhaustive search. Departures: none; it refuses a pool for which that would take long.
"""

from itertools import combinations

from palaestra.core.errors import BadCandidates
from palaestra.selection.objective import objective
from palaestra.selection.terms import Terms

LIMIT = 12
"""The largest pool, of 4095 sets."""


def exact(terms: Terms, k: int | None = None) -> tuple[tuple[int, ...], float]:
    """Return the set with the greatest F(S), of `k` environments or of any number, and its value.

    Raises:
        BadCandidates: the pool is larger than `LIMIT`, or `k` is out of range.
    """
    if len(terms.env_ids) > LIMIT:
        raise BadCandidates(
            f"exact choice among {len(terms.env_ids)} environments; it tries all sets, of {LIMIT} at most"
        )
    sizes = range(len(terms.env_ids) + 1) if k is None else [terms.count(k)]
    sets = (chosen for size in sizes for chosen in combinations(range(len(terms.env_ids)), size))
    best = max(sets, key=lambda chosen: objective(terms, chosen))
    return best, objective(terms, best)
