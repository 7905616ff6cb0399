"""What selection looks at beside profiles: sketches as mean gradients, texts of environments, stored trajectories.

RUN/sketches.safetensors            mean gradients: conflict, and the scores of `doge`
RUN/descriptions.json, code.json    texts by environment, {"a/b": "Walk to the goal."}; where one is missing, it is
                                    what the registered environment tells a player, or its source
RUN/weak/, RUN/strong/              what the profiles were made of: other profiles of the same play, for inclusion
"""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from palaestra.core.environment import Environment
from palaestra.core.errors import BadMeasurement, ConfigError
from palaestra.core.gradient import GradientSketch
from palaestra.core.profile import AbilityProfile
from palaestra.core.ticket import Group
from palaestra.envs import registry
from palaestra.measure.conflict import measurable
from palaestra.measure.profiles import profile
from palaestra.measure.resampled import resampled
from palaestra.pipeline import records
from palaestra.rollout.store import read
from palaestra.selection.conflict import Gradients
from palaestra.selection.method import Evidence

PLAYERS = ("weak", "strong")
"""The folders of a run that hold what its profiles were made of."""


def evidence(run: Path, method: str, env_ids: Sequence[str], gradients: Gradients | None) -> Evidence:
    """Return what a method may look at; texts are read for those that compare them only.

    Raises:
        RunFolderError: a file is damaged.
        EnvironmentFailed: a registered environment cannot be loaded.
    """
    return Evidence(
        _texts(run / "descriptions.json", env_ids, _told) if method == "k_center_description" else {},
        _texts(run / "code.json", env_ids, _source) if method == "k_center_code" else {},
        gradients,
    )


def mean_gradients(pulls: Sequence[GradientSketch]) -> Gradients | None:
    """Return the mean gradients of the environments that are measured, None without any.

    Raises:
        BadMeasurement: the sketches do not belong together.
    """
    live = [pull for pull in pulls if measurable(pull)]
    kinds = {(pull.batches_MK.shape[1], pull.metric, pull.projection) for pull in live}
    if len(kinds) > 1:
        raise BadMeasurement(f"sketches of {len(kinds)} kinds, {sorted(kinds)}: only those of one can be compared")
    if not live:
        return None
    return Gradients([pull.env_id for pull in live], np.array([pull.batches_MK.mean(axis=0) for pull in live]))


def redrawn(run: Path, profiles: Sequence[AbilityProfile], draws: int, seed: int) -> list[list[AbilityProfile]]:
    """Return the profiles as other instances might have made them, `draws` times; none where nothing can be resampled.

    That takes the trajectories of every environment, and profiles that were made of their events.

    Raises:
        BrokenShard: what was played is damaged.
        ExtraMissing: pyarrow is not installed.
    """
    if not draws:
        return []
    played: dict[str, list[Group]] = {}
    for player in PLAYERS:
        for group in read(run / player):
            played.setdefault(group.ticket.cell.env_id, []).append(group)
    for own in profiles:
        if profile(own.env_id, played.get(own.env_id, [])) != own:
            return []
    parts = [resampled(own.env_id, played[own.env_id], draws, seed) for own in profiles]
    return [list(drawn) for drawn in zip(*parts, strict=True)]


def _texts(path: Path, env_ids: Sequence[str], of: Callable[[Environment[Any, Any]], str]) -> dict[str, str]:
    texts = records.stored(path, _by_id) or {}
    known = set(registry.ids()).difference(texts)
    return {**texts, **{env_id: of(registry.get(env_id)) for env_id in env_ids if env_id in known}}


def _by_id(data: Any) -> Mapping[str, str]:
    if not isinstance(data, dict) or not all(isinstance(text, str) for text in data.values()):
        raise ConfigError(f"found {json.dumps(data)[:60]}; wanted a text for each environment")
    return data


def _told(env: Environment[Any, Any]) -> str:
    """Return what a player is told before the first turn."""
    view = env.view(env.public(env.reset(env.spec.instance(0, 0))), 0)
    return f"{env.spec.title}. {view.task} {view.rules}"


def _source(env: Environment[Any, Any]) -> str:
    """Return the program of an environment; of one that has a folder to itself, all files of it."""
    file = Path(inspect.getfile(type(env)))
    files = sorted(file.parent.glob("**/*.py")) if file.name == "__init__.py" else [file]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)
