"""What selection reads beside profiles: texts, mean gradients, and what was played."""

import json
import shutil

import numpy as np
import pytest

from palaestra.core.errors import BadMeasurement, ConfigError, RunFolderError
from palaestra.core.gradient import GradientSketch
from palaestra.core.profile import AbilityProfile
from palaestra.core.runfolder import RunFolder
from palaestra.pipeline import evidence, profiles, sketches
from palaestra.pipeline import select as stage
from palaestra.pipeline.measure import MeasureConfig, measure
from palaestra.pipeline.select import select
from palaestra.selection import METHODS
from palaestra.selection.conflict import Gradients

IDS = ("perception/count_shapes", "grid/frozen_lake", "memory/pair_recall")


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    run = tmp_path_factory.mktemp("run") / "measured"
    measure(MeasureConfig(IDS, instances=3, rollouts=2), run)
    rng = np.random.default_rng(0)
    pulls = (rng.standard_normal((3, 1, 64)) + 0.5 * rng.standard_normal((3, 4, 64))).astype(np.float32)
    made = [GradientSketch(env_id, own, 3, "raw", "one") for env_id, own in zip(IDS, pulls, strict=True)]
    sketches.write(RunFolder(run), made)
    return run


@pytest.fixture
def run(measured, tmp_path):
    return shutil.copytree(measured, tmp_path / "run")


@pytest.mark.parametrize("name", METHODS)
def test_every_method_selects_from_the_files_of_a_run_alone(run, name):
    if name == "exact":
        pytest.importorskip("scipy")
    k = 3 if name == "everything" else 2
    found = select(run, name.replace("_", "-"), k).json()
    assert (found["method"], len(found["picks"]), len(found["rejected"])) == (name, k, 3 - k)
    assert json.loads((run / "selection.json").read_text()) == found


def test_texts_come_from_the_run_and_where_it_has_none_from_the_environment(run):
    own = {"grid/frozen_lake": "Skate.", "my/own": "Mine."}
    (run / "descriptions.json").write_text(json.dumps(own))
    told = evidence.evidence(run, "k_center_description", [*IDS, "my/own"], None)
    assert {env_id: told.descriptions[env_id] for env_id in own} == own
    assert "Count these shapes" in told.descriptions["perception/count_shapes"]
    assert told.code == {}
    code = evidence.evidence(run, "k_center_code", [*IDS, "no/such"], None).code
    assert code.keys() == set(IDS)
    assert "class FrozenLake" in code["grid/frozen_lake"]
    nothing = evidence.evidence(run, "aes", IDS, None)
    assert (nothing.code, nothing.descriptions) == ({}, {})


@pytest.mark.parametrize("text", ["[]", '{"a/b": 3}', "{"])
def test_damaged_texts_are_refused_by_name(run, text):
    (run / "code.json").write_text(text)
    with pytest.raises(RunFolderError, match=r"code\.json is damaged"):
        select(run, "k-center-code", 2)


def test_mean_gradients_are_those_of_environments_that_are_measured():
    pulls = [
        GradientSketch("a/a", np.array([[1, 2], [3, 4]], np.float32), 2, "raw"),
        GradientSketch("b/b", np.zeros((2, 2), np.float32), 0, "raw"),
    ]
    found = evidence.mean_gradients(pulls)
    assert isinstance(found, Gradients)
    assert (found.env_ids, found.mean_EK.tolist()) == (["a/a"], [[2, 3]])
    assert evidence.mean_gradients(pulls[1:]) is None
    noise = np.random.default_rng(0).standard_normal((10, 500)).astype(np.float32)
    assert evidence.mean_gradients([GradientSketch("n/noise", noise, 50, "raw")]) is None
    with pytest.raises(BadMeasurement, match="2 kinds"):
        evidence.mean_gradients([pulls[0], GradientSketch("c/c", pulls[0].batches_MK, 1, "adam")])


def test_naive_conflict_is_the_bare_cosine_and_another_name_is_refused(run):
    pull = np.random.default_rng(1).standard_normal(64)
    noise = np.random.default_rng(2).standard_normal((2, 4, 64))
    made = [
        GradientSketch(env_id, (sign * pull + 2 * own).astype(np.float32), 3, "raw", "one")
        for env_id, sign, own in zip(IDS, (1, -1), noise, strict=False)
    ]
    sketches.write(RunFolder(run), made)
    means = [one.batches_MK.mean(axis=0) for one in made]
    cosine = means[0] @ means[1] / np.linalg.norm(means[0]) / np.linalg.norm(means[1])
    found = {how: select(run, k=3, conflict=how, draws=0).json() for how in ("naive", "posterior")}
    worst = {how: max(pick["conflict"] for pick in own["picks"]) for how, own in found.items()}
    assert worst["naive"] == pytest.approx(-cosine, abs=1e-6)
    assert 0.05 < worst["posterior"] != pytest.approx(worst["naive"], abs=0.01)
    assert found["naive"]["unmeasured"] == [IDS[2]]
    with pytest.raises(ConfigError, match="no conflict is called 'naiv'; did you mean 'naive'"):
        select(run, conflict="naiv")


def test_too_many_batches_for_all_their_products_are_refused_and_naive_conflict_takes_them(run, monkeypatch):
    monkeypatch.setattr(stage, "BATCHES", 11)
    with pytest.raises(BadMeasurement, match=r"all 12 batches of 3 environments .* use --conflict naive"):
        select(run, k=1)
    assert len(select(run, k=1, conflict="naive", draws=0).picked) == 1


def test_inclusion_is_of_the_instances_that_were_played_and_follows_the_seed(run):
    found = select(run, k=1, draws=40, seed=1).json()
    shares = {own["id"]: own["inclusion"] for own in [*found["picks"], *found["rejected"]]}
    assert sum(shares.values()) == pytest.approx(1)  # each draw picks one
    assert found == select(run, k=1, draws=40, seed=1).json()
    everything = select(run, "everything", draws=5).json()
    assert [pick["inclusion"] for pick in everything["picks"]] == [1.0] * 3
    assert select(run, k=1, draws=0).json()["picks"][0]["inclusion"] is None


def test_profiles_that_were_not_made_of_what_was_played_are_not_resampled(run):
    known = profiles.read(run)
    assert len(evidence.redrawn(run, known, 2, 0)) == 2
    foreign = [*known[:-1], AbilityProfile(known[-1].env_id, {"guess": 1.0}, {}, {}, {"": 12})]
    assert evidence.redrawn(run, foreign, 2, 0) == []
    shutil.rmtree(run / "weak")
    assert evidence.redrawn(run, known, 2, 0) == []
