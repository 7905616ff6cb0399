"""Any server of OpenAI's chat protocol (vLLM, llama.cpp, a vendor's) as a `core.policy.Chat` and as a policy.

A reply is kept in a folder under the digest of its request, so what was answered once is never asked or paid for again,
and a killed run goes on where it was. Faults are retried, then said on the one completion they befell; only a server
that refuses everybody, or fails so many in a row that it must be down, stops the run.

Source: the chat completions protocol, JSON-schema answers included. Departures: the standard library instead of the
vendor's client. What a server says is untrusted: it is bounded, parsed, and never believed to fit the schema.
"""

import json
import os
import threading
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import groupby
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

from palaestra.core.errors import ConfigError, EndpointFailed
from palaestra.core.observation import Picture
from palaestra.core.policy import Completion, Conversation, Message
from palaestra.core.runfolder import write_atomic
from palaestra.integrations.http import Fault, post

A = TypeVar("A")
B = TypeVar("B")

DOWN = 5
"""So many requests in a row (and twice those asked at once) that fail through all tries say that a server is down."""

_REFUSES_ALL = (401, 403, 404)  # no key, no right, no such model or path: the next request fares no better


@dataclass(frozen=True)
class EndpointConfig:
    """A server, a model, and how they are asked.

    `url` ends before ``/chat/completions``; `key` names the environment variable that holds the key, which is stored
    nowhere; `body` holds further fields of every request, in place of the default ones. `timeout`, `backoff` and
    `patience` (the longest pause between two tries) are in seconds; `per_minute` 0 sets no limit; `largest` bounds an
    answer in bytes. A server that knows no JSON-schema answers wants `structured = false`.
    """

    url: str
    model: str
    key: str = "OPENAI_API_KEY"
    body: Mapping[str, bool | int | float | str] = field(default_factory=lambda: {"max_tokens": 1024, "temperature": 0})
    structured: bool = True
    timeout: float = 120.0
    retries: int = 4
    backoff: float = 1.0
    patience: float = 60.0
    per_minute: float = 0.0
    at_once: int = 8
    largest: int = 4_000_000

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise ConfigError(f"url = {self.url!r}; write it out, as in http://localhost:8000/v1")
        if not self.model:
            raise ConfigError(f"no model is named for {self.url}; the server lists its own at {self.url}/models")
        if self.timeout <= 0 or self.at_once < 1 or self.largest < 1:
            raise ConfigError(
                f"timeout = {self.timeout}, at_once = {self.at_once}, largest = {self.largest}; all are above 0"
            )
        if min(self.retries, self.backoff, self.patience, self.per_minute) < 0 or self.retries > 20:
            raise ConfigError("retries (20 at most), backoff, patience and per_minute are 0 or more")


@dataclass(slots=True)
class Cost:
    """What one endpoint was asked for: `requests` that were sent, retries included, `cached` answers that were at hand.

    Tokens are those of all answers that were used, cached ones too, as far as the server told; `faults` counts each
    kind.
    """

    requests: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    def json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        counts = {name: getattr(self, name) for name in ("requests", "cached", "prompt_tokens", "completion_tokens")}
        return {**counts, "faults": dict(sorted(self.faults.items()))}


