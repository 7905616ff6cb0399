"""Rules that hold one frontier per environment: the cell it has to master next."""

from collections.abc import Collection, Mapping
from typing import Protocol, TypeVar, runtime_checkable

from palaestra.core.curriculum import Update
from palaestra.core.distribution import Cell

S = TypeVar("S")


@runtime_checkable
class Frontier(Protocol[S]):
    """What a curriculum adds when its environments advance, each by its own results: where one stands, the way back."""

    def frontier(self, state: S, env_ids: Collection[str]) -> Mapping[str, Cell]:
        """Return the frontier cell of each of these environments that the state knows."""

    def retreat(self, state: S, env_ids: Collection[str]) -> Update[S]:
        """Take some environments one step back, those that have one; consumes the state as `update` does."""
