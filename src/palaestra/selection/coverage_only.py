"""AES without redundancy and conflict: the greedy cover of abilities.

Source: greedy maximum coverage, the ablation of Ability-aware Environment Selection. Departures: none.
"""

from collections.abc import Sequence

from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Selection
from palaestra.selection.aes import picked
from palaestra.selection.balance import Balance
from palaestra.selection.conflict import Conflict
from palaestra.selection.method import NOTHING, Evidence
from palaestra.selection.terms import Terms

COVERAGE = Balance(redundancy=0.0, conflict=0.0)


def coverage_only(
    profiles: Sequence[AbilityProfile],
    conflict: Conflict,
    k: int | None = None,
    seed: int = 0,
    evidence: Evidence = NOTHING,
) -> Selection:
    """Return what covers most; conflict is accounted for, and changes nothing.

    Raises:
        BadCandidates: the profiles or `k` make no choice.
    """
    terms = Terms.of(profiles, conflict)
    return terms.selection(picked(terms.by(COVERAGE), k), "coverage_only", {"rollouts": float(terms.rollouts)})
