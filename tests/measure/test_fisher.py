"""The cheap look at conflict: which environments move the same parameters, and whether that foretells cosines."""

from itertools import combinations

import numpy as np
import pytest
from planted import K, sketch
from played import Planted, scored

from palaestra.measure.conflict import cosines
from palaestra.measure.fisher import fisher_root, overlap
from palaestra.measure.hashing import CountSketch
from palaestra.measure.ranks import rank_correlation

GROUPS = [scored(seed, 0.0, 1.0) for seed in range(3)]


def test_a_root_is_the_sketch_of_the_absolute_gradient_from_one_backward_pass() -> None:
    source, project = Planted(), CountSketch(k=64)
    found = fisher_root(source, GROUPS, project)
    assert len(source.asked) == 1
    by_hand = project([(name, np.abs(block)) for name, block in Planted().gradients(GROUPS)])
    assert found == pytest.approx(by_hand)


def test_overlap_is_one_for_equal_roots_and_about_zero_for_disjoint_ones() -> None:
    rng, project = np.random.default_rng(0), CountSketch()
    gradient, half = np.abs(rng.standard_normal(100_000)), np.arange(100_000) < 50_000
    roots = {
        "a/a": project([("w", gradient)]),
        "b/b": project([("w", 7 * gradient)]),
        "c/left": project([("w", gradient * half)]),
        "d/right": project([("w", gradient * ~half)]),
        "e/dead": np.zeros(8192),
    }
    sampled = cosines([sketch(rng, rng.standard_normal(K), 0.1, env_id) for env_id in roots])
    found = overlap(roots, sampled).overlap
    assert found.keys() == {*combinations(("a/a", "b/b", "c/left", "d/right"), 2)}
    assert found["a/a", "b/b"] == pytest.approx(1)
    assert found["c/left", "d/right"] == pytest.approx(0, abs=0.05)
    assert found["a/a", "c/left"] == pytest.approx(np.sqrt(0.5), abs=0.05)


def test_the_rank_correlation_is_with_sampled_cosines_of_measured_pairs() -> None:
    rng = np.random.default_rng(0)
    ids = ("a/a", "b/b", "c/c", "d/d", "z/noise")
    means_EK = {e: rng.standard_normal(K) * (np.arange(K) < 200 * (n + 1)) for n, e in enumerate(ids)}
    sampled = cosines([sketch(rng, mean, 1e9 if e == "z/noise" else 1e-3, e) for e, mean in means_EK.items()])
    roots = {e: np.abs(mean) for e, mean in means_EK.items()}
    found = overlap(roots, sampled)
    assert found.pairs == 6
    pairs = [*combinations(ids[:4], 2)]
    shared, cosine = [found.overlap[p] for p in pairs], [sampled.pair(*p).corrected for p in pairs]
    assert found.with_cosine == rank_correlation(shared, cosine)
    assert found.with_size == rank_correlation(shared, np.abs(cosine))


def test_where_nothing_is_alive_nothing_overlaps() -> None:
    rng = np.random.default_rng(0)
    sampled = cosines([sketch(rng, np.zeros(K), 0.0, e, live=0) for e in ("a/a", "b/b")])
    found = overlap(dict.fromkeys(("a/a", "b/b"), np.zeros(9)), sampled)
    assert (found.overlap, found.pairs, found.with_cosine, found.with_size) == ({}, 0, None, None)


def test_ranks_share_ties_and_see_neither_scale_nor_sign_of_steps() -> None:
    assert rank_correlation([1, 2, 3, 4], [4, 3, 2, 1]) == -1
    assert rank_correlation([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(0.948683)  # as scipy.stats.spearmanr says
