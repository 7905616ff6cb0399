"""A designed conflict: one world under plain and under mirrored controls, told apart by one word of the task."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from levers import SIDES

from palaestra.core.environment import EnvSpec, Pool, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import Harness, View
from palaestra.core.trainer import Budget, Checkpoint
from palaestra.curriculum.feed import Feed
from palaestra.curriculum.template import Template
from palaestra.curriculum.uniform import Uniform
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.pipeline.estimator import GradientConfig, Metric
from palaestra.pipeline.gradients import Gradients, gradients
from palaestra.pipeline.learner import learner

PLAIN, COPY, MIRRORED = "mirror/plain", "mirror/copy", "mirror/turned"
LESSONS, ERRING, UPDATES = 160, 0.25, 20
"""Steps of imitation, how often their teacher errs, and updates of GRPO."""


@dataclass(frozen=True)
class Push:
    """Push towards the ball, whose side the picture and the caption show; `controls` is the word that tells worlds
    apart."""

    spec: EnvSpec
    controls: str

    def reset(self, instance: Instance) -> int:
        return splits.draw(instance, lambda rng: int(rng.integers(2000)), self.problem)

    def horizon(self, state: int) -> int:
        return 1

    def public(self, state: int) -> int:
        return state

    def view(self, public: int, pixels: int = 448) -> View:
        canvas = Canvas(pixels, pixels) if pixels else None
        if canvas:
            left = pixels // 8 + pixels // 2 * (public % 2)
            canvas.rectangle((left, pixels // 3, left + pixels // 4, 2 * pixels // 3), "ink")
        task = f"Room {public}. The controls are {self.controls}. {SIDES.describe()}"
        caption = f"The ball lies on the {SIDES.options[public % 2]}."
        return View(SIDES, canvas.picture() if canvas else None, task=task, caption=caption)

    def step(self, state: int, action: str) -> Step[int]:
        right = (action == SIDES.options[state % 2]) == (self.controls == "plain")
        return Step(state, float(right), done=True, success=right)

    def solve(self, state: int) -> Sequence[str] | None:
        return [SIDES.options[(state + (self.controls != "plain")) % 2]]

    def problem(self, state: int) -> bytes:
        return str(state).encode()


def push(env_id: str, controls: str) -> Push:
    return Push(EnvSpec(env_id, 1, "Push", 1, ({"rooms": 1},), embedded_scales=(0,)), controls)


def worlds() -> Pool:
    """The plain world, a copy of it under another id, and the mirrored one."""
    return {PLAIN: push(PLAIN, "plain"), COPY: push(COPY, "plain"), MIRRORED: push(MIRRORED, "mirrored")}


def taught(folder: Path, pool: Pool, harness: Harness, seed: int) -> Checkpoint:
    """A checkpoint that has imitated a teacher of the plain world who errs one time in four: it reads the side."""
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
    tokenizer = vocabulary(pool, instances=20)
    network = Network(Shape(tokenizer.size, tokenizer.speakable, width=32, layers=2))
    optimiser = torch.optim.Adam(network.parameters(), lr=3e-3)
    rng, plain = np.random.default_rng(seed), pool[PLAIN]
    for _ in range(LESSONS):
        rooms = rng.integers(2000, size=16)
        talks = [conversation((), harness.show(plain.view(int(room), PIXELS))) for room in rooms]
        sides = [SIDES.options[(room + (rng.random() < ERRING)) % 2] for room in rooms]
        packed = pack([prompt(talk, tokenizer) for talk in talks], [[tokenizer.reply(side)] for side in sides])
        optimiser.zero_grad()
        (-packed.logprobs(network).mean()).backward()
        optimiser.step()
    return stored.write(folder, Instant.new(network, tokenizer, 1e-3, seed), {})


def designed(folder: Path, harness: Harness, metric: Metric = Metric.AUTO, seed: int = 0) -> Gradients:
    """Train on the plain and the mirrored world under one harness, and measure both and the copy under it."""
    from palaestra.training.embedded.backend import Embedded

    pool = worlds()
    base = taught(folder / "base", pool, harness, seed)
    trained = {env_id: pool[env_id] for env_id in (PLAIN, MIRRORED)}
    feed = Feed(Uniform(harness, Template(rollouts=16)), [env.spec for env in trained.values()], seed)
    last = Embedded(folder, seed, tickets=8, every=UPDATES).train(feed, trained, Budget(10**6, UPDATES), base)
    plan = GradientConfig(batches=20, groups=5, rollouts=16, rung=harness.name, metric=metric)
    return gradients(plan, learner(last.path, pool, metric), folder / "measured", seed)
