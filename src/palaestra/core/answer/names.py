"""Names that a reply may use (options, items, symbols, fields): told apart, and found in prose."""

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import groupby
from reprlib import repr as brief

from palaestra.core.answer.extract import trim
from palaestra.core.errors import BadAnswerKind

_JOINT = re.compile(r"(?<=[^\W_])[\s_-]+(?=[^\W_])")

# Patterns that ignore case take these for "i"; casefold() does not.
_TURKISH = {0x130: "i", 0x131: "i"}


def fold(text: str) -> str:
    """Return the form under which two spellings of a name are the same.

    >>> fold("Upper-Left") == fold("upper left"), fold("-1") == fold("1")
    (True, False)
    """
    return _JOINT.sub(" ", text.translate(_TURKISH).casefold())


def check(names: object, noun: str) -> None:
    """Refuse names that could not be read back, or not be told apart.

    Raises:
        BadAnswerKind: not a tuple of strings, none at all, an empty one, outer white space, or two alike.
    """
    if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
        raise BadAnswerKind(f"{noun}s are {brief(names)}; give a tuple of strings")
    if not names:
        raise BadAnswerKind(f"there are no {noun}s; give at least one")
    table(names, noun)


@lru_cache(maxsize=4096)
def table(names: tuple[str, ...], noun: str = "name") -> Mapping[str, str]:
    """Return the name meant by each accepted spelling of a whole text."""
    meant: dict[str, str] = {}
    for name in names:
        if not name or name != name.strip():
            raise BadAnswerKind(f"{noun} {name!r} is empty or has outer white space; strip it")
        for spelling in {fold(name), fold(trim(name))} - {""}:
            if spelling in meant:
                raise BadAnswerKind(
                    f"{noun}s {meant[spelling]!r} and {name!r} could not be told apart in a reply; rename one"
                )
            meant[spelling] = name
    return {**meant, **{name: name for name in names}}


@lru_cache(maxsize=512)
def pattern(names: tuple[str, ...], hyphens: bool) -> re.Pattern[str]:
    """Return what finds whole names in prose, the longest first.

    `hyphens`: whether a hyphen separates names; if not, "left" is not found in "left-hand".
    """
    longest_first = sorted(names, key=len, reverse=True)
    parts = []
    for (before, after), group in groupby(longest_first, key=lambda name: _bounds(name, hyphens)):
        spellings = "|".join(r"[\s_-]{1,4}".join(map(re.escape, _JOINT.split(name))) for name in group)
        parts.append(f"{before}(?:{spellings}){after}")
    return re.compile("|".join(parts), re.IGNORECASE)


def _bounds(name: str, hyphens: bool) -> tuple[str, str]:
    """Return what must hold before and after a whole name in prose."""
    before = after = ""
    if re.match(r"\w", name[0]):
        before = r"(?<!\w)" if hyphens else r"(?<!\w)(?<!\w-)"
    if re.match(r"\w", name[-1]):
        after = r"(?!\w|['\u2019]\w)" if hyphens else r"(?!\w|['\u2019-]\w)"
    if name[0].isdigit():
        before = r"(?<![\w\u2212-])(?<!\d[.,])"
    if name[-1].isdigit():
        after = r"(?!\w|[.,]\d)"
    if name[0] == ">":
        before = "(?<!-)"  # the head of an arrow
    return before, after
