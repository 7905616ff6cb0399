"""A conversation as token ids and pictures.

Each picture stands for a fixed number of image tokens. A past observation that has a picture is told by it alone: task
and help are said once, for the current one, which is what keeps prompts short.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palaestra.core.observation import Picture
from palaestra.core.policy import Conversation
from palaestra.training.embedded.tokenizer import ASSISTANT, IMAGE, USER, Tokenizer

PIXELS = 96
"""Width and height of the square that pictures are laid into."""

IMAGE_TOKENS = 16
"""How many tokens stand for one picture."""


@dataclass(frozen=True, eq=False)
class Prompt:
    """Token ids, and the pictures [pictures, PIXELS, PIXELS, 3] that their image tokens stand for, in order."""

    tokens: tuple[int, ...]
    images: tuple[Picture, ...]

    @property
    def key(self) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """What tells two prompts apart."""
        return self.tokens, tuple(image.sha256 for image in self.images)


def prompt(conversation: Conversation, tokenizer: Tokenizer) -> Prompt:
    """Return the prompt of a conversation, ending where the reply begins."""
    tokens: list[int] = []
    images: list[Picture] = []
    current = conversation[-1]
    for message in conversation:
        if message.role == "assistant":
            tokens += [ASSISTANT, *tokenizer.reply(message.text)]
            continue
        if message.image is not None:
            images.append(message.image)
            tokens += [IMAGE] * IMAGE_TOKENS
        tokens.append(USER)
        if message is current or message.image is None:
            tokens += tokenizer.encode(message.text)
    return Prompt((*tokens, ASSISTANT), tuple(images))


def square(image: Picture) -> NDArray[np.uint8]:
    """Return a picture's RGB bytes in the top left of a PIXELS x PIXELS square; a larger one is scaled down."""
    rgb = image.rgb()
    if max(image.height, image.width) > PIXELS:
        from PIL import Image

        scale = PIXELS / max(image.height, image.width)
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        rgb = np.asarray(Image.fromarray(rgb).resize(size, Image.Resampling.BOX))
    laid = np.zeros((PIXELS, PIXELS, 3), np.uint8)
    laid[: rgb.shape[0], : rgb.shape[1]] = rgb
    return laid
