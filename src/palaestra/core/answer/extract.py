r"""The one reader of replies: it finds the text that counts, and asks the answer kind what that text says.

1. Thinking is removed; nothing inside or after an unclosed ``<think>`` counts.
2. The last explicit marker wins: ``<answer>``, ``\boxed{}``, ``Answer:``, ``Action:``, ``Move:``, "the answer
   is". An empty last marker is malformed: an earlier one is not what the speaker ended on.
3. Marked text, or else the whole reply, is read strictly; failing that, for the candidates inside it: one is
   the answer, several are ambiguous, none is malformed where an answer was announced or attempted, and no
   answer otherwise.

Every pattern here and in the kinds reads a text in time proportional to its length.
"""

import re
from collections.abc import Hashable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple, Protocol

from palaestra.core.answer.parsed import ILLEGAL, Illegal, Parsed, Status


class Found(NamedTuple):
    """A candidate inside a text: where it stands, and its value or `ILLEGAL`."""

    start: int
    end: int
    value: Hashable | Illegal


class Said(NamedTuple):
    """The different legal values in a text, two at most, and whether it holds an illegal one."""

    values: list[Hashable]
    attempted: bool


class Reader(Protocol):
    """What the extractor asks of an answer kind."""

    @property
    def multiline(self) -> bool:
        """Whether an answer may span several lines."""
        ...

    def read(self, text: str) -> Hashable | Illegal | None:
        """What the whole of a stripped text says; None: it is not of this shape, look inside."""
        ...

    def find(self, text: str, marked: bool) -> Iterator[Found]:
        """The candidates inside a text, in order; `marked` text was announced as the answer."""
        ...


def extract(reader: Reader, reply: str) -> Parsed:
    """Read a reply as an answer of one kind."""
    text = spoken(reply)
    marker = max(_MARKER.finditer(text), key=re.Match.start, default=None)
    if marker is None:
        return _decide(candidates(reader, text, marked=False), marked=False)
    rest = text[marker.end() :]
    if marker.lastgroup == "boxed":
        return _decide(candidates(reader, braced(rest), marked=True), marked=True)
    rest = _CLOSING.split(rest, maxsplit=1)[0]
    if marker.lastgroup == "tag":
        return _decide(candidates(reader, rest, marked=True), marked=True)
    block = _BLANK_LINE.split(rest.lstrip(), maxsplit=1)[0]
    end = _LINE_END if marker.lastgroup == "label" else _SENTENCE_END
    line = end.split(rest, maxsplit=1)[0].strip() or block
    return _decide(passage(reader, block, line), marked=True)


def announces(text: str) -> bool:
    """Whether a text holds an explicit marker."""
    return _MARKER.search(text) is not None


def passage(reader: Reader, block: str, line: str) -> Said:
    """Return what an announced block says: by its first line, where that is enough."""
    if line == block or not reader.multiline:
        return candidates(reader, line, marked=True)
    whole = reader.read(plain(block))
    if whole is None or whole is ILLEGAL:
        first = candidates(reader, line, marked=True)
        if len(first.values) == 1:
            return first
    return candidates(reader, block, marked=True)


def _decide(said: Said, marked: bool) -> Parsed:
    if len(said.values) == 1 and said.attempted and not marked:
        return Parsed(Status.AMBIGUOUS)  # "I think 3 or 12" says two things, though one of them cannot be meant
    if len(said.values) == 1:
        return Parsed(Status.OK, said.values[0])
    if said.values:
        return Parsed(Status.AMBIGUOUS)
    return Parsed(Status.MALFORMED if marked or said.attempted else Status.NO_ANSWER)


def candidates(reader: Reader, text: str, marked: bool) -> Said:
    """Return what a text without markers says: the one value that it is, else the candidates inside."""
    text = plain(text)
    whole = reader.read(text)
    if whole is ILLEGAL:
        return Said([], True)
    if whole is not None:
        return Said([whole], False)
    values: list[Hashable] = []
    attempted = False
    found = sorted(islice(reader.find(text, marked), _MOST_CANDIDATES), key=lambda found: found.start)
    if len(found) == _MOST_CANDIDATES:
        return Said([], True)  # noise: nobody says one thing that often
    for value in _affirmed(text, found):
        if value is ILLEGAL:
            attempted = True
        elif value not in values:
            values.append(value)
            if len(values) == 2:
                break
    return Said(values, attempted)


