"""Faults of turns: which replies may be sent, how they are read, and what is said of what they did."""

from dataclasses import replace

from tests.envs.faults.planting import planted

from palaestra.core.answer import Choice, Parsed, Status
from palaestra.envs.grid.frozen_lake import FrozenLake
from palaestra.envs.kit import grid
from palaestra.envs.memory.pair_recall import PairRecall
from palaestra.envs.perception.count_shapes import CountShapes


@planted("replies", "step raised ValueError")
class IllegalRaises(PairRecall):
    """A card that cannot be chosen is an exception."""

    def step(self, state, action):
        step = super().step(state, action)
        if not step.legal:
            raise ValueError("no such card")
        return step


@planted("replies", "must do nothing")
class IllegalActs(PairRecall):
    """A card that cannot be chosen gains a turn."""

    def step(self, state, action):
        step = super().step(state, action)
        return replace(step, state=replace(state, slack=state.slack + 1)) if not step.legal else step


@planted("replies", "must do nothing")
class IllegalPays(PairRecall):
    """A card that cannot be chosen is paid."""

    def step(self, state, action):
        step = super().step(state, action)
        return replace(step, reward=0.1) if not step.legal else step


@planted("replies", "must do nothing")
class IllegalEnds(PairRecall):
    """A card that cannot be chosen ends the game."""

    def step(self, state, action):
        step = super().step(state, action)
        return replace(step, done=True) if not step.legal else step


@planted("replies", "step raised IndexError")
class EdgeRaises(FrozenLake):
    """Nobody thought of walking off the board."""

    def step(self, state, action):
        lake, cell = state.position.lake, state.position.cell
        if grid.neighbours(lake.rows, lake.columns)[cell][grid.DIRECTIONS.index(action)] < 0:
            raise IndexError("cell out of range")
        return super().step(state, action)


class Forward(Choice):
    """Directions, but random play says something else."""

    def sample(self, rng):
        return "forward"


@planted("replies", "forward")
class RandomPlayStammers(FrozenLake):
    """A random reply cannot be read by its own answer kind."""

    def view(self, public, pixels=448):
        return replace(super().view(public, pixels), answer=Forward(grid.DIRECTIONS))


class Lenient(Choice):
    """Directions, and what says none of them is taken for the first."""

    def parse(self, reply):
        parsed = super().parse(reply)
        return parsed if parsed.ok else Parsed(Status.OK, self.options[0])


@planted("replies", "silent reply")
class SilenceIsAnAnswer(FrozenLake):
    """An empty reply is read as a move."""

    def view(self, public, pixels=448):
        return replace(super().view(public, pixels), answer=Lenient(grid.DIRECTIONS))


class Fussy(Choice):
    """Directions, but only the bare word counts."""

    def parse(self, reply):
        parsed = super().parse(reply)
        return parsed if reply in self.options else Parsed(Status.NO_ANSWER)


@planted("replies", "was read as")
class BareWordsOnly(FrozenLake):
    """A right answer with a line break behind it is wrong."""

    def view(self, public, pixels=448):
        return replace(super().view(public, pixels), answer=Fussy(grid.DIRECTIONS))


@planted("replies", "does not say how to answer")
class FormatUntold(FrozenLake):
    """The task does not say how to answer."""

    def view(self, public, pixels=448):
        return replace(super().view(public, pixels), task="Walk to the goal.")


# Events


@planted("events", "not in the vocabulary")
class UnknownEvent(FrozenLake):
    """An event that serves one environment only."""

    def step(self, state, action):
        step = super().step(state, action)
        return replace(step, events=(*step.events, "frozen_lake_moved"))


@planted("events", "led to no event")
class SilentStep(FrozenLake):
    """Running against the edge is not told."""

    def step(self, state, action):
        step = super().step(state, action)
        return replace(step, events=tuple(event for event in step.events if event != "edge_bumped"))


@planted("events", "lead to the same events")
class BlandEvents(CountShapes):
    """Right or wrong, the same thing happened."""

    def step(self, state, action):
        return replace(super().step(state, action), events=("count_ok",))
