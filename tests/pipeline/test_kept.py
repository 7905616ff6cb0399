"""A local model whose answers are kept: asked once, also after a kill, and again when what was kept is damaged."""

import pytest

from palaestra.core.policy import Completion, Message
from palaestra.pipeline.kept import Kept

TALK = (Message("user", "Count."),)


class Model:
    def __init__(self, path) -> None:
        self.path, self.asked = path, 0
        path.write_bytes(b"weights")

    def __call__(self, messages, schema=None):
        self.asked += 1
        return Completion("", error="too long") if messages[0].text == "Long" else Completion("3", truncated=True)

    def score(self, conversations, replies):
        self.asked += 1
        return [-1.5 - n for n, _ in enumerate(replies)]


@pytest.fixture
def model(tmp_path):
    return Model(tmp_path / "tiny.gguf")


def test_a_question_is_asked_once_also_by_the_next_run(model, tmp_path):
    first, second = Kept(model, tmp_path / "kept"), Kept(model, tmp_path / "kept")
    assert first(TALK) == second(TALK) == Completion("3", truncated=True)
    assert first.score([TALK] * 2, ["a", "b"]) == second.score([TALK] * 2, ["a", "b"]) == [-1.5, -2.5]
    assert model.asked == 2
    assert (first.cost.requests, second.cost.requests, second.cost.cached) == (2, 0, 2)
    second(TALK, {"type": "object"})
    assert model.asked == 3


def test_a_failure_is_not_kept_and_a_damaged_answer_is_asked_for_again(model, tmp_path):
    kept = Kept(model, tmp_path / "kept")
    assert [kept((Message("user", "Long"),)).error for _ in range(2)] == ["too long"] * 2
    assert model.asked == 2
    kept(TALK)
    kept.score([TALK], ["a"])
    for path in (tmp_path / "kept").rglob("*.json"):
        path.write_text("[]")
    assert kept(TALK).text == "3"
    assert kept.score([TALK], ["a"]) == [-1.5]
    assert model.asked == 6
