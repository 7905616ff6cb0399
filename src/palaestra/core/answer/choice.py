"""One of several options."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from palaestra.core.answer.base import Answer
from palaestra.core.answer.extract import Found, trim
from palaestra.core.answer.names import check, fold, pattern, table
from palaestra.core.errors import BadAnswerKind

_OPENING = "(\"'\u201c\u2018`*["
# "option B", or a line that begins "B,": the letter follows.
_CUE = re.compile(
    rf"""(?:\b(?:options?|choose|choice|chose|pick|select|letter|answer|is|it['\u2019]s|say|with|either)[\s:]{{1,3}}
          [{re.escape(_OPENING)}]{{0,3}}
        |^[^\w\n]{{0,4}}(?=\w(?:[,:;]|[^\w\n]*$)))""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Choice(Answer):
    """One of several options, by name; its value is the option as written here.

    An option of a single letter counts in prose only where an answer would stand: "The", "A bird" and
    "I think" choose nothing.

    >>> Choice(("left", "right")).parse("Not left but RIGHT.").value
    'right'
    >>> Choice(("A", "B")).parse("A cat, so it must be (B)").value
    'B'
    """

    kind: ClassVar[str] = "choice"
    options: tuple[str, ...]

    def __post_init__(self) -> None:
        check(self.options, "option")
        for option in self.options:
            if self.parse(option).value != option:
                raise BadAnswerKind(f"option {option!r} could not be read back from a reply; rename it")

    def sample(self, rng: np.random.Generator) -> str:
        """Return any option, each as likely."""
        return self.options[rng.integers(len(self.options))]

    def format(self, value: Any) -> str:
        """Return the option itself."""
        if value not in self.options:
            raise self.refusal(value)
        return str(value)

    def wanted(self) -> str:
        """Return the options."""
        return f"one of: {', '.join(self.options)}"

    def read(self, text: str) -> str | None:
        """Return the option that a text is, whatever its case."""
        meant = table(self.options)
        return meant.get(text) or meant.get(fold(trim(text)))

    def find(self, text: str, marked: bool) -> Iterator[Found]:
        """Yield the options in a text: words anywhere, letters in the position of an answer."""
        meant = table(self.options)
        words = tuple(option for option in self.options if not _is_letter(option))
        letters = "".join(option for option in self.options if _is_letter(option))
        if words:
            for match in pattern(words, hyphens=False).finditer(text):
                if option := meant.get(fold(match[0])):
                    yield Found(match.start(), match.end(), option)
        if letters:
            cued = {match.end() for match in _CUE.finditer(text)}
            for match in _letter_pattern(letters).finditer(text):
                if _answers(match, marked or match.start() in cued):
                    yield Found(match.start(), match.start() + 1, meant[fold(match["letter"])])


def _is_letter(option: str) -> bool:
    return len(option) == 1 and option.isascii() and option.isalpha()


def _answers(match: re.Match[str], announced: bool) -> bool:
    """Whether a lone letter stands where an answer would, and is no article or pronoun."""
    letter, closing, last, word = match.groups()
    if last is not None:
        return True
    if word and letter in "AaI":
        return False
    start = match.start()
    enclosed = closing and start > 0 and match.string[start - 1] in _OPENING
    return bool(announced or enclosed or closing in {")", "."})


@lru_cache(maxsize=512)
def _letter_pattern(letters: str) -> re.Pattern[str]:
    """Return what finds lone letters, and what follows them that tells an answer from a word."""
    either = "".join(sorted({*letters, *letters.upper()}))
    return re.compile(
        rf"""(?P<letter>[{either}])(?<![\w\u2019-].)(?<!\w['.].)(?![\w-]|['\u2019]\w)
            (?P<closing>[)\]."'\u201d\u2019`*](?!\w))?
            (?:(?P<last>\W*\Z|\s*(?:[/&]|,?\s*\b(?:or|and|nor|because|since|is)\b))
              |(?P<word>[ \t]+[a-z]))?""",
        re.VERBOSE,
    )
