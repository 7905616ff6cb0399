"""Activation checkpointing of decoder layers that write keys and values into a cache.

Source: Chen et al. 2016: a layer's input is kept, and all else is computed again on the way back. Departures: that of
transformers drops the cache; here a layer that runs again finds its cache as it was, and leaves it as it found it.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.utils.checkpoint import checkpoint


def recompute(layers: Iterable[Any]) -> None:
    """Have decoder layers, in their order, keep their input alone wherever gradients are asked for."""
    for number, layer in enumerate(layers):
        layer.forward = _again(layer.forward, number)


def _again(forward: Callable[..., Any], number: int) -> Callable[..., Any]:
    def told(*given: Any, cache: Any = None, **named: Any) -> Any:
        if cache is None or not torch.is_grad_enabled():
            return forward(*given, cache=cache, **named)
        own = vars(cache.layers[number])
        before, ran = dict(own), False

        def run(*given: Any) -> Any:
            nonlocal ran
            after = dict(own)
            _put(own, before)
            try:
                return forward(*given, cache=cache, **named)
            finally:
                if ran:
                    _put(own, after)
                ran = True

        return checkpoint(run, *given, use_reentrant=False, preserve_rng_state=False)

    return told


def _put(own: dict[str, Any], state: dict[str, Any]) -> None:
    own.clear()
    own.update(state)
