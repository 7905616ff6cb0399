"""The reference of an experiment: the base imitates a teacher on the same problems instead of learning from rewards.

It says what the network could learn from as many contexts as the groups of an arm meet, each counted once in a group,
as the update does; rewards are to be read against it. It is asked for checkpoints where training writes one.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from palaestra.envs import registry
from palaestra.pipeline.experiment.clock import Clock
from palaestra.pipeline.experiment.design import Problem
from palaestra.pipeline.pretrain import CHECKPOINTS
from palaestra.pipeline.train import TrainConfig
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.checkpoint import Instant
from palaestra.training.embedded.device import device
from palaestra.training.embedded.pretrain import Course, WarmStart


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

    pool, scales = registry.pool([problem.environment]), {problem.environment: (problem.scale,)}
    course = Course(now.network, pool, now.tokenizer, scales, replace(taught, steps=steps), plan.seed)
    while course.done < steps:
        course.step()
        clock.lap(course.done)
        if course.done * parts % steps == 0:
            then = Instant.new(now.network, now.tokenizer, taught.rate, plan.seed)
            then.updates = course.done * plan.updates // steps
            then.rollouts = then.updates * plan.budget.rollouts // plan.updates
            stored.write(folder / CHECKPOINTS / f"{then.updates:06d}", then, {})
            clock.resume()
        told(course.done, steps)
