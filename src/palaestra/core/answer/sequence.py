"""Several items in order: a plan, a path, a spelling."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from palaestra.core.answer.base import Answer, check_whole
from palaestra.core.answer.extract import Found, trim
from palaestra.core.answer.names import check, fold, pattern, table
from palaestra.core.answer.parsed import ILLEGAL, Illegal
from palaestra.core.errors import BadAnswerKind

# What may stand between two items.
_GAP = r"""(?:\.\s*,|[\s,;|>→"'`*\u2013-]|\b(?i:and|then|next|finally|go|move|turn)\b)*"""
_NOTHING = re.compile(r"[\W_]*")
_COMMA = re.compile(r"\s*(?:,|;|\||->|→|\n)\s*")
_ORDINAL = re.compile(r"(?<![\w.])(?:step\s)?\s*([0-9]{1,3})[.):]\s", re.IGNORECASE)


LONGEST = 10_000
"""Items at most: a kind may come from a file, and nothing that it says may fill the memory."""


@dataclass(frozen=True, slots=True)
class Sequence(Answer):
    """From `shortest` to `longest` items in order, each as often as one likes; its value is a tuple of items.

    Single letters may be run together; in prose they must then be capitals, at least two.

    >>> Sequence(("up", "down", "left")).parse("1. up 2. left 3. left").value
    ('up', 'left', 'left')
    >>> Sequence(("U", "D", "L", "R")).parse("So I play ULLD.").value
    ('U', 'L', 'L', 'D')
    """

    kind: ClassVar[str] = "sequence"
    multiline: ClassVar[bool] = True
    items: tuple[str, ...]
    shortest: int = 1
    longest: int = 64

    def __post_init__(self) -> None:
        check(self.items, "item")
        check_whole(self.kind, shortest=self.shortest, longest=self.longest)
        low, high = self.shortest, self.longest
        if high > LONGEST:
            raise BadAnswerKind(f"sequence: asked for up to {high} items; {LONGEST} at most")
        if not 1 <= low <= high:
            raise BadAnswerKind(f"sequence: asked for {low} to {high} items; give 1 <= shortest <= longest")
        for item in self.items:
            twice = f"{item}, {item}"
            if re.search(r"[,;|\n]", item) or [run for *_, run in self._runs(twice, False)] != [(item, item)]:
                raise BadAnswerKind(f"item {item!r} could not be read back from a list; rename it")

    def sample(self, rng: np.random.Generator) -> str:
        """Return any length, each as likely, and any items."""
        length = rng.integers(self.shortest, self.longest + 1)
        return ", ".join([self.items[i] for i in rng.integers(len(self.items), size=length).tolist()])

    def format(self, value: Any) -> str:
        """Return the items with commas."""
        known = isinstance(value, tuple) and all(item in self.items for item in value)
        if not known or self._legal(value) is ILLEGAL:
            raise self.refusal(value)
        return ", ".join(value)

    def wanted(self) -> str:
        """Return the items and the length."""
        count = f"{self.shortest}" if self.shortest == self.longest else f"{self.shortest} to {self.longest}"
        return f"{count} of these, separated by commas: {', '.join(self.items)}"

    def read(self, text: str) -> tuple[str, ...] | Illegal | None:
        """Return the items of a text that says nothing else; a list with a foreign member is illegal."""
        text = _unnumbered(text)
        start, end, run = next(self._runs(text, prose=False), (0, 0, ()))
        if not run:
            return None
        if _NOTHING.fullmatch(text, 0, start) and _NOTHING.fullmatch(text, end):
            return self._legal(run)
        meant = table(self.items)
        members = [fold(trim(member)) for member in _COMMA.split(text)]
        listed = len(members) > 1 and all(" " not in member or member in meant for member in members)
        return ILLEGAL if listed and not meant.keys().isdisjoint(members) else None

    def find(self, text: str, marked: bool) -> Iterator[Found]:
        """Yield the runs of items in a text, of two or more unless it is marked."""
        for start, end, run in self._runs(_unnumbered(text), prose=True):
            if marked or len(run) > 1:
                yield Found(start, end, self._legal(run))

    def _legal(self, run: tuple[str, ...]) -> tuple[str, ...] | Illegal:
        return run if self.shortest <= len(run) <= self.longest else ILLEGAL

    def _runs(self, text: str, prose: bool) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Yield where each run of items starts and ends, and the run."""
        meant = table(self.items)
        single = _are_letters(self.items)
        item, several = _patterns(self.items, prose)
        for run in several.finditer(text):
            parts = item.findall(text, *run.span())
            said = "".join(parts) if single else parts
            yield *run.span(), tuple([meant.get(part) or meant[fold(part)] for part in said])


def _are_letters(items: tuple[str, ...]) -> bool:
    return max(map(len, items)) == 1


@lru_cache(maxsize=512)
def _patterns(items: tuple[str, ...], prose: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds one item (or a word spelt with items of one character), and what finds a run."""
    if _are_letters(items):
        spellings = {item.upper() for item in items}
        if not prose:
            spellings |= {item.lower() for item in items}
        either = "".join(re.escape(c) for c in sorted(spellings) if len(c) == 1)
        item = rf"(?<!\w)(?!(?<=-)>)[{either}]+(?!\w|['\u2019]\w)"
    else:
        item = f"(?i:{pattern(items, hyphens=True).pattern})"
    return re.compile(item), re.compile(f"{item}(?:{_GAP}{item})*")


def _unnumbered(text: str) -> str:
    """Return a text without the numbers of a numbered list, of the same length.

    >>> _unnumbered("1. up 2. left"), _unnumbered("2. up")
    (' , up  , left', '2. up')
    """
    ordinals = list(_ORDINAL.finditer(text))
    if len(ordinals) < 2 or [m[1] for m in ordinals] != [str(n + 1) for n in range(len(ordinals))]:
        return text
    return _ORDINAL.sub(lambda m: ",".rjust(len(m[0]) - 1) + " ", text)
