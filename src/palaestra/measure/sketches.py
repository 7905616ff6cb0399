"""Groups of one environment become M sketched batch gradients: disjoint in instances, whitened, a few kilobytes each.

Rollouts of one instance are not independent, so all groups of an instance fall into one batch. Each gradient is divided
by (sqrt(v) + eps)^q, v the optimiser's second moments, so that the product of two is taken in the metric v^-q: q = 1/2
asks what an Adam step on one environment does to the other, q = 1 is the diagonal Fisher metric, q = 0 the raw product.
The metric is recorded, since the target differs.

Source: Ability-aware Environment Selection estimates gradients from 10 batches of 10 samples; LESS for Adam-shaped
gradients and sketches of 8192. Departures: whitening by default, as raw products get a quarter of clear signs wrong;
dead groups, whose members all earned alike, are counted, and a batch of none but dead ones is zero without a backward
pass.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from palaestra.core.errors import BadMeasurement
from palaestra.core.gradient import Block, GradientSketch, GradientSource
from palaestra.core.ticket import Group
from palaestra.measure.hashing import CountSketch
from palaestra.measure.instances import by_instance

EPSILON = 1e-8
"""Adam's own: keeps coordinates that were never updated from being divided by zero."""

_METRICS = {0.0: "raw", 0.5: "adam", 1.0: "fisher"}


def sketch(
    env_id: str,
    groups: Sequence[Group],
    source: GradientSource,
    batches: int = 10,
    q: float = 0.5,
    project: CountSketch | None = None,
) -> GradientSketch:
    """Return the sketched batch gradients of one environment.

    Args:
        project: the projection that all environments share; by default 8192 numbers, seed 0.

    Raises:
        BadMeasurement: a group of another environment, fewer instances than batches, gradients that are not finite,
            or second moments that do not name the same blocks.
    """
    project = project or CountSketch()
    parts = split(env_id, groups, batches)
    rows = [project(whitened(source, part, q)) if any(map(live, part)) else np.zeros(project.k) for part in parts]
    if not np.isfinite(rows).all():
        raise BadMeasurement(f"sketch of {env_id}: its gradient holds nan or infinity; see to the policy or the loss")
    metric = _METRICS.get(q, f"second moments ** {q:g}")
    return GradientSketch(env_id, np.array(rows, np.float32), sum(map(live, groups)), metric, str(project))


def split(env_id: str, groups: Sequence[Group], batches: int) -> list[list[Group]]:
    """Return disjoint batches of groups, no instance in two of them; the order of the groups does not matter.

    Raises:
        BadMeasurement: a group of another environment, or fewer instances than batches.
    """
    instances = by_instance(env_id, groups)
    if not 3 <= batches <= len(instances):
        raise BadMeasurement(
            f"sketch of {env_id}: asked for {batches} disjoint batches of {len(instances)} instances; errors need at "
            "least 3 batches, and each its own instances: play more of them or ask for fewer batches"
        )
    return [[group for instance in instances[batch::batches] for group in instance] for batch in range(batches)]


def live(group: Group) -> bool:
    """Tell whether the members earned differently, so that the group has a gradient at all."""
    returns = [member.ret for member in group.trajectories if not member.error]
    return bool(returns) and max(returns) - min(returns) > 1e-9


def whitened(source: GradientSource, groups: Sequence[Group], q: float) -> Iterator[Block]:
    """Yield the mean gradient of some groups, each block divided by the second moments at the power q / 2.

    Raises:
        BadMeasurement: gradients and second moments do not name the same blocks in the same order.
    """
    if q == 0:
        yield from source.gradients(groups)
        return
    moments = source.second_moments()
    for name, gradient in source.gradients(groups):
        of, moment = next(moments, ("none", np.empty(0)))
        if (of, moment.shape) != (name, gradient.shape):
            raise BadMeasurement(
                f"whitening: gradient block {name!r} {gradient.shape} met second moments {of!r} {moment.shape}; "
                "a source yields both in one order"
            )
        yield name, gradient / (np.sqrt(moment, dtype=np.float32) + EPSILON) ** q
