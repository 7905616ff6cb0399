"""`palaestra demo`: the whole loop from one command. That it pays is claimed by the slow test alone."""

import json
from pathlib import Path

import pytest

from palaestra.envs.held_out import HELD_OUT

pytest.importorskip("torch")
pytest.importorskip("matplotlib")

GROUPS = {"id_single_turn", "id_multi_turn", "ood"}
SHORT = {
    "measure.instances": 2,
    "measure.rollouts": 1,
    "measure.gradients.batches": 3,
    "measure.gradients.groups": 1,
    "measure.gradients.rollouts": 2,
    "select.k": 3,
    "train.base.warm.steps": 1,
    "train.base.warm.contexts": 4,
    "train.budget.updates": 2,
    "train.tickets": 2,
    "train.groups.rollouts": 4,
    "evaluate.per_scale": 2,
}


def test_a_short_demo_goes_from_the_pool_to_a_report(palaestra, tmp_path):
    sets = [word for name, value in SHORT.items() for word in ("--set", f"{name}={value}")]
    told = palaestra("demo", "--out", tmp_path / "run", "--json", *sets)
    assert told.exit_code == 0, told.stderr
    found = json.loads(told.stdout)
    assert set(found) == {"report", "seconds", "selected", "base", "trained"}
    assert len(found["selected"]) == 3
    assert not HELD_OUT & set(found["selected"])
    for who in ("base", "trained"):
        assert set(found[who]) == GROUPS
        for value in found[who].values():
            assert set(value) == {"value", "low", "high", "n"}
            assert value["low"] <= value["value"] <= value["high"]
            assert value["n"] > 0
    page = Path(found["report"]).read_text("utf-8")
    assert page.count("<figure") >= 6
    again = json.loads(palaestra("demo", "--out", tmp_path / "run", "--json", *sets).stdout)
    assert {**again, "seconds": 0} == {**found, "seconds": 0}


@pytest.mark.slow
def test_training_beats_its_base_beyond_the_interval_on_three_seeds(palaestra, tmp_path):
    for seed in range(3):
        told = palaestra("demo", "--out", tmp_path / str(seed), "--seed", seed, "--json")
        assert told.exit_code == 0, told.stderr
        apart = json.loads((tmp_path / str(seed) / "evaluation.json").read_text("utf-8"))["differences"]["id"]
        assert apart["beyond"]
        assert apart["difference"]["low"] > 0
