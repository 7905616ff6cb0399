"""Faults of chance and of repetition: what is not the same again."""

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
from tests.envs.faults.planting import planted

from palaestra.envs.graph.shortest_path import ShortestPath
from palaestra.envs.grid.frozen_lake import FrozenLake, Position, Walk
from palaestra.envs.perception.count_shapes import CountShapes


@planted("determinism", "two resets differ")
class GlobalRandom(FrozenLake):
    """The slips are drawn from the standard library's global generator."""

    def reset(self, instance):
        return replace(super().reset(instance), key=random.getrandbits(64))


@planted("determinism", "two resets differ")
class GlobalNumpy(FrozenLake):
    """The slips are drawn from numpy's global generator."""

    def reset(self, instance):
        return replace(super().reset(instance), key=np.random.randint(2**31))  # noqa: NPY002


@planted("determinism", "two resets differ")
class ResetsAreCounted(FrozenLake):
    """Every reset moves on a generator that the environment keeps."""

    stream = np.random.default_rng(0)

    def reset(self, instance):
        return replace(super().reset(instance), key=int(self.stream.integers(2**62)))


@planted("determinism", "PYTHONHASHSEED")
class HashOrderInReset(CountShapes):
    """The kinds that are asked for come in the order of a set of strings."""

    def reset(self, instance):
        asked = super().reset(instance)
        return replace(asked, question=replace(asked.question, asked=tuple(set(asked.question.asked))))


@planted("determinism", "PYTHONHASHSEED")
class HashOrderInCaption(ShortestPath):
    """The caption lists the edges in the order of a set of strings."""

    def view(self, public, pixels=448):
        labels = {edge.label for edge in public.edges}
        return replace(super().view(public, pixels), caption="; ".join(labels))


@planted("determinism", "PYTHONHASHSEED")
class HashOrderInEvents(FrozenLake):
    """A step names its events in the order of a set of strings."""

    def step(self, state, action):
        step = super().step(state, action)
        return replace(step, events=tuple({*step.events, "moved_level", "moved_away", "hazard_skirted"}))


@planted("determinism", "PYTHONHASHSEED")
class SaltedHash(FrozenLake):
    """The slips are keyed by the built-in hash of a string."""

    def reset(self, instance):
        return replace(super().reset(instance), key=hash(instance.key()) & (2**62 - 1))


@planted("determinism", "shows something else")
class DrawnAtImport(FrozenLake):
    """A table of luck is drawn once when the module is imported."""

    luck = random.SystemRandom().getrandbits(62)

    def reset(self, instance):
        return replace(super().reset(instance), key=self.luck)


@planted("determinism", "shows something else")
class ViewRollsDice(FrozenLake):
    """The caption depends on a global generator."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, caption=f"{view.caption}\nThe wind is {random.random():.3f}.")


@planted("purity", "another thing the second time")
class StepRollsDice(FrozenLake):
    """A slip is rolled when a move is made, not fixed by the state."""

    def step(self, state, action):
        return super().step(replace(state, key=random.getrandbits(62)), action)


@planted("purity", "another thing the second time")
class StepsAreCounted(FrozenLake):
    """Every third step is lost, counted on the environment itself."""

    steps = 0

    def step(self, state, action):
        self.steps += 1
        done = super().step(state, action)
        return replace(done, state=state) if self.steps % 3 == 0 else done


@dataclass(frozen=True)
class Trail(Walk):
    """A walk with a list of the cells that were left; a list is no value."""

    left: list[int] = field(default_factory=list)


@planted("purity", "unhashable")
class ListInState(FrozenLake):
    """The state holds a list."""

    def reset(self, instance):
        start = super().reset(instance)
        return Trail(start.position, start.moves, start.key)


@dataclass(frozen=True)
class QuietTrail(Walk):
    """The same list, kept out of comparison and hash."""

    left: list[int] = field(default_factory=list, compare=False)


@planted("purity", "playing on changed the reset state")
class ListGrows(FrozenLake):
    """A step writes into a list that the state before it holds too."""

    def reset(self, instance):
        start = super().reset(instance)
        return QuietTrail(start.position, start.moves, start.key)

    def step(self, state, action):
        if isinstance(state, QuietTrail):
            state.left.append(state.position.cell)
        return super().step(state, action)


@dataclass
class Thawed:
    """A public part that may be written to."""

    lake: object
    cell: int
    came_from: int = -1


@planted("purity", "Thawed is not a frozen, hashable dataclass")
class PublicNotFrozen(FrozenLake):
    """The public part is no frozen value."""

    def public(self, state):
        return Thawed(state.position.lake, state.position.cell, state.position.came_from)


@planted("purity", "pictures share their pixels")
class SharedPicture(FrozenLake):
    """Pictures are memoised, and whoever gets one may write on it."""

    @lru_cache(maxsize=1024)  # noqa: B019
    def view(self, public, pixels=448):
        return super().view(public, pixels)


@planted("purity", "a view depends on what was viewed before")
class ViewsAreCounted(FrozenLake):
    """The caption says how often a position was looked at."""

    seen: ClassVar[Counter[Position]] = Counter()

    def view(self, public, pixels=448):
        self.seen[public] += 1
        view = super().view(public, pixels)
        return replace(view, caption=f"{view.caption}\nLook number {self.seen[public]}.")
