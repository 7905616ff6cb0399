"""Designed conflict: mirrored controls oppose plain ones on the text twin, and two copies of one world agree."""

import pytest

pytest.importorskip("torch")

from mirrors import COPY, MIRRORED, PLAIN, designed  # its network needs torch

from palaestra.core.gradient import Cosine
from palaestra.core.observation import SYMBOLIC


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return designed(tmp_path_factory.mktemp("designed"), SYMBOLIC).cosines


def interval(pair: Cosine) -> tuple[float, float]:
    assert pair.measured
    return pair.corrected - 1.96 * pair.se, pair.corrected + 1.96 * pair.se


@pytest.mark.slow
def test_mirrored_controls_conflict_after_some_training(text):
    for plain in (PLAIN, COPY):
        assert interval(text.pair(plain, MIRRORED))[1] < 0


@pytest.mark.slow
def test_the_interval_of_two_copies_of_one_world_covers_one(text):
    low, high = interval(text.pair(PLAIN, COPY))
    assert low <= 1 <= high
