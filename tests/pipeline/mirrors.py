"""A designed conflict: one world under plain and under mirrored controls, told apart by one word of the task."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from levers import SIDES, untaught

from palaestra.core.environment import EnvSpec, Pool, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import SYMBOLIC, View
from palaestra.core.trainer import Budget
from palaestra.curriculum.feed import Feed
from palaestra.curriculum.template import Template
from palaestra.curriculum.uniform import Uniform
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.measure.conflict import CosineMatrix, cosines
from palaestra.pipeline.estimator import GradientConfig, Metric
from palaestra.pipeline.gradients import gradients, learner

PLAIN, COPY, MIRRORED = "mirror/plain", "mirror/copy", "mirror/turned"
UPDATES = 20


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


def designed(folder: Path, rungs: Sequence[str], metric: Metric, seed: int = 0) -> dict[str, CosineMatrix]:
    """Train on the plain and the mirrored world, on the text twin, and measure all three at each rung."""
    from palaestra.training.embedded.backend import Embedded
    from palaestra.training.embedded.grpo import Grpo

    pool = worlds()
    base = untaught(folder / "base", pool, seed)
    trained = {env_id: pool[env_id] for env_id in (PLAIN, MIRRORED)}
    specs = [env.spec for env in trained.values()]
    engine = Embedded(folder, seed, tickets=8, every=UPDATES, grpo=Grpo())
    feed = Feed(Uniform(SYMBOLIC, Template(rollouts=16)), specs, seed)
    last = engine.train(feed, trained, Budget(rollouts=10**6, updates=UPDATES), base)
    found = {}
    for rung in rungs:
        plan = GradientConfig(batches=10, groups=5, rollouts=16, rung=rung, metric=metric)
        found[rung] = cosines(gradients(plan, learner(last.path, pool, metric), folder / rung, seed).sketches)
    return found
