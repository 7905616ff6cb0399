"""One order to play, and what came back: tickets, groups, and who hands them out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from palaestra.core.distribution import Cell
from palaestra.core.environment import Pool
from palaestra.core.instance import Instance
from palaestra.core.policy import Insider, Policy
from palaestra.core.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Ticket:
    """An order to play one group: the cell it was drawn from, and the one instance that all members share.

    Results are credited to the ticket's cell even when the frontier has moved on: engines prefetch. `issued_at` counts
    tickets reported back when this one was drawn.

    >>> from palaestra.core.observation import H4
    >>> Ticket(0, Cell("grid/frozen_lake", 2, H4), Instance("grid/frozen_lake", 1, 2, 7)).instance.seed
    7
    """

    id: int
    cell: Cell
    instance: Instance
    issued_at: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """The trajectories of one ticket, member by member.

    >>> from palaestra.core.observation import H4
    >>> Group(Ticket(0, Cell("a/b", 0, H4), Instance("a/b", 1, 0, 7)), ()).judged()
    ()
    """

    ticket: Ticket
    trajectories: tuple[Trajectory, ...]

    def judged(self) -> tuple[Trajectory, ...]:
        """Return the members that count for gates: those that saw what the update learns, without an environment
        error."""
        first = self.ticket.cell.helped if self.ticket.cell.learn is not None else 0
        return tuple(member for member in self.trajectories[first:] if not member.error)


class TicketSource(Protocol):
    """Hands out tickets and takes groups back; what a trainer is fed from."""

    def draws(self, n: int) -> Sequence[Ticket]:
        """Return the next n tickets."""

    def report(self, groups: Sequence[Group]) -> Sequence[float]:
        """Take the results of some tickets, in any order and any time later; return the loss weight of each group."""

    @property
    def state(self) -> Mapping[str, Any]:
        """All that is needed to go on after a restart, as JSON data."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from such a state: tickets that were open are drawn again first. A trainer calls it when it resumes."""


class Play(Protocol):
    """Whatever turns tickets into groups; rollout implements it."""

    def __call__(self, tickets: Sequence[Ticket], pool: Pool, policy: Policy | Insider) -> Sequence[Group]:
        """Return one group for each ticket, in their order."""
