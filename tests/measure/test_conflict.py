"""Cosines of simulated gradients whose true cosine is planted."""

from dataclasses import replace

import numpy as np
import pytest
from planted import K, effective, means, pair, sketch, spectrum

from palaestra.core.errors import BadMeasurement
from palaestra.core.gradient import Cosine
from palaestra.measure.conflict import CosineMatrix, cosines, measurable
from palaestra.measure.hashing import CountSketch
from palaestra.measure.moments import moments
from palaestra.measure.posterior import FLOOR, Prior, expected_negative

PLANTED = -0.13


@pytest.fixture(scope="module", params=[0.5, 0.25], ids=lambda rho: f"reliability {rho}")
def repeated(request: pytest.FixtureRequest) -> tuple[float, list[Cosine]]:
    """Pairs with the planted cosine at one true reliability: those of two hundred that are measured."""
    rho, rng = request.param, np.random.default_rng(0)
    every = [cosines(pair(rng, PLANTED, 1 / rho - 1)).pair("a/a", "b/b") for _ in range(200)]
    measured = [one for one in every if one.measured]
    assert len(measured) > 160
    return rho, measured


def test_the_naive_cosine_is_attenuated_by_the_root_of_both_reliabilities(repeated: tuple[float, list[Cosine]]) -> None:
    rho, found = repeated
    naive = np.array([one.naive for one in found])
    assert naive.mean() == pytest.approx(PLANTED * rho, abs=3 * naive.std() / np.sqrt(len(naive)))
    assert np.mean([one.reliability for one in found]) == pytest.approx(
        rho, abs=0.03
    )  # the least reliable are not there


def test_the_corrected_cosine_recovers_what_was_planted(repeated: tuple[float, list[Cosine]]) -> None:
    corrected = np.array([one.corrected for one in repeated[1]])
    assert corrected.mean() == pytest.approx(PLANTED, abs=3 * corrected.std() / np.sqrt(len(corrected)))


def test_intervals_of_95_percent_cover_about_as_often(repeated: tuple[float, list[Cosine]]) -> None:
    covered = [abs(one.corrected - PLANTED) < 1.96 * one.se for one in repeated[1]]
    assert 0.88 <= np.mean(covered) <= 0.99


def test_the_error_is_the_one_that_the_planning_rule_foretells(repeated: tuple[float, list[Cosine]]) -> None:
    rho, found = repeated
    beta = 1 / rho - 1
    foretold = np.sqrt((2 * beta + beta**2) / effective() + 1 / K)
    assert np.mean([one.se for one in found]) == pytest.approx(foretold, rel=0.15)


def test_a_small_projection_widens_the_interval_by_its_own_error() -> None:
    rng, errors = np.random.default_rng(1), []
    for seed in range(100):
        bucket, sign = CountSketch(seed, k=256)._places("w", 0, K)
        project = np.zeros((K, 256))
        project[np.arange(K), bucket] = sign
        full = pair(rng, PLANTED, 0.1)
        found = cosines([replace(one, batches_MK=one.batches_MK @ project) for one in full]).pair("a/a", "b/b")
        errors.append((abs(found.corrected - PLANTED), found.se, np.sqrt(found.se**2 - 1 / 256)))
    error, se, of_batches = np.array(errors).T
    assert np.mean(error < 1.96 * se) >= 0.9
    assert np.mean(error < 1.96 * of_batches) <= 0.8  # all batches meet one hash and cannot see its error


def pool(seed: int, noise: float, n: int = 31, rank: int = 0) -> CosineMatrix:
    """Environments whose gradient norms differ a hundredfold; orthogonal, unless their means share `rank` factors."""
    rng = np.random.default_rng(seed)
    means_EK = rng.standard_normal((n, K)) * np.sqrt(spectrum())
    means_EK = rng.standard_normal((n, rank)) @ means_EK[:rank] if rank else np.linalg.qr(means_EK.T)[0].T
    means_EK /= np.linalg.norm(means_EK, axis=1, keepdims=True)
    return cosines(
        [sketch(rng, mean_K, noise, f"e/{e:02}", scale=10 ** rng.uniform(-1, 1)) for e, mean_K in enumerate(means_EK)]
    )


def test_where_there_is_no_conflict_the_maximum_over_a_selection_reads_none() -> None:
    worst = []
    for seed in range(5):
        found = pool(seed, noise=3.0)
        first, *others = np.flatnonzero(found.measured_E)
        readings = (-found.naive_EE, -found.corrected_EE, found.conflict_EE)
        worst.append([reading[first, others].max() for reading in readings])
    naive, corrected, posterior = np.mean(worst, axis=0)
    assert posterior < 0.03 < 0.05 < naive < 0.2 < corrected


