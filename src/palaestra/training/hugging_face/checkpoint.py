"""What is trained, its optimiser, the generator and the ticket source of one instant in one folder; no pickle.

The model's own weights are not copied: the card names the model, and a fingerprint of its weights tells another one.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from palaestra.core import config
from palaestra.core.errors import ConfigError, RunFolderError
from palaestra.core.trainer import Checkpoint, Device
from palaestra.training import checkpoints
from palaestra.training.hugging_face import model as models
from palaestra.training.hugging_face.lora import attach
from palaestra.training.hugging_face.model import Model
from palaestra.training.hugging_face.settings import HuggingFaceConfig

ENGINE = "hugging_face"
"""How a checkpoint names the engine that wrote it."""


@dataclass(eq=False)
class Instant:
    """What a training run is at one instant; `fingerprint` is that of the model before anything was attached."""

    model: Model
    trained: Mapping[str, torch.nn.Parameter]
    fingerprint: str
    optimiser: torch.optim.AdamW
    rng: np.random.Generator
    rollouts: int = 0
    updates: int = 0

    @staticmethod
    def new(model: Model, seed: int) -> "Instant":
        """Return the instant before the first update, with adapters that change nothing yet.

        Raises:
            ConfigError: what is to be trained is not there.
        """
        fingerprint = model.fingerprint()
        torch.manual_seed(seed)
        trained = attach(model.network, model.plan.lora)
        return Instant(model, trained, fingerprint, _optimiser(trained), np.random.default_rng(seed))

    def rested(self) -> "Instant":
        """Return it with an optimiser that has not stepped."""
        return replace(self, optimiser=_optimiser(self.trained))


def _optimiser(trained: Mapping[str, torch.nn.Parameter]) -> torch.optim.AdamW:
    return torch.optim.AdamW(trained.values(), betas=(0.9, 0.99), weight_decay=0.0)  # every update sets the rate


def write(folder: Path, now: Instant, source: Mapping[str, Any]) -> Checkpoint:
    """Write an instant; the data file comes last, so a folder without one is no checkpoint."""
    tensors = {f"trained.{name}": parameter.detach().cpu().contiguous() for name, parameter in now.trained.items()}
    for index, moment in now.optimiser.state_dict()["state"].items():
        for name, value in moment.items():
            tensors[f"optimiser.{index}.{name}"] = torch.as_tensor(value).cpu().contiguous()
    data = {
        "engine": ENGINE,
        "plan": asdict(now.model.plan),
        "fingerprint": now.fingerprint,
        "rng": now.rng.bit_generator.state,
        "rollouts": now.rollouts,
        "updates": now.updates,
        "source": source,
    }
    return checkpoints.write(folder, save(tensors), data)


def read(
    checkpoint: Checkpoint, plan: HuggingFaceConfig | None = None, at: Device = Device.AUTO
) -> tuple[Instant, Mapping[str, Any]]:
    """Return the instant that was written, and the state of its ticket source.

    Args:
        plan: how the model is asked and trained from now on, and where it lies; by default as when it was written.

    Raises:
        RunFolderError: there is none, its files do not belong together, another engine wrote them, or they were
            trained beside another model, or as another plan says.
        ConfigError: the model cannot be read, or the device is not there.
    """
    data, weights = checkpoints.read(checkpoint)
    if data.get("engine") != ENGINE:
        raise RunFolderError(f"{checkpoint.path} was not written by the engine {ENGINE}; choose another checkpoint")
    try:
        before = config.build(data["plan"], HuggingFaceConfig, str(checkpoint.path))
        fingerprint, tensors = str(data["fingerprint"]), load(weights)
    except (LookupError, TypeError, ConfigError, SafetensorError) as error:
        raise _foreign(checkpoint) from error
    plan = plan or before
    if plan.lora != before.lora:
        raise RunFolderError(f"{checkpoint.path} was trained with {before.lora}, and is asked for {plan.lora}")
    now = Instant.new(models.load(plan, at), 0)
    if now.fingerprint != fingerprint:
        raise RunFolderError(
            f"{checkpoint.path} was trained beside other weights than those of {plan.model!r}; name the model that it "
            "was trained beside"
        )
    try:
        _fill(now, tensors)
        now.rng.bit_generator.state = data["rng"]
        now.rollouts, now.updates = int(data["rollouts"]), int(data["updates"])
        return now, {**data["source"]}
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise _foreign(checkpoint) from error


def _fill(now: Instant, tensors: Mapping[str, torch.Tensor]) -> None:
    """Put what was written into an instant.

    Raises:
        ValueError: it is of other weights.
    """
    own = {name.removeprefix("trained."): one for name, one in tensors.items() if name.startswith("trained.")}
    if {name: one.shape for name, one in own.items()} != {name: one.shape for name, one in now.trained.items()}:
        raise ValueError("other weights were trained")
    with torch.no_grad():
        for name, parameter in now.trained.items():
            parameter.copy_(own[name])
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimiser."):
            _, index, field = name.split(".")
            moments.setdefault(int(index), {})[field] = tensor
    now.optimiser.load_state_dict({"state": moments, "param_groups": now.optimiser.state_dict()["param_groups"]})


def _foreign(checkpoint: Checkpoint) -> RunFolderError:
    return RunFolderError(f"{checkpoint.path} was written by another version of the engine; train it anew")
