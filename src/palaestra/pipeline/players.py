"""Players by name: those of the house, a model behind a server as ``openai:MODEL@URL``, and one in this process as
``hugging-face:FOLDER``, its own or a checkpoint's. Models as chats, too.

A chat may also be ``local:NAME`` or ``local:FILE.gguf``, a model in this process. Answers are kept in the run's folder,
so that a run that goes on does not ask for them again.
"""

from collections.abc import Callable
from pathlib import Path

from palaestra.core.errors import ConfigError, PolicyFailed
from palaestra.core.policy import Insider, Policy
from palaestra.integrations import weights
from palaestra.integrations.gguf import GGUF
from palaestra.integrations.openai import Endpoint, EndpointConfig, Player
from palaestra.pipeline.kept import Kept
from palaestra.rollout import policies
from palaestra.training import checkpoints

REPLIES = "replies"
"""The folder in a run that keeps a server's answers."""


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
        return _hugging_face(rest)
    if head != "openai":
        return policies.make(name)
    plan = EndpointConfig(*_address(rest), body={"max_tokens": 1024, "temperature": 1.0})
    return Player(Endpoint(plan, run / REPLIES if run is not None else None))


def _hugging_face(folder: str) -> Policy:
    """Return the player of a checkpoint, or of a model as it is."""
    from palaestra.training.hugging_face import checkpoint as stored
    from palaestra.training.hugging_face import model as models
    from palaestra.training.hugging_face.sampler import HuggingFacePolicy
    from palaestra.training.hugging_face.settings import HuggingFaceConfig

    found = checkpoints.found(Path(folder))
    model = stored.read(found)[0].model if found is not None else models.load(HuggingFaceConfig(folder))
    return HuggingFacePolicy(model)


def chat(name: str) -> Callable[[Path], Endpoint | Kept]:
    """Return what opens the chat of a name with a folder that keeps its answers; a local model is loaded at once.

    Raises:
        ConfigError: this is no language model, or there are no weights of this name.
        PolicyFailed: the address of a server, or a file of weights, is none.
        ExtraMissing: the weights were not fetched, or what runs them is not installed.
    """
    head, _, rest = name.partition(":")
    if head == "local":
        model = GGUF(weights.find(rest))
        return lambda folder: Kept(model, folder)
    if head == "openai":
        plan = EndpointConfig(*_address(rest))
        return lambda folder: Endpoint(plan, folder)
    raise ConfigError(
        f"{name} cannot be asked in words; name a language model, as openai:MODEL@URL or local:smollm2, or take a "
        "labeler that asks nothing: events, activations"
    )


def _address(text: str) -> tuple[str, str]:
    """Return url and model of ``MODEL@URL``."""
    model, _, url = text.rpartition("@")
    if not model or not url:
        raise PolicyFailed(f"'openai:{text}': write it as openai:MODEL@URL, as in openai:qwen@http://localhost:8000/v1")
    return url, model
