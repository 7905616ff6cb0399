"""The options of training as a stage: what events tell, that a kill changes nothing, and that evaluation follows."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("torch")

from kills import Killed, killed_at

from palaestra.core import config
from palaestra.core.errors import ConfigError
from palaestra.pipeline.evaluate import EvaluateConfig, evaluate
from palaestra.pipeline.pretrain import pretrain
from palaestra.pipeline.train import TrainConfig, train
from palaestra.training.embedded.describing import Describing

pytestmark = pytest.mark.xdist_group("terms")  # one run serves most tests

TINY = config.load(Path(__file__).parents[2] / "configs" / "tiny.toml", TrainConfig)
TERMS = {"rows": 4, "kl": 0.1, "entropy": 0.01, "captions": 0.5}
FEW = {"tickets": 6, "every": 2, "budget": {"rollouts": 10_000, "updates": 4}}


def changed(**changes):
    return config.build({**tomllib.loads(config.dump(TINY)), **changes}, TrainConfig)


PLAN = changed(**FEW, grpo=TERMS, groups={"learn": "H4", "rollouts": 6, "describe": True})


def content(folder):
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def events(folder):
    lines = (folder / "events.jsonl").read_text().splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == "update"]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("base")
    pretrain(TINY.base, folder)
    return folder


@pytest.fixture(scope="module")
def whole(base, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "run"
    shutil.copytree(base, folder)
    train(PLAN, folder)
    return folder


def test_an_event_tells_of_each_term_that_is_on(whole, base, tmp_path):
    shutil.copytree(base, tmp_path / "off")
    train(changed(**FEW), tmp_path / "off")
    on, off = events(whole), events(tmp_path / "off")
    assert all({"kl", "entropy", "caption"} <= event.keys() for event in on)
    assert not any({"kl", "entropy", "caption"} & event.keys() for event in off)
    assert all({"clipped_above", "clipped_below", "helped_ess"} <= event.keys() for event in (*on, *off))
    assert all(event["caption"] > 0 for event in on)
    live = [event for event in on if event["live"]]
    assert live
    assert all(event["kl"] > 0 and event["entropy"] > 0 and 0 < event["helped_ess"] <= 1 for event in live)
    assert all(event["kl"] is event["entropy"] is event["helped_ess"] is None for event in on if not event["live"])


def test_a_run_with_all_of_it_killed_between_its_checkpoints_ends_the_same(whole, base, tmp_path):
    shutil.copytree(base, tmp_path / "run")
    with pytest.raises(Killed), killed_at(7):
        train(PLAN, tmp_path / "run")
    assert (tmp_path / "run" / "checkpoints" / "000002" / "state.json").exists()
    train(PLAN, tmp_path / "run")
    assert content(tmp_path / "run") == content(whole)


def test_a_policy_that_learnt_to_describe_describes_when_it_is_judged(whole, base, tmp_path, monkeypatch):
    asked = []

    def counted(self, conversations, seeds):
        asked.append(len(conversations))
        return self.policy(conversations, seeds)

    monkeypatch.setattr(Describing, "__call__", counted)
    plan = EvaluateConfig(("grid/frozen_lake",), per_scale=1)
    for folder, describes in ((base, False), (whole, True)):
        shutil.copytree(folder, tmp_path / folder.name)
        asked.clear()
        evaluate(plan, tmp_path / folder.name)
        assert bool(asked) == describes


def test_help_that_no_group_is_learnt_with_cannot_be_dropped():
    with pytest.raises(ConfigError, match=r"grpo\.dropout = 0\.5 learns without help, and so does"):
        changed(grpo={"dropout": 0.5}, groups={"learn": "H4", "rollouts": 6})
    assert changed(grpo={"dropout": 0.5}, groups={"learn": "H2", "rollouts": 6}).grpo.dropout == 0.5
    assert changed(grpo={"dropout": 0.5}, groups={"rollouts": 6}).groups.learn is None
