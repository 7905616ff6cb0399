"""Who answers where an arm's engineer is a language model: kinds of chat by name, made from a table.

    [arms.local.chat]
    kind = "endpoint"                    # any server of OpenAI's protocol; a local llama.cpp or vLLM too
    url = "http://localhost:8080/v1"
    model = "..."

A kind is given its table, the run's folder, where answers may be kept, and the checkpoint of the policy that is being
trained, for those that ask the trainee itself. To add one, write such a function and name it in `CHATS`.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from palaestra.core import config
from palaestra.core.policy import Chat
from palaestra.core.trainer import Checkpoint
from palaestra.integrations.openai import Endpoint, EndpointConfig

Made = Callable[[Mapping[str, Any], Path, Checkpoint], Chat]


def endpoint(table: Mapping[str, Any], folder: Path, trainee: Checkpoint) -> Chat:
    """Return a server's model; its answers are kept, and never asked for twice."""
    return Endpoint(config.build(table, EndpointConfig, "chat"), folder / "replies")


CHATS: Mapping[str, Made] = MappingProxyType({"endpoint": endpoint})
"""Every kind of chat by name."""


def chat(table: Mapping[str, Any], folder: Path, trainee: Checkpoint) -> Chat:
    """Return the chat of a table.

    Raises:
        ConfigError: a key is unknown, or a value makes no sense.
    """
    rest = {name: value for name, value in table.items() if name != "kind"}
    return CHATS[str(table["kind"])](rest, folder, trainee)