class Endpoint:
    """A model behind a server, as a `Chat`; safe to ask from several threads."""

    def __init__(self, config: EndpointConfig, cache: Path | None = None) -> None:
        self.config, self.cache, self.cost = config, cache, Cost()
        self._lock, self._halt = threading.Lock(), threading.Event()
        self._asking: dict[str, threading.Lock] = {}
        self._free_at, self._failed_in_a_row = 0.0, 0

    def __call__(self, messages: Conversation, schema: Mapping[str, Any] | None = None) -> Completion:
        """Return one completion; its `error` says what the tries ended with, if there is no answer.

        Raises:
            EndpointFailed: the server refuses the key or the model, or is down.
            RunFolderError: the answer cannot be kept.
        """
        form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
        return self.ask(messages, {"response_format": form} if schema is not None and self.config.structured else {})

    def ask(self, messages: Conversation, further: Mapping[str, Any]) -> Completion:
        """Return one completion, with further fields in the request; raises what a call does."""
        asked = {"model": self.config.model, "messages": _messages(messages), **self.config.body, **further}
        body = json.dumps(asked, sort_keys=True).encode()
        digest = sha256(body).hexdigest()
        with self._lock:
            asking = self._asking.setdefault(digest, threading.Lock())
        with asking:  # a second thread with the same question waits for the first one's answer
            kept = self._kept(digest)
            return self._told(kept, cached=True) if kept is not None else self._sent(body, digest)

    def each(self, work: Callable[[A], B], items: Iterable[A]) -> list[B]:
        """Return `work` of each item in their order, `at_once` of them at a time; the first error ends all."""
        with ThreadPoolExecutor(self.config.at_once) as threads:
            try:
                return list(threads.map(work, items))
            except BaseException:
                self._halt.set()  # nobody waits for another try
                threads.shutdown(wait=False, cancel_futures=True)
                raise

    def _sent(self, body: bytes, digest: str) -> Completion:
        """Ask until there is an answer or no further try."""
        headers = {"Content-Type": "application/json"}
        if secret := os.environ.get(self.config.key, "").strip():
            headers["Authorization"] = f"Bearer {secret}"
        url = f"{self.config.url.rstrip('/')}/chat/completions"
        last = Fault("halted")
        for attempt in range(self.config.retries + 1):
            self._wait()
            if self._halt.is_set():
                break
            try:
                data = post(url, body, headers, timeout=self.config.timeout, largest=self.config.largest)
                answer = _answer(data)
            except Fault as fault:
                last = fault
                self._count(fault)
                if not fault.again:
                    break
                if attempt < self.config.retries:
                    jitter = 0.5 + int(digest[attempt], 16) / 16  # as chance would have it, and again in the next run
                    pause = min(self.config.patience, max(fault.wait, self.config.backoff * 2**attempt * jitter))
                    with self._lock:
                        self._free_at = max(self._free_at, time.monotonic() + (pause if fault.wait else 0.0))
                    self._halt.wait(pause)
                continue
            with self._lock:
                self.cost.requests += 1
                self._failed_in_a_row = 0
                if self.cache is not None:
                    write_atomic(self._place(digest), json.dumps(answer).encode())
            return self._told(answer, cached=False)
        self._given_up(last)
        return Completion("", error=f"{self.config.model}: {last}")

    def _count(self, fault: Fault) -> None:
        with self._lock:
            self.cost.requests += 1
            self.cost.faults[fault.kind] += 1

    def _given_up(self, last: Fault) -> None:
        """Stop the run where further requests are in vain."""
        with self._lock:
            self._failed_in_a_row += last.again
            in_a_row = self._failed_in_a_row
        if last.status in _REFUSES_ALL or 300 <= last.status < 400:
            raise EndpointFailed(
                f"{self.config.url} was asked for the model {self.config.model!r} and refused ({last}); check the url, "
                f"the model, and the key in the environment variable {self.config.key}"
            )
        if in_a_row >= max(DOWN, 2 * self.config.at_once):
            raise EndpointFailed(
                f"{self.config.url} failed {in_a_row} requests in a row, each {self.config.retries + 1} times, the "
                f"last by {last}; when it is up again, start the same command: the answers so far are kept"
            )

    def _wait(self) -> None:
        """Wait for this thread's turn under the rate limit."""
        with self._lock:
            turn = max(self._free_at, time.monotonic())
            self._free_at = turn + (60 / self.config.per_minute if self.config.per_minute else 0.0)
        self._halt.wait(max(0.0, turn - time.monotonic()))

    def _told(self, answer: Mapping[str, Any], *, cached: bool) -> Completion:
        with self._lock:
            self.cost.cached += cached
            self.cost.prompt_tokens += answer["prompt_tokens"]
            self.cost.completion_tokens += answer["completion_tokens"]
        return Completion(answer["text"], truncated=answer["truncated"])

    def _place(self, digest: str) -> Path:
        assert self.cache is not None
        return self.cache / digest[:2] / f"{digest}.json"

    def _kept(self, digest: str) -> dict[str, Any] | None:
        """Return an answer that is at hand; one that is damaged is none."""
        if self.cache is None:
            return None
        try:
            found = json.loads(self._place(digest).read_bytes())
            return _plain(found["text"], found["truncated"], found["prompt_tokens"], found["completion_tokens"])
        except (OSError, ValueError, TypeError, LookupError, RecursionError):
            return None


@dataclass(frozen=True)
class Player:
    """The policy of an endpoint: conversations are asked several at a time, each with its seed."""

    endpoint: Endpoint

    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        """Return one completion for each conversation; raises what the endpoint does."""
        return self.endpoint.each(
            lambda asked: self.endpoint.ask(asked[0], {"seed": asked[1] % 2**31}),
            list(zip(conversations, seeds, strict=True)),
        )


def _messages(talk: Conversation) -> list[dict[str, Any]]:
    """Return a conversation as the protocol has it; neighbours of one role become one message, as templates demand."""
    said: list[dict[str, Any]] = []
    for role, same in groupby(talk, key=lambda message: message.role):
        parts = [part for message in same for part in _parts(message)]
        plain = all(part["type"] == "text" for part in parts)
        said.append({"role": role, "content": "\n".join(part["text"] for part in parts) if plain else parts})
    return said


def _parts(message: Message) -> list[dict[str, Any]]:
    text = {"type": "text", "text": message.text}
    shown = [{"type": "image_url", "image_url": {"url": data_url(message.image)}}] if message.image is not None else []
    return [text, *shown]


def data_url(picture: Picture) -> str:
    """Return a picture as a URL that holds its PNG bytes."""
    return f"data:image/png;base64,{b64encode(picture.png()).decode()}"


def _answer(data: bytes) -> dict[str, Any]:
    """Return what is kept of a server's answer.

    Raises:
        Fault: it is no JSON, or not of the protocol's shape.
    """
    try:
        said = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Fault("no JSON", str(error)[:100]) from error
    try:
        choice, usage = said["choices"][0], said.get("usage") or {}
        text = choice["message"].get("content")
        cut = choice.get("finish_reason") == "length"
        return _plain("" if text is None else text, cut, usage.get("prompt_tokens"), usage.get("completion_tokens"))
    except (LookupError, TypeError, AttributeError, OverflowError) as error:
        raise Fault("wrong shape", repr(said)[:100]) from error


def _plain(text: Any, truncated: Any, *tokens: Any) -> dict[str, Any]:
    """Return an answer of plain values; a count of tokens that makes no sense is 0."""
    if not isinstance(text, str) or not isinstance(truncated, bool):
        raise TypeError("no text")
    counts = (int(n) if isinstance(n, int | float) and isfinite(n) and n > 0 else 0 for n in tokens)
    return {
        "text": text,
        "truncated": truncated,
        **dict(zip(("prompt_tokens", "completion_tokens"), counts, strict=True)),
    }