def test_with_real_conflict_the_expected_negative_part_is_nearer_the_truth_than_the_naive_one() -> None:
    truth, found = pool(0, noise=1e-6, n=20, rank=6), pool(0, noise=3.0, n=20, rank=6)
    negative_EE = np.maximum(0, -truth.naive_EE)
    pairs = np.triu(np.outer(found.measured_E, found.measured_E), 1)
    naive, expected = [
        np.sqrt(np.mean((reading - negative_EE)[pairs] ** 2))
        for reading in (np.maximum(0, -found.naive_EE), found.conflict_EE)
    ]
    assert expected < 0.6 * naive


def test_a_posterior_lies_between_the_pool_and_the_measurement_and_within_bounds() -> None:
    found = pool(1, noise=5.0, rank=8)
    pairs = np.triu(np.outer(found.measured_E, found.measured_E), 1)
    corrected, posterior = found.corrected_EE[pairs], found.posterior_EE[pairs]
    low, high = np.minimum(corrected, found.prior.mean), np.maximum(corrected, found.prior.mean)
    assert ((np.clip(low, -1, 1) <= posterior) & (posterior <= np.clip(high, -1, 1))).all()
    assert posterior.std() < corrected.std()
    assert ((found.conflict_EE >= 0) & (found.conflict_EE <= 1)).all()


def test_the_spread_of_a_pool_is_found_and_a_floor_that_binds_is_told() -> None:
    spread = pool(2, noise=1.0, rank=8)
    truth = pool(2, noise=1e-6, rank=8).naive_EE[np.triu_indices(31, 1)].std()
    assert spread.prior.tau == pytest.approx(truth, rel=0.1)
    assert not spread.prior.floored
    none = pool(2, noise=1.0).prior
    assert (none.tau, none.floored) == (FLOOR, True)


def test_fewer_than_five_environments_are_no_pool_and_meet_a_fixed_prior() -> None:
    assert pool(0, noise=1.0, n=4).prior == Prior()
    assert pool(0, noise=1.0, n=5).prior != Prior()


def test_the_expected_negative_part_is_that_of_a_normal_variable() -> None:
    draws = np.random.default_rng(0).normal(-0.05, 0.1, 200_000)
    found = expected_negative(np.array([-0.05]), np.array([0.1]))
    assert found == pytest.approx(np.maximum(0, -draws).mean(), rel=0.01)


def test_without_a_live_group_or_without_signal_an_environment_is_unmeasured() -> None:
    rng = np.random.default_rng(0)
    one, two = means(rng, -0.5)
    found = cosines(
        [
            sketch(rng, one, 0.3, "z/fine"),
            sketch(rng, two, 0.3, "a/fine"),
            sketch(rng, two, 0.3, "m/dead", live=0),
            sketch(rng, two, 1e6, "m/noise"),
        ]
    )
    assert found.measured_E.tolist() == [True, True, False, False]
    assert found.conflict().keys() == {("a/fine", "z/fine")}
    assert found.conflict()["a/fine", "z/fine"] == pytest.approx(0.5, abs=0.2)
    for name in ("m/dead", "m/noise"):
        pair_of = found.pair("a/fine", name)
        assert not pair_of.measured
        assert np.isnan(pair_of.corrected)
        assert (pair_of.se, pair_of.posterior) == (np.inf, found.prior.mean)
    assert found.pair("m/dead", "z/fine").naive == found.pair("m/dead", "z/fine").reliability == 0


def test_a_pool_in_which_nothing_has_a_gradient_is_wholly_unmeasured() -> None:
    rng = np.random.default_rng(0)
    found = cosines([sketch(rng, np.zeros(K), 0.0, name, live=0) for name in ("a/a", "b/b")])
    assert found.conflict() == {}
    assert not found.measured_E.any()


def test_cosines_are_symmetric_and_do_not_depend_on_order_or_scale() -> None:
    one, two = pair(np.random.default_rng(0), PLANTED, 1.0)
    found = cosines([one, two])
    assert found.pair("a/a", "b/b") == found.pair("b/b", "a/a")
    turned = cosines([two, replace(one, batches_MK=1000 * one.batches_MK)]).pair("a/a", "b/b")
    assert turned.corrected == pytest.approx(found.pair("a/a", "b/b").corrected, rel=1e-5)
    assert turned.se == pytest.approx(found.pair("a/a", "b/b").se, rel=1e-5)