def spoken(reply: str) -> str:
    """Return what a reply says after and between its thoughts.

    >>> spoken("<think>left?</think>right"), spoken("left?</think>right"), spoken("<think>left")
    ('right', 'right', '')
    """
    if "<" not in reply:
        return reply
    kept: list[str] = []
    start, thinking = 0, False
    for tag in _THINK.finditer(reply):
        if tag[1]:
            if not thinking:
                kept.clear()  # the opening tag was part of the prompt
            start, thinking = tag.end(), False
        elif not thinking:
            kept.append(reply[start : tag.start()])
            thinking = True
    if not thinking:
        kept.append(reply[start:])
    return " ".join(kept).strip()


def plain(text: str) -> str:
    r"""Return a text without code fences, ``\text{}`` and outer white space.

    >>> plain("```text\nleft\n```"), plain(r"\text{left}")
    ('left', 'left')
    """
    if "```" in text:
        text = _FENCE.sub("\n", text)
    if "\\" in text:
        text = _STYLED.sub(r"\1", text)
    return text.strip()


def trim(text: str) -> str:
    """Return a text without the quotes, brackets, emphasis and final punctuation around it.

    >>> trim("**(left)**."), trim("-.5.")
    ('left', '-.5')
    """
    return text.rstrip(_TRAILING).lstrip(_LEADING)


def braced(text: str) -> str:
    """Return what stands before the brace that closes an already opened one.

    >>> braced("a{b}c} d")
    'a{b}c'
    """
    depth = 1
    for brace in _BRACE.finditer(text):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return text[: brace.start()]
    return text


def _affirmed(text: str, found: Iterable[Found]) -> Iterator[Hashable | Illegal]:
    """Yield the values of the candidates that are not negated: "not left or up but right" says right."""
    negated: set[int] | None = None
    dropped_until = -1
    for start, end, value in found:
        if negated is None:
            negated = {i for m in _NEGATION.finditer(text) for i in range(m.end(1), m.end() + 1)}
        alternative = dropped_until >= 0 and text[dropped_until:start].strip() in ("or", "nor")
        if start in negated or alternative:
            dropped_until = end
        else:
            dropped_until = -1
            yield value


_MOST_CANDIDATES = 256
_THINK = re.compile(r"<(/?)think(?:ing)?\s*>", re.IGNORECASE)
_MARKER = re.compile(
    r"""<answer\s*>(?P<tag>)
      | \\boxed\s*\{(?P<boxed>)
      | \b(?:answer|action|move)[*_]*[ \t]*:[*_]*(?P<label>)
      | \b(?:the|my)\s+(?:(?:final|correct|best|right)\s+)?answer\s+is\b\s*:?(?P<phrase>)""",
    re.IGNORECASE | re.VERBOSE,
)
_CLOSING = re.compile(r"</answer", re.IGNORECASE)
_BRACE = re.compile(r"[{}]")
_LINE_END = re.compile(r"\n")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_FENCE = re.compile(r"```(?:[A-Za-z]+(?=\r?\n))?")
_STYLED = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}\\]*)\}")
_AROUND = " \t\r\n\"'\u201c\u201d\u2018\u2019`*_$"
_LEADING = _AROUND + "([{"
_TRAILING = _AROUND + ")]}.,;:!?"
_NEGATION = re.compile(
    r"""(\bnot|\bcannot|n['\u2019]t|\bnever|\bneither|\bnor|\bwithout|\bexcept|\bavoid(?:ing)?
        |\binstead\s+of|\brather\s+than|\bother\s+than)\b
        (?:\s+(?:to|the|an?|be|go|going|move|moving|turn|turning|step|head|heading|say|saying
            |choose|choosing|pick|picking|select|selecting|take|taking|play|playing|option|answer)\b){0,4}
        [\s"'\u201c\u2018`*_(\[]{0,4}""",
    re.IGNORECASE | re.VERBOSE,
)
