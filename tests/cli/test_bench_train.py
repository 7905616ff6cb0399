"""`palaestra bench train`."""

import json
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest

pytest.importorskip("torch")

from palaestra.cli.bench import pace, reference, trainers
from palaestra.cli.bench.lakes import Apart, Move
from palaestra.cli.bench.pace import Size
from palaestra.cli.bench.reference import GROUP, Reference
from palaestra.core.observation import Picture
from palaestra.core.policy import Message
from palaestra.pipeline import demo
from palaestra.rollout.play import play
from palaestra.rollout.policies.guessing import Random
from palaestra.training.advantage import live
from palaestra.training.embedded.batch import rows
from palaestra.training.embedded.prompt import PIXELS, prompt
from palaestra.training.embedded.tokenizer import Tokenizer

RATES = ("env_steps_per_cpu_s", "rows_per_cpu_s")
OURS = Size(150_000, 18.0, 1.0, 16, 128)


@pytest.fixture
def short(monkeypatch, tmp_path):
    """Blocks of one update, a base that has hardly been taught, and a demo of one environment."""
    settings = tmp_path / "demo.toml"
    settings.write_text('environments = ["puzzle/lights_out"]\n[train]\ntickets = 4\n')
    monkeypatch.setattr(demo, "SETTINGS", settings)
    monkeypatch.setattr(pace, "BLOCK", 1)
    monkeypatch.setattr(reference, "WARM", 60)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "WARM", 3)
        return Reference.made(tmp_path_factory.mktemp("lake"), seed=0)


def absent(peer):
    raise PackageNotFoundError(peer)


def test_json_holds_the_promised_keys_and_positive_rates(palaestra, short, monkeypatch):
    monkeypatch.setattr(trainers, "version", absent)
    report = json.loads(palaestra("bench", "train", "--seconds", 0, "--json").stdout)
    for part in ("reference", "base_h4", "base_h0"):
        assert all(report[part][rate] > 0 for rate in RATES)
    assert 130_000 < report["reference"]["parameters"] < 170_000
    assert report["reference"]["answer_tokens"] == 1
    assert report["base_h4"]["prompt_tokens"] < report["base_h0"]["prompt_tokens"]
    assert list(report["ratios"]) == ["trl", "sb3"]
    for found in report["ratios"].values():
        assert found["ratio"] == "not comparable"
        assert "not installed" in found["why"]


def test_the_table_names_every_part_and_what_a_peer_was(palaestra, short, monkeypatch):
    monkeypatch.setattr(trainers, "version", lambda peer: "7.0")
    monkeypatch.setattr(trainers, "trl", lambda *_: {"dedupe_on": 9.5, "dedupe_off": 2.5, "unlike": "theirs is wet"})
    monkeypatch.setattr(trainers, "sb3", lambda *_: [].pop())
    told = palaestra("bench", "train", "--seconds", 0).stdout
    for words in ("reference", "base_h0", "trl 7.0", "9.5 dedupe on", "theirs is wet", "not comparable", "IndexError"):
        assert words in told


@pytest.mark.parametrize(("name", "value"), [("parameters", 120_000), ("prompt_tokens", 18.1), ("answers", 64)])
def test_unlike_work_has_no_ratio(name, value):
    trainers.alike(OURS, OURS._replace(parameters=160_000))
    found = trainers.compared("pytest", lambda: trainers.alike(OURS, OURS._replace(**{name: value})))
    assert found["ratio"] == "not comparable"
    assert name in found["why"]


@pytest.mark.parametrize(("lake", "contexts"), [(Move(), 1), (Apart(), GROUP)])
def test_a_group_of_moves_is_one_context_or_as_many_as_it_has_members(lake, contexts, made):
    tickets = made.feed().draws(8)
    groups = play(tickets, {lake.spec.id: lake}, Random(), pixels=PIXELS)
    found = rows(groups, {lake.spec.id: lake}, Tokenizer(()), [1.0] * len(groups))
    assert len(found) == contexts * live(groups) > 0
    assert {len(member.turns) for group in groups for member in group.trajectories} == {1}


def test_a_still_reference_plays_the_same_boards_and_stays_as_it_is(made):
    still = made.still(1e-6)
    assert still.feed().draws(3) == made.feed().draws(3)
    assert still.engine.grpo.rate == 1e-6
    assert still.base == made.base


def test_the_shrunk_model_reads_our_prompts_token_by_token_and_is_of_our_size(made):
    pytest.importorskip("transformers")
    from PIL import Image

    from palaestra.cli.bench.qwen import processor, qwen, spelt, weights

    policy = made.engine.policy(made.base)
    picture = Picture(np.zeros((PIXELS, PIXELS, 3), np.uint8))
    context = prompt([Message("user", "Count the wolves.", picture)], policy.tokenizer)
    talk = [{"type": "image", "image": Image.fromarray(picture.pixels)}, {"type": "text", "text": spelt(context)}]
    read = processor(policy.tokenizer.size).apply_chat_template(
        [[{"role": "user", "content": talk}]], tokenize=True, return_dict=True, add_generation_prompt=True
    )
    assert tuple(read["input_ids"][0]) == context.tokens
    model = qwen(policy.network.shape.width, policy.network.shape.layers, policy.tokenizer.size, 150_000)
    assert weights(model) == pytest.approx(150_000, rel=trainers.LEEWAY)


@pytest.mark.slow
def test_the_peers_that_are_installed_are_compared(made):
    pytest.importorskip("trl")
    pytest.importorskip("stable_baselines3")
    found = trainers.compared("trl", lambda: trainers.trl(made, 0))
    assert min(found["dedupe_on"], found["dedupe_off"]) > 0
    found = trainers.compared("stable-baselines3", lambda: trainers.sb3(made, 100.0, 140_000, 0))
    assert found["one_pass"] < found["ten_passes"]
