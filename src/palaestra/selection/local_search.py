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
    while True:
        others = np.array(chosen, np.intp)
        off_ES = pairs(terms, slice(None), others)
        total_E = off_ES.sum(axis=1)
        whole = terms.covered(chosen).sum() * terms.balance.coverage
        best, move = ROUNDING, None
        for place, out in enumerate([*chosen, None]):
            kept = chosen if out is None else chosen[:place] + chosen[place + 1 :]
            back = 0.0 if out is None else float(total_E[out] - off_ES[out, place])  # pairs that dropping it gives back
            entering_E = total_E if out is None else total_E - off_ES[:, place]
            covered_A = terms.covered(kept)
            lost = whole - covered_A.sum() * terms.balance.coverage
            gain_E = _new(terms, covered_A) - entering_E + back - lost
            gain_E[chosen] = -np.inf
            if (fixed and out is None) is False and gain_E.size and gain_E.max() > best:
                best, move = float(gain_E.max()), [*kept, int(gain_E.argmax())]
            if not fixed and out is not None and back - lost > best:
                best, move = back - lost, kept
        if move is None:
            return chosen
        chosen = sorted(move)


def _new(terms: Terms, covered_A: Array) -> Array:
    """Return what each environment would add to coverage."""
    new_E: Array = terms.balance.coverage * np.maximum(terms.weight_EA - covered_A, 0.0).sum(axis=1)
    return new_E
