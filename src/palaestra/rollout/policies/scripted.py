"""A player that reads its replies from a script: for demonstrations, for tests, and to replay what was played."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaestra.core.environment import Environment
from palaestra.core.errors import PolicyFailed
from palaestra.core.policy import Completion, Conversation


@dataclass(slots=True)
class Scripted:
    """Sends the n-th reply of a script at the n-th turn of every episode; when the script has run out, silence.

    Conversations are trimmed to an environment's memory, so turns cannot be counted in them. But `play` goes in rounds
    and a live episode takes one turn in each: the n-th call is everybody's n-th turn. Every `play` starts anew.
    """

    replies: Sequence[str]
    calls: int = field(default=0, init=False)

    @staticmethod
    def read(path: Path) -> "Scripted":
        """Read a script from a text file, one reply on each line.

        Raises:
            PolicyFailed: the file cannot be read.
        """
        try:
            return Scripted(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))
        except (OSError, UnicodeDecodeError) as error:
            raise PolicyFailed(f"scripted: cannot read {path} ({error}); give a text file, one reply a line") from error

    def prepared(self, envs: Sequence[Environment[Any, Any]]) -> "Scripted":
        """Return a player at the beginning of the same script."""
        return Scripted(self.replies)

    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        """Return this round's reply, the same to all."""
        reply = self.replies[self.calls] if self.calls < len(self.replies) else ""
        self.calls += 1
        return [Completion(reply)] * len(conversations)
