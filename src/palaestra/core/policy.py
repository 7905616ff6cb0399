"""Who plays and who answers: policies, insiders, scorers, thinkers and chats, each a protocol with one method."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from palaestra.core.answer import Answer
from palaestra.core.environment import Environment
from palaestra.core.observation import Picture

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; the last one of a player's carries the kind of answer that is expected.

    >>> from palaestra.core.answer import Integer
    >>> Message("user", "Count the stars.", answer=Integer(0, 9)).role
    'user'
    """

    role: Role
    text: str
    image: Picture | None = None
    answer: Answer | None = None


Conversation = Sequence[Message]


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply, with its sampled tokens and their log-probabilities where the policy knows them.

    `truncated` says that it ran out of tokens, `error` why there is no reply: a policy that fails on one conversation
    of a batch says so here, and only that episode ends.

    >>> Completion("left").logprobs
    ()
    """

    text: str
    token_ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    truncated: bool = False
    error: str = ""


@runtime_checkable
class Policy(Protocol):
    """A player that sees what is shown. Batched, and seeded: equal conversation and seed give an equal completion.

    >>> def silent(conversations, seeds):
    ...     return [Completion("") for _ in conversations]
    >>> isinstance(silent, Policy), isinstance(silent, Insider)
    (True, False)
    """

    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> Sequence[Completion]:
        """Return one completion for each conversation, drawn with the seed beside it."""


@runtime_checkable
class Insider(Protocol):
    """A player that looks at the state itself: an oracle, or a guide. Never a policy, never compared with one by
    accident."""

    def peek(self, env: Environment[Any, Any], state: Any, seed: int) -> str:
        """Return the reply for one state."""


class Scorer(Protocol):
    """A model that tells how likely it finds given replies."""

    def score(self, conversations: Sequence[Conversation], replies: Sequence[str]) -> Sequence[float]:
        """Return the log-probability of each reply after its conversation."""


class Thinker(Protocol):
    """A model whose hidden states can be looked at."""

    def states(self, conversations: Sequence[Conversation], replies: Sequence[str]) -> Sequence[NDArray[np.float32]]:
        """Return, for each conversation and the reply to it, the last layer's hidden states [width]: their mean over
        the tokens of the last message and the reply."""


class Chat(Protocol):
    """A model that answers one conversation, held to a JSON schema when one is given. Its text is untrusted."""

    def __call__(self, messages: Conversation, schema: Mapping[str, Any] | None = None) -> Completion:
        """Return one completion."""
