"""A model whose answers are kept: asked once, also after a kill, and again when what was kept is damaged."""

import pytest

from palaestra.core.policy import Completion, Message
from palaestra.pipeline.kept import Kept

TALK = (Message("user", "Count."),)


class Model:
    asked = 0

    def __call__(self, messages, schema=None):
        self.asked += 1
        return Completion("", error="too long") if messages[0].text == "Long" else Completion("3", truncated=True)

    def score(self, conversations, replies):
        self.asked += 1
        return [-1.5 - n for n, _ in enumerate(replies)]


@pytest.fixture
def model():
    return Model()


def kept(model, folder, mark="tiny.gguf"):
    return Kept(model, model, (mark, 7), folder)


def test_a_question_is_asked_once_also_by_the_next_run(model, tmp_path):
    first, second = kept(model, tmp_path / "kept"), kept(model, tmp_path / "kept")
    assert first(TALK) == second(TALK) == Completion("3", truncated=True)
    assert first.score([TALK] * 2, ["a", "b"]) == second.score([TALK] * 2, ["a", "b"]) == [-1.5, -2.5]
    assert model.asked == 2
    assert (first.cost.requests, second.cost.requests, second.cost.cached) == (2, 0, 2)
    second(TALK, {"type": "object"})
    assert model.asked == 3


def test_a_failure_is_not_kept_and_a_damaged_answer_is_asked_for_again(model, tmp_path):
    own = kept(model, tmp_path / "kept")
    assert [own((Message("user", "Long"),)).error for _ in range(2)] == ["too long"] * 2
    assert model.asked == 2
    own(TALK)
    own.score([TALK], ["a"])
    for path in (tmp_path / "kept").rglob("*.json"):
        path.write_text("[]")
    assert own(TALK).text == "3"
    assert own.score([TALK], ["a"]) == [-1.5]
    assert model.asked == 6


def test_another_model_is_asked_anew_and_without_a_folder_nothing_is_kept(model, tmp_path):
    kept(model, tmp_path / "kept")(TALK)
    kept(model, tmp_path / "kept", mark="other.gguf")(TALK)
    for _ in range(2):
        kept(model, None)(TALK)
    assert model.asked == 4
