"""One curriculum under test: a pool to try it on, and the updates of a run that a simulated learner drives."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from palaestra.core.curriculum import Curriculum, Update
from palaestra.core.distribution import Cell
from palaestra.core.environment import EnvSpec
from palaestra.core.ticket import Group, Ticket
from palaestra.curriculum.feed import Feed
from palaestra.curriculum.simulate import Learner

POOL = tuple(
    EnvSpec(f"check/{name}", 1, name, 9, tuple({"size": scale} for scale in range(scales)))
    for name, scales in (("long", 5), ("short", 2), ("single", 1))
)
"""What a rule is tried on unless other specs are given."""

BATCH = 8
"""Groups in one update."""

NOVICE = Learner()


class Moment(NamedTuple):
    """One update of a run: its number, the state before as text, the groups, and what came of them."""

    number: int
    before: str
    groups: Sequence[Group]
    update: Update[Any]


@dataclass(frozen=True, slots=True)
class Case:
    """One curriculum under test, the environments it is tried on, and the updates of a run."""

    curriculum: Curriculum[Any]
    specs: Sequence[EnvSpec] = POOL
    updates: int = 30
    seed: int = 0

    def run(self, learner: Learner = NOVICE, deal: Callable[[list[Group]], list[Group]] = list) -> Iterator[Moment]:
        """Yield the updates of a run; `deal` turns the groups just played into those that are reported."""
        rng = np.random.default_rng(self.seed)
        state = self.curriculum.start(self.specs)
        for number in range(self.updates):
            tickets = self.tickets(state, number, rng)
            groups = deal([learner.play(ticket) for ticket in tickets])
            for group in groups:
                learner = learner.after(group)
            before = self.text(state)
            update = self.curriculum.update(state, groups)
            yield Moment(number, before, groups, update)
            state = update.state

    def tickets(self, state: Any, number: int, rng: np.random.Generator) -> list[Ticket]:
        """Draw the tickets of one batch."""
        distribution = self.curriculum.distribution(state)
        return [self.ticket(distribution.sample(rng), number * BATCH + member) for member in range(BATCH)]

    def ticket(self, cell: Cell, number: int) -> Ticket:
        """Return a ticket of a cell, its instance numbered as itself unless the cell pins one."""
        spec = next(spec for spec in self.specs if spec.id == cell.env_id)
        seed = number if cell.seed is None else cell.seed
        return Ticket(number, cell, spec.instance(cell.scale, seed, knobs=cell.knobs), number)

    def text(self, state: Any) -> str:
        """Return a state as JSON text."""
        return json.dumps(self.curriculum.dump(state), allow_nan=False)

    def state(self, text: str) -> Any:
        """Return the state of a text: a copy that may be consumed."""
        return self.curriculum.load(json.loads(text))

    def states(self) -> Iterator[tuple[int, Any]]:
        """Yield the states of a run, each with the number of updates before it."""
        yield 0, self.curriculum.start(self.specs)
        yield from ((moment.number + 1, moment.update.state) for moment in self.run())


def batch(feed: Feed[Any], learner: Learner) -> tuple[list[Ticket], Learner]:
    """Draw, play and report one batch; return its tickets and the learner after it."""
    tickets = feed.draws(BATCH)
    groups = [learner.play(ticket) for ticket in tickets]
    feed.report(groups)
    for group in groups:
        learner = learner.after(group)
    return tickets, learner
