"""The random player: a well-formed reply that nothing else is known of."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from palaestra.core.errors import PolicyFailed
from palaestra.core.policy import Completion, Conversation


@dataclass(frozen=True, slots=True)
class Random:
    """Samples a reply from the answer kind that the last message asks for."""

    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        """Return a random well-formed reply to each conversation."""
        return [Completion(_sampled(talk, seed)) for talk, seed in zip(conversations, seeds, strict=True)]


def _sampled(talk: Conversation, seed: int) -> str:
    answer = talk[-1].answer if talk else None
    if answer is None:
        raise PolicyFailed("random: the last message of a conversation carries no answer kind; pass one from `play`")
    return answer.sample(np.random.default_rng(seed))
