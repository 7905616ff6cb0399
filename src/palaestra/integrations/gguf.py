"""A GGUF model in this process, as a `core.policy.Chat` and a `core.policy.Scorer`, by llama.cpp.

A schema becomes a grammar that knows all of JSON Schema, bounds of numbers included. To score a reply, a grammar of its
very tokens leaves the model no other choice: what it would have thought of each is told beside it.

Source: llama.cpp through xllamacpp, llguidance built in. Departures: one thread, one slot, and nothing is kept from one
question to the next but between replies to one conversation, so the same question gets the same answer bit by bit.
Pictures are left out: no vision weights come in one file.
"""

import json
import threading
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from palaestra.core.errors import ExtraMissing, PolicyFailed
from palaestra.core.policy import Completion, Conversation

CONTEXT = 8192
"""Tokens of a conversation and its reply together."""


class GGUF:
    """A model of one file; safe to ask from several threads, which take turns."""

    def __init__(
        self, path: Path, *, tokens: int = 1024, temperature: float = 0.0, seed: int = 0, context: int = CONTEXT
    ) -> None:
        """Load a model.

        Args:
            tokens: how long a reply may become.
            temperature: 0 takes the likeliest token, else replies are drawn with `seed`.

        Raises:
            ExtraMissing: xllamacpp is not installed.
            PolicyFailed: the file holds no model that can be loaded.
        """
        try:
            import xllamacpp
        except ImportError as error:
            raise ExtraMissing("a GGUF model needs llama.cpp: pip install 'palaestra[local]'") from error
        self.path, self.tokens, self.temperature, self.seed = path, tokens, temperature, seed
        self._lock, self._known = threading.RLock(), dict[str, list[int]]()
        asked = xllamacpp.CommonParams()
        asked.model.path, asked.n_ctx, asked.n_parallel, asked.port = str(path), context, 1, 0
        asked.cpuparams.n_threads = asked.cpuparams_batch.n_threads = 1
        asked.use_jinja, asked.warmup, asked.verbosity = True, False, -1
        try:
            self._server = xllamacpp.Server(asked)
        except Exception as error:  # whatever the binding makes of a file that is none
            raise PolicyFailed(f"{path} cannot be loaded ({error}); give a GGUF file of a language model") from error

    def __call__(self, messages: Conversation, schema: Mapping[str, Any] | None = None) -> Completion:
        """Return one completion; its `error` says why there is none."""
        held = {} if schema is None else {"grammar": f"%llguidance {{}}\nstart: %json {json.dumps(schema)}"}
        try:
            choice = self._asked(messages, {"max_tokens": self.tokens, "temperature": self.temperature, **held})
        except PolicyFailed as error:
            return Completion("", error=str(error))
        return Completion(choice["message"].get("content") or "", truncated=choice["finish_reason"] == "length")

    def score(self, conversations: Sequence[Conversation], replies: Sequence[str]) -> list[float]:
        """Return the log-probability of each reply after its conversation; equal neighbours are read once.

        Raises:
            PolicyFailed: a conversation does not fit, or a reply has no token.
        """
        scores, before = list[float](), None
        with self._lock:  # nobody else's conversation comes between
            for talk, reply in zip(conversations, replies, strict=True):
                scores.append(self._scored(talk, reply, again=talk == before))
                before = talk
        return scores

    def _scored(self, talk: Conversation, reply: str, *, again: bool) -> float:
        tokens = self._tokens(reply)
        grammar = f"root ::= {' '.join(f'<[{token}]>' for token in tokens)}"
        further = {"max_tokens": len(tokens), "temperature": 0, "grammar": grammar, "logprobs": True, "top_logprobs": 1}
        choice = self._asked(talk, {**further, "cache_prompt": again})
        told = choice["logprobs"]["content"]
        if [one["id"] for one in told] != tokens:
            raise PolicyFailed(f"{self.path.name} was held to {reply!r} and said {choice['message'].get('content')!r}")
        return float(sum(one["logprob"] for one in told))

    def _tokens(self, text: str) -> list[int]:
        """Return a text as tokens; only the server's own door, which is open to this machine alone, tells them."""
        if text not in self._known:
            at = urlsplit(self._server.listening_address)
            link = HTTPConnection(at.hostname or "127.0.0.1", at.port, timeout=60)
            try:
                link.request("POST", "/tokenize", json.dumps({"content": text}), {"Content-Type": "application/json"})
                self._known[text] = json.loads(link.getresponse().read())["tokens"]
            except (OSError, HTTPException, ValueError, LookupError) as error:
                raise PolicyFailed(f"{self.path.name} cannot tell the tokens of {text[:60]!r} ({error})") from error
            finally:
                link.close()
        return self._known[text]

    def _asked(self, talk: Conversation, further: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what was answered: its message, why it ended, and log-probabilities where they were asked for.

        Raises:
            PolicyFailed: there is no answer.
        """
        said = [
            {"role": role, "content": "\n".join(message.text for message in same)}
            for role, same in groupby(talk, key=lambda message: message.role)
        ]
        asked = {"messages": said, "seed": self.seed, "cache_prompt": False, **further}
        try:
            with self._lock:
                answer = self._server.handle_chat_completions(asked)
        except (RuntimeError, ValueError, TypeError) as error:
            answer = {"error": {"message": str(error)}}
        if "error" in answer:  # a conversation that is too long, a schema that makes no grammar
            raise PolicyFailed(f"{self.path.name} gave no answer: {str(answer['error'].get('message'))[:200]}")
        choice: Mapping[str, Any] = answer["choices"][0]
        return choice
