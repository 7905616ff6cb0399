"""Asking a policy, and a journal around a costly one: what was answered once is never asked for again."""

import json
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from palaestra.core.errors import PolicyFailed
from palaestra.core.policy import Completion, Conversation, Policy
from palaestra.core.runfolder import storing

Key = tuple[int, str]
"""A seed and the digest of a conversation: all that a policy's completion may depend on."""


def ask(policy: Policy, conversations: Sequence[Conversation], seeds: Sequence[int]) -> Sequence[Completion]:
    """Return a policy's completions, one for each conversation; none are asked for nothing.

    Raises:
        PolicyFailed: it gave another number of them.
    """
    completions = policy(conversations, seeds) if conversations else ()
    if len(completions) != len(conversations):
        raise PolicyFailed(
            f"{policy!r:.80} was asked {len(conversations)} conversations and gave {len(completions)} completions; "
            "a policy returns one for each, in their order"
        )
    for completion in completions:
        if not isinstance(completion, Completion):
            raise PolicyFailed(f"{policy!r:.80} gave {completion!r:.80}; a policy returns `Completion` values")
    return completions


class Recorded:
    """A policy whose completions are kept in a file of JSON lines; those that it holds are not asked for.

    Every completion is on disk before it is used, except one that says an error: a later call asks for it again. A slow
    policy may have an attribute `at_once`, the number of conversations it wants in one call: a kill loses what the
    interrupted call was about to return, no more.
    """

    def __init__(self, policy: Policy, path: Path) -> None:
        self.policy = policy
        self.path = path
        self._known = _load(path)

    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        """Return one completion for each conversation, from the journal where it has one.

        Raises:
            PolicyFailed: the policy gave a wrong number of completions.
            RunFolderError: the journal cannot be written, or the disk is full.
        """
        keys = [(seed, _digest(talk)) for talk, seed in zip(conversations, seeds, strict=True)]
        asked = {key: talk for key, talk in zip(keys, conversations, strict=True) if key not in self._known}
        missing = list(asked)
        step = getattr(self.policy, "at_once", None) or len(missing) or 1
        for start in range(0, len(missing), step):
            self._ask(missing[start : start + step], asked)
        return [self._known[key] for key in keys]

    def _ask(self, keys: Sequence[Key], asked: dict[Key, Conversation]) -> None:
        completions = ask(self.policy, [asked[key] for key in keys], [seed for seed, _ in keys])
        answered = dict(zip(keys, completions, strict=True))
        with storing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write("".join(_line(*key, said) for key, said in answered.items() if not said.error).encode())
                file.flush()
                os.fsync(file.fileno())
        self._known |= answered


def _digest(talk: Conversation) -> str:
    said = [[message.role, message.text, message.image.sha256 if message.image else ""] for message in talk]
    return sha256(json.dumps(said).encode()).hexdigest()


def _line(seed: int, digest: str, said: Completion) -> str:
    token_ids, logprobs = list(map(int, said.token_ids)), list(map(float, said.logprobs))  # numpy's are not JSON
    return json.dumps([seed, digest, said.text, token_ids, logprobs, said.truncated]) + "\n"


def _load(path: Path) -> dict[Key, Completion]:
    """Read a journal; from the first line that a kill cut off or damaged on, it is dropped."""
    if not path.exists():
        return {}
    known: dict[Key, Completion] = {}
    whole = 0
    with storing(path):
        for line in path.read_bytes().splitlines(keepends=True):
            try:
                seed, digest, text, token_ids, logprobs, truncated = json.loads(line)
                said = Completion(str(text), tuple(map(int, token_ids)), tuple(map(float, logprobs)), bool(truncated))
                key = int(seed), str(digest)
            except (ValueError, TypeError, RecursionError):
                break
            if not line.endswith(b"\n"):
                break
            known[key] = said
            whole += len(line)
        os.truncate(path, whole)
    return known
