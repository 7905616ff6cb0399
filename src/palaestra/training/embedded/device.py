"""Where the network computes, and how exactly: single precision on the CPU, the decoder's blocks in bfloat16 on CUDA.

Stem and output layer stay in single precision: the stem is a small part of the work, and log-probabilities from
bfloat16 logits are off by more than a small clip.
"""

from contextlib import AbstractContextManager, nullcontext

import torch

from palaestra.core.errors import ConfigError
from palaestra.core.trainer import Device


def device(asked: Device) -> torch.device:
    """Return the device of a name.

    Raises:
        ConfigError: it names CUDA, and there is none.
    """
    there = torch.cuda.is_available()
    if asked is Device.CUDA and not there:
        raise ConfigError(
            f'device = "cuda", and torch {torch.__version__} finds no CUDA device; '
            'set device = "cpu" or "auto", or install a torch that is built for the device'
        )
    return torch.device("cuda" if there and asked is not Device.CPU else "cpu")


def precision(at: torch.device) -> AbstractContextManager[object]:
    """Return the context in which the decoder of a network on a device runs."""
    return torch.autocast("cuda", torch.bfloat16) if at.type == "cuda" else nullcontext()
