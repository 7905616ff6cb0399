"""Group-relative advantages: how much better than its siblings on the same problem a rollout did.

Source: GRPO, advantage = (return - mean) / (standard deviation) within a group. Departures: rollouts that an
environment error ended are left out rather than scored 0; a group in which all returns are equal has no gradient, is
skipped, and is counted; in a guided group helped and unhelped members share one baseline, and the whole group is
learnt without help.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palaestra.core.ticket import Group

EPSILON = 1e-6


def advantages(group: Group) -> NDArray[np.float64] | None:
    """Return the advantage of each member (0 for those an error ended), None when the group has no signal.

    >>> from palaestra.core.distribution import Cell
    >>> from palaestra.core.instance import Instance
    >>> from palaestra.core.observation import H4
    >>> from palaestra.core.ticket import Ticket
    >>> advantages(Group(Ticket(0, Cell("a/b", 0, H4), Instance("a/b", 1, 0, 0)), ())) is None
    True
    """
    scored_G = np.array([not member.error for member in group.trajectories], bool)
    returns_G = np.array([member.ret for member in group.trajectories])
    if scored_G.sum() < 2 or np.ptp(returns_G[scored_G]) < EPSILON:
        return None
    centred_G = np.where(scored_G, returns_G - returns_G[scored_G].mean(), 0.0)
    return np.asarray(centred_G / (returns_G[scored_G].std() + EPSILON))


def live(groups: Sequence[Group]) -> int:
    """Return how many groups have a signal."""
    return sum(advantages(group) is not None for group in groups)


def effective(corrections: Sequence[float]) -> float | None:
    """Return the effective sample size of replies as a share of their number, None without any.

    Args:
        corrections: the logarithm of the weight that would correct each for the help that brought it about.

    >>> effective([0.0, 0.0]), effective([0.0, -99.0]), effective([])
    (1.0, 0.5, None)
    """
    if not corrections:
        return None
    weights = np.exp(np.array(corrections) - max(corrections))
    return float(weights.sum() ** 2 / (weights**2).sum() / len(weights))
