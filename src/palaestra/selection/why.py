"""Why this one: the terms of every pick and of every rejection, in words that name who stands in the way.

A pick is told at the moment it was made, a rejection against all that was chosen in the end.

Source: ours. Departures: none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from palaestra.core.selection import Pick
from palaestra.selection.greedy import MOST
from palaestra.selection.terms import Terms

NAMED = 3
"""How many abilities are named."""

SHOWN = 0.005
"""What is less rounds to nothing, and is not told: an expected conflict is never quite 0."""


@dataclass(frozen=True, slots=True)
class Reason:
    """The terms of one environment, and what they mean."""

    pick: Pick
    why: str


def reasons(terms: Terms, order: Sequence[int]) -> tuple[tuple[Reason, ...], tuple[Reason, ...]]:
    """Return why each of an order of picking was picked, and why each other was not, the nearest to a pick first."""
    picked = tuple(reason for place, e in enumerate(order) for reason in _told(terms, [e], order[:place]))
    left = sorted(set(range(len(terms.env_ids))).difference(order))
    parts = (_told(terms, left[start : start + MOST], order) for start in range(0, len(left), MOST))
    rejected = sorted((reason for part in parts for reason in part), key=lambda reason: -reason.pick.gain)
    return picked, tuple(rejected)


def _told(terms: Terms, asked: Sequence[int], chosen: Sequence[int]) -> Iterator[Reason]:
    """Yield the reason of each that is asked, against those that are chosen."""
    rows, others = np.array(asked, np.intp), np.array(chosen, np.intp)
    new_RA = terms.weight_EA[rows] - terms.covered(chosen)
    alike_RS, against_RS = terms.similarity(rows, others), terms.conflict(rows, others)
    for e, new_A, alike_S, against_S in zip(asked, new_RA, alike_RS, against_RS, strict=True):
        coverage = float(np.maximum(new_A, 0.0).sum())
        redundancy, conflict = float(alike_S.max(initial=0.0)), float(against_S.max(initial=0.0))
        gain = terms.balance.gain(coverage, redundancy, conflict)
        new = [terms.abilities[a] for a in np.argsort(-new_A, kind="stable") if new_A[a] > 0]
        more = f" and {len(new) - NAMED} more" if len(new) > NAMED else ""
        said = [f"covers {', '.join(new[:NAMED])}{more} ({coverage:.2f})" if new else "covers nothing new"]
        if redundancy >= SHOWN:
            said.append(f"is like {terms.env_ids[chosen[int(alike_S.argmax())]]} ({redundancy:.2f})")
        measured, told = terms.conflict.measured, conflict >= SHOWN
        if measured and terms.env_ids[e] not in measured:
            said.append("conflict unmeasured" + (f", charged the mean of the pool ({conflict:.2f})" if told else ""))
        elif told and (worst := terms.env_ids[chosen[int(against_S.argmax())]]) in measured:
            said.append(f"opposes {worst} ({conflict:.2f})")
        elif told:
            said.append(f"conflict with {worst} unmeasured, charged the mean of the pool ({conflict:.2f})")
        yield Reason(Pick(terms.env_ids[e], coverage, redundancy, conflict, gain), ", ".join(said))
