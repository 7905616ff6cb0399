"""K-center over embeddings: the farthest environment from all those chosen, again and again.

What is embedded is what an environment tells a player, or its program. The greedy set is at most twice as far from some
environment as the best one.

Source: Gonzalez (1985). Departures: it starts anywhere; here with the environment nearest to the mean of all. Vectors
are hashed tf-idf.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from palaestra.core.errors import BadCandidates
from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Selection
from palaestra.selection.conflict import Conflict
from palaestra.selection.method import NOTHING, Evidence
from palaestra.selection.terms import Terms
from palaestra.selection.tfidf import tfidf


def k_center_description(
    profiles: Sequence[AbilityProfile],
    conflict: Conflict,
    k: int | None = None,
    seed: int = 0,
    evidence: Evidence = NOTHING,
) -> Selection:
    """Return `k` environments that tell a player different things; profiles only account for them.

    Raises:
        BadCandidates: no `k` or one that is out of range, or an environment without a description.
    """
    return _selection(profiles, conflict, k, evidence.descriptions, "k_center_description")


def k_center_code(
    profiles: Sequence[AbilityProfile],
    conflict: Conflict,
    k: int | None = None,
    seed: int = 0,
    evidence: Evidence = NOTHING,
) -> Selection:
    """Return `k` environments with different programs; profiles only account for them.

    Raises:
        BadCandidates: no `k` or one that is out of range, or an environment without its program.
    """
    return _selection(profiles, conflict, k, evidence.code, "k_center_code")


def _selection(
    profiles: Sequence[AbilityProfile], conflict: Conflict, k: int | None, texts: Mapping[str, str], name: str
) -> Selection:
    terms = Terms.of(profiles, conflict)
    n = terms.given(k, name)
    if lost := [env_id for env_id in terms.env_ids if not texts.get(env_id)]:
        raise BadCandidates(
            f"{name} compares texts, and {lost[0]} has none ({len(lost)} lack one); give evidence of it"
        )
    unit_ED = tfidf([texts[env_id] for env_id in terms.env_ids])
    order = [int((unit_ED @ unit_ED.mean(axis=0)).round(6).argmax())]
    nearest_E = np.full(len(unit_ED), -np.inf)
    while len(order) < n:
        nearest_E = np.maximum(nearest_E, np.vecdot(unit_ED, unit_ED[order[-1]]))
        nearest_E[order[-1]] = np.inf
        order.append(int(nearest_E.argmin()))
    return terms.selection(order, name, {})
