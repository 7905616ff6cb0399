"""The frozen lake of 4 x 4 without a word, as `bench train` plays it: nothing but the picture says where one is.

One instance is one board whoever trains on it, so that other packages can be given the same pictures.
"""

from dataclasses import replace
from itertools import count

from palaestra.core.environment import Step
from palaestra.core.observation import IMAGE, Harness, View
from palaestra.envs.grid.frozen_lake import FrozenLake, Position, Walk

PICTURE = Harness("PICTURE", frozenset({IMAGE}))
"""What is shown: no task, as there is but one."""

STAMP = 24
"""How many pixels of the top row tell two looks apart."""


class Silent(FrozenLake):
    """The lake at its first scale, by its picture alone."""

    spec = replace(FrozenLake.spec, embedded_scales=(0,))

    def view(self, public: Position, pixels: int = 448) -> View:
        shown = super().view(public, pixels)
        return View(shown.answer, shown.image)


class Move(Silent):
    """A single move, paid when it comes nearer to the goal: what a trainer of single answers can be given as well."""

    def horizon(self, state: Walk) -> int:
        return 1

    def step(self, state: Walk, action: str) -> Step[Walk]:
        step = super().step(state, action)
        nearer = not {"moved_closer", "goal_reached"}.isdisjoint(step.events)
        return Step(step.state, float(nearer), done=True, success=nearer, events=step.events)


class Apart(Move):
    """The same where no two looks are equal, by pixels that mean nothing: nothing can be computed once for many."""

    def __init__(self) -> None:
        self._looks = count()

    def public(self, state: Walk) -> Position:
        return replace(state.position, came_from=next(self._looks))

    def view(self, public: Position, pixels: int = 448) -> View:
        shown = super().view(public, pixels)
        if shown.image is None:
            return shown
        marked = shown.image.pixels.copy()
        marked[0, :STAMP] = [public.came_from >> bit & 1 for bit in range(STAMP)]
        return replace(shown, image=replace(shown.image, pixels=marked))
