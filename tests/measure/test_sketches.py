"""The projection, the batches, the metric."""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from played import Planted, group, scored

from palaestra.core.errors import BadMeasurement
from palaestra.measure import hashing
from palaestra.measure.hashing import CountSketch
from palaestra.measure.sketches import EPSILON, live, sketch, split

GROUPS = [scored(seed, 0.0, 1.0) for seed in range(12)]
SMALL = CountSketch(k=64)


def test_dot_products_of_sketches_are_unbiased_with_the_variance_of_the_literature() -> None:
    rng = np.random.default_rng(0)
    one, two = rng.standard_normal((2, 400))
    dots = [CountSketch(seed, 64)([("w", one)]) @ CountSketch(seed, 64)([("w", two)]) for seed in range(500)]
    variance = ((one @ one) * (two @ two) + (one @ two) ** 2) / 64
    assert np.mean(dots) == pytest.approx(one @ two, abs=4 * np.sqrt(variance / 500))
    assert np.var(dots) == pytest.approx(variance, rel=0.25)


def test_buckets_and_signs_are_even() -> None:
    bucket, sign = CountSketch(k=10)._places("w", 0, 100_000)
    assert np.bincount(bucket, minlength=10) == pytest.approx(10_000, rel=0.05)
    assert abs(sign.mean()) < 0.02
    assert abs(np.corrcoef(bucket, sign)[0, 1]) < 0.02


def test_sketches_are_equal_in_another_process_with_another_hash_seed() -> None:
    code = (
        "from played import *; from palaestra.measure.sketches import *; from hashlib import sha256;"
        "found = sketch('a/a', [scored(seed, 0.0, 1.0) for seed in range(12)], Planted(), 4);"
        "print(sha256(found.batches_MK.tobytes()).hexdigest())"
    )
    environ = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environ, check=True)
    assert done.stdout.strip() == sha256(sketch("a/a", GROUPS, Planted(), 4).batches_MK.tobytes()).hexdigest()


def test_a_stored_sketch_stays_comparable() -> None:
    assert CountSketch(seed=3, k=4)([("w", np.arange(8.0))]).tolist() == [1.0, 0.0, -11.0, 6.0]


@given(st.integers(1, 300), st.integers(1, 40))
def test_a_sketch_does_not_depend_on_the_size_of_its_chunks(size: int, chunk: int) -> None:
    block = [("w", np.random.default_rng(size).standard_normal(size))]
    whole, hashing.CHUNK = SMALL(block), chunk
    try:
        assert SMALL(block) == pytest.approx(whole)
    finally:
        hashing.CHUNK = 1 << 18


def test_a_sketch_is_linear_and_sees_names_and_seeds_but_not_shapes() -> None:
    one, two = np.random.default_rng(0).standard_normal((2, 6, 5))
    assert SMALL([("w", one + two)]) == pytest.approx(SMALL([("w", one)]) + SMALL([("w", two)]))
    assert SMALL([("w", one), ("v", two)]) == pytest.approx(SMALL([("w", one)]) + SMALL([("v", two)]))
    assert (SMALL([("w", one)]) == SMALL([("w", one.reshape(-1))])).all()
    assert (SMALL([("w", one)]) != SMALL([("v", one)])).any()
    assert (SMALL([("w", one)]) != CountSketch(1, 64)([("w", one)])).any()


def test_no_instance_is_in_two_batches_whatever_the_order_of_groups() -> None:
    groups = [scored(seed, 0.0, 1.0, number=10 * seed + copy) for seed in range(7) for copy in range(3)]
    batches = split("a/a", groups, 3)
    seeds = [{group.ticket.instance.seed for group in batch} for batch in batches]
    assert sorted(seed for batch in seeds for seed in batch) == list(range(7))
    assert max(map(len, seeds)) - min(map(len, seeds)) <= 1
    assert split("a/a", groups[::-1], 3) == batches


@pytest.mark.parametrize("batches", [2, 13])
def test_too_few_batches_or_instances_are_refused(batches: int) -> None:
    with pytest.raises(BadMeasurement, match=f"{batches} disjoint batches of 12 instances"):
        sketch("a/a", GROUPS, Planted(), batches)


def test_a_group_of_another_environment_is_refused() -> None:
    with pytest.raises(BadMeasurement, match="ticket 5 is of b/b"):
        sketch("a/a", [*GROUPS, group(5, env_id="b/b")], Planted())


def test_a_batch_row_is_the_sketch_of_its_mean_gradient() -> None:
    found = sketch("a/a", GROUPS, Planted(), 4, q=0, project=SMALL)
    rows = [SMALL(Planted().gradients(batch)) for batch in split("a/a", GROUPS, 4)]
    assert found.batches_MK == pytest.approx(np.array(rows), rel=1e-5)
    assert (found.env_id, found.metric, found.live_groups) == ("a/a", "raw", 12)


@pytest.mark.parametrize(("q", "metric"), [(0.5, "adam"), (1.0, "fisher"), (0.25, "second moments ** 0.25")])
def test_gradients_are_divided_by_second_moments_and_the_metric_is_recorded(q: float, metric: str) -> None:
    source = Planted(moment=1e-6)
    found = sketch("a/a", GROUPS, source, 4, q=q, project=SMALL)
    batch = split("a/a", GROUPS, 4)[0]
    blocks = zip(source.gradients(batch), source.second_moments(), strict=True)
    by_hand = SMALL([(name, g / (np.sqrt(v) + EPSILON) ** q) for (name, g), (_, v) in blocks])
    assert found.batches_MK[0] == pytest.approx(by_hand, rel=1e-5)
    assert found.metric == metric


def test_second_moments_of_other_blocks_are_refused() -> None:
    source = Planted()
    source.second_moments = lambda: iter([("layer.bias", np.ones(20))])  # type: ignore[method-assign]
    with pytest.raises(BadMeasurement, match=r"'layer\.weight' \(30, 20\) met second moments 'layer\.bias' \(20,\)"):
        sketch("a/a", GROUPS, source, 4)


def test_dead_groups_are_counted_and_a_batch_of_none_but_dead_ones_costs_no_gradient() -> None:
    groups = [scored(seed, 1.0, 1.0) for seed in range(4)] + [scored(seed, 0.0, 1.0) for seed in range(4, 8)]
    source = Planted()
    found = sketch("a/a", groups, source, 4, project=SMALL)
    dead = [not any(map(live, batch)) for batch in split("a/a", groups, 4)]
    assert found.live_groups == 4
    assert len(source.asked) == 4 - sum(dead)
    assert [not row.any() for row in found.batches_MK] == dead
    everywhere = sketch("a/a", [scored(seed, 1.0, 1.0) for seed in range(4)], source, 4, project=SMALL)
    assert everywhere.live_groups == 0
    assert not everywhere.batches_MK.any()


def test_a_gradient_that_is_not_finite_is_refused_before_it_spoils_the_pool() -> None:
    source = Planted()
    source.gradients = lambda groups: iter([("w", np.array([1.0, np.nan]))])  # type: ignore[method-assign]
    with pytest.raises(BadMeasurement, match="nan or infinity"):
        sketch("a/a", GROUPS, source, 4, q=0)
