"""Which split a problem belongs to, and the redraw loop: distinct seeds are not distinct problems.

The *initial problem* belongs to one split by the digest of `Environment.problem`, 8:1:1, whatever its scale and seed;
so a test problem is never met in training, not under another seed and not under another scale.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from palaestra.core.errors import GenerationFailed
from palaestra.core.instance import Instance, split_of

S = TypeVar("S")

DRAWS = 4000
"""A bound on the redraw loop: reached only where a split or a generator is practically empty."""


def draw(
    instance: Instance,
    propose: Callable[[np.random.Generator], S | None],
    problem: Callable[[S], bytes],
    suits: Callable[[S], bool] | None = None,
) -> S:
    """Return the first proposal that is acceptable (not None), belongs to the instance's split, and suits.

    What is costly to find out of a proposal is asked by `suits`, of those alone that belong to the split.

    Raises:
        GenerationFailed: none of `DRAWS` proposals is, so the scale or the knobs leave too few problems.
    """
    rng = instance.rng()
    accepted = 0
    for _ in range(DRAWS):
        state = propose(rng)
        if state is not None:
            if split_of(instance.env_id, problem(state)) is instance.split and (suits is None or suits(state)):
                return state
            accepted += 1
    raise GenerationFailed(
        f"{instance.key()}: {DRAWS} draws gave {accepted} acceptable problems and none in the {instance.split} split"
        f"{' that suits' if suits else ''}; "
        "use another scale or milder knobs"
    )
