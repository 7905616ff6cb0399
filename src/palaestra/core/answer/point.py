"""A place in a picture."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from palaestra.core.answer.base import Answer, check_whole
from palaestra.core.answer.extract import Found, trim
from palaestra.core.answer.parsed import ILLEGAL, Illegal
from palaestra.core.errors import BadAnswerKind

_NUMBER = r"[+\u2212-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+|nan\b|inf(?:inity)?\b)(?:e[+-]?[0-9]+)?"
_SIZE = rf"({_NUMBER})(?:\s?px)?"
_EACH = re.compile(_NUMBER, re.IGNORECASE)
_PAIR = re.compile(rf"{_SIZE}[\s,;]+{_SIZE}", re.IGNORECASE)
_NAMED = "|".join(
    rf"""\b{first}["'\s]{{0,3}}[=:]\s{{0,3}}["']?{_SIZE}["']?[\s,;]{{1,4}}(?:and\s+)?["']?{second}["'\s]{{0,3}}
        [=:]\s{{0,3}}["']?{_SIZE}"""
    for first, second in ("xy", "yx")
)
# Any longer list of numbers is found as well, so that no two of its members are taken for a point.
_PLACE = re.compile(
    rf"""(?P<named>{_NAMED})
       |[(\[]\s*{_SIZE}(?:[\s,;]+{_SIZE})+\s*[)\]]
       |(?<![\w.]){_SIZE}(?:\s{{0,3}}[,;]\s{{0,3}}{_SIZE})+(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Point(Answer):
    """A place (x, y) in a virtual frame, whatever the size of the picture; its value is two floats.

    >>> Point().parse("I would click at x=120, y=340.").value
    (120.0, 340.0)
    """

    kind: ClassVar[str] = "point"
    width: int = 1000
    height: int = 1000

    def __post_init__(self) -> None:
        check_whole(self.kind, width=self.width, height=self.height)
        if self.width < 1 or self.height < 1:
            raise BadAnswerKind(f"point: the frame is {self.width} x {self.height}; give at least 1 x 1")

    def sample(self, rng: np.random.Generator) -> str:
        """Return any place, each as likely."""
        return f"({rng.random() * self.width:.2f}, {rng.random() * self.height:.2f})"

    def format(self, value: tuple[float, float]) -> str:
        """Return the place as "(x, y)"."""
        if not self._holds(value):
            raise self.refusal(value)
        x, y = (repr(float(part)).removesuffix(".0") for part in value)
        return f"({x}, {y})"

    def wanted(self) -> str:
        """Return the frame."""
        return f"a point (x, y) with x from 0 to {self.width} and y from 0 to {self.height}"

    def read(self, text: str) -> tuple[float, float] | Illegal | None:
        """Return the place that a text is, also without brackets or commas."""
        pair = _PAIR.fullmatch(trim(text))
        return self._legal(float(pair[1]), float(pair[2])) if pair else None

    def find(self, text: str, marked: bool) -> Iterator[Found]:
        """Yield the places in a text: pairs in brackets, pairs with a comma, and x and y by name."""
        for match in _PLACE.finditer(text):
            numbers = [float(part.replace("\u2212", "-")) for part in _EACH.findall(match[0])]
            place: tuple[float, float] | Illegal = ILLEGAL
            if len(numbers) == 2:
                first, second = numbers
                flipped = match["named"] and match[0][0] in "yY"
                place = self._legal(second, first) if flipped else self._legal(first, second)
            yield Found(match.start(), match.end(), place)

    def _legal(self, x: float, y: float) -> tuple[float, float] | Illegal:
        return (x, y) if self._holds((x, y)) else ILLEGAL

    def _holds(self, value: Any) -> bool:
        match value:
            case (int() | float() as x, int() | float() as y):
                return isinstance(value, tuple) and 0 <= x <= self.width and 0 <= y <= self.height
        return False
