"""Who answers where an arm's engineer is a language model: kinds of chat by name, made from a table.

    [arms.NAME.chat]
    kind = "endpoint"                    # any server of OpenAI's protocol; a local llama.cpp or vLLM too
    url = "http://localhost:8080/v1"
    model = "..."

    kind = "local"                       # a GGUF model in this process: "smollm2", or a file
    kind = "hugging_face"                # a folder with a model; without one the base that training started from
    kind = "trainee"                     # what has just been trained, read back from its checkpoint

A kind reads its table when the configuration is read, and is made ready (a model loaded, say) before training starts;
it is then opened after each stage, with the run's folder, which keeps answers, and the checkpoint of the stage. To add
one, write such a function and name it in `CHATS`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from palaestra.core import config
from palaestra.core.errors import ConfigError
from palaestra.core.policy import Chat
from palaestra.core.trainer import Checkpoint, Device
from palaestra.integrations.openai import Endpoint, EndpointConfig
from palaestra.pipeline import players
from palaestra.pipeline.players import REPLIES, TOKENS

Opened = Callable[[Path, Checkpoint], Chat]
Ready = Callable[[], Opened]


@dataclass(frozen=True)
class Model:
    """A model in this process, and how it is asked: replies of so many `tokens`, the likeliest where `temperature` is
    0."""

    model: str = ""
    tokens: int = TOKENS
    temperature: float = 0.0

    def __post_init__(self) -> None:
        if self.tokens < 1 or self.temperature < 0:
            raise ConfigError(f"tokens = {self.tokens}, temperature = {self.temperature}; they start at 1 and at 0")

    def chat(self, name: str, device: Device) -> players.Opened:
        """Return what opens the chat of a name, asked so."""
        return players.chat(name, self.tokens, self.temperature, device)


def endpoint(table: Mapping[str, Any], device: Device) -> Ready:
    """Return a server's model."""
    plan = config.build(table, EndpointConfig, "chat")
    return lambda: lambda folder, trainee: Endpoint(plan, folder / REPLIES)


def local(table: Mapping[str, Any], device: Device) -> Ready:
    """Return a GGUF model, loaded once for all runs."""
    plan = config.build(table, Model, "chat")
    if not plan.model:
        raise ConfigError('chat.model is empty; name a model of `palaestra model fetch`, as "smollm2", or a GGUF file')
    return lambda: _loaded(plan, f"local:{plan.model}", device)


def hugging_face(table: Mapping[str, Any], device: Device) -> Ready:
    """Return a model of a folder, loaded once for all runs, or the base of the run."""
    plan = config.build(table, Model, "chat")
    if plan.model:
        return lambda: _loaded(plan, f"hugging-face:{plan.model}", device)
    return lambda: (
        lambda folder, trainee: plan.chat(f"hugging-face:{trainee.path.parent / 'base'}", device)(folder / REPLIES)
    )


def trainee(table: Mapping[str, Any], device: Device) -> Ready:
    """Return what has just been trained."""
    plan = config.build(table, Model, "chat")
    if plan.model:
        raise ConfigError(f"chat.model = {plan.model!r}; the trainee itself is asked, so leave it out")
    return lambda: lambda folder, trainee: plan.chat(f"hugging-face:{trainee.path}", device)(folder / REPLIES)


def _loaded(plan: Model, name: str, device: Device) -> Opened:
    opened = plan.chat(name, device)
    return lambda folder, trainee: opened(folder / REPLIES)


CHATS: Mapping[str, Callable[[Mapping[str, Any], Device], Ready]] = MappingProxyType(
    {"endpoint": endpoint, "local": local, "hugging_face": hugging_face, "trainee": trainee}
)
"""Every kind of chat by name."""


def of_the_run(table: Mapping[str, Any]) -> bool:
    """Tell whether a chat is what is trained in the run, or its base."""
    return table.get("kind") == "trainee" or (table.get("kind") == "hugging_face" and not table.get("model"))


def read(table: Mapping[str, Any], device: Device = Device.AUTO) -> Ready:
    """Return the chat of a table, to be made ready; a Hugging Face model computes on the device.

    Raises:
        ConfigError: there is no such kind, a key is unknown, or a value makes no sense.
    """
    rest = dict(table)
    kind = rest.pop("kind", None)
    if kind not in CHATS:
        raise ConfigError(f"chat.kind = {kind!r}; known: {', '.join(CHATS)}")
    return CHATS[kind](rest, device)
