"""The reference of an experiment: the base imitates a teacher on the same problems instead of learning from rewards.

It says what the network could learn from as many contexts as the groups of an arm meet, each counted once in a group,
as the update does; rewards are to be read against it. It is asked for checkpoints where training writes one.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from palaestra.core.environment import Environment
from palaestra.envs import registry
from palaestra.pipeline.experiment.clock import Clock
from palaestra.pipeline.experiment.design import Problem
from palaestra.pipeline.pretrain import CHECKPOINTS
from palaestra.pipeline.train import TrainConfig
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.checkpoint import Instant
from palaestra.training.embedded.device import device
from palaestra.training.embedded.pretrain import WarmStart, warm_start


def imitate(
    taught: WarmStart,
    problem: Problem,
    plan: TrainConfig,
    contexts: int,
    folder: Path,
    told: Callable[[int, int], None],
) -> None:
    """Let the base in a run folder imitate a teacher on so many contexts, rounded to whole steps.

    Args:
        taught: the settings of imitation; the steps follow.
        problem: what is played.
        plan: the training that it stands beside: its seed, its device, and where it has checkpoints.
        contexts: how many it sees.
        folder: the run's own.
        told: how many steps of how many are made.
    """
    import torch

    torch.set_num_threads(1)  # as everywhere in the engine
    base = stored.found(folder / CHECKPOINTS / "base")
    assert base is not None  # it was lent
    now, _ = stored.read(base, device(plan.device))
    parts = plan.updates // plan.every
    steps = parts * max(1, round(contexts / taught.contexts / parts))
    clock = Clock(folder)

    def lapped(step: int, _: int) -> None:
        clock.lap(step)
        if step * parts % steps == 0:
            then = Instant.new(now.network, now.tokenizer, taught.rate, plan.seed)
            then.updates = step * plan.updates // steps
            then.rollouts = then.updates * plan.budget.rollouts // plan.updates
            stored.write(folder / CHECKPOINTS / f"{then.updates:06d}", then, {})
            clock.resume()
        told(step, steps)

    pool = {problem.environment: _narrowed(registry.get(problem.environment), problem.scale)}
    warm_start(now.network, pool, now.tokenizer, replace(taught, steps=steps), plan.seed, lapped)


def _narrowed(env: Environment[Any, Any], scale: int) -> Environment[Any, Any]:
    """Return an environment of which a tiny policy is said to read one scale: the one that its teacher plays."""
    narrow = copy(env)
    object.__setattr__(narrow, "spec", replace(env.spec, embedded_scales=(scale,)))  # it may be frozen
    return narrow
