"""Stage "train", dry: a configuration is checked, and what it would load, play and write is told; nothing is."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from palaestra.core.errors import ExtraMissing
from palaestra.core.observation import Harness
from palaestra.curriculum.feed import Feed
from palaestra.pipeline import engines
from palaestra.pipeline.pretrain import training_pool
from palaestra.pipeline.train import TrainConfig
from palaestra.training.embedded.device import device


def dry(plan: TrainConfig) -> dict[str, Any]:
    """Return the plan of a run as JSON data: the model, what of it is trained, the first distribution, the budget.

    A Hugging Face model is looked at only where it is at hand, or what is known of it: `model.parameters` and
    `model.trained` are None otherwise.

    Raises:
        UnknownEnvironment: the plan names one that does not exist.
        ConfigError: the plan names one that is held out, no such harness, layers that the model does not have, or a
            device that is not there.
        BadDistribution: a parameter of the curriculum is out of its range.
    """
    pool = training_pool(plan.environments)
    specs = [env.spec for env in pool.values()]
    feed = Feed(plan.curriculum.make(plan.template(specs)), specs, plan.seed, plan.first_seed)
    cells = feed.distribution.weights
    return {
        "engine": engines.name(plan),
        "model": model(plan, plan.learnt),
        "device": str(device(plan.device)),
        "environments": {env_id: sorted({cell.scale for cell in cells if cell.env_id == env_id}) for env_id in pool},
        "knobs": dict(plan.groups.knobs or {}),
        "curriculum": str(plan.curriculum),
        "shown": sorted({cell.harness.name for cell in cells}),
        "learnt": sorted({(cell.learn or cell.harness).name for cell in cells}),
        "updates": plan.updates,
        "groups": plan.updates * plan.tickets,
        "rollouts": plan.updates * plan.tickets * plan.groups.rollouts,
        "checkpoints": plan.updates // plan.every + bool(plan.updates % plan.every),
    }


def model(plan: engines.Plan, learnt: Sequence[Harness]) -> dict[str, Any]:
    """Return what is trained, as far as that is known without its weights; raises as `dry` does.

    Args:
        learnt: every harness that is learnt under.
    """
    own = plan.hugging_face
    if own is None:
        return {"start": plan.base.start or "a fresh network", "grpo": asdict(plan.grpo)}
    asked = asdict(own) | {"architecture": None, "parameters": None, "trained": None}
    from palaestra.training.hugging_face import model as models
    from palaestra.training.hugging_face.lora import attach

    try:
        found = models.outline(own, lambda network: attach(network, own.lora))
    except ExtraMissing:
        return asked
    if found is not None:
        engines.prepared(plan, learnt)
    return asked | (found or {})
