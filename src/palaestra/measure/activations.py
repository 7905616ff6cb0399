"""Abilities without names: what a policy makes of each turn inside, and turns that it takes for alike are one ability.

Hidden states of all turns are brought to length 1 and clustered; the clusters are numbered by how common they are.
No model is asked for words, so a policy that cannot describe anything serves too, and what comes out is what *it*
tells apart: nothing says that two clusters are two abilities, and only what they do to the selection can be compared
with other labelers.

Source: spherical k-means, Dhillon and Modha (2001); first centres by k-means++, Arthur and Vassilvitskii (2007).
Departures: every trajectory weighs alike, however many turns it has; wide states are sketched first. States are not
centred, though all point one way: whatever is commonest would come to lie at zero, and its noise be what is clustered.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from palaestra.measure.hashing import CountSketch
from palaestra.measure.labelers import Labels, runs

Array = NDArray[np.float64]

WIDEST = 1024
"""Wider states are sketched to so many numbers."""

STARTS, ROUNDS = 4, 50
"""Starts of k-means, of which the best counts, and rounds of each at most; a few dozen settle."""


def labels(states: Mapping[tuple[int, int], Sequence[NDArray[np.float32]]], clusters: int, seed: int = 0) -> Labels:
    """Return labels ``state_00``, ``state_01``, ... for the turns of each trajectory, runs as one, the commonest first.

    Args:
        states: by trajectory, the hidden state of each turn [D].
        clusters: how many abilities there are at most; fewer where fewer turns differ.
    """
    turns = [(at, len(own)) for at, own in states.items()]
    if not sum(size for _, size in turns):
        return dict.fromkeys(states, ())
    states_TD = np.array([_narrow(state) for own in states.values() for state in own], float)
    weights_T = np.concatenate([np.full(size, 1 / size) for _, size in turns if size])
    states_TD /= np.maximum(np.linalg.norm(states_TD, axis=1, keepdims=True), 1e-12)
    cluster_T = spherical(states_TD, weights_T, clusters, seed)
    mass = np.bincount(cluster_T, weights_T)
    rank = {int(cluster): n for n, cluster in enumerate(np.argsort(-mass, kind="stable"))}
    names = iter([f"state_{rank[int(cluster)]:02d}" for cluster in cluster_T])
    return {at: runs([next(names) for _ in range(size)]) for at, size in turns}


def spherical(states_TD: Array, weights_T: Array, clusters: int, seed: int) -> NDArray[np.intp]:
    """Return the cluster of each unit vector [T], from 0 on; the same vectors and seed give the same clusters."""
    rng = np.random.default_rng(seed)
    found = [_clustered(states_TD, weights_T, clusters, rng) for _ in range(STARTS)]
    return max(found, key=lambda one: one[0])[1]


def _clustered(
    states_TD: Array, weights_T: Array, clusters: int, rng: np.random.Generator
) -> tuple[float, NDArray[np.intp]]:
    """Return how near the vectors are to the centres of their clusters, and the cluster of each, from one start."""
    centres = [states_TD[rng.choice(len(states_TD), p=weights_T / weights_T.sum())]]
    far_T = 1 - states_TD @ centres[0]
    while len(centres) < clusters and (far_T := np.where(far_T < 1e-9, 0.0, far_T)).any():
        chance_T = weights_T * far_T
        centres.append(states_TD[rng.choice(len(states_TD), p=chance_T / chance_T.sum())])
        far_T = np.minimum(far_T, 1 - states_TD @ centres[-1])
    centres_CD, cluster_T = np.array(centres), np.full(len(states_TD), -1)
    for _ in range(ROUNDS):
        before_T, cluster_T = cluster_T, (states_TD @ centres_CD.T).argmax(axis=1)
        if np.array_equal(before_T, cluster_T):
            break
        for c in np.unique(cluster_T):  # a cluster that has lost all its turns keeps its centre
            mean_D = weights_T[cluster_T == c] @ states_TD[cluster_T == c]
            centres_CD[c] = mean_D / max(np.linalg.norm(mean_D), 1e-12)
    return float(weights_T @ (states_TD * centres_CD[cluster_T]).sum(1)), cluster_T


def _narrow(state: NDArray[np.float32]) -> NDArray[np.floating]:
    return state if state.size <= WIDEST else CountSketch(k=WIDEST)([("state", state)])
