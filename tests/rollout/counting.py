"""Toys: count to a target by one or two; the same with a hidden die; faults to plant in either; a costly player."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.distribution import Cell
from palaestra.core.environment import EnvSpec, Pool, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import H0, H4, Harness, Picture, View
from palaestra.core.policy import Completion, Conversation
from palaestra.core.ticket import Ticket
from palaestra.rollout.policies import Random

ANSWER = Choice(("one", "two", "nine"))
PALETTE = np.arange(768, dtype=np.uint8).reshape(256, 3)


class State(NamedTuple):
    """Where the count stands; `key` is the die's secret."""

    total: int
    target: int
    key: int = 0


def spec(name: str, **changes: Any) -> EnvSpec:
    """The specification of a toy world with five scales."""
    return EnvSpec(f"toy/{name}", 1, name, 40, tuple({"target": 4 + 2 * scale} for scale in range(5)), **changes)


@dataclass(frozen=True)
class Counting:
    """Reach the target exactly; "nine" is always illegal. `fault` names the method that fails, from a total of 2 on."""

    spec: EnvSpec
    fault: str = ""
    drawn: Counter[int] = field(default_factory=Counter)  # how often a view was made, by its width

    def reset(self, instance: Instance) -> State:
        self._maybe("reset", 2)
        settings = self.spec.settings(instance)
        return State(0, int(settings["target"]) + int(instance.rng().integers(3)))

    def horizon(self, state: State) -> int:
        return state.target

    def public(self, state: State) -> State:
        return state._replace(key=0)

    def view(self, public: State, pixels: int = 448) -> View:
        self._maybe("view", public.total)
        self.drawn[pixels] += 1
        image = None
        if pixels:
            canvas = np.full((pixels, pixels), 250, np.uint8)
            canvas[:, : public.total * pixels // 20] = public.total
            image = Picture(canvas, PALETTE)
        return View(
            ANSWER,
            image,
            task=f"Count to {public.target} by one or two.",
            rules="Nine is too much.",
            hint="Do not overshoot.",
            state=f"{public.target - public.total} to go",
            caption=f"The count is {public.total}.",
            extra=(("banner", "Keep going."),),
        )

    def step(self, state: State, action: str) -> Step[State]:
        self._maybe("step", state.total)
        if action == "nine":
            return Step(state, legal=False)
        after = state._replace(total=state.total + {"one": 1, "two": 2}[action] + self._luck(state))
        won = after.total == after.target
        reward = float("nan") if self.fault == "reward" and after.total >= 2 else float(won)
        return Step(after, reward, after.total >= after.target, won, events=(f"counted_{action}",))

    def solve(self, state: State) -> Sequence[str] | None:
        self._maybe("solve", state.total)
        left = state.target - state.total
        return None if left < 0 or self.fault == "plan" else ["one"] * (left % 2) + ["two"] * (left // 2)

    def problem(self, state: State) -> bytes:
        return str(state.target).encode()

    def _luck(self, state: State) -> int:
        return 0

    def _maybe(self, method: str, total: int) -> None:
        if self.fault == method and total >= 2:
            raise ValueError(f"the {method} of {self.spec.id} is broken")


@dataclass(frozen=True)
class Dice(Counting):
    """Counting where every step may add one more, by a key inside the state; the guide sees only the count."""

    def reset(self, instance: Instance) -> State:
        return super().reset(instance)._replace(key=int(instance.rng("key").integers(2**31)))

    def guide(self, public: State) -> str | None:
        return "one" if public.total < public.target else None

    def _luck(self, state: State) -> int:
        return (state.key >> state.total) & 1


def world(name: str = "counting", fault: str = "", **changes: Any) -> Counting:
    """One toy world; those called dice are clairvoyant."""
    if name.startswith("dice"):
        return Dice(spec(name, clairvoyant=True, **changes), fault)
    return Counting(spec(name, **changes), fault)


def pool(*worlds: Counting) -> Pool:
    """The given worlds by id; without any, counting and dice."""
    return {env.spec.id: env for env in worlds or (world(), world("dice"))}


def ticket(
    number: int = 0, name: str = "counting", scale: int = 0, harness: Harness = H4, seed: int | None = None, **cell: Any
) -> Ticket:
    """One ticket; its instance's seed is its number unless given."""
    instance = Instance(f"toy/{name}", 1, scale, number if seed is None else seed)
    return Ticket(number, Cell(f"toy/{name}", scale, harness, **{"rollouts": 3, **cell}), instance)


def tickets(n: int) -> list[Ticket]:
    """A mixture of tickets: both worlds, several scales, half of them guided groups."""
    guided = {"harness": H0, "learn": H4, "guided": 0.5}
    return [
        ticket(i, ("counting", "dice")[i % 2], i % 3, **(guided if i % 4 < 2 else {}), rollouts=2 + i % 3)
        for i in range(n)
    ]


class Costly:
    """A random player that counts what it is asked, may want small batches, and whose patience may run out."""

    def __init__(self, at_once: int | None = None, patience: int = 10**9) -> None:
        self.at_once = at_once
        self.asked = 0
        self.patience = patience

    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        if self.asked + len(conversations) > self.patience:
            raise KeyboardInterrupt
        self.asked += len(conversations)
        drawn = Random()(conversations, seeds)
        return [Completion(said.text, (1, 2), (-0.1, -1e-17), truncated=False) for said in drawn]
