"""A conversation by the model's own chat template, and prompts as tensors."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import torch
from PIL import Image
from torch import Tensor

from palaestra.core.observation import Picture
from palaestra.core.policy import Conversation, Message
from palaestra.training.hugging_face.model import Model


@dataclass(frozen=True)
class Prompt:
    """The text of a conversation, ending where the reply begins, and the pictures that it names, in order."""

    text: str
    images: tuple[Picture, ...] = ()


def prompt(conversation: Conversation, model: Model) -> Prompt:
    """Return the prompt of a conversation; neighbours of one role become one message, as templates demand.

    A model that takes no pictures is shown none: it reads what the text channels say.
    """
    sees = model.processor is not None
    own = bool(conversation) and conversation[0].role == "system"
    opened = [Message("system", model.plan.system)] if model.plan.system and not own else []
    said, images = [], []
    for role, same in groupby([*opened, *conversation], key=lambda message: message.role):
        parts: list[dict[str, str]] = []
        for message in same:
            if sees and message.image is not None:
                images.append(message.image)
                parts.append({"type": "image"})
            parts.append({"type": "text", "text": message.text})
        text = "\n".join(part["text"] for part in parts if part["type"] == "text")
        said.append({"role": role, "content": parts if sees else text})
    template = model.processor if sees else model.tokenizer
    text = template.apply_chat_template(said, tokenize=False, add_generation_prompt=True, **model.plan.template)
    return Prompt(text, tuple(images))


PICTURE = 256
"""How many tokens a picture is taken for when work is shared out."""


def length(one: Prompt, model: Model) -> int:
    """Return about how many tokens a prompt has."""
    return len(model.tokenizer(one.text, add_special_tokens=False).input_ids) + PICTURE * len(one.images)


def laid(prompts: Sequence[Prompt], model: Model) -> dict[str, Tensor]:
    """Return prompts as the network takes them, tokens [prompts, length] flush right; the template has said it all, so
    no further special token is added."""
    texts = [one.text for one in prompts]
    further: dict[str, Any] = {}
    tokenize = model.tokenizer
    if any(one.images for one in prompts):
        tokenize = model.processor
        further["images"] = [[Image.fromarray(image.rgb()) for image in one.images] for one in prompts]
    found = tokenize(text=texts, padding=True, return_tensors="pt", add_special_tokens=False, **further)
    return {name: value.to(model.device) for name, value in found.items() if isinstance(value, torch.Tensor)}
