"""An optimiser's running means of squared gradients, as `core.gradient.GradientSource` yields them.

Departures: they have a floor. A quarter of them were exactly zero after a few updates (embeddings of tokens that
training never met), and divided by nothing but Adam's epsilon such coordinates drowned a conflict that was planted.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from palaestra.core.errors import BadMeasurement
from palaestra.core.gradient import Block

if TYPE_CHECKING:
    import torch

FLOOR = 0.01
"""What is added to every second moment, as a share of their mean."""


def second_moments(optimiser: "torch.optim.Optimizer", trained: "Mapping[str, torch.nn.Parameter]") -> Iterator[Block]:
    """Yield Adam's second moments above their floor, as (name, array), corrected for their start.

    Raises:
        BadMeasurement: the optimiser has not taken a step yet.
    """
    if not optimiser.state:
        raise BadMeasurement(
            "the optimiser of this checkpoint has no second moments, as it has not stepped; "
            "measure a trained checkpoint, or set the metric to raw"
        )
    decay = optimiser.param_groups[0]["betas"][1]
    moments: dict[str, torch.Tensor] = {}
    for name, parameter in trained.items():
        own = optimiser.state.get(parameter)  # none for what no gradient has reached yet
        moments[name] = own["exp_avg_sq"] / (1 - decay ** float(own["step"])) if own else parameter.detach() * 0
    mean = sum(float(one.sum()) for one in moments.values()) / sum(one.numel() for one in moments.values())
    for name, one in moments.items():
        yield name, (one + FLOOR * mean).cpu().numpy()
