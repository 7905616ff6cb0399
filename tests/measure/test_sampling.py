"""Adaptive sampling: every environment gets the batches that its pairs need, and none for what cannot be helped."""

from collections.abc import Sequence

import numpy as np
from planted import K, means, spectrum

from palaestra.core.gradient import GradientSketch
from palaestra.measure.conflict import CosineMatrix, cosines
from palaestra.measure.sampling import SHARP, Stopped, further, sharp

CAP = 80


def sampled(noises: Sequence[float], seed: int = 0, cap: int = CAP) -> tuple[CosineMatrix, dict[str, Stopped], int]:
    """Sample environments of these noise scales (noise / signal of one batch) as the rule says; with the rounds."""
    rng = np.random.default_rng(seed)
    one, two = means(rng, -0.2)
    rows = {f"e/{e}": np.zeros((0, K)) for e in range(len(noises))}
    wanted, rounds = dict.fromkeys(rows, 10), 0
    while wanted:
        rounds += 1
        for env_id, M in wanted.items():
            e = int(env_id[2:])
            shape = (M - len(rows[env_id]), K)
            drawn = (one, two)[e % 2] + rng.standard_normal(shape) * np.sqrt(spectrum() * noises[e])
            rows[env_id] = np.concatenate([rows[env_id], drawn])
        found = cosines([GradientSketch(e, rows_MK.astype(np.float32), 1, "raw") for e, rows_MK in rows.items()])
        course = further(found, dict.fromkeys(rows, cap))
        assert course.batches.keys() | course.stopped.keys() == rows.keys()
        wanted = dict(course.batches)
    return found, dict(course.stopped), rounds


def test_environments_are_sampled_until_their_cosines_are_sharp() -> None:
    found, stopped, rounds = sampled([5.0, 5.0, 10.0, 20.0])
    assert set(stopped.values()) == {Stopped.SHARP}
    assert sharp(found).all()
    assert (found.se_EE[found.pairs] <= SHARP).mean() >= 0.9
    assert found.batches_E[3] > found.batches_E[0]  # the noisier, the more
    assert (found.batches_E < CAP).all()
    assert rounds <= 8


def test_what_is_sharp_at_once_gets_no_further_batch() -> None:
    found, _, rounds = sampled([0.1, 0.1, 0.1])
    assert (found.batches_E.tolist(), rounds) == ([10, 10, 10], 1)


def test_noise_is_given_up_before_the_cap_more_often_than_not() -> None:
    played = []
    for seed in range(8):
        found, stopped, _ = sampled([5.0, 5.0, 20_000.0], seed)
        assert stopped["e/2"] in (Stopped.HOPELESS, Stopped.CAP)
        assert not found.measured_E[2]
        played.append(found.batches_E[2])
    assert np.median(played) < CAP  # it may look like hope for a while


def test_an_environment_does_not_sample_for_a_partner_that_is_at_its_cap() -> None:
    found, stopped, _ = sampled([2.0, 150.0])
    assert stopped == {"e/0": Stopped.PARTNERS, "e/1": Stopped.CAP}
    assert found.batches_E.tolist()[1] == CAP
    assert found.batches_E[0] < CAP / 2


def test_one_without_a_live_group_stops_at_once_and_one_alone_has_nothing_to_gain() -> None:
    rng = np.random.default_rng(0)
    one, _ = means(rng, 0.0)
    lively = (one + 0.1 * rng.standard_normal((10, K)) * np.sqrt(spectrum())).astype(np.float32)
    found = cosines([GradientSketch("a/a", lively, 1, "raw"), GradientSketch("b/b", np.zeros_like(lively), 0, "raw")])
    course = further(found, {"a/a": CAP, "b/b": CAP})
    assert (course.batches, course.stopped) == ({}, {"a/a": Stopped.PARTNERS, "b/b": Stopped.HOPELESS})


def test_the_cap_of_each_environment_is_its_own() -> None:
    rng = np.random.default_rng(0)
    one, two = means(rng, 0.0)
    noise = 40.0
    rows = [mean + rng.standard_normal((10, K)) * np.sqrt(spectrum() * noise) for mean in (one, two)]
    found = cosines([GradientSketch(e, own.astype(np.float32), 1, "raw") for e, own in zip("ab", rows, strict=True)])
    course = further(found, {"a": 10, "b": 12})
    assert course.stopped == {"a": Stopped.CAP}
    assert course.batches == {"b": 12}
