"""Questions of several parts that count together: right is who gets every part right."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from palaestra.core.environment import Step

Q = TypeVar("Q")
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Asked(Generic[Q]):
    """A question that is asked once, and whether it was answered."""

    question: Q
    answered: bool = False


def scored(after: S, right: int, parts: int, events: Iterable[str]) -> Step[S]:
    """Return the last step of an episode, of whose parts some are right: all of them are a success, some earn half of
    their share.

    >>> scored("after", 1, 2, ["count_ok"])
    Step(state='after', reward=0.25, done=True, success=False, legal=True, events=('count_ok', 'parts_some_ok'))
    """
    if right == parts:
        return Step(after, 1.0, done=True, success=True, events=(*events, "parts_all_ok"))
    some = "parts_some_ok" if right else "parts_none_ok"
    return Step(after, 0.5 * right / parts, done=True, events=(*events, some))
