"""Selecting from a folder: methods by name, conflict when sketches are there, one file that is replaced."""

import json

import numpy as np
import pytest

from palaestra.core.errors import BadCandidates, ConfigError, RunFolderError
from palaestra.core.gradient import GradientSketch
from palaestra.core.profile import AbilityProfile
from palaestra.core.runfolder import RunFolder
from palaestra.envs import held_out
from palaestra.pipeline import profiles, sketches
from palaestra.pipeline.select import select

POOL = [
    AbilityProfile("a/lake", {"plan": 1.0, "avoid": 1.0}, {}, {}, {"": 20}),
    AbilityProfile("a/maze", {"plan": 1.0}, {"avoid": 0.2}, {}, {"": 20}),
    AbilityProfile("b/count", {"count": 1.0}, {}, {}, {"": 20}),
]


@pytest.fixture
def run(tmp_path):
    profiles.write(RunFolder(tmp_path), POOL)
    return tmp_path


def opposed(*env_ids):
    """Sketches of clear gradients, the first against all others."""
    rng = np.random.default_rng(0)
    pull_K = rng.standard_normal(256)
    for n, env_id in enumerate(env_ids):
        batches_MK = (pull_K if n else -pull_K) + 0.1 * rng.standard_normal((10, 256))
        yield GradientSketch(env_id, batches_MK.astype(np.float32), 10, "adam", "count sketch, k 256, seed 0")


def test_without_sketches_every_environment_is_unmeasured(run):
    found = select(run).json()
    assert [pick["id"] for pick in found["picks"]] == ["a/lake", "b/count"]
    assert found["picks"][1] == {
        "id": "b/count", "coverage": 1, "redundancy": 0, "conflict": 0, "gain": 1, "inclusion": None,
        "why": "covers count (1.00)",
    }  # fmt: skip
    assert found["unmeasured"] == ["a/lake", "a/maze", "b/count"]
    assert (found["cost"], found["saturation"]) == ({"rollouts": 60}, 2)
    assert found["core_abilities"] == found["covered"] == ["avoid", "count", "plan"]


def test_sketches_bring_conflict_in_and_strangers_among_them_change_nothing(run):
    without = select(run, k=3).json()
    sketches.write(RunFolder(run), opposed("b/count", "a/lake", "c/stranger"))
    found = select(run, k=3).json()
    assert found["unmeasured"] == ["a/maze"]
    assert found["picks"] != without["picks"]
    conflict = {pick["id"]: pick["conflict"] for pick in found["picks"]}
    assert conflict["b/count"] > 0.05
    assert conflict["a/lake"] == 0  # as the first
    assert conflict["a/maze"] == conflict["b/count"]  # the mean of the one pair that is measured
    sketches.write(RunFolder(run), [*opposed("b/count", "a/lake")])
    assert select(run, k=3).json() == found


def test_sketches_come_back_equal_and_their_order_changes_no_byte(run):
    made = [*opposed("b/count", "a/lake")]
    sketches.write(RunFolder(run), made)
    before = (run / sketches.NAME).read_bytes()
    sketches.write(RunFolder(run), made[::-1])
    assert (run / sketches.NAME).read_bytes() == before
    for read, written in zip(sketches.read(run), made[::-1], strict=True):
        np.testing.assert_array_equal(read.batches_MK, written.batches_MK)
        assert (read.env_id, read.live_groups, read.metric, read.projection) == (
            written.env_id, 10, "adam", "count sketch, k 256, seed 0",
        )  # fmt: skip


@pytest.mark.parametrize("data", [b"", b"rubbish" * 9, b"\x02\0\0\0\0\0\0\0{}"])
def test_damaged_sketches_are_refused(run, data):
    (run / sketches.NAME).write_bytes(data)
    with pytest.raises(RunFolderError, match=r"sketches\.safetensors is damaged"):
        select(run)


def test_another_method_replaces_the_selection_and_touches_nothing_else(run):
    first = select(run).json()
    before = (run / profiles.NAME).read_bytes()
    for method in ("random-k", "random_k"):
        second = select(run, method, k=2, seed=3).json()
        assert (second["method"], len(second["picks"])) == ("random_k", 2)
        assert json.loads((run / "selection.json").read_text()) == second != first
    assert sorted(path.name for path in run.iterdir()) == [profiles.NAME, "selection.json", "selections"]
    assert {path.stem: json.loads(path.read_text()) for path in (run / "selections").iterdir()} == {
        "aes": first, "random_k": second,
    }  # fmt: skip
    assert (run / profiles.NAME).read_bytes() == before


def test_a_refused_selection_leaves_the_last_one(run):
    select(run)
    before = (run / "selection.json").read_bytes()
    for wrong, error in (
        ({"method": "ase"}, ConfigError), ({"k": 4}, BadCandidates), ({"method": "random-k"}, BadCandidates),
    ):  # fmt: skip
        with pytest.raises(error):
            select(run, **wrong)
    assert (run / "selection.json").read_bytes() == before


def test_the_curve_counts_core_abilities_and_ends_at_all_of_them(run):
    assert select(run, "everything").curve() == [2, 2, 3]


def test_what_is_held_out_is_never_selected(run, monkeypatch):
    monkeypatch.setattr(held_out, "HELD_OUT", frozenset({"a/maze"}))
    with pytest.raises(ConfigError, match="a/maze is held out for evaluation"):
        select(run)
