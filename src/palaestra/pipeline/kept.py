"""A local model whose answers are kept in a folder, so that a run that goes on asks for none of them again.

As a server's are (`integrations.openai`), they stand under the digest of what was asked; only a model in this process
answers in seconds of processor time instead of money.
"""

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from palaestra.core.policy import Chat, Completion, Conversation, Scorer
from palaestra.core.runfolder import write_atomic
from palaestra.integrations.openai import Cost

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True)
class Kept:
    """A `core.policy.Chat` and `Scorer`; failed answers are not kept, damaged ones asked for again.

    `mark` tells the model from all others; without a folder nothing is kept.
    """

    chat: Chat
    scorer: Scorer
    mark: Sequence[str | int | float]
    folder: Path | None
    cost: Cost = field(default_factory=Cost)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)

    def __call__(self, messages: Conversation, schema: Mapping[str, Any] | None = None) -> Completion:
        """Return one completion."""
        found = self._told(
            ["chat", _texts(messages), schema],
            lambda: _plain(self.chat(messages, schema)),
            lambda kept: isinstance(kept["text"], str) and isinstance(kept["truncated"], bool),
        )
        return Completion(found["text"], truncated=found["truncated"], error=found.get("error", ""))

    def score(self, conversations: Sequence[Conversation], replies: Sequence[str]) -> list[float]:
        """Return the log-probability of each reply after its conversation; raises what the model does."""
        scores: list[float] = self._told(
            ["score", [_texts(talk) for talk in conversations], [*replies]],
            lambda: [*self.scorer.score(conversations, replies)],
            lambda kept: len(kept) == len(replies) and all(isinstance(one, float) for one in kept),
        )
        return scores

    def each(self, work: Callable[[A], B], items: Iterable[A]) -> list[B]:
        """Return `work` of each item, one after the other."""
        return [work(item) for item in items]

    def _told(self, asked: object, answer: Callable[[], Any], sound: Callable[[Any], bool]) -> Any:
        digest = sha256(json.dumps([*self.mark, asked], sort_keys=True).encode()).hexdigest()
        place = self.folder / digest[:2] / f"{digest}.json" if self.folder is not None else None
        with self._lock:
            try:
                kept = json.loads(place.read_bytes() if place is not None else b"")
                if sound(kept):
                    self.cost.cached += 1
                    return kept
            except (OSError, ValueError, TypeError, LookupError, RecursionError):
                pass
            self.cost.requests += 1
            found = answer()
            if place is not None and not (isinstance(found, dict) and "error" in found):
                write_atomic(place, json.dumps(found).encode())
            return found


def _texts(talk: Conversation) -> list[list[str]]:
    """Return what such a model reads of a conversation."""
    return [[message.role, message.text] for message in talk]


def _plain(said: Completion) -> dict[str, Any]:
    plain = {"text": said.text, "truncated": said.truncated}
    return {**plain, "error": said.error} if said.error else plain
