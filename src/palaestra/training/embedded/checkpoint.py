"""Everything of one instant in one folder: weights, optimiser, generator, ticket source; written whole, no pickle."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from palaestra.core.errors import RunFolderError
from palaestra.core.trainer import Checkpoint
from palaestra.training import checkpoints
from palaestra.training.checkpoints import DATA, NUMBER, TENSORS, found, keep, numbered
from palaestra.training.embedded.model import Network, Shape
from palaestra.training.embedded.tokenizer import Tokenizer

SHIPPED = Path(__file__).parent / "tiny"
"""The base that comes with the package; its model card lies beside it."""

__all__ = ["DATA", "NUMBER", "SHIPPED", "TENSORS", "Instant", "found", "keep", "numbered", "read", "write"]


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
    data = {
        "shape": asdict(now.network.shape),
        "words": list(now.tokenizer.words),
        "phrases": list(now.tokenizer.phrases),
        "rate": now.optimiser.param_groups[0]["lr"],
        "rng": now.rng.bit_generator.state,
        "rollouts": now.rollouts,
        "updates": now.updates,
        "source": source,
    }
    return checkpoints.write(folder, save(tensors), data)


def read(checkpoint: Checkpoint, at: torch.device | None = None) -> tuple[Instant, Mapping[str, Any]]:
    """Return the instant that was written, on a device or else the CPU, and the state of its ticket source.

    Raises:
        RunFolderError: there is none, its files do not belong together, or another engine wrote them.
    """
    data, weights = checkpoints.read(checkpoint)
    if data.get("engine"):
        raise RunFolderError(f"{checkpoint.path} was written by the engine {data['engine']!r}, not by the embedded one")
    try:
        now = _instant(data, load(weights), at or torch.device("cpu"))
        now.rng.bit_generator.state = data["rng"]
        now.rollouts, now.updates = int(data["rollouts"]), int(data["updates"])
        return now, {**data["source"]}
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError, SafetensorError) as error:
        raise RunFolderError(
            f"{checkpoint.path} was written by another version of the engine; make its base anew"
        ) from error


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
