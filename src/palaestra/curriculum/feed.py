"""The Feed, the one mutable cell of the house: draws tickets from a curriculum and hands their results back to it.

It holds the curriculum's state, a Fenwick tree over integer weights, the generator, the order of slots, the tickets
that are out, and how many instances of each kind were handed out. All of that is `state`, as JSON data, and a Feed that
is restored from it goes on with identical tickets: weights are whole units of 2**-32, and every slot keeps its place.
"""

from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any, Generic, TypeVar

import numpy as np

from palaestra.core.codec import knobs_from_json, ticket_from_json, ticket_to_json
from palaestra.core.curriculum import Curriculum, Update
from palaestra.core.distribution import Cell, Distribution
from palaestra.core.environment import EnvSpec
from palaestra.core.errors import BadDistribution, UnknownEnvironment, UnknownTicket, nearest
from palaestra.core.instance import Knobs
from palaestra.core.ticket import Group, Ticket
from palaestra.curriculum.fenwick import Fenwick

S = TypeVar("S")

UNIT = 2.0**-32
"""The weight that one integer stands for; a positive weight is at least one unit, so that rounding removes no cell."""


class Feed(Generic[S]):
    """A `core.ticket.TicketSource` over one curriculum and the environments it may use.

    Training instances are counted for each environment, scale and knobs from `first_seed` on, so that none repeats
    unless a cell pins it; runs that must not share their problems start at different ones.

    >>> from palaestra.curriculum.uniform import Uniform
    >>> spec = EnvSpec("toy/walk", 1, "Walk", 9, ({"size": 3}, {"size": 5}))
    >>> feed = Feed(Uniform(), [spec], seed=7)
    >>> early = feed.draws(3)
    >>> again = Feed.load(Uniform(), [spec], feed.state).draws(6)
    >>> again == early + feed.draws(3), [ticket.instance.key() for ticket in again[3:]]
    (True, ['toy/walk.v1@0#0:train', 'toy/walk.v1@0#1:train', 'toy/walk.v1@1#3:train'])
    """

    def __init__(self, curriculum: Curriculum[S], specs: Sequence[EnvSpec], seed: int = 0, first_seed: int = 0) -> None:
        self._curriculum = curriculum
        self._specs = {spec.id: spec for spec in specs}
        self._state = curriculum.start(specs)
        self._rng = np.random.Generator(np.random.PCG64(seed))
        self._tree = Fenwick()
        self._slots: list[Cell | None] = []
        self._places: dict[Cell, int] = {}
        self._free: list[int] = []
        self._seeds: dict[tuple[str, int, Knobs], int] = {}
        self._first_seed = first_seed
        self._open: dict[int, Ticket] = {}
        self._again: list[Ticket] = []
        self._drawn = self._reported = 0
        self._apply(self.distribution.weights)

    @property
    def distribution(self) -> Distribution:
        """What is drawn from now, as the curriculum tells it."""
        return self._curriculum.distribution(self._state)

    @property
    def open(self) -> tuple[Ticket, ...]:
        """The tickets that are out, oldest first."""
        return tuple(self._open.values())

    def draws(self, n: int) -> list[Ticket]:
        """Return the next n tickets.

        Raises:
            BadDistribution: the curriculum has left no cell to draw from.
        """
        again, self._again = self._again[:n], self._again[n:]
        return again + [self._draw() for _ in range(n - len(again))]

    def report(self, groups: Sequence[Group]) -> list[float]:
        """Take the results of some tickets, in any order and any time later: all of them, or none and an error.

        Returns the loss weight of each group, as the curriculum saw it before it learnt from these; 0 scores a group
        without learning from it.

        Raises:
            UnknownTicket: a ticket was not drawn here, was altered, or was reported before.
        """
        waiting = dict(self._open)
        for group in groups:
            ticket = group.ticket
            if waiting.pop(ticket.id, None) != ticket:
                if ticket.id in self._open and self._open[ticket.id] != ticket:
                    found = f"another ticket of this id is out, {self._open[ticket.id].instance.key()}"
                elif ticket.id < self._drawn:
                    found = "it was reported before"
                else:
                    found = f"only {self._drawn} tickets were drawn"
                raise UnknownTicket(
                    f"report of ticket {ticket.id}, {ticket.instance.key()}: {found}; report each drawn ticket once"
                )
        admitted = [self._curriculum.admit(self._state, group) for group in groups]
        update = self._curriculum.update(self._state, groups)
        self._state, self._open = update.state, waiting
        self._again = [ticket for ticket in self._again if ticket.id in waiting]
        self._reported += len(groups)
        self._apply(update.changes)
        return admitted

    def change(self, step: Callable[[S], Update[S]]) -> None:
        """Let somebody other than results move the curriculum: an engineer, between two stages."""
        update = step(self._state)
        self._state = update.state
        self._apply(update.changes)

    @property
    def alarms(self) -> Mapping[str, Sequence[str]]:
        """The environments that need somebody's eye by the kind of alarm, where the curriculum is guarded."""
        found: dict[str, list[str]] = {}
        raised = getattr(self._curriculum, "alarms", lambda state: ())
        for alarm in raised(self._state):
            found.setdefault(alarm.kind, []).append(alarm.env_id)
        return found

    @property
    def state(self) -> Mapping[str, Any]:
        """All that is needed to go on after a restart, as JSON data; a slot is its cell's place in the distribution."""
        order: dict[Cell | None, int | None] = {None: None}
        order |= {cell: place for place, cell in enumerate(self.distribution.weights)}
        if astray := [cell for cell in self._slots if cell not in order]:
            raise BadDistribution(
                f"state: {astray[0]} is drawn but not in the distribution; the curriculum's changes do not add up, "
                "run palaestra.curriculum.check on it"
            )
        return {
            "curriculum": self._curriculum.dump(self._state),
            "generator": self._rng.bit_generator.state,
            "slots": [order[cell] for cell in self._slots],
            "seeds": [[env_id, scale, knobs, seed] for (env_id, scale, knobs), seed in self._seeds.items()],
            "first_seed": self._first_seed,
            "open": [ticket_to_json(ticket) for ticket in self._open.values()],
            "drawn": self._drawn,
            "reported": self._reported,
        }

    @classmethod
    def load(cls, curriculum: Curriculum[S], specs: Sequence[EnvSpec], data: Mapping[str, Any]) -> "Feed[S]":
        """Return a Feed that goes on from a `state`."""
        feed = cls(curriculum, specs)
        feed.restore(data)
        return feed

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a `state`: tickets that were out are drawn again first, then those that would have followed."""
        self._state = self._curriculum.load(state["curriculum"])
        self._rng.bit_generator.state = state["generator"]
        weights = self.distribution.weights
        cells = list(weights)
        self._slots = [None if place is None else cells[place] for place in state["slots"]]
        self._places = {cell: slot for slot, cell in enumerate(self._slots) if cell is not None}
        self._free = [slot for slot, cell in enumerate(self._slots) if cell is None]
        self._tree = Fenwick(0 if cell is None else _units(cell, weights[cell]) for cell in self._slots)
        self._seeds = {(env_id, scale, knobs_from_json(knobs)): seed for env_id, scale, knobs, seed in state["seeds"]}
        self._first_seed = state["first_seed"]
        self._again = [ticket_from_json(ticket) for ticket in state["open"]]
        self._open = {ticket.id: ticket for ticket in self._again}
        self._drawn, self._reported = state["drawn"], state["reported"]

    def _draw(self) -> Ticket:
        if not self._tree.total:
            raise BadDistribution("draws: no cell has a positive weight; the curriculum removed all of them")
        point = min(int(self._rng.random() * self._tree.total), self._tree.total - 1)
        cell = self._slots[self._tree.find(point)]
        assert cell is not None  # a free slot weighs nothing
        seed = cell.seed
        if seed is None:
            kind = (cell.env_id, cell.scale, cell.knobs)
            seed = self._seeds.get(kind, self._first_seed)
            self._seeds[kind] = seed + 1
        instance = self._specs[cell.env_id].instance(cell.scale, seed, knobs=cell.knobs)
        ticket = Ticket(self._drawn, cell, instance, self._reported)
        self._open[ticket.id] = ticket
        self._drawn += 1
        return ticket

    def _apply(self, changes: Mapping[Cell, float]) -> None:
        """Give cells their new weights; a new cell takes the first free slot."""
        for cell, weight in changes.items():
            units = _units(cell, weight)
            slot = self._places.get(cell)
            if slot is not None:
                self._tree[slot] = units
                if not units:
                    self._slots[slot] = None
                    heappush(self._free, self._places.pop(cell))
            elif units:
                self._check(cell)
                if self._free:
                    slot = heappop(self._free)
                    self._slots[slot], self._tree[slot] = cell, units
                else:
                    slot = len(self._slots)
                    self._slots.append(cell)
                    self._tree.append(units)
                self._places[cell] = slot

    def _check(self, cell: Cell) -> None:
        """Refuse a cell that could never be played, before it is drawn."""
        if cell.env_id not in self._specs:
            raise UnknownEnvironment(
                f"the curriculum asks for {cell.env_id!r}, not in this feed{nearest(cell.env_id, self._specs)}"
            )
        self._specs[cell.env_id].instance(cell.scale, cell.seed or 0, knobs=cell.knobs)


def _units(cell: Cell, weight: float) -> int:
    if not 0 <= weight < float("inf"):
        raise BadDistribution(f"weight {weight} for {cell}; weights are finite and not negative")
    return max(1, round(weight / UNIT)) if weight else 0
