"""Players by name: those of the house, and a model behind a server as ``openai:MODEL@URL``.

Its answers are kept in the run's folder, so that a run that goes on does not ask for them again.
"""

from pathlib import Path

from palaestra.core.errors import PolicyFailed
from palaestra.core.policy import Insider, Policy
from palaestra.integrations.openai import Endpoint, EndpointConfig, Player
from palaestra.rollout import policies

REPLIES = "replies"
"""The folder in a run that keeps a server's answers."""


def make(name: str, run: Path | None = None) -> Policy | Insider:
    """Return the player of a name, as written on a command line; `run` is the folder that keeps what it is told.

    Raises:
        PolicyFailed: no player has this name, or what follows its colon is missing, superfluous or unusable.
        ConfigError: the address of a server is none.
    """
    head, _, rest = name.partition(":")
    if head != "openai":
        return policies.make(name)
    model, _, url = rest.rpartition("@")
    if not model or not url:
        raise PolicyFailed(f"policy {name!r}: write it as openai:MODEL@URL, as in openai:qwen@http://localhost:8000/v1")
    plan = EndpointConfig(url, model, body={"max_tokens": 1024, "temperature": 1.0})
    return Player(Endpoint(plan, run / REPLIES if run is not None else None))
