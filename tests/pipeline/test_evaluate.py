"""Evaluating as a stage: which problems, both checkpoints on the same, and numbers that follow from the scores."""

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")

from palaestra.core import config
from palaestra.core.errors import ConfigError, RunFolderError
from palaestra.core.policy import Completion
from palaestra.envs import registry
from palaestra.envs.held_out import HELD_OUT
from palaestra.evaluation.compare import compare
from palaestra.evaluation.scores import Scores
from palaestra.pipeline.evaluate import EvaluateConfig, evaluate
from palaestra.pipeline.pretrain import pretrain
from palaestra.pipeline.train import TrainConfig, train
from palaestra.training.embedded import backend
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.scales import read_scales

TINY = config.load(Path(__file__).parents[2] / "configs" / "tiny.toml", TrainConfig, ["base.warm.steps=1"])
LAKE, COUNT, ROTATE = "grid/frozen_lake", "perception/count_shapes", "geometry/rotate_match"
FEW = EvaluateConfig((LAKE, COUNT, ROTATE, "graph/shortest_path"), per_scale=2)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("base") / "run"
    pretrain(TINY.base, folder)
    return folder


@pytest.fixture(scope="module")
def trained(base, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "run"
    shutil.copytree(base, folder)
    train(TINY, folder)
    return folder


def test_both_checkpoints_meet_the_same_problems_and_every_number_follows_from_the_scores(trained):
    told = []
    found = evaluate(FEW, trained, lambda done, total: told.append((done, total)))
    assert json.loads((trained / "evaluation.json").read_text()) == found
    last, first = (Scores.load(found[who]["scores"]) for who in ("trained", "base"))
    assert [row.key for row in last.rows] == [row.key for row in first.rows]
    assert found["problems"] == len(first.rows) == 2 * (3 + 2 + 1 + 1)
    assert told[-1] == (4 * 14, 4 * 14)
    assert found["suite"] == first.suite == last.suite
    assert (found["base"]["step"], found["trained"]["step"]) == (0, 8)
    groups = {
        "id_single_turn": [COUNT, "graph/shortest_path"], "id_multi_turn": [LAKE], "ood": [ROTATE],
        "id": [COUNT, LAKE, "graph/shortest_path"], "selected": [LAKE, COUNT],
    }  # fmt: skip
    for name, env_ids in groups.items():
        own = last.only(env_ids)
        assert found["trained"][name]["n"] == len(own.rows)
        assert found["differences"][name] == compare(own, first.only(env_ids)).json()
    assert set(found["base"]["environments"]) == {*FEW.environments}
    assert {*found["base"]["probe"]} == {"id", "ood"}
    assert list(found["gain"]) == ["macro_mean", "ratio_of_means", "base_zero"]
    assert evaluate(FEW, trained) == found


def test_all_environments_are_judged_and_train_only_scales_are_named(tmp_path, monkeypatch):
    class Silent:
        def __call__(self, conversations, seeds):
            return [Completion("") for _ in conversations]

    monkeypatch.setattr(backend.Embedded, "policy", lambda self, checkpoint: Silent())
    shutil.copytree(stored.SHIPPED, tmp_path / "checkpoints" / "base")
    found = evaluate(EvaluateConfig(per_scale=1, seed=3), tmp_path)
    kept = read_scales(registry.pool(), stored.read(stored.found(stored.SHIPPED))[0].tokenizer).kept
    readable = {(id_, scale) for id_, scales in kept.items() for scale in scales}
    kept_back = {(id_, scale) for id_, scale in readable if scale in registry.get(id_).spec.train_only}
    assert kept_back == {(id_, scale) for id_, scale, why in found["left_out"] if "train-only" in why}
    judged = {env_id for env_id, own in found["base"]["environments"].items() if own}
    assert judged == {env_id for env_id, _ in readable - kept_back}
    assert judged & HELD_OUT  # some spell words that the training pool never uses: their texts are too long
    assert found["problems"] == len(readable - kept_back)
    assert found["trained"] is found["differences"] is found["gain"] is found["base"]["selected"] is None


def test_success_that_is_all_alike_still_has_an_interval(base):
    found = evaluate(EvaluateConfig(("graph/shortest_path",), per_scale=3), base)["base"]["id"]
    assert found["value"] == 0
    assert found["high"] > 0.3
    assert found["n"] == 3


def test_without_a_checkpoint_the_command_that_makes_one_is_named(tmp_path, base):
    with pytest.raises(RunFolderError, match="palaestra pretrain CONFIG --out"):
        evaluate(FEW, tmp_path)
    with pytest.raises(ConfigError, match="per_scale = 0"):
        EvaluateConfig(per_scale=0)
    assert not (tmp_path / "evaluation.json").exists()
