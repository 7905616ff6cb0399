"""`palaestra bench select`."""

import json
import sys

import numpy as np
import pytest

from palaestra.cli.bench import choosing, conflicts
from palaestra.pipeline.estimator import GradientConfig
from palaestra.selection.aes import aes
from palaestra.selection.conflict import Gradients

WORDS = ["bench", "select", "--small", 12, "--large", 40, "--k", 5, "--environments", 2]


@pytest.fixture
def alone(monkeypatch):
    """No peer installed, and little to measure."""
    monkeypatch.setattr(conflicts, "PLAN", GradientConfig(batches=3, groups=1, rollouts=2, k=4096, rung="H4"))
    monkeypatch.setitem(sys.modules, "apricot", None)


def test_json_holds_the_promised_keys_and_a_peer_that_is_absent_is_not_comparable(palaestra, alone):
    found = json.loads(palaestra(*WORDS, "--json").stdout)
    assert [*found] == ["n12", "n40", "ratios", "conflict"]
    pytest.importorskip("torch")
    conflict = found["conflict"]
    assert [*conflict] == ["environments", "cpu_minutes", "reached_se", "measured", "rollouts"]
    assert (conflict["environments"], conflict["rollouts"]) == (2, 2 * 3 * 2)
    assert 0 <= conflict["reached_se"] <= conflict["measured"] <= 2
    for part in ("n12", "n40"):
        assert [*found[part]] == ["seconds", "peak_gib"]
        assert 0 <= found[part]["seconds"] < 5
        assert 0.02 < found[part]["peak_gib"] < 2
    assert found["ratios"]["plain"]["ratio"] > 0
    for name in ("apricot", "apricot_coverage"):
        assert found["ratios"][name]["ratio"] == "not comparable"
        assert "not installed" in found["ratios"][name]["why"]


def test_the_table_names_every_part(palaestra, alone):
    told = palaestra(*WORDS).stdout
    assert all(
        word in told
        for word in ("n12", "n40", "plain", "apricot_coverage", "not comparable", "peak GiB", "cpu_minutes")
    )


class Peer:
    """A peer whose choice is the last environments, one of them twice."""

    def __init__(self, k, optimizer, metric=""):
        self.k = k

    def fit(self, worth):
        self.ranking = np.array([len(worth) - 1, *range(len(worth) - 1, len(worth) - self.k, -1)])
        return self


def test_a_peer_that_picks_worse_is_compared_and_said_to_be_wrong(monkeypatch):
    fake = type(sys)("apricot")
    fake.FacilityLocationSelection = fake.MaxCoverageSelection = Peer
    monkeypatch.setitem(sys.modules, "apricot", fake)
    monkeypatch.setattr(choosing, "version", lambda peer: "9.9")
    for found in choosing.against_apricot(30, 6, 0).values():
        assert found["peer"] == "apricot-select 9.9"
        assert found["ratio"] > 0
        assert "1 of 6 picked twice" in found["wrong"]
        assert "ours" in found["wrong"]
    del fake.MaxCoverageSelection
    assert "AttributeError" in choosing.against_apricot(30, 6, 0)["apricot_coverage"]["why"]


def test_a_planted_pool_has_abilities_to_cover_and_conflict_to_avoid():
    pool, mean_EK = choosing.profiles(40, 0), choosing.pulls(40, 1, 0)[:, 0]
    assert all(1 <= len(own.core) <= 4 for own in pool)
    picks = aes(pool, Gradients([own.env_id for own in pool], mean_EK), 10).picks
    assert max(pick.conflict for pick in picks) > 0.05
    few, many = (choosing.pulls(200, batches, 0).mean(axis=1).var() for batches in (1, 10))
    assert many == pytest.approx(few, rel=0.02)


@pytest.mark.slow
def test_ten_thousand_environments_are_chosen_from_in_under_ten_seconds_and_four_gib():
    found = choosing.taken("naive", 10_000, 300, 0)
    assert found["seconds"] < 10
    assert found["peak_gib"] < 4
