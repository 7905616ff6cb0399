"""What worlds share that show one frame a turn: the reply that goes on, and the score of what is said at the end."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from palaestra.core.answer import Choice
from palaestra.core.environment import Step
from palaestra.envs.kit import parts

S = TypeVar("S")

NEXT = Choice(("next",))
"""What is asked while there is more to see."""


def scored(after: S, right: Sequence[bool], events: Iterable[str]) -> Step[S]:
    """Return the last step of an episode; to have every part right takes memory."""
    return parts.scored(after, sum(right), len(right), (*events, *(["memory_used"] if all(right) else [])))
