"""What came of reading a reply: a status, and a value when the status is ok."""

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Final


class Status(StrEnum):
    """How reading a reply ended; whether the value is *right* is the environment's business."""

    OK = "ok"
    NO_ANSWER = "no_answer"  # nothing in the reply looks like an answer of this kind
    AMBIGUOUS = "ambiguous"  # several different answers
    MALFORMED = "malformed"  # an answer was announced or attempted, but it is not legal


@dataclass(frozen=True, slots=True)
class Parsed:
    """The outcome of reading one reply.

    >>> Parsed(Status.OK, "left").ok, Parsed(Status.AMBIGUOUS).ok
    (True, False)
    """

    status: Status
    value: Any = None  # hashable; None unless the status is ok

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return self.status is Status.OK


class Illegal(Enum):
    """The type of `ILLEGAL`, which stands for text that looks like an answer of a kind but is none."""

    ILLEGAL = "illegal"


ILLEGAL: Final = Illegal.ILLEGAL
