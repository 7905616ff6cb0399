"""Gradient sketches as safetensors: one tensor [M batches, K] for each environment, named by its id.

Which metric, which projection and how many live groups stand as JSON under one key of the metadata: with several, the
library orders them as it likes, and equal sketches would not give equal bytes.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from palaestra.core.errors import BadMeasurement, ExtraMissing, RunFolderError
from palaestra.core.gradient import GradientSketch
from palaestra.core.runfolder import RunFolder

NAME = "sketches.safetensors"
"""The file in a run folder; it need not be there."""


def write(folder: RunFolder, sketches: Iterable[GradientSketch]) -> None:
    """Write the sketches of a run; equal sketches give equal bytes.

    Raises:
        ExtraMissing: safetensors is not installed.
    """
    by_id = {sketch.env_id: sketch for sketch in sorted(sketches, key=lambda sketch: sketch.env_id)}
    tensors = {env_id: np.ascontiguousarray(sketch.batches_MK, np.float32) for env_id, sketch in by_id.items()}
    facts = {
        env_id: {"live_groups": sketch.live_groups, "metric": sketch.metric, "projection": sketch.projection}
        for env_id, sketch in by_id.items()
    }
    folder.write(NAME, _safetensors().numpy.save(tensors, {"sketches": json.dumps(facts, sort_keys=True)}))


def read(run: Path) -> list[GradientSketch]:
    """Return the sketches of a run in the order of their ids; none when it holds none.

    Raises:
        RunFolderError: the file is damaged.
        ExtraMissing: there is one, and safetensors is not installed.
    """
    path = run / NAME
    if not path.exists():
        return []
    library = _safetensors()
    try:
        with library.safe_open(path, framework="numpy") as file:
            facts = json.loads((file.metadata() or {})["sketches"])
            return [_sketch(env_id, file.get_tensor(env_id), facts[env_id]) for env_id in sorted(file.keys())]
    except Exception as error:  # a file may say anything
        raise RunFolderError(
            f"{path} is damaged ({type(error).__name__}: {error}); make it anew, or move it away to do without conflict"
        ) from error


def _sketch(env_id: str, batches_MK: Any, facts: Any) -> GradientSketch:
    if batches_MK.ndim != 2 or batches_MK.dtype != np.float32 or not np.isfinite(batches_MK).all():
        raise BadMeasurement(f"{env_id} is no array [M, K] of finite 32-bit numbers")
    return GradientSketch(env_id, batches_MK, int(facts["live_groups"]), str(facts["metric"]), str(facts["projection"]))


def _safetensors() -> Any:
    try:
        import safetensors.numpy
    except ImportError as error:
        raise ExtraMissing("sketches are stored with safetensors: pip install 'palaestra[run]'") from error
    return safetensors
