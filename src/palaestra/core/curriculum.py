"""How the distribution changes as results come in: one shape for HDC and for all its rivals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from palaestra.core.distribution import Cell, Distribution
from palaestra.core.environment import EnvSpec
from palaestra.core.ticket import Group

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Update(Generic[S]):
    """A new state, and which cells changed their relative weight; 0 removes a cell.

    >>> from palaestra.core.observation import H0, H1
    >>> Update("at H1", {Cell("a/b", 0, H0): 0.3, Cell("a/b", 0, H1): 0.7}).state
    'at H1'
    """

    state: S
    changes: Mapping[Cell, float]


class Curriculum(Protocol[S]):
    """A rule with frozen parameters; its state is plain data that only the Feed holds.

    Replaying every `changes` on the first distribution gives the current one; `load(dump(state))` goes on identically.
    """

    def start(self, specs: Sequence[EnvSpec]) -> S:
        """Return the state before any result."""

    def distribution(self, state: S) -> Distribution:
        """Return the whole distribution, for reports and conformance."""

    def update(self, state: S, groups: Sequence[Group]) -> Update[S]:
        """Take results in; the given state is consumed and must not be used again."""

    def admit(self, state: S, group: Group) -> float:
        """Return the loss weight of a group; 0 scores it without learning from it."""

    def dump(self, state: S) -> Mapping[str, Any]:
        """Return the state as JSON data."""

    def load(self, data: Mapping[str, Any]) -> S:
        """Return the state that was dumped."""
