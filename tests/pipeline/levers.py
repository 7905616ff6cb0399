"""Toy worlds that look alike and reward one lever each, and a network that pulls either as often."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Pool, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import HARNESSES, View
from palaestra.core.trainer import Checkpoint
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas

SIDES = Choice(("left", "right"))


@dataclass(frozen=True)
class Lever:
    """Pull a lever: the right one is always the same, `told` in the caption, and nothing that is seen says which."""

    spec: EnvSpec
    right: str
    problems: int = 1000

    def reset(self, instance: Instance) -> int:
        return splits.draw(instance, lambda rng: int(rng.integers(self.problems)), self.problem)

    def horizon(self, state: int) -> int:
        return 1

    def public(self, state: int) -> int:
        return state

    def view(self, public: int, pixels: int = 448) -> View:
        canvas = Canvas(pixels, pixels) if pixels else None
        task = f"Room {public}. {SIDES.describe()}"
        return View(SIDES, canvas.picture() if canvas else None, task=task, caption=f"Here it is {self.right}.")

    def step(self, state: int, action: str) -> Step[int]:
        right = action == self.right
        return Step(state, float(right), done=True, success=right)

    def solve(self, state: int) -> Sequence[str] | None:
        return [self.right]

    def problem(self, state: int) -> bytes:
        return str(state).encode()


def lever(env_id: str, right: str, problems: int = 1000, **changes: Any) -> Lever:
    said = {"embedded_scales": (0, 1)} | changes
    return Lever(EnvSpec(env_id, 1, "Lever", 1, ({"rooms": 1}, {"rooms": 2}), **said), right, problems)


def pool(*envs: Lever) -> Pool:
    return {env.spec.id: env for env in envs}


def untaught(folder: Path, envs: Pool, seed: int = 0) -> Checkpoint:
    """A tiny checkpoint that has learnt to name a side and nothing more."""
    import torch

    from palaestra.rollout.messages import conversation
    from palaestra.training.embedded import checkpoint as stored
    from palaestra.training.embedded.batch import pack
    from palaestra.training.embedded.checkpoint import Instant
    from palaestra.training.embedded.model import Network, Shape
    from palaestra.training.embedded.pretrain import vocabulary
    from palaestra.training.embedded.prompt import PIXELS, prompt

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    tokenizer = vocabulary(envs, instances=20)
    network = Network(Shape(tokenizer.size, tokenizer.speakable, width=32, layers=1))
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
    rng = np.random.default_rng(seed)
    env = next(iter(envs.values()))
    for _ in range(25):
        rooms = rng.integers(1000, size=4).tolist()
        seen = [env.view(room, PIXELS) for room in rooms]
        talks = [conversation((), HARNESSES["H4"].show(view)) for view in seen]
        said = [[tokenizer.reply(side) for side in SIDES.options]] * len(talks)
        packed = pack([prompt(talk, tokenizer) for talk in talks], said)
        optimiser.zero_grad()
        (-packed.logprobs(network).mean()).backward()
        optimiser.step()
    return stored.write(folder, Instant.new(network, tokenizer, 1e-3, seed), {})
