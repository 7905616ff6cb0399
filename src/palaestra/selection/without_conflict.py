"""AES without conflict: coverage less redundancy.

Source: the ablation "without conflict" of Ability-aware Environment Selection. Departures: none.
"""

from collections.abc import Sequence

from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Selection
from palaestra.selection.aes import picked
from palaestra.selection.balance import Balance
from palaestra.selection.conflict import Conflict
from palaestra.selection.method import NOTHING, Evidence
from palaestra.selection.terms import Terms

PEACEFUL = Balance(conflict=0.0)


def without_conflict(
    profiles: Sequence[AbilityProfile],
    conflict: Conflict,
    k: int | None = None,
    seed: int = 0,
    evidence: Evidence = NOTHING,
) -> Selection:
    """Return what AES would pick if it knew of no conflict; conflict is accounted for, and changes nothing.

    Raises:
        BadCandidates: the profiles or `k` make no choice.
    """
    terms = Terms.of(profiles, conflict)
    return terms.selection(picked(terms.by(PEACEFUL), k), "without_conflict", {"rollouts": float(terms.rollouts)})
