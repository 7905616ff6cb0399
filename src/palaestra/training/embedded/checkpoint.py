"""Everything of one instant in one folder: weights, optimiser, generator, ticket source; written whole, no pickle."""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from palaestra.core.errors import RunFolderError
from palaestra.core.runfolder import write_atomic
from palaestra.core.trainer import Checkpoint
from palaestra.training.embedded.model import Network, Shape
from palaestra.training.embedded.tokenizer import Tokenizer

SHIPPED = Path(__file__).parent / "tiny"
"""The base that comes with the package; its model card lies beside it."""

TENSORS, DATA = "state.safetensors", "state.json"
NUMBER = "[0-9]" * 6
"""The folders of a training run's checkpoints: how many updates they hold."""


@dataclass(eq=False)
class Instant:
    """What a training run is at one instant."""

    network: Network
    tokenizer: Tokenizer
    optimiser: torch.optim.AdamW
    rng: np.random.Generator
    rollouts: int = 0
    updates: int = 0

    @staticmethod
    def new(network: Network, tokenizer: Tokenizer, rate: float, seed: int) -> "Instant":
        """Return the instant before the first update."""
        # the large epsilon keeps still what hardly ever sees a gradient, half of all coordinates: it would only drift
        optimiser = torch.optim.AdamW(network.parameters(), rate, betas=(0.95, 0.99), eps=1e-4, weight_decay=0.01)
        return Instant(network, tokenizer, optimiser, np.random.default_rng(seed))


def write(folder: Path, now: Instant, source: Mapping[str, Any]) -> Checkpoint:
    """Write an instant; the data file comes last, so a folder without one is no checkpoint."""
    tensors = {f"network.{name}": tensor.contiguous() for name, tensor in now.network.state_dict().items()}
    moments = now.optimiser.state_dict()["state"]
    for index, moment in moments.items():
        tensors |= {f"optimiser.{index}.{name}": torch.as_tensor(value).contiguous() for name, value in moment.items()}
    weights = save(tensors)
    data = {
        "shape": asdict(now.network.shape),
        "words": list(now.tokenizer.words),
        "phrases": list(now.tokenizer.phrases),
        "rate": now.optimiser.param_groups[0]["lr"],
        "rng": now.rng.bit_generator.state,
        "rollouts": now.rollouts,
        "updates": now.updates,
        "source": source,
        "tensors": sha256(weights).hexdigest(),
    }
    text = json.dumps(data, allow_nan=False).encode()
    write_atomic(folder / TENSORS, weights)
    write_atomic(folder / DATA, text)
    return Checkpoint(folder, now.updates, sha256(text).hexdigest())


def read(checkpoint: Checkpoint, at: torch.device | None = None) -> tuple[Instant, Mapping[str, Any]]:
    """Return the instant that was written, on a device or else the CPU, and the state of its ticket source.

    Raises:
        RunFolderError: there is none, its files do not belong together, or another engine wrote them.
    """
    try:
        text, weights = (checkpoint.path / DATA).read_bytes(), (checkpoint.path / TENSORS).read_bytes()
    except OSError as error:
        raise RunFolderError(
            f"{checkpoint.path} holds no whole checkpoint ({error.strerror}: {error.filename}); choose another one"
        ) from error
    data = _data(checkpoint.path, text)
    if sha256(text).hexdigest() != checkpoint.digest or sha256(weights).hexdigest() != data["tensors"]:
        raise RunFolderError(f"{checkpoint.path}: its files are not those of this checkpoint; choose an earlier one")
    try:
        now = _instant(data, load(weights), at or torch.device("cpu"))
        now.rng.bit_generator.state = data["rng"]
        now.rollouts, now.updates = int(data["rollouts"]), int(data["updates"])
        return now, {**data["source"]}
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError, SafetensorError) as error:
        raise RunFolderError(
            f"{checkpoint.path} was written by another version of the engine; make its base anew"
        ) from error


def _data(folder: Path, text: bytes) -> dict[str, Any]:
    """Return the data of a checkpoint from the bytes of its file, as far as all else hangs on it.

    Raises:
        RunFolderError: it is damaged, or somebody else's.
    """
    try:
        data: dict[str, Any] = json.loads(text)
        if {"updates": int, "tensors": str} == {name: type(data[name]) for name in ("updates", "tensors")}:
            return data
        why = "its fields are of other kinds"
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
    raise RunFolderError(f"{folder / DATA} is no checkpoint of this engine: {why}; choose another one, or remove it")


def _instant(data: Mapping[str, Any], tensors: Mapping[str, torch.Tensor], at: torch.device) -> Instant:
    network = Network(Shape(**data["shape"])).to(at)
    network.load_state_dict({n.removeprefix("network."): t for n, t in tensors.items() if n.startswith("network.")})
    now = Instant.new(network, Tokenizer(tuple(data["words"]), tuple(data["phrases"])), data["rate"], 0)
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimiser."):
            _, index, field = name.split(".")
            moments.setdefault(int(index), {})[field] = tensor
    now.optimiser.load_state_dict({"state": moments, "param_groups": now.optimiser.state_dict()["param_groups"]})
    return now


def numbered(folder: Path) -> list[Checkpoint]:
    """Return the whole checkpoints of a training run, oldest first; its base is none of them."""
    return [one for path in sorted(folder.glob(NUMBER)) if (one := found(path)) is not None]


def keep(folder: Path, kept: Collection[Checkpoint]) -> None:
    """Remove the other checkpoints of a training run, halves included; its base stays."""
    for path in {*folder.glob(NUMBER)} - {one.path for one in kept}:
        (path / DATA).unlink(missing_ok=True)  # first: what is left of a killed removal is no checkpoint
        rmtree(path)


def found(folder: Path) -> Checkpoint | None:
    """Return the checkpoint in a folder, None when there is none, or only the half that a kill has left.

    Raises:
        RunFolderError: its data file is damaged, somebody else's, or cannot be read.
    """
    try:
        text = (folder / DATA).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RunFolderError(f"{folder / DATA} cannot be read: {error.strerror}; choose another checkpoint") from error
    return Checkpoint(folder, _data(folder, text)["updates"], sha256(text).hexdigest())
