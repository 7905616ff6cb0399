"""DoGE: weights of domains from the products of their gradients; here the K that it would weigh most.

An environment scores by the product of its gradient with the sum of all: what a step on it does for the whole pool. One
update raises the logarithm of its weight by the score over mu; from equal weights the order is that of the scores,
whatever mu is.

Source: DoGE, domain reweighting with generalization estimation (2023). Departures: one update from gradients of one
checkpoint, where DoGE goes on with training; a set instead of weights; environments without a gradient come last.
"""

from collections.abc import Sequence

import numpy as np

from palaestra.core.errors import BadCandidates
from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Selection
from palaestra.selection.conflict import Conflict
from palaestra.selection.method import NOTHING, Evidence
from palaestra.selection.terms import Terms


def doge(
    profiles: Sequence[AbilityProfile],
    conflict: Conflict,
    k: int | None = None,
    seed: int = 0,
    evidence: Evidence = NOTHING,
) -> Selection:
    """Return the `k` environments with the highest score, which the mean gradients of `evidence` decide.

    Raises:
        BadCandidates: no `k` or one that is out of range, or no gradients.
    """
    terms = Terms.of(profiles, conflict)
    n = terms.given(k, "doge")
    if evidence.gradients is None:
        raise BadCandidates(
            "doge weighs environments by their gradients, and there are none; measure with a checkpoint"
        )
    mean_EK = np.asarray(evidence.gradients.mean_EK, np.float64)
    score_E = np.vecdot(mean_EK, mean_EK.sum(axis=0))
    known = zip(evidence.gradients.env_ids, score_E.tolist(), (mean_EK != 0).any(axis=1).tolist(), strict=True)
    scores = {env_id: score for env_id, score, pulls in known if pulls}
    order = sorted(range(len(terms.env_ids)), key=lambda e: (-scores.get(terms.env_ids[e], -np.inf), e))
    return terms.selection(order[:n], "doge", {})
