"""One environment under test: its instances, its episodes, and how much effort is spent on it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from palaestra.core.environment import ILLEGAL_LIMIT, Environment, Guided, Step, turn
from palaestra.core.errors import EnvironmentFailed
from palaestra.core.instance import Instance, Knobs, Split
from palaestra.core.observation import View


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is tried: instances looked at on each scale, episodes of random play, problems drawn from the splits
    train, valid and test of each scale, random episodes of one blind search, and whether every problem drawn is solved.
    """

    instances: int
    guesses: int
    problems: tuple[int, int, int]
    blind: int
    solved: bool = False


QUICK = Effort(instances=8, guesses=400, problems=(12, 4, 4), blind=8)
THOROUGH = Effort(instances=100, guesses=2000, problems=(8000, 1000, 1000), blind=24, solved=True)

ENOUGH_PROBLEMS = 200
"""A scale with fewer test problems is train-only and says so."""


class Failure(NamedTuple):
    """What a check found wrong with an environment."""

    id: str
    check: str
    detail: str


class Moment(NamedTuple):
    """One turn of an episode: the state before, what was replied, what it did."""

    state: Any
    view: View
    reply: str
    step: Step[Any]


Chooser = Callable[[Any, View], str]
"""Chooses a reply from a state and its view."""


@dataclass(frozen=True)
class Case:
    """One environment and the effort spent on it; every draw is a function of its arguments."""

    env: Environment[Any, Any]
    effort: Effort = QUICK
    _states: dict[Instance, Any] = field(default_factory=dict, repr=False)
    _replies: dict[Any, str] = field(default_factory=dict, repr=False)

    @property
    def scales(self) -> range:
        """Every scale of the environment."""
        return range(len(self.env.spec.scales))

    def instances(self, scale: int, count: int, split: Split = Split.TRAIN, knobs: Knobs = ()) -> list[Instance]:
        """Return the first instances of a scale by seed."""
        return [self.env.spec.instance(scale, seed, split, knobs) for seed in range(count)]

    def state(self, instance: Instance) -> Any:
        """Return the reset state of an instance, made once."""
        if instance not in self._states:
            self._states[instance] = self.env.reset(instance)
        return self._states[instance]

    def starts(self, count: int | None = None) -> Iterator[tuple[Instance, Any]]:
        """Yield instances of every scale with their reset states."""
        for scale in self.scales:
            for instance in self.instances(scale, count or self.effort.instances):
                yield instance, self.state(instance)

    def view(self, state: Any, pixels: int = 0) -> View:
        """Return the view of a state, without a picture unless a size is given."""
        return self.env.view(self.env.public(state), pixels)

    def episode(self, state: Any, choose: Chooser) -> list[Moment]:
        """Play one episode as `rollout.play` would: horizon, end, third unusable reply."""
        moments: list[Moment] = []
        unusable = 0
        for _ in range(self.env.horizon(state)):
            view = self.view(state)
            reply = choose(state, view)
            _, step = turn(self.env, state, view, reply)
            moments.append(Moment(state, view, reply, step))
            unusable += not step.legal
            state = step.state
            if step.done or unusable >= ILLEGAL_LIMIT:
                break
        return moments

    def states(self, count: int | None = None) -> Iterator[Any]:
        """Yield states met at reset, along the best known play and in random play, on every scale."""
        for instance, state in self.starts(count):
            yield state
            for chooser in (self.best, guesser(instance.seed)):
                moments = self.episode(state, chooser)
                yield from (moment.step.state for moment in moments[:: max(1, len(moments) // 3)])

    def best(self, state: Any, view: View) -> str:
        """Choose as the guide where the oracle is clairvoyant, else as the oracle."""
        if self.env.spec.clairvoyant and isinstance(self.env, Guided):
            reply = self.env.guide(self.env.public(state))
        else:
            reply = self.oracle(state, view)
        return view.answer.sample(np.random.default_rng(0)) if reply is None else reply

    def oracle(self, state: Any, view: View) -> str:
        """Choose the first reply of the plan from this state, found once."""
        if state not in self._replies:
            plan = self.env.solve(state)
            if not plan:
                raise EnvironmentFailed(
                    f"solve gave {plan!r} in a state that is not won; it must hold along its own plan"
                )
            self._replies[state] = plan[0]
        return self._replies[state]


def guesser(*seed: int) -> Chooser:
    """Return a random player: a well-formed reply, whatever is shown."""
    rng = np.random.default_rng(seed)
    return lambda state, view: view.answer.sample(rng)


def pays(moments: Sequence[Moment]) -> float:
    """Return the return of an episode."""
    return sum(moment.step.reward for moment in moments)


def won(moments: Sequence[Moment]) -> bool:
    """Return whether an episode ended in success."""
    return bool(moments) and moments[-1].step.success
