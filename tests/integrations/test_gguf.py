"""A GGUF model: what llama.cpp is asked and what becomes of its answers, by a stand-in; a real one where it is here."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import ClassVar

import pytest

from palaestra.core.errors import ExtraMissing, PalaestraError, PolicyFailed
from palaestra.core.policy import Message
from palaestra.integrations import weights
from palaestra.integrations.gguf import GGUF

TALK = (Message("system", "Be brief."), Message("user", "Count."), Message("user", "Now."))
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 3}}, "required": ["n"]}


class Server:
    """Says what it is told to; held to tokens, it says these, each the less likely the larger it is."""

    says: ClassVar[list] = []
    asked: ClassVar[list] = []
    listening_address = "http://127.0.0.1:9"

    def __init__(self, params):
        if "broken" in params.model.path:
            raise RuntimeError("Failed to init server")

    def handle_chat_completions(self, asked):
        self.asked.append(asked)
        if self.says:
            return self.says.pop(0)
        held = [int(part.strip("<[]>")) for part in asked["grammar"].removeprefix("root ::= ").split()]
        told = [{"id": token, "logprob": -token / 10} for token in held]
        return {"choices": [{"message": {"content": "?"}, "finish_reason": "stop", "logprobs": {"content": told}}]}


@pytest.fixture
def model(monkeypatch):
    """A model whose tokens are the letters of a text, from a = 1."""
    stand_in = ModuleType("xllamacpp")
    stand_in.Server = Server
    stand_in.CommonParams = lambda: SimpleNamespace(
        model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace()
    )
    monkeypatch.setitem(sys.modules, "xllamacpp", stand_in)
    monkeypatch.setattr(Server, "asked", [])
    monkeypatch.setattr(Server, "says", [])
    monkeypatch.setattr(GGUF, "_tokens", lambda self, text: [ord(letter) - 96 for letter in text])
    return GGUF(Path("tiny.gguf"))


def said(text, finish="stop"):
    return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": finish}]}


def test_a_chat_is_held_to_a_schema_seeded_and_reads_neighbours_of_one_role_as_one_message(model):
    Server.says += [said('{"n": 2}'), said("Well", "length")]
    assert model(TALK, SCHEMA).text == '{"n": 2}'
    assert model(TALK).truncated
    first, second = Server.asked
    assert first["messages"] == [
        {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Count.\nNow."}
    ]  # fmt: skip
    assert first["grammar"] == f"%llguidance {{}}\nstart: %json {json.dumps(SCHEMA)}"
    assert (first["seed"], first["temperature"], first["cache_prompt"]) == (0, 0.0, False)
    assert "grammar" not in second


def test_a_reply_is_scored_by_holding_the_model_to_its_tokens_and_one_conversation_is_read_once(model):
    other = (Message("user", "Else."),)
    assert model.score([TALK, TALK, other], ["ab", "c", "c"]) == pytest.approx([-0.3, -0.3, -0.3])
    assert [asked["grammar"] for asked in Server.asked] == ["root ::= <[1]> <[2]>", "root ::= <[3]>", "root ::= <[3]>"]
    assert [asked["cache_prompt"] for asked in Server.asked] == [False, True, False]


def test_what_llama_cpp_refuses_is_said_on_the_completion_and_raised_of_a_score(model):
    Server.says += [{"error": {"message": "request exceeds the available context size"}}] * 2
    assert "exceeds the available context" in model(TALK).error
    with pytest.raises(PolicyFailed, match=r"tiny\.gguf gave no answer: request exceeds"):
        model.score([TALK], ["a"])
    Server.says += [{"choices": [{"message": {"content": "b"}, "logprobs": {"content": [{"id": 2, "logprob": -1}]}}]}]
    with pytest.raises(PolicyFailed, match="was held to 'a' and said 'b'"):
        model.score([TALK], ["a"])


def test_a_file_that_is_no_model_is_named(model):
    with pytest.raises(PolicyFailed, match=r"broken\.gguf cannot be loaded"):
        GGUF(Path("broken.gguf"))


def test_without_llama_cpp_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ExtraMissing, match=r"pip install 'palaestra\[local\]'"):
        GGUF(Path("tiny.gguf"))


def fetched() -> Path | None:
    try:
        return weights.find("smollm2")
    except PalaestraError:
        return None


@pytest.mark.slow
@pytest.mark.skipif(find_spec("xllamacpp") is None or fetched() is None, reason="the extra local, or no weights")
def test_a_real_model_says_the_same_twice_keeps_to_bounds_and_prefers_sense():
    model = GGUF(fetched(), tokens=40)
    talk = (Message("user", "The capital of France is which city? Answer in one word."),)
    paris, frog, again = model.score([talk] * 2 + [talk], ["Paris", "Frog", "Paris"])
    assert frog < paris < 0
    assert again == pytest.approx(paris, abs=0.01)
    assert model.score([talk] * 2, ["Paris", "Frog"]) == [paris, frog]
    schema = {**SCHEMA, "additionalProperties": False}
    one, two = model(talk, schema), model(talk, schema)
    assert one == two
    assert json.loads(one.text)["n"] <= 3
