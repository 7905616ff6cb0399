"""A language model as trainee and engineer at once: saved, read back, asked under the schema, and trained on."""

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from kills import Killed, killed_at

from palaestra.core import config
from palaestra.core.errors import ConfigError
from palaestra.core.policy import Completion, Message
from palaestra.core.trainer import Checkpoint
from palaestra.engineer import reply
from palaestra.engineer.journal import Journal
from palaestra.pipeline import players
from palaestra.pipeline.engineering import between, chats
from palaestra.pipeline.engineering.design import EngineeringConfig
from palaestra.pipeline.engineering.run import engineer

TALK = [Message("user", "Which size?")]
SIZE = {"type": "object", "properties": {"size": {"enum": [3, 4]}}, "required": ["size"], "additionalProperties": False}

DESIGN = """
stages = 2
seeds = 1
updates = 1
tickets = 2
every = 1
groups = {rollouts = 2}
exam = {validation = 2, test = 2}
rails = {instances = 64, never = 0.0, always = 1.0}
[mixture.lake]
environment = "grid/frozen_lake"
each = {rows = [3]}
knobs = {columns = 4, slip = 0.0}
rungs = ["SYMBOLIC"]
dials = {holes = [0.1, 0.2, 0.3]}
[arms.itself]
engineer = "language_model"
candidates = 1
rivals = ["no_change"]
chat = {kind = "trainee"}
[hugging_face]
model = "MODEL"
longest = 2
lora = {rank = 2, kinds = ["q_proj"]}
imitation = {steps = 1, episodes = 2}
"""


def silent(name):
    return lambda done, total: None


@pytest.fixture(scope="module")
def design(tmp_path_factory):
    pytest.importorskip("transformers")
    import tiny_llama

    folder = tmp_path_factory.mktemp("model")
    tiny_llama.network().save_pretrained(folder)
    tiny_llama.tokenizer().save_pretrained(folder)
    return config.parse(DESIGN.replace("MODEL", str(folder)), EngineeringConfig)


def test_what_was_trained_is_read_back_and_asked_and_its_answer_is_trained_on_also_after_a_kill(
    design, monkeypatch, tmp_path
):
    pytest.importorskip("llguidance")
    monkeypatch.setattr(between, "cold", lambda told: False)  # it wins nothing, and is asked all the same
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    with killed_at(0) as writes:
        run = engineer(design, whole, silent).outcome["arms"]["itself"]["seeds"]["0"]
    assert (run["updates"], run["rollouts"]) == (2, 8)
    (proposal,) = run["proposals"]
    assert (proposal["by"], proposal["note"]) == ("language_model", "")
    entries = Journal(whole / "runs" / "itself" / "0").entries()
    assert [own["kind"] for own in entries][:3] == ["prompt", "reply", "verdict"]
    assert (entries[2]["of"], entries[2]["ok"], entries[2]["projected"]) == ("candidate 0", True, [])
    said = reply.parse(entries[1]["text"])["parts"]["lake rows 3"]
    assert said["holes"] == proposal["settings"]["lake rows 3"]["holes"] in (0.1, 0.2, 0.3)
    assert proposal["projected"] == []
    for moment in range(4, len(writes) + 1, max(1, len(writes) // 4)):
        with killed_at(moment), pytest.raises(Killed):
            engineer(design, killed, silent)
        if moment > len(writes) // 2:
            break
    assert engineer(design, killed, silent).outcome["arms"]["itself"]["seeds"]["0"] == run
    assert engineer(design, killed, silent).made == 0


def test_a_model_without_eyes_is_refused_before_anything_is_written(design, tmp_path):
    blind = replace(design, mixture={"lake": replace(design.mixture["lake"], rungs=("H4",))})
    with pytest.raises(ConfigError, match="takes no pictures, and under H4"):
        engineer(blind, tmp_path / "run", silent)
    assert list(tmp_path.iterdir()) == []


def test_a_trainee_that_cannot_be_read_back_is_stood_in_for_and_training_goes_on(design, monkeypatch, tmp_path):
    monkeypatch.setattr(between, "cold", lambda told: False)
    monkeypatch.setattr(players, "chat", lambda *asked: 1 / 0)
    (proposal,) = engineer(design, tmp_path / "run", silent).outcome["arms"]["itself"]["seeds"]["0"]["proposals"]
    assert proposal["by"] == "no_change"
    said = [
        own["error"] for own in Journal(tmp_path / "run" / "runs" / "itself" / "0").entries() if own["kind"] == "reply"
    ]
    assert said == ["ZeroDivisionError: division by zero"]


def test_the_trainee_answers_as_its_checkpoint_and_the_base_as_it_was(design, tmp_path):
    pytest.importorskip("llguidance")
    import torch

    from palaestra.training.hugging_face import checkpoint as stored
    from palaestra.training.hugging_face import model as models
    from palaestra.training.hugging_face.checkpoint import Instant
    from palaestra.training.hugging_face.sampler import HuggingFacePolicy

    now = Instant.new(models.load(design.hugging_face), 0)
    stored.write(tmp_path / "base", now, {})
    with torch.no_grad():
        for parameter in now.trained.values():
            parameter += torch.randn_like(parameter)
    written = stored.write(tmp_path / "000001", now, {})
    asked = {"trainee": now.model, "hugging_face": models.load(design.hugging_face)}
    for kind, model in asked.items():
        own = HuggingFacePolicy(model, 64, 0.0)
        chat = chats.read({"kind": kind, "tokens": 64})()(tmp_path, written)
        assert chat(TALK, SIZE) == Completion(own.chat(TALK, SIZE).text)
        assert chat.score([TALK], ["3"]) == pytest.approx(own.score([TALK], ["3"]))
        again = chats.read({"kind": kind, "tokens": 64})()(tmp_path, written)
        assert again(TALK, SIZE) == chat(TALK, SIZE)
        assert again.cost.requests == 0
    scores = [
        players.chat(f"hugging-face:{folder}")(None).score([TALK], ["3"])
        for folder in (written.path, tmp_path / "base", design.hugging_face.model)
    ]
    assert scores[0] != scores[1] == scores[2]


def test_a_local_model_is_loaded_once_for_all_runs_and_its_answers_are_kept(monkeypatch, tmp_path):
    made = []

    class Tiny:
        def __init__(self, path, **how):
            made.append((path.name, how))

        def __call__(self, messages, schema=None):
            return Completion(f"{len(made)}")

    monkeypatch.setattr(players, "GGUF", Tiny)
    file = tmp_path / "tiny.gguf"
    file.write_bytes(b"weights")
    opened = chats.read({"kind": "local", "model": str(file), "tokens": 9})()
    trainee = Checkpoint(Path("000001"), 1, "")
    for folder in ("a", "b", "a"):
        assert opened(tmp_path / folder, trainee)(TALK).text == "1"
    assert made == [("tiny.gguf", {"tokens": 9, "temperature": 0.0})]
    assert len([*tmp_path.glob("*/replies/*/*.json")]) == 2
