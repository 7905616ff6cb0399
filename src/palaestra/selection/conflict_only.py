"""AES without coverage and redundancy: the environments that oppose one another least.

Source: the ablation of Ability-aware Environment Selection. Departures: the first pick is a tie of all, and ties
go to the smaller id.
"""

from collections.abc import Sequence

from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Selection
from palaestra.selection.aes import picked
from palaestra.selection.balance import Balance
from palaestra.selection.conflict import Conflict
from palaestra.selection.method import NOTHING, Evidence
from palaestra.selection.terms import Terms

CONFLICT = Balance(coverage=0.0, redundancy=0.0)


def conflict_only(
    profiles: Sequence[AbilityProfile],
    conflict: Conflict,
    k: int | None = None,
    seed: int = 0,
    evidence: Evidence = NOTHING,
) -> Selection:
    """Return `k` environments, each the one that opposes the worst of those before it least.

    Raises:
        BadCandidates: no `k`, or one that is out of range.
    """
    terms = Terms.of(profiles, conflict)
    n = terms.given(k, "conflict_only")
    return terms.selection(picked(terms.by(CONFLICT), n), "conflict_only", {})
