"""Weights, tokenizer and, where the model sees, its processor: what transformers gives, read once and frozen.

A model with a vision tower takes pictures, every other one reads the text channels alone. Only safetensors are read,
and no code that comes with a model is run.
"""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import torch
from torch import Tensor

from palaestra.core.errors import ConfigError, ExtraMissing
from palaestra.core.trainer import Device
from palaestra.training.embedded.device import device
from palaestra.training.hugging_face.recompute import recompute
from palaestra.training.hugging_face.settings import HuggingFaceConfig


@dataclass(frozen=True, eq=False)
class Model:
    """A network with what belongs to it; `processor` is None where it takes no pictures, `ends` end a reply.

    `head` is its output layer in float32: bfloat16 logits are rounded by more than a small clip.
    """

    plan: HuggingFaceConfig
    network: Any
    tokenizer: Any
    processor: Any
    ends: frozenset[int]
    head: torch.nn.Module

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        found: torch.device = self.network.device
        return found

    @property
    def pad(self) -> int:
        """The token that fills rows up."""
        found: int = self.tokenizer.pad_token_id
        return found

    def cache(self) -> Any:
        """Return an empty cache for keys and values."""
        return _transformers().DynamicCache(config=self.network.config.get_text_config())

    def logits(self, hidden: Tensor) -> Tensor:
        """Return the float32 logits [..., vocabulary] that follow from last hidden states [..., width]."""
        logits: Tensor = self.head(hidden.float())
        return logits

    def spell(self, reply: str) -> tuple[int, ...]:
        """Return the tokens of a reply that somebody else has written, and its end."""
        own = self.tokenizer.eos_token_id  # of several ends, the one that its conversations were tuned with
        end = own if own in self.ends else min(self.ends)
        return (*self.tokenizer(reply, add_special_tokens=False).input_ids, end)

    def fingerprint(self) -> str:
        """Return a digest of names, shapes and the first values of all weights, the same in either precision."""
        digest = sha256()
        for name, tensor in self.network.state_dict().items():
            digest.update(f"{name}{tuple(tensor.shape)}".encode())
            digest.update(tensor.flatten()[:8].bfloat16().float().cpu().numpy().tobytes())
        return digest.hexdigest()[:16]


def load(plan: HuggingFaceConfig, at: Device = Device.AUTO) -> Model:
    """Return a model as it is before any training.

    Raises:
        ConfigError: it cannot be read, has no chat template, or the device is not there.
        ExtraMissing: transformers is not installed.
    """
    where, hub = device(at), _transformers()
    with _readable(plan.model):
        kind = _kind(config := hub.AutoConfig.from_pretrained(plan.model))
        network = kind.from_pretrained(plan.model, dtype=getattr(torch, plan.precision), use_safetensors=True)
        processor = hub.AutoProcessor.from_pretrained(plan.model) if _eyes(config) else None
        tokenizer = processor.tokenizer if processor is not None else hub.AutoTokenizer.from_pretrained(plan.model)
    return wrapped(plan, network.to(where), tokenizer, processor)


def sees(plan: HuggingFaceConfig) -> bool:
    """Tell whether a model takes pictures.

    Raises:
        ConfigError: it cannot be read.
    """
    with _readable(plan.model):
        return _eyes(_transformers().AutoConfig.from_pretrained(plan.model))


def wrapped(plan: HuggingFaceConfig, network: Any, tokenizer: Any, processor: Any = None) -> Model:
    """Return a network that is at hand already.

    Raises:
        ConfigError: it has no chat template, no token that ends a reply, or changes what its output layer gives.
    """
    if not (getattr(processor, "chat_template", None) or tokenizer.chat_template):
        raise ConfigError(f"model = {plan.model!r} has no chat template; choose one that was tuned for conversations")
    said = network.generation_config.eos_token_id
    ends = frozenset([said] if isinstance(said, int) else said or ()) | frozenset(
        [tokenizer.eos_token_id] if tokenizer.eos_token_id is not None else ()
    )
    if not ends:
        raise ConfigError(f"model = {plan.model!r} names no token that ends a reply; set eos_token_id in its folder")
    tokenizer.padding_side = "left"
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.convert_ids_to_tokens(min(ends))
    network.eval().requires_grad_(False)
    if plan.recompute:
        recompute(network.get_decoder().layers)
    head = network.get_output_embeddings()
    if head.weight.dtype is not torch.float32:
        head = copy.deepcopy(head).float()
    model = Model(plan, network, tokenizer, processor, ends, head)
    with torch.no_grad():
        asked = torch.tensor([[min(ends)]], device=model.device)
        own, ours = network(input_ids=asked).logits, model.logits(network.base_model(input_ids=asked).last_hidden_state)
    if (own - ours).abs().max() > 0.01 * ours.abs().max():  # bfloat16 alone is off by a fifth of that
        raise ConfigError(
            f"model = {plan.model!r} scales or caps the logits of its output layer, which is not supported; choose one "
            "that does not"
        )
    return model


def outline(plan: HuggingFaceConfig, attach: Callable[[Any], object]) -> dict[str, Any] | None:
    """Return how many parameters a model has and trains, without its weights; None where it is not at hand.

    Raises:
        ConfigError: what is to be trained is not there.
        ExtraMissing: transformers is not installed.
    """
    try:
        config = _transformers().AutoConfig.from_pretrained(plan.model, local_files_only=True)
    except (OSError, ValueError):
        return None
    with torch.device("meta"):
        network = _kind(config).from_config(config)
        parameters = sum(one.numel() for one in network.parameters())
        attach(network)
    trained = sum(one.numel() for one in network.parameters() if one.requires_grad)
    return {"architecture": type(network).__name__, "parameters": parameters, "trained": trained}


def _transformers() -> Any:
    try:
        import transformers
    except ImportError as error:
        raise ExtraMissing("a Hugging Face model needs transformers: pip install 'palaestra[hf]'") from error
    transformers.utils.logging.set_verbosity_error()  # its progress and advice would mix with ours
    transformers.utils.logging.disable_progress_bar()
    return transformers


def _eyes(config: Any) -> bool:
    return hasattr(config, "vision_config")


def _kind(config: Any) -> Any:
    hub = _transformers()
    return hub.AutoModelForImageTextToText if _eyes(config) else hub.AutoModelForCausalLM


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Turn what transformers says of a model that it cannot read into one line."""
    try:
        yield
    except (OSError, ValueError, KeyError, ImportError, RuntimeError) as error:
        why = str(error).strip().partition("\n")[0] or type(error).__name__
        raise ConfigError(
            f"model = {name!r} cannot be read ({why[:200]}); name a folder with config.json, safetensors and a "
            "tokenizer, or a model on a hub that can be reached"
        ) from error
