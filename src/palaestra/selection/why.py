"""Why this one: the terms of every pick and of every rejection, in words that name who stands in the way.

A pick is told at the moment it was made, a rejection against all that was chosen in the end.

Source: ours. Departures: none.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from palaestra.core.selection import Pick
from palaestra.selection.terms import Terms

NAMED = 3
"""How many abilities are named."""


@dataclass(frozen=True, slots=True)
class Reason:
    """The terms of one environment, and what they mean."""

    pick: Pick
    why: str


def reasons(terms: Terms, order: Sequence[int]) -> tuple[tuple[Reason, ...], tuple[Reason, ...]]:
    """Return why each of an order of picking was picked, and why each other was not, the nearest to a pick first."""
    picked = tuple(_reason(terms, e, order[:place]) for place, e in enumerate(order))
    left = sorted(set(range(len(terms.env_ids))).difference(order))
    rejected = sorted((_reason(terms, e, order) for e in left), key=lambda reason: -reason.pick.gain)
    return picked, tuple(rejected)


def _reason(terms: Terms, e: int, chosen: Sequence[int]) -> Reason:
    pick, others = terms.pick(e, chosen), np.array(chosen, np.intp)
    new_A = terms.weight_EA[e] - terms.covered(chosen)
    new = [terms.abilities[a] for a in np.argsort(-new_A, kind="stable") if new_A[a] > 0]
    more = f" and {len(new) - NAMED} more" if len(new) > NAMED else ""
    said = [f"covers {', '.join(new[:NAMED])}{more} ({pick.coverage:.2f})" if new else "covers nothing new"]
    if pick.redundancy > 0:
        like = chosen[int(terms.similarity(np.array([e]), others)[0].argmax())]
        said.append(f"is like {terms.env_ids[like]} ({pick.redundancy:.2f})")
    if pick.conflict > 0:
        against = chosen[int(terms.conflict(np.array([e]), others)[0].argmax())]
        said.append(f"opposes {terms.env_ids[against]} ({pick.conflict:.2f})")
    if terms.conflict.measured and pick.env_id not in terms.conflict.measured:
        said.append("conflict unmeasured")
    return Reason(pick, ", ".join(said))
