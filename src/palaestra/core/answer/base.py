"""What every answer kind is."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from reprlib import repr as brief
from typing import Any, ClassVar

import numpy as np

from palaestra.core.answer.extract import Found, extract
from palaestra.core.answer.parsed import Illegal, Parsed
from palaestra.core.errors import BadAnswerKind


class Answer(ABC):
    """What a reply may say: a set of legal values, how they are written, and how they are read.

    A kind says how a text is written and read (`format`, `read`, `find`); which text of a reply counts is one
    rule for all kinds, in `extract`.
    """

    __slots__ = ()
    kind: ClassVar[str]
    multiline: ClassVar[bool] = False  # whether an answer may span several lines

    def parse(self, reply: str) -> Parsed:
        """Read a reply; never raises."""
        return extract(self, reply)

    @abstractmethod
    def sample(self, rng: np.random.Generator) -> str:
        """Return a random well-formed reply: the random policy."""

    @abstractmethod
    def format(self, value: Any) -> str:
        """Return the plain reply that says this value.

        Raises:
            BadAnswerKind: the value is not legal here.
        """

    @abstractmethod
    def wanted(self) -> str:
        """Return what a reply must be, as a phrase: "a whole number from 0 to 9"."""

    def describe(self) -> str:
        """Return the sentence that tells a model how to answer."""
        return f"Reply with {self.wanted()}."

    @abstractmethod
    def read(self, text: str) -> Hashable | Illegal | None:
        """Return what the whole of a stripped text says; None: it is not of this shape, look inside."""

    @abstractmethod
    def find(self, text: str, marked: bool) -> Iterator[Found]:
        """Yield the candidates inside a text, in order; `marked` text was announced as the answer."""

    def refusal(self, value: object) -> BadAnswerKind:
        """Return the error for a value that cannot be formatted."""
        return BadAnswerKind(f"{self.kind}: asked to format {brief(value)}; give {self.wanted()}")


def check_whole(kind: str, **arguments: object) -> None:
    """Refuse arguments that are no whole numbers of 64 bits.

    Raises:
        BadAnswerKind: naming the first such argument.
    """
    for name, value in arguments.items():
        if not isinstance(value, int) or isinstance(value, bool) or not -(2**63) <= value < 2**63 - 1:
            raise BadAnswerKind(f"{kind}: {name} is {brief(value)}; give a whole number of at most 63 bits")
