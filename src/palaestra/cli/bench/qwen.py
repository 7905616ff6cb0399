"""A Qwen3-VL of transformers, shrunk and without its weights, that reads prompts as the embedded engine writes them.

A picture is cut into as many tokens as ours, and the vocabulary is ours by number. Nothing is downloaded. Departure:
the processor lacks its part for videos, which wants torchvision.
"""

from math import isqrt
from typing import TYPE_CHECKING, Any

from palaestra.core.errors import PalaestraError

if TYPE_CHECKING:
    from palaestra.training.embedded.prompt import Prompt

MERGED = 2
"""Patches that become one token, along each side of a picture."""


class Unlike(PalaestraError):
    """Two trainers would not do the same work."""


def spelt(context: "Prompt") -> str:
    """Return the text tokens of a prompt with one picture, one word for each; the rest is the template's."""
    from palaestra.training.embedded.prompt import IMAGE_TOKENS
    from palaestra.training.embedded.tokenizer import ASSISTANT, IMAGE, USER

    text = context.tokens[1 + IMAGE_TOKENS : -1]
    if context.tokens != (*[IMAGE] * IMAGE_TOKENS, USER, *text, ASSISTANT):
        raise Unlike("prompt: ours is no longer a picture, then text, between two marks; rewrite the peer's template")
    return "".join(f"<{token}>" for token in text)


def processor(size: int) -> Any:
    """Return a processor whose prompts are ours token by token, for a vocabulary of a size."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen3VLProcessor
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
    from transformers.processing_utils import ProcessorMixin

    from palaestra.training.embedded.prompt import PIXELS
    from palaestra.training.embedded.tokenizer import ASSISTANT, END, IMAGE, PAD, USER

    class Processor(Qwen3VLProcessor):  # type: ignore[misc]  # untyped where it is not installed
        @classmethod
        def get_attributes(cls) -> list[str]:
            return ["image_processor", "tokenizer"]

        def __init__(self, image_processor: Any, tokenizer: Any, chat_template: str) -> None:
            self.image_token, self.image_token_id = "<image>", IMAGE
            self.video_token, self.video_token_id = "<video>", None
            self.vision_start_token_id = self.vision_end_token_id = None
            ProcessorMixin.__init__(self, image_processor, tokenizer, chat_template=chat_template)

    marks = {PAD: "<pad>", IMAGE: "<image>", USER: "<user>", ASSISTANT: "<assistant>", END: "<end>"}
    words = Tokenizer(models.WordLevel({marks.get(k, f"<{k}>"): k for k in range(size)}, unk_token="<pad>"))
    words.pre_tokenizer = pre_tokenizers.Split(Regex("<[^>]+>"), "isolated")
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<end>", unk_token="<pad>")
    area = PIXELS * PIXELS
    images = Qwen2VLImageProcessorPil(
        patch_size=_patch(), merge_size=MERGED, temporal_patch_size=1,
        size={"shortest_edge": area, "longest_edge": area},
    )  # fmt: skip
    template = (
        "{% for message in messages %}{% for part in message.content %}"
        "{{ '<image>' if part.type == 'image' else '<user>' + part.text }}{% endfor %}{% endfor %}<assistant>"
    )
    return Processor(images, tokenizer, template)


def _patch() -> int:
    """Return the width of the patches [pixels] of which as many tokens are made as of ours."""
    from palaestra.training.embedded.prompt import IMAGE_TOKENS, PIXELS

    return PIXELS // (MERGED * isqrt(IMAGE_TOKENS))


def qwen(width: int, layers: int, vocabulary: int, parameters: int) -> Any:
    """Return a Qwen3-VL with random weights, its perceptrons as wide as makes up so many parameters."""
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

    from palaestra.training.embedded.prompt import IMAGE_TOKENS
    from palaestra.training.embedded.tokenizer import END, IMAGE, PAD

    def model(inner: int) -> Any:
        rope = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [4, 2, 2], "mrope_interleaved": True}
        text = {
            "vocab_size": vocabulary, "hidden_size": width, "intermediate_size": inner, "num_hidden_layers": layers,
            "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 16, "max_position_embeddings": 256,
            "rope_parameters": rope, "pad_token_id": PAD, "eos_token_id": END,
        }  # fmt: skip
        vision = {
            "depth": 1, "hidden_size": 32, "intermediate_size": 64, "num_heads": 4, "patch_size": _patch(),
            "spatial_merge_size": MERGED, "temporal_patch_size": 1, "out_hidden_size": width,
            "num_position_embeddings": MERGED**2 * IMAGE_TOKENS, "deepstack_visual_indexes": [],
        }  # fmt: skip
        special = {"video_token_id": vocabulary, "vision_start_token_id": vocabulary, "vision_end_token_id": vocabulary}
        plan = Qwen3VLConfig(text_config=text, vision_config=vision, image_token_id=IMAGE, **special)
        return Qwen3VLForConditionalGeneration(plan)

    least, more = (weights(model(inner)) for inner in (1, 2))
    return model(max(1, 1 + (parameters - least) // (more - least)))


def weights(model: Any) -> int:
    """Return how many parameters a network has."""
    return sum(parameter.numel() for parameter in model.parameters())
