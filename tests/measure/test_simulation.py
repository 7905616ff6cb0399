"""The estimator against simulated gradients of known cosine, over spectra and noise scales as in real pools.

Ten batches of ten samples, means along the noise spectrum, which is the cautious case: the effective dimension of the
noise is about 1,800, 470 and 48, noise scales go from 30 to 3,000 samples.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from palaestra.core.gradient import GradientSketch
from palaestra.measure.conflict import cosines

D, SAMPLES, REPEATED = 4096, 100, 120
EXPONENTS = (0.5, 0.7, 1.0)
SCALES = (30, 100, 300, 1000, 3000)


@dataclass(frozen=True)
class Cell:
    """What one spectrum and noise scale gave: of each repetition whether it was measured, the cosine and its error."""

    dimension: float
    reliability: float
    measured: np.ndarray
    alone: np.ndarray
    corrected: np.ndarray
    se: np.ndarray


def simulated(exponent: float, scale: float, cosine: float) -> Cell:
    rng = np.random.default_rng([int(100 * exponent), int(scale), int(100 * abs(cosine))])
    variance_D = (1.0 + np.arange(D)) ** -exponent
    variance_D /= variance_D.sum()
    pairs, alone = [], []
    for _ in range(REPEATED):
        one, two = rng.standard_normal((2, D)) * np.sqrt(variance_D)
        one /= np.linalg.norm(one)
        two -= (two @ one) * one
        two = cosine * one + np.sqrt(1 - cosine**2) * two / np.linalg.norm(two)
        noise_EMD = rng.standard_normal((2, 10, D), np.float32) * np.sqrt(variance_D * scale * 10 / SAMPLES)
        made = [(mean_D + noise_MD).astype(np.float32) for mean_D, noise_MD in zip((one, two), noise_EMD, strict=True)]
        found = cosines([GradientSketch(e, own, 1, "raw") for e, own in zip(("a/a", "b/b"), made, strict=True)])
        pairs.append(found.pair("a/a", "b/b"))
        alone += found.measured_E.tolist()
    return Cell(
        1 / float((variance_D**2).sum()),
        1 / (1 + scale / SAMPLES),
        np.array([pair.measured for pair in pairs]),
        np.array(alone),
        np.array([pair.corrected for pair in pairs]),
        np.array([pair.se for pair in pairs]),
    )


@pytest.fixture(scope="module", params=[-0.13, 0.0], ids=["cosine -0.13", "cosine 0"])
def cells(request: pytest.FixtureRequest) -> tuple[float, list[Cell]]:
    return request.param, [simulated(exponent, scale, request.param) for exponent in EXPONENTS for scale in SCALES]


@pytest.mark.slow
def test_intervals_cover_the_truth_where_there_is_signal(cells: tuple[float, list[Cell]]) -> None:
    truth, found = cells
    covered = [
        (np.abs(cell.corrected - truth) < 1.96 * cell.se)[cell.measured] for cell in found if cell.reliability >= 0.25
    ]
    assert 0.88 <= np.concatenate(covered).mean() <= 0.995
    assert all(own.mean() >= 0.8 for own in covered if len(own) >= 40)  # the least where 48 directions hold all noise


@pytest.mark.slow
def test_nothing_is_said_where_there_is_no_signal(cells: tuple[float, list[Cell]]) -> None:
    _, found = cells
    weak = [cell for cell in found if cell.reliability < 0.1]
    assert len(weak) == 6
    assert 1 - np.concatenate([cell.alone for cell in weak]).mean() >= 0.9  # environments
    assert all(1 - cell.measured.mean() >= 0.9 for cell in weak)  # pairs, in each cell


@pytest.mark.slow
def test_conflict_is_seldom_found_where_there_is_none(cells: tuple[float, list[Cell]]) -> None:
    truth, found = cells
    if truth == 0:
        told = [cell for cell in found if cell.reliability >= 0.25]
        wrong = [((cell.corrected + 1.645 * cell.se < 0) & cell.measured).mean() for cell in told]
        assert np.mean(wrong) <= 0.07
        assert max(wrong) <= 0.1


@pytest.mark.slow
def test_conflict_is_found_where_the_noise_is_spread_and_the_samples_suffice(cells: tuple[float, list[Cell]]) -> None:
    truth, found = cells
    if truth < 0:
        power = {
            (round(cell.dimension, -2), round(cell.reliability, 2)): (cell.corrected + 1.645 * cell.se < 0).mean()
            for cell in found
        }
        widest = max(dimension for dimension, _ in power)
        assert power[widest, 0.77] > 0.95
        assert power[widest, 0.5] > 0.7