def test_moments_are_those_of_the_formulas_written_out() -> None:
    x, y = (one.batches_MK.astype(np.float64) for one in pair(np.random.default_rng(0), 0.3, 0.3, batches=5))
    M, mean_x, mean_y = 5, x.mean(axis=0), y.mean(axis=0)
    unbiased = sum(x[a] @ x[b] for a in range(M) for b in range(M) if a != b) / (M * (M - 1))
    along_y, along_x = across(x, mean_y, mean_x @ mean_y), across(y, mean_x, mean_x @ mean_y)
    both = (((x - mean_x) @ (y - mean_y).T) ** 2).sum() / (M - 1) ** 2
    variance = max((along_y + along_x) / M - both / M**2, both / (2 * M**2))
    found = moments([x, y])
    assert found.reliability_E[0] == pytest.approx(unbiased / (mean_x @ mean_x))
    assert found.variance_EE[0, 1] == pytest.approx(variance / (mean_x @ mean_x) / (mean_y @ mean_y))
    without = [moments([np.delete(x, a, axis=0)]).reliability_E[0] for a in range(M)]
    assert found.reliability_se_E[0] == pytest.approx(np.sqrt((M - 1) * np.var(without)))


def across(x: np.ndarray, other: np.ndarray, dot: float) -> float:
    """The variance of batches along another mean, less what follows from how far they reach along their own."""
    M = len(x)
    lengths = [x[a] @ np.delete(x, a, axis=0).mean(axis=0) for a in range(M)]
    return float(np.var(x @ other - dot / np.mean(lengths) * np.array(lengths), ddof=1))


def test_batches_of_different_lengths_are_no_noise_of_a_cosine() -> None:
    rng = np.random.default_rng(0)
    made = pair(rng, 0.8, 0.05, batches=20)
    even = cosines(made).pair("a/a", "b/b")
    lengths = rng.uniform(0.2, 1.8, (2, 20, 1))
    uneven = cosines(
        [replace(o, batches_MK=(n * o.batches_MK).astype(np.float32)) for o, n in zip(made, lengths, strict=True)]
    )
    assert uneven.pair("a/a", "b/b").corrected == pytest.approx(even.corrected, abs=0.03)
    assert uneven.pair("a/a", "b/b").se == pytest.approx(even.se, rel=0.5)


def test_environments_may_have_different_numbers_of_batches() -> None:
    rng = np.random.default_rng(0)
    one, two = means(rng, 0.3)
    few, many = sketch(rng, one, 1.0, "a/a", batches=8), sketch(rng, two, 1.0, "b/b", batches=20)
    found = cosines([few, many])
    assert found.batches_E.tolist() == [8, 20]
    x, y = (own.batches_MK.astype(np.float64) for own in (few, many))
    x, y = x / np.linalg.norm(x.mean(axis=0)), y / np.linalg.norm(y.mean(axis=0))
    gram = x @ y.T
    off = gram - gram.mean(axis=0) - gram.mean(axis=1, keepdims=True) + gram.mean()
    variance = across(x, y.mean(axis=0), gram.mean()) / 8 + across(y, x.mean(axis=0), gram.mean()) / 20
    variance -= (off**2).sum() / (7 * 19) / (8 * 20)
    assert moments([x, y]).variance_EE[0, 1] == pytest.approx(variance)
    assert found.pair("a/a", "b/b").naive == pytest.approx(gram.mean())


def test_the_effective_dimension_of_the_noise_is_found_in_the_pool_and_roughly_in_each() -> None:
    rng = np.random.default_rng(0)
    mean_K, _ = means(rng, 0.0)
    found = cosines([sketch(rng, mean_K, 3.0, f"e/{e}") for e in range(30)])
    assert found.dimension == pytest.approx(effective(), rel=0.1)
    assert np.median(found.dimension_E) == pytest.approx(effective(), rel=0.3)
    assert np.isnan(cosines([sketch(rng, mean_K, 1.0), sketch(rng, mean_K, 1.0, "b/b", live=0)]).dimension_E[1])


def test_ten_batches_of_pure_noise_are_seldom_taken_for_a_gradient() -> None:
    rng = np.random.default_rng(0)
    noise = [sketch(rng, np.zeros(K), 1.0, f"e/{e:03}") for e in range(300)]
    found = cosines(noise)
    assert found.measured_E.mean() < 0.05
    assert [measurable(one) for one in noise] == found.measured_E.tolist()


def test_sketches_that_do_not_belong_together_are_refused() -> None:
    one, two = pair(np.random.default_rng(0), 0.0, 1.0)
    for other in (one, replace(two, metric="adam"), replace(two, batches_MK=two.batches_MK[:, 1:])):
        with pytest.raises(BadMeasurement, match="cosines of 2 sketches"):
            cosines([one, other])
    with pytest.raises(BadMeasurement, match="at least 3"):
        cosines([replace(each, batches_MK=each.batches_MK[:2]) for each in (one, two)])
    with pytest.raises(BadMeasurement, match="cosines of 0 sketches"):
        cosines([])
