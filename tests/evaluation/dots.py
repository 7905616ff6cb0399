"""A toy world: count the dots of a board. Players that read the picture or do not, and scores made by hand."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isqrt, log
from typing import Any, NamedTuple

import numpy as np

from palaestra.core.answer import Integer
from palaestra.core.environment import EnvSpec, Pool, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.core.policy import Completion, Conversation
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.evaluation.scores import Score, Scores
from palaestra.rollout.play import play

PLAY = partial(play, pixels=24)


class Board(NamedTuple):
    side: int
    cells: bytes

    @property
    def dots(self) -> int:
        return sum(self.cells)


def spec(env_id: str = "toy/dots", **changes: Any) -> EnvSpec:
    said = {"train_only": frozenset({0}), "tags": frozenset({"single_turn"})} | changes
    return EnvSpec(env_id, 1, "Dots", 1, tuple({"side": side} for side in (2, 4, 6)), **said)


@dataclass(frozen=True)
class Dots:
    """How many dots are there? `broken` names scales at which `reset` fails."""

    spec: EnvSpec = field(default_factory=spec)
    broken: frozenset[int] = frozenset()

    def reset(self, instance: Instance) -> Board:
        if instance.scale in self.broken:
            raise ValueError("no board")
        side = int(self.spec.settings(instance)["side"])
        return splits.draw(
            instance, lambda rng: Board(side, rng.integers(2, size=side * side, dtype=np.uint8).tobytes()), self.problem
        )

    def horizon(self, state: Board) -> int:
        return 1

    def public(self, state: Board) -> Board:
        return state

    def view(self, public: Board, pixels: int = 448) -> View:
        canvas = Canvas(pixels, pixels) if pixels else None
        if canvas:
            unit = pixels // public.side
            for cell in np.flatnonzero(np.frombuffer(public.cells, np.uint8)).tolist():
                row, column = divmod(cell, public.side)
                canvas.pixels[row * unit : (row + 1) * unit, column * unit : (column + 1) * unit] = 40
        answer = Integer(0, public.side**2)
        return View(answer, canvas.picture() if canvas else None, task=f"How many dots? {answer.describe()}")

    def step(self, state: Board, action: int) -> Step[Board]:
        right = action == state.dots
        return Step(state, float(right), done=True, success=right)

    def solve(self, state: Board) -> Sequence[str] | None:
        return [str(state.dots)]

    def problem(self, state: Board) -> bytes:
        return state.cells


def pool(*envs: Any) -> Pool:
    return {env.spec.id: env for env in envs or (Dots(),)}


@dataclass(frozen=True)
class Reader:
    """Counts the dots that it sees, or guesses without eyes, and finds a reply the likelier the nearer it is."""

    eyes: bool = True

    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        return [Completion(str(self.count(talk))) for talk in conversations]

    def score(self, conversations: Sequence[Conversation], replies: Sequence[str]) -> list[float]:
        return [
            -log(2 + abs(self.count(talk) - int(reply))) for talk, reply in zip(conversations, replies, strict=True)
        ]

    def count(self, talk: Conversation) -> int:
        shown = talk[-1]
        assert shown.image is not None
        assert isinstance(shown.answer, Integer)
        side = isqrt(shown.answer.high)
        rgb = shown.image.rgb()
        unit = len(rgb) // side
        ground = Canvas(1, 1).picture().rgb()[0, 0]
        seen = int((rgb[unit // 2 :: unit, unit // 2 :: unit] != ground).any(axis=2).sum())
        return seen if self.eyes else side * side // 2


def scores(*rows: tuple[str, int, float], suite: str = "by hand", errors: Sequence[int] = ()) -> Scores:
    """Scores of problems given as environment, scale and return; a return of 1 is a success."""
    made = (
        Score(env_id, scale, f"{env_id}@{scale}#{i}", ret == 1, ret, "done", "lost" if i in errors else "")
        for i, (env_id, scale, ret) in enumerate(rows)
    )
    return Scores(tuple(made), {}, (), suite, 0)
