"""What is trained of a model: low-rank adapters beside its linear layers, or chosen layers themselves.

Source: LoRA (Hu et al. 2021): x W + x A B alpha / rank, B zero at first. Departures: no dropout; what is trained is
float32 beside weights of any precision, since updates of a small rate vanish in bfloat16, and computes in theirs; of a
model with eyes the text model alone is trained, whatever its vision tower calls its layers, and blocks are counted
there.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaestra.core.errors import ConfigError, nearest
from palaestra.training.hugging_face.settings import Lora

_BLOCK = re.compile(r"\.(?:layers|h)\.(\d+)\.")
"""Where the name of a module says in which block it is."""


class LowRank(nn.Module):
    """A linear layer with an adapter beside it."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        at = base.weight.device
        self.base, self.scale = base, alpha / rank
        self.down = nn.Parameter(torch.empty(rank, base.in_features, device=at))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank, device=at))
        if not self.down.is_meta:
            nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))

    def forward(self, x: Tensor) -> Tensor:
        """Return what the layer makes of x [..., in], and its adapter."""
        beside = functional.linear(functional.linear(x, self.down.to(x.dtype)), self.up.to(x.dtype))
        told: Tensor = self.base(x) + beside * self.scale
        return told


class Whole(nn.Module):
    """A linear layer that is trained itself: in float32, and used in the precision of the others."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.weight = nn.Parameter(base.weight.detach().float())
        self.bias = base.bias

    def forward(self, x: Tensor) -> Tensor:
        """Return what the layer makes of x [..., in]."""
        return functional.linear(x, self.weight.to(x.dtype), self.bias)


def attach(network: Any, plan: Lora) -> Mapping[str, nn.Parameter]:
    """Freeze a network, make the chosen layers trainable in place, and return what is trained by name.

    Raises:
        ConfigError: the text model has no linear layer of a kind, or no such block.
    """
    read = {*network.get_decoder().modules()}
    linear = {
        name: module for name, module in network.named_modules() if isinstance(module, nn.Linear) and module in read
    }
    there = {name.rpartition(".")[2] for name in linear}
    for kind in plan.kinds:
        if kind not in there:
            raise ConfigError(
                f"lora.kinds names {kind!r}, and the text model has no such linear layer{nearest(kind, there)}; "
                f"it has {', '.join(sorted(there))}"
            )
    chosen = {name: module for name, module in linear.items() if name.rpartition(".")[2] in plan.kinds}
    if plan.layers:
        blocks = {name: int(found[1]) for name in chosen if (found := _BLOCK.search(name))}
        count = max(blocks.values(), default=-1) + 1
        if wrong := [layer for layer in plan.layers if not -count <= layer < count]:
            raise ConfigError(f"lora.layers names {wrong[0]}; the text model has the blocks 0 to {count - 1}")
        kept = {layer % count for layer in plan.layers}
        chosen = {name: module for name, module in chosen.items() if blocks.get(name) in kept}
    network.requires_grad_(False)
    for name, module in chosen.items():
        parent, _, own = name.rpartition(".")
        trained = LowRank(module, plan.rank, plan.alpha) if plan.rank else Whole(module)
        setattr(network.get_submodule(parent), own, trained)
    return {name: parameter for name, parameter in network.named_parameters() if parameter.requires_grad}
