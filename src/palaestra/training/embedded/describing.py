"""Two passes: the policy writes what it sees, then acts with that before it.

The first pass asks about the current picture alone; what was said is put below the text of the current observation, and
the second pass is the reply. The update learns both with one advantage. It is the shortest chain of thought that can be
read: whether what was said is true does not matter to the reward, only what came of it.

Departures from thinking in one reply: the description is asked for in a conversation of its own, in which no task is
told, so that it is the caption of pretraining; and it is forgotten when the next picture comes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from palaestra.core.observation import Observation
from palaestra.core.policy import Completion, Conversation, Message, Policy

Shown = TypeVar("Shown", Message, Observation)


@dataclass(frozen=True, slots=True)
class Described(Completion):
    """The reply of the second pass, with what was asked and said in the first. A store keeps the reply alone."""

    asked: Conversation = ()
    description: Completion = field(default_factory=lambda: Completion(""))


@dataclass(frozen=True)
class Describing:
    """A policy that answers `question` about the current picture before it replies; without a picture it replies."""

    policy: Policy
    question: str

    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        """Return one completion for each conversation, drawn with the seed beside it."""
        asked = {
            index: (Message("user", self.question, talk[-1].image),)
            for index, talk in enumerate(conversations)
            if talk[-1].image is not None
        }
        # another seed than the reply's: the same numbers would tie what is said to what was seen
        told = dict(zip(asked, self.policy(list(asked.values()), [seeds[index] ^ 1 for index in asked]), strict=True))
        talks = [
            (*talk[:-1], appended(talk[-1], told[index].text)) if index in told else talk
            for index, talk in enumerate(conversations)
        ]
        return [
            Described(r.text, r.token_ids, r.logprobs, r.truncated, r.error, asked[index], told[index])
            if index in told
            else r
            for index, r in enumerate(self.policy(talks, seeds))
        ]


def appended(shown: Shown, description: str) -> Shown:
    """Return what is shown with a description below its text."""
    return replace(shown, text=f"{shown.text}\n{description}")
