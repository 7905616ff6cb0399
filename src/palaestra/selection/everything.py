"""The other baseline: the whole pool, in the order of the ids.

Source: mixed training on all environments, the control of Ability-aware Environment Selection. Departures: none.
"""

from collections.abc import Sequence

from palaestra.core.errors import BadCandidates
from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Selection
from palaestra.selection.conflict import Conflict
from palaestra.selection.method import NOTHING, Evidence
from palaestra.selection.terms import Terms


def everything(
    profiles: Sequence[AbilityProfile],
    conflict: Conflict,
    k: int | None = None,
    seed: int = 0,
    evidence: Evidence = NOTHING,
) -> Selection:
    """Return every environment; profiles only account for them, so the choice itself costs nothing.

    Raises:
        BadCandidates: a `k` other than the size of the pool.
    """
    terms = Terms.of(profiles, conflict)
    if k not in (None, len(terms.env_ids)):
        raise BadCandidates(f"everything takes all {len(terms.env_ids)} environments, not {k}; use random_k for fewer")
    return terms.selection(range(len(terms.env_ids)), "everything", {})
