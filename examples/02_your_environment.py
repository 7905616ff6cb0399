"""Bring an environment of your own: one class, one line at the end, and the house's checks.

    palaestra check examples/02_your_environment.py

The world: a strip of coloured squares, to be named from left to right.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, splits
from palaestra.envs.kit.canvas import Canvas

COLOURS = ("white", "gold", "blue")


@dataclass(frozen=True, slots=True)
class Strip:
    """The colours from left to right, by their number, and whether they were named."""

    squares: tuple[int, ...]
    named: bool = False


class ReadStrip:
    """The environment."""

    spec = EnvSpec(
        id="mine/read_strip",
        version=1,
        title="Read the strip",
        horizon=1,
        scales=tuple({"squares": squares} for squares in (8, 10, 12, 14, 16)),
        knobs=(Knob("squares", 6, 20, "squares of the strip"),),
        tags=frozenset({"single_turn"}),
    )

    def reset(self, instance: Instance) -> Strip:
        squares = int(self.spec.settings(instance)["squares"])

        def propose(rng: np.random.Generator) -> Strip:
            return Strip(tuple(rng.integers(len(COLOURS), size=squares).tolist()))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Strip) -> int:
        return 1

    def public(self, state: Strip) -> Strip:
        return state

    def view(self, public: Strip, pixels: int = 448) -> View:
        names = [COLOURS[colour] for colour in public.squares]
        canvas = draw(names, pixels) if pixels else None
        kind = answer.Sequence(COLOURS, len(names), len(names))
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"Name the colours from left to right. {kind.describe()}",
            rules="All of them must be right.",
            hint="Read slowly, in blocks of four.",
            state=f"There are {len(names)} squares, {names.count('gold')} of them gold.",
            caption=captions.listing((name, (0, column)) for column, name in enumerate(names)),
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Strip, action: tuple[str, ...]) -> Step[Strip]:
        right = sum(COLOURS[n] == said for n, said in zip(state.squares, action, strict=True))
        after = Strip(state.squares, named=True)
        if right == len(action):
            return Step(after, 1.0, done=True, success=True, events=("parts_all_ok",))
        return Step(
            after, 0.5 * right / len(action), done=True, events=("parts_some_ok" if right else "parts_none_ok",)
        )

    def solve(self, state: Strip) -> Sequence[str] | None:
        return () if state.named else (", ".join(COLOURS[n] for n in state.squares),)

    def problem(self, state: Strip) -> bytes:
        return min(bytes(state.squares), bytes(reversed(state.squares)))  # mirror images are one problem


def draw(names: Sequence[str], pixels: int) -> Canvas:
    unit = pixels / len(names)
    canvas = Canvas(pixels, round(unit), "sand")
    for column, name in enumerate(names):
        box = canvas.shape("square", ((column + 0.5) * unit, unit / 2), int(unit * 0.9), name, edge="ink")
        canvas.element(name, box, (0, column))
    return canvas


environment = ReadStrip()
