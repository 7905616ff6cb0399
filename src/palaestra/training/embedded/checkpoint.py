"""Everything of one instant in one folder: weights, optimiser, generator, ticket source; written whole, no pickle."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from palaestra.core.errors import RunFolderError
from palaestra.core.trainer import Checkpoint
from palaestra.training import checkpoints
from palaestra.training.checkpoints import DATA, NUMBER, TENSORS, found, keep, numbered, remove
from palaestra.training.embedded.model import Network, Shape
from palaestra.training.embedded.pretrain import Course
from palaestra.training.embedded.tokenizer import Tokenizer

SHIPPED = Path(__file__).parent / "tiny"
"""The base that comes with the package; its model card lies beside it."""

MADE = ("pool", "budget")
"""What a base says of how it was made: the digests of what it met, and the contexts that it learnt."""

__all__ = ["DATA", "NUMBER", "SHIPPED", "TENSORS", "Instant", "found", "keep", "numbered", "read", "remove", "write"]


@dataclass(eq=False)
class Instant:
    """What a training run is at one instant; `made` says of its base what it met, and for how long."""

    network: Network
    tokenizer: Tokenizer
    optimiser: torch.optim.AdamW
    rng: np.random.Generator
    rollouts: int = 0
    updates: int = 0
    made: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def new(network: Network, tokenizer: Tokenizer, rate: float, seed: int) -> "Instant":
        """Return the instant before the first update."""
        # the large epsilon keeps still what hardly ever sees a gradient, half of all coordinates: it would only drift
        optimiser = torch.optim.AdamW(network.parameters(), rate, betas=(0.95, 0.99), eps=1e-4, weight_decay=0.01)
        return Instant(network, tokenizer, optimiser, np.random.default_rng(seed))


def write(folder: Path, now: Instant, source: Mapping[str, Any]) -> Checkpoint:
    """Write an instant."""
    data = {
        "rate": now.optimiser.param_groups[0]["lr"],
        "rng": now.rng.bit_generator.state,
        "rollouts": now.rollouts,
        "source": source,
        **now.made,
    }
    return _write(folder, now.network, now.tokenizer, [now.optimiser], {**data, "updates": now.updates})


def write_course(folder: Path, course: Course) -> Checkpoint:
    """Write a warm start under way beside the one before, and then remove that: a kill always leaves a whole one."""
    optimisers = [optimiser for optimiser, _ in course.optimisers]
    own = folder / f"{course.done:06}"
    written = _write(own, course.network, course.tokenizer, optimisers, {"updates": course.done})
    keep(folder, [written])
    return written


def _write(
    folder: Path,
    network: Network,
    tokenizer: Tokenizer,
    optimisers: Sequence[torch.optim.Optimizer],
    more: Mapping[str, Any],
) -> Checkpoint:
    tensors = {f"network.{name}": tensor.contiguous() for name, tensor in network.state_dict().items()}
    for number, optimiser in enumerate(optimisers):
        for index, moment in optimiser.state_dict()["state"].items():
            own = {f"optimiser.{number}.{index}.{name}": torch.as_tensor(value) for name, value in moment.items()}
            tensors |= {name: value.contiguous() for name, value in own.items()}
    words = {"words": list(tokenizer.words), "phrases": list(tokenizer.phrases)}
    return checkpoints.write(folder, save(tensors), {"shape": asdict(network.shape), **words, **more})


def read(checkpoint: Checkpoint, at: torch.device | None = None) -> tuple[Instant, Mapping[str, Any]]:
    """Return an instant and the state of its ticket source.

    Raises:
        RunFolderError: there is none, its files do not belong together, or another engine wrote them.
    """
    data, tensors = _read(checkpoint)
    with _ours(checkpoint):
        network, tokenizer = _network(data, tensors, at)
        now = Instant.new(network, tokenizer, data["rate"], 0)
        _restore(now.optimiser, 0, tensors)
        now.rng.bit_generator.state = data["rng"]
        now.rollouts, now.updates = int(data["rollouts"]), int(data["updates"])
        now.made = {name: data[name] for name in MADE if name in data}
        return now, {**data["source"]}


def read_course(checkpoint: Checkpoint, course: Course) -> None:
    """Bring a warm start to where it was when it was written.

    Raises:
        RunFolderError: as `read`.
    """
    data, tensors = _read(checkpoint)
    with _ours(checkpoint):
        course.network.load_state_dict(_part(tensors, "network."))
        for number, (optimiser, _) in enumerate(course.optimisers):
            _restore(optimiser, number, tensors)
        course.done = int(data["updates"])


def _read(checkpoint: Checkpoint) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    data, weights = checkpoints.read(checkpoint)
    if data.get("engine"):
        raise RunFolderError(f"{checkpoint.path} was written by the engine {data['engine']!r}, not by the embedded one")
    with _ours(checkpoint):
        return data, load(weights)


@contextmanager
def _ours(checkpoint: Checkpoint) -> Iterator[None]:
    """Say of a checkpoint that cannot be understood that another version wrote it."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError, SafetensorError) as error:
        raise RunFolderError(
            f"{checkpoint.path} was written by another version of the engine; make its base anew"
        ) from error


def _network(
    data: Mapping[str, Any], tensors: Mapping[str, torch.Tensor], at: torch.device | None
) -> tuple[Network, Tokenizer]:
    network = Network(Shape(**data["shape"])).to(at or torch.device("cpu"))
    network.load_state_dict(_part(tensors, "network."))
    return network, Tokenizer(tuple(data["words"]), tuple(data["phrases"]))


def _restore(optimiser: torch.optim.Optimizer, number: int, tensors: Mapping[str, torch.Tensor]) -> None:
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in _part(tensors, f"optimiser.{number}.").items():
        index, field = name.split(".")
        moments.setdefault(int(index), {})[field] = tensor
    optimiser.load_state_dict({"state": moments, "param_groups": optimiser.state_dict()["param_groups"]})


def _part(tensors: Mapping[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
