"""The baseline: K environments at random, each subset as likely as any other.

Source: Random-K, the control of Ability-aware Environment Selection at equal K. Departures: none.
"""

from collections.abc import Sequence

import numpy as np

from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Selection
from palaestra.selection.conflict import Conflict
from palaestra.selection.method import NOTHING, Evidence
from palaestra.selection.terms import Terms


def random_k(
    profiles: Sequence[AbilityProfile],
    conflict: Conflict,
    k: int | None = None,
    seed: int = 0,
    evidence: Evidence = NOTHING,
) -> Selection:
    """Return `k` environments drawn by `seed`; profiles only account for them, so the choice itself costs nothing.

    Raises:
        BadCandidates: no `k`, or one that is out of range.
    """
    terms = Terms.of(profiles, conflict)
    order = np.random.default_rng(seed).permutation(len(terms.env_ids))[: terms.given(k, "random_k")]
    return terms.selection([int(e) for e in order], "random_k", {})
