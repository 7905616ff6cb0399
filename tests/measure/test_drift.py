"""How far conflict moved between two measurements, beside what their errors alone would move it."""

import numpy as np
import pytest
from planted import K, sketch, spectrum

from palaestra.core.errors import BadMeasurement
from palaestra.measure.conflict import CosineMatrix, cosines
from palaestra.measure.drift import drift


def measured(seed: int, turn: float, noise: float = 0.5, metric: str = "raw") -> CosineMatrix:
    """Twelve environments of one pool, whose means have turned by a share towards other directions."""
    of = np.random.default_rng(7).standard_normal((2, 12, 6)) @ (
        np.random.default_rng(8).standard_normal((6, K)) * np.sqrt(spectrum())
    )
    rng = np.random.default_rng(seed)
    means_EK = (1 - turn) * of[0] + turn * of[1]
    means_EK /= np.linalg.norm(means_EK, axis=1, keepdims=True)
    made = [sketch(rng, mean_K, noise, f"e/{e:02}") for e, mean_K in enumerate(means_EK)]
    return cosines([type(one)(one.env_id, one.batches_MK, 1, metric) for one in made])


def test_two_measurements_of_one_checkpoint_differ_by_their_errors_alone() -> None:
    found = drift(measured(0, 0.0), measured(1, 0.0))
    assert found.pairs == 66
    assert found.change == pytest.approx(found.by_noise, rel=0.3)
    assert found.rank_correlation is not None
    assert found.rank_correlation > 0.9


def test_a_pool_that_turned_moved_by_more_than_its_errors_and_lost_its_order() -> None:
    little, far = (drift(measured(0, 0.0), measured(1, turn)) for turn in (0.2, 1.0))
    assert far.change is not None
    assert far.by_noise is not None
    assert little.change is not None
    assert far.change > 3 * far.by_noise
    assert little.change < far.change
    assert abs(far.rank_correlation or 0) < 0.4 < (little.rank_correlation or 0)


def test_pairs_that_are_unmeasured_in_either_do_not_count_and_metrics_do_not_mix() -> None:
    assert drift(measured(0, 0.0), measured(1, 0.0, noise=1e6)).pairs == 0
    assert drift(measured(0, 0.0), measured(1, 0.0, noise=1e6)).change is None
    with pytest.raises(BadMeasurement, match="'raw' and 'adam'; measure both in one"):
        drift(measured(0, 0.0), measured(0, 0.0, metric="adam"))
