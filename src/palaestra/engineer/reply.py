"""What may be made of a model's reply: one JSON object out of any text, in bounded time, or a sentence why not.

Thoughts are dropped, prose and fences are skipped, and of several objects the last that has parts is taken. What is in
it is not trusted here either: `engineer.space.project` makes it legal.
"""

import json
from typing import Any, NoReturn

from palaestra.core.errors import BadProposal
from palaestra.engineer.space import PARTS

LARGEST = 64_000
"""Characters that are read, the last ones: an answer comes at the end."""

STARTS = 256
"""Braces at which an object is looked for."""


def _refused(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


_DECODER = json.JSONDecoder(parse_constant=_refused)


def parse(text: str) -> Any:
    """Return the object of a reply.

    >>> parse('<think>harder?</think> I suggest {"parts": {"3x3": {"weight": 1}}} as it works.')
    {'parts': {'3x3': {'weight': 1}}}

    Raises:
        BadProposal: there is none.
    """
    said = text[-LARGEST:].rpartition("</think>")[2]
    if "<think>" in said:
        raise BadProposal("the reply ends while still thinking; answer with one JSON object")
    found: list[Any] = []
    at, starts = said.find("{"), 0
    while at >= 0 and starts < STARTS:
        starts += 1
        try:
            value, end = _DECODER.raw_decode(said, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found.append(value)
        at = said.find("{", end)
    if not found:
        raise BadProposal("the reply holds no whole JSON object; answer with one and nothing else")
    return next((own for own in reversed(found) if PARTS in own), found[-1])
