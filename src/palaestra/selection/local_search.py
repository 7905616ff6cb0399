"""AES as a set function: the best by F(S) that no exchange of one environment for another improves.

It starts from what AES picks, so it is never worse by F; one environment at a time is exchanged, the best exchange
first, and where the number is left open also added or dropped.

Source: local search for submodular functions, Feige, Mirrokni and Vondrak (2007). Departures: it starts from the greedy
set; a move counts when it gains more than rounding does, and the complement is not tried.
"""

from collections.abc import Sequence

import numpy as np

from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Selection
from palaestra.selection.aes import picked
from palaestra.selection.conflict import Conflict
from palaestra.selection.greedy import lazy
from palaestra.selection.margins import Margins
from palaestra.selection.method import NOTHING, Evidence
from palaestra.selection.objective import pairs
from palaestra.selection.terms import Array, Terms

ROUNDING = 1e-9
"""What a move must gain at least, so that the search ends."""


def local_search(
    profiles: Sequence[AbilityProfile],
    conflict: Conflict,
    k: int | None = None,
    seed: int = 0,
    evidence: Evidence = NOTHING,
) -> Selection:
    """Return a set of `k` environments, or of as many as pay, in the order in which AES would pick its members.

    Raises:
        BadCandidates: the profiles, the conflicts or `k` make no choice.
    """
    terms = Terms.of(profiles, conflict)
    found = improved(terms, picked(terms, k), fixed=k is not None)
    return terms.selection(in_order(terms, found), "local_search", {"rollouts": float(terms.rollouts)})


def in_order(terms: Terms, members: Sequence[int]) -> list[int]:
    """Return the members of a set in the order in which AES would pick them, had it no other candidates."""
    return lazy(Margins(terms), lambda chosen: len(chosen) == len(members), among=members)


def improved(terms: Terms, start: Sequence[int], fixed: bool) -> list[int]:
    """Return the set to which the best moves lead from `start`; `fixed` keeps its size."""
    chosen = sorted(start)
    while (moved := _moved(terms, chosen, fixed)) is not None:
        chosen = moved
    return chosen


def _moved(terms: Terms, chosen: list[int], fixed: bool) -> list[int] | None:
    """Return the neighbour of a set that gains most, None where none gains."""
    covered = _covered(terms, chosen)
    off_ES = pairs(terms, slice(None), np.array(chosen, np.intp))
    off_E = off_ES.sum(axis=1)
    best, moved = ROUNDING, None
    if not fixed:
        added_E = _new(terms, chosen) - off_E
        added_E[chosen] = -np.inf
        if (gain := added_E.max()) > best:
            best, moved = gain, [*chosen, int(added_E.argmax())]
    for place, out in enumerate(chosen):
        kept = chosen[:place] + chosen[place + 1 :]
        dropped = _covered(terms, kept) - covered + off_E[out] - off_ES[out, place]
        exchanged_E = dropped + _new(terms, kept) - (off_E - off_ES[:, place])
        exchanged_E[chosen] = -np.inf
        if not fixed and dropped > best:
            best, moved = dropped, kept
        if (gain := exchanged_E.max()) > best:
            best, moved = gain, [*kept, int(exchanged_E.argmax())]
    return None if moved is None else sorted(moved)


def _covered(terms: Terms, chosen: Sequence[int]) -> float:
    """Return what F counts for the coverage of a set."""
    return float(terms.balance.coverage * terms.covered(chosen).sum())


def _new(terms: Terms, chosen: Sequence[int]) -> Array:
    """Return what each environment would add to that."""
    new_E: Array = terms.balance.coverage * np.maximum(terms.weight_EA - terms.covered(chosen), 0.0).sum(axis=1)
    return new_E
