"""Players and chats by name: here alone it is decided what a name means.

===========================  =========================================================================
``openai:MODEL@URL``         a model behind a server, as player and chat
``hugging-face:FOLDER``      one in this process, as it is or as a checkpoint, as player and chat
``local:NAME``, ``local:F``  a GGUF model in this process, by its name or file, as a chat alone
all others                   players of the house
===========================  =========================================================================

Answers are kept in the run's folder, so that a run that goes on does not ask for them again.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from palaestra.core.errors import ConfigError, PolicyFailed
from palaestra.core.policy import Insider, Policy
from palaestra.core.trainer import Device
from palaestra.integrations import weights
from palaestra.integrations.gguf import GGUF
from palaestra.integrations.openai import Endpoint, EndpointConfig, Player
from palaestra.pipeline.kept import Kept
from palaestra.rollout import policies
from palaestra.training import checkpoints

if TYPE_CHECKING:
    from palaestra.training.hugging_face.sampler import HuggingFacePolicy

REPLIES = "replies"
"""The folder in a run that keeps answers."""

TOKENS = 1024
"""How long a chat's reply may become."""

Opened = Callable[[Path | None], Endpoint | Kept]
"""What opens a chat with the folder that keeps its answers, if any does."""


def make(name: str, run: Path | None = None) -> Policy | Insider:
    """Return the player of a name, as written on a command line; `run` is the folder that keeps what it is told.

    Raises:
        PolicyFailed: no player has this name, or what follows its colon is missing, superfluous or unusable.
        ConfigError: the address of a server is none, or a folder holds no model.
        RunFolderError: a checkpoint is damaged, or another engine's.
        ExtraMissing: transformers is not installed.
    """
    head, _, rest = name.partition(":")
    if head == "hugging-face":
        return _hugging_face(rest)[0]
    if head != "openai":
        return policies.make(name)
    plan = EndpointConfig(*_address(rest), body={"max_tokens": TOKENS, "temperature": 1.0})
    return Player(Endpoint(plan, run / REPLIES if run is not None else None))


def chat(name: str, tokens: int = TOKENS, temperature: float = 0.0, device: Device = Device.AUTO) -> Opened:
    """Return what opens the chat of a name; a model in this process is loaded at once.

    Args:
        tokens: how long a reply of such a model may become.
        temperature: 0 takes its likeliest token; a server has its own way.
        device: where a Hugging Face model computes.

    Raises:
        ConfigError: this is no language model, there are no weights of this name, no model in the folder, or no such
            device.
        PolicyFailed: the address of a server, or a file of weights, is none.
        RunFolderError: a checkpoint is damaged, or another engine's.
        ExtraMissing: the weights were not fetched, or what runs them is not installed.
    """
    head, _, rest = name.partition(":")
    if head == "local":
        path = weights.find(rest)
        model = GGUF(path, tokens=tokens, temperature=temperature)
        return lambda folder: Kept(model, model, (path.name, path.stat().st_size), folder)
    if head == "hugging-face":
        own, mark = _hugging_face(rest, device)
        asked = replace(own, longest=tokens, temperature=temperature)
        return lambda folder: Kept(asked.chat, asked, (mark, tokens, temperature), folder)
    if head == "openai":
        plan = EndpointConfig(*_address(rest))
        return lambda folder: Endpoint(plan, folder)
    raise ConfigError(
        f"{name} cannot be asked in words; name a language model, as openai:MODEL@URL, local:smollm2 or "
        "hugging-face:FOLDER"
    )


def _hugging_face(folder: str, at: Device = Device.AUTO) -> "tuple[HuggingFacePolicy, str]":
    """Return the player of a checkpoint, or of a model as it is, and what tells it from others."""
    from palaestra.training.hugging_face import checkpoint as stored
    from palaestra.training.hugging_face import model as models
    from palaestra.training.hugging_face.sampler import HuggingFacePolicy
    from palaestra.training.hugging_face.settings import HuggingFaceConfig

    found = checkpoints.found(Path(folder))
    if found is not None:
        return HuggingFacePolicy(stored.read(found, at=at)[0].model), found.digest
    model = models.load(HuggingFaceConfig(folder), at)
    return HuggingFacePolicy(model), model.fingerprint()


def _address(text: str) -> tuple[str, str]:
    """Return url and model of ``MODEL@URL``."""
    model, _, url = text.rpartition("@")
    if not model or not url:
        raise PolicyFailed(f"'openai:{text}': write it as openai:MODEL@URL, as in openai:qwen@http://localhost:8000/v1")
    return url, model
