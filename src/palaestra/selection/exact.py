"""The best set of a small pool by F(S), as an integer program: what every other choice is measured against.

A variable says whether an environment is in, one for each ability and weight whether it is covered so far, and one for
each pair whether both are in. With the number of environments given, each one that is in has so many partners; this
tightens the relaxation. Where the time is up the best set so far comes with the bound that no set can exceed.

Source: the standard linearisation of quadratic 0-1 programs, with the cardinality constraint multiplied by each
variable (Adams and Sherali, 1986); solved by HiGHS. Departures: none.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from palaestra.core.errors import BadCandidates, ExtraMissing
from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Selection
from palaestra.selection.aes import picked
from palaestra.selection.conflict import Conflict
from palaestra.selection.local_search import improved, in_order
from palaestra.selection.method import NOTHING, Evidence
from palaestra.selection.objective import objective, pairs
from palaestra.selection.terms import Array, Terms

LIMIT = 60
"""The largest pool."""

SECONDS = 60.0
"""When the search stops, unless more is given."""


def exact(
    profiles: Sequence[AbilityProfile],
    conflict: Conflict,
    k: int | None = None,
    seed: int = 0,
    evidence: Evidence = NOTHING,
    *,
    seconds: float = SECONDS,
) -> Selection:
    """Return the set with the greatest F, of `k` environments or of any number, and the bound that was proved.

    Its members stand in the order in which AES would pick them.

    Raises:
        BadCandidates: the pool is larger than `LIMIT`, or `k` is out of range.
        ExtraMissing: SciPy is not installed.
    """
    terms = Terms.of(profiles, conflict)
    if len(terms.env_ids) > LIMIT:
        raise BadCandidates(
            f"exact choice among {len(terms.env_ids)} environments; it takes {LIMIT} at most: try local_search"
        )
    members, bound = best_set(terms, k, seconds)
    selection = terms.selection(in_order(terms, members), "exact", {"rollouts": float(terms.rollouts)})
    return replace(selection, bound=bound)


def best_set(terms: Terms, k: int | None = None, seconds: float = SECONDS) -> tuple[list[int], float]:
    """Return the best set that was found, by index, and the bound on F of all sets."""
    size = None if k is None else terms.count(k)
    optimize, sparse = _scipy()
    both_P2 = np.array(list(combinations(range(len(terms.env_ids)), 2)), np.intp).reshape(-1, 2)
    off_P = pairs(terms, slice(None), slice(None))[both_P2[:, 0], both_P2[:, 1]]
    reached_ZE, worth_Z = _levels(terms)
    (P, _), (Z, E) = both_P2.shape, reached_ZE.shape
    eye_P, none_PZ = sparse.identity(P), sparse.csr_matrix((P, Z))
    one_PE, other_PE = (
        sparse.csr_matrix((np.ones(P), (np.arange(P), both_P2[:, side])), shape=(P, E)) for side in (0, 1)
    )
    rows = [  # variables are [E environments, Z levels, P pairs]; each row of these is at most its bound
        (sparse.hstack([sparse.csr_matrix(-reached_ZE), sparse.identity(Z), none_PZ.T]), 0.0),
        (sparse.hstack([one_PE + other_PE, none_PZ, -eye_P]), 1.0),
        (sparse.hstack([-one_PE, none_PZ, eye_P]), 0.0),
        (sparse.hstack([-other_PE, none_PZ, eye_P]), 0.0),
    ]
    limits = [optimize.LinearConstraint(matrix, -np.inf, bound) for matrix, bound in rows if matrix.shape[0]]
    if size is not None:
        counts = np.concatenate([np.ones(E), np.zeros(Z + P)])[None]
        partners = sparse.hstack(
            [(1 - size) * sparse.identity(E), sparse.csr_matrix((E, Z)), (one_PE + other_PE).T], format="csr"
        )
        limits += [optimize.LinearConstraint(counts, size, size), optimize.LinearConstraint(partners, 0, 0)]
    found = optimize.milp(
        np.concatenate([np.zeros(E), -worth_Z, off_P]),
        integrality=np.concatenate([np.ones(E), np.zeros(Z + P)]),
        bounds=optimize.Bounds(0, 1),
        constraints=limits,
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    return _settled(terms, found, size)


def _levels(terms: Terms) -> tuple[Array, Array]:
    """Return each level that the weight of an ability can reach: who reaches it [Z, E], and what the step is worth [Z].

    An ability that is soft in one environment and core in another has two.
    """
    reached, worth = [], []
    for weight_E in terms.weight_EA.T:
        for below, level in pairwise([0.0, *np.unique(weight_E[weight_E > 0]).tolist()]):
            reached.append(weight_E >= level)
            worth.append(terms.balance.coverage * (level - below))
    return np.array(reached, float).reshape(len(worth), len(terms.env_ids)), np.array(worth)


def _settled(terms: Terms, found: Any, size: int | None) -> tuple[list[int], float]:
    """Return the better one of a solution, if one was found in time, and of what local search finds, with the bound."""
    members = improved(terms, picked(terms, size) if size else [], fixed=size is not None)
    if found.x is not None:
        solved = np.flatnonzero(found.x[: len(terms.env_ids)] > 0.5).tolist()
        members = max(solved, members, key=lambda own: objective(terms, own))
    dual = getattr(found, "mip_dual_bound", None)
    whole = float(terms.balance.coverage * terms.weight_EA.max(axis=0).sum())  # no set covers more
    return members, max(whole if dual is None else min(whole, -float(dual)), objective(terms, members))


def _scipy() -> tuple[Any, Any]:
    try:
        from scipy import optimize, sparse
    except ImportError as error:
        raise ExtraMissing("exact choice is solved by SciPy: pip install 'palaestra[run]'") from error
    return optimize, sparse
