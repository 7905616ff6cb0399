"""How fast an environment resets, steps and draws: rates as medians over blocks, because machines are noisy.

Only the environment is timed, in processor time of this process: reset with view, step with view, pictures and all text
channels built. Every instance is a fresh one, and random play leads from each state to another.
"""

from collections.abc import Callable
from statistics import median
from time import monotonic, process_time
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from palaestra.core.environment import Environment, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View

P = ParamSpec("P")
T = TypeVar("T")

BLOCK = 50
"""Instances in a block."""

LEAST = 200
"""Instances measured even when the time is up."""


class Stopwatch:
    """Calls functions, and keeps how many calls a second of processor time allows, block by block."""

    def __init__(self) -> None:
        self.rates: list[float] = []
        self._calls, self._seconds = 0, 0.0

    def time(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a call returns."""
        start = process_time()
        result = call(*args, **kwargs)
        self._seconds += process_time() - start
        self._calls += 1
        return result

    def lap(self) -> None:
        """End a block."""
        if self._seconds:
            self.rates.append(self._calls / self._seconds)
        self._calls, self._seconds = 0, 0.0


class Speed(NamedTuple):
    """What one environment does in a second, and over how many instances that was measured."""

    resets: float
    steps: float
    pngs: float
    instances: int


def measured(
    env: Environment[Any, Any], scale: int, instances: int, *, pixels: int = 448, seed: int = 0, cap: float = 12
) -> Speed:
    """Measure an environment at one scale; after `cap` seconds on the wall, `LEAST` instances are enough."""
    resets, steps, pngs = Stopwatch(), Stopwatch(), Stopwatch()
    begun, done = monotonic(), 0
    while done < instances and (done < LEAST or monotonic() - begun < cap):
        rng = np.random.default_rng([seed, done])
        state, view = resets.time(_reset, env, env.spec.instance(scale, seed + done), pixels)
        if view.image is not None:
            pngs.time(view.image.png)
        for _ in range(env.horizon(state)):
            action = view.answer.parse(view.answer.sample(rng)).value
            step, view = steps.time(_step, env, state, action, pixels)
            state = step.state
            if step.done:
                break
        done += 1
        if done % BLOCK == 0 or done == instances:
            for watch in (resets, steps, pngs):
                watch.lap()
    return Speed(median(resets.rates), median(steps.rates), median(pngs.rates or [0.0]), done)


def _reset(env: Environment[Any, Any], instance: Instance, pixels: int) -> tuple[Any, View]:
    state = env.reset(instance)
    return state, env.view(env.public(state), pixels)


def _step(env: Environment[Any, Any], state: Any, action: Any, pixels: int) -> tuple[Step[Any], View]:
    step = env.step(state, action)
    return step, env.view(env.public(step.state), pixels)
