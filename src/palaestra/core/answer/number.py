"""A number in a range: whole, or with a fixed number of decimals."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from reprlib import repr as brief
from typing import Any, ClassVar

import numpy as np

from palaestra.core.answer.base import Answer, check_whole
from palaestra.core.answer.extract import Found, trim
from palaestra.core.answer.numerals import NUMERAL, integer, real
from palaestra.core.answer.parsed import ILLEGAL, Illegal
from palaestra.core.errors import BadAnswerKind

_TO_TWENTY = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty"""
_WORDS = {word: number for number, word in enumerate(_TO_TWENTY.split())}
# "the one on the left", "one of them": a pronoun, no count.
_WORD = re.compile(
    rf"(?<![\w-])(?<!minus )(?<!negative )(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})(?![\w-])"
    r"(?<!\bthe one)(?<!\bthis one)(?<!\bthat one)(?<!\bno one)(?<!\bany one)(?<!\beach one)"
    r"(?<!\bone(?= of\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Integer(Answer):
    """A whole number from `low` to `high`, in digits or, up to twenty, in English.

    >>> [Integer(0, 2000).parse(reply).value for reply in ("1,234", "I count seven circles.", "3.0")]
    [1234, 7, 3]
    """

    kind: ClassVar[str] = "integer"
    low: int
    high: int

    def __post_init__(self) -> None:
        check_whole(self.kind, low=self.low, high=self.high)
        _check_order(self.kind, self.low, self.high)

    def sample(self, rng: np.random.Generator) -> str:
        """Return any number, each as likely."""
        return str(rng.integers(self.low, self.high + 1))

    def format(self, value: Any) -> str:
        """Return the digits."""
        if not isinstance(value, int) or isinstance(value, bool) or not self.low <= value <= self.high:
            raise self.refusal(value)
        return str(value)

    def wanted(self) -> str:
        """Return the range."""
        return f"a whole number from {self.low} to {self.high}"

    def read(self, text: str) -> int | Illegal | None:
        """Return the number that a text is."""
        text = trim(text)
        if numeral := NUMERAL.fullmatch(text):
            return self._legal(integer(numeral))
        number = _WORDS.get(text.lower())
        return None if number is None else self._legal(number)

    def find(self, text: str, marked: bool) -> Iterator[Found]:
        """Yield the numbers in a text: numerals, then words."""
        for match in NUMERAL.finditer(text):
            yield Found(match.start(), match.end(), self._legal(integer(match)))
        for match in _WORD.finditer(text):
            yield Found(match.start(), match.end(), self._legal(_WORDS[match[0].lower()]))

    def _legal(self, value: int | Illegal) -> int | Illegal:
        return value if value is not ILLEGAL and self.low <= value <= self.high else ILLEGAL


@dataclass(frozen=True, slots=True)
class Number(Answer):
    r"""A number from `low` to `high`, rounded to `decimals`; its value is a float.

    >>> Number(-1, 1).parse("The answer is \u22120.337.").value
    -0.34
    """

    kind: ClassVar[str] = "number"
    low: float
    high: float
    decimals: int = 2

    def __post_init__(self) -> None:
        check_whole(self.kind, decimals=self.decimals)
        if not 0 <= self.decimals <= 15:
            raise BadAnswerKind(f"number: decimals is {self.decimals}; give 0 to 15")
        for bound in (self.low, self.high):
            if not _is_real(bound) or round(float(bound), self.decimals) != bound or abs(bound) > 1e15:
                raise BadAnswerKind(
                    f"number: a bound is {brief(bound)}; give at most {self.decimals} decimals, below 1e15"
                )
        _check_order(self.kind, self.low, self.high)

    def sample(self, rng: np.random.Generator) -> str:
        """Return any number, each as likely up to rounding at the ends."""
        return f"{self.low + (self.high - self.low) * rng.random():.{self.decimals}f}"

    def format(self, value: Any) -> str:
        """Return the number with its decimals."""
        if not _is_real(value) or not self.low <= value <= self.high or round(value, self.decimals) != value:
            raise self.refusal(value)
        return f"{value:.{self.decimals}f}"

    def wanted(self) -> str:
        """Return the range."""
        return f"a number from {self.low} to {self.high} with up to {self.decimals} decimals"

    def read(self, text: str) -> float | Illegal | None:
        """Return the number that a text is."""
        numeral = NUMERAL.fullmatch(trim(text))
        return self._legal(real(numeral)) if numeral else None

    def find(self, text: str, marked: bool) -> Iterator[Found]:
        """Yield the numerals in a text."""
        for match in NUMERAL.finditer(text):
            yield Found(match.start(), match.end(), self._legal(real(match)))

    def _legal(self, value: float | Illegal) -> float | Illegal:
        if value is ILLEGAL or not self.low <= value <= self.high:
            return ILLEGAL
        return round(value, self.decimals) + 0.0  # -0.0 becomes 0.0


def _is_real(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check_order(kind: str, low: float, high: float) -> None:
    if low > high:
        raise BadAnswerKind(f"{kind}: low {low} is above high {high}; swap them")
