"""How often each environment is picked when the pool was measured on other instances.

The same method chooses from each of many re-drawn sets of profiles; conflict stays as it was measured. An environment
that is picked every time owes that to what it asks for, one that is picked half of the time to the five instances that
happened to be played.

Source: bootstrap inclusion frequencies of variable selection; stability selection, Meinshausen and Buehlmann (2010).
Departures: none.
"""

from collections import Counter
from collections.abc import Sequence

from palaestra.core.errors import BadCandidates
from palaestra.core.profile import AbilityProfile
from palaestra.selection.conflict import Conflict
from palaestra.selection.method import NOTHING, Evidence, Method


def inclusion(
    method: Method,
    redrawn: Sequence[Sequence[AbilityProfile]],
    conflict: Conflict,
    k: int | None = None,
    seed: int = 0,
    evidence: Evidence = NOTHING,
) -> dict[str, float]:
    """Return the share of re-drawn sets of profiles in which each environment is picked.

    A set in which nothing can be chosen, as no ability is core in it, counts as one in which nothing was.
    """
    times: Counter[str] = Counter()
    for profiles in redrawn:
        try:
            times.update(method(profiles, conflict, k, seed, evidence).env_ids)
        except BadCandidates:
            continue
    return {profile.env_id: times[profile.env_id] / len(redrawn) for profile in redrawn[0]} if redrawn else {}
