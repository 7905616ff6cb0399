"""What measuring the conflict of a pool takes: environments of the registry, played by the base of the package.

The size was fixed before it was first run: 60 environments, each where a pilot puts it, batches until cosines are sharp
or 200 groups of 16 were played. Processor time is that of everything from the checkpoint on disk to the cosines.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from palaestra.core.errors import ExtraMissing
from palaestra.envs import held_out, registry
from palaestra.pipeline import cost
from palaestra.pipeline.card import SHIPPED
from palaestra.pipeline.estimator import GradientConfig
from palaestra.pipeline.gradients import gradients
from palaestra.pipeline.learner import learner

ENVIRONMENTS = 60
PLAN = GradientConfig()


def measured(environments: int, seed: int) -> dict[str, Any]:
    """Return how many environments were measured, how many reached the error that is asked for, and what it took."""
    readable = [env_id for env_id in registry.ids() if registry.get(env_id).spec.embedded_scales]
    pool = registry.pool([env_id for env_id in readable if env_id not in held_out.HELD_OUT][:environments])
    seconds = cost.clock()
    try:
        with TemporaryDirectory() as folder:
            found = gradients(PLAN, learner(SHIPPED, pool, PLAN.metric), Path(folder) / "run", seed)
    except ExtraMissing as error:
        return {"environments": 0, "why": str(error)}
    told = found.json()
    return {
        "environments": len(found.sketches),
        "cpu_minutes": round(seconds() / 60, 2),
        "reached_se": told.get("reached_se", 0),
        "measured": sum(own["measured"] for own in told["environments"].values()),
        "rollouts": found.cost.rollouts,
    }
