"""Pictures as tokens: each different one goes through the stem once, however many prompts show it."""

from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch import Tensor

from palaestra.core.observation import Picture
from palaestra.training.embedded.model import Network
from palaestra.training.embedded.prompt import IMAGE_TOKENS, PIXELS, Prompt, square

KEPT = 4096
"""How many pictures' tokens are remembered at most: some 16 MB at a width of 64."""


def pixels(pictures: Iterable[Picture]) -> Tensor:
    """Return pictures [pictures, 3, PIXELS, PIXELS], centred, in -2 .. 2.

    They stay as they lie in memory, colours last, which is the order in which a CPU convolves fastest.
    """
    images = [square(picture) for picture in pictures]
    if not images:
        return torch.empty(0, 3, PIXELS, PIXELS)
    return torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).to(torch.float32).mul_(4 / 255).sub_(2)


def looks(network: Network, prompts: Sequence[Prompt], known: dict[str, Tensor] | None = None) -> Tensor:
    """Return the tokens [pictures, IMAGE_TOKENS, width] of all pictures of prompts, in order.

    Args:
        network: whose stem looks at them.
        prompts: they may share pictures.
        known: tokens by a picture's digest, kept between calls while the network stays the same.
    """
    shown = [picture for one in prompts for picture in one.images]
    if not shown:
        return torch.empty(0, IMAGE_TOKENS, network.shape.width, device=network.device)
    known = {} if known is None else known
    new = {picture.sha256: picture for picture in shown if picture.sha256 not in known}
    if len(known) + len(new) > KEPT:
        known.clear()
        new = {picture.sha256: picture for picture in shown}
    known |= zip(new, network.stem(pixels(new.values()).to(network.device)), strict=True) if new else ()
    return torch.stack([known[picture.sha256] for picture in shown])
