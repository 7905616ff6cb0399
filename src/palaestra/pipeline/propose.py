"""Stage "propose": one proposal from a log and a space, for whoever trains with another engine.

The log is what `engineer.log` says, the space a JSON Schema (`engineer.space`); nothing is played, so only what can be
read off these is validated. What is current is what the last stage was set to.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from palaestra.core.codec import cell_to_json
from palaestra.core.engineer import Engineer, Proposal
from palaestra.core.errors import ConfigError, PalaestraError
from palaestra.core.space import Settings, Space
from palaestra.engineer import named
from palaestra.engineer import space as spaces
from palaestra.engineer.chat import LanguageModel
from palaestra.engineer.evidence import Modules, cold, evidence
from palaestra.engineer.hand_schedule import HandSchedule
from palaestra.engineer.log import Log
from palaestra.engineer.log import load as load_log
from palaestra.engineer.rails import Rails, Verdict, narrow
from palaestra.envs import registry
from palaestra.pipeline import players


def engineer(name: str, space: Space, seed: int = 0) -> Engineer:
    """Return the engineer of a name, or the language model that `players.chat` knows by it, whose words are projected
    onto a space and not played.

    Raises:
        PalaestraError: neither can be had.
    """
    if ":" not in name:
        return named(name, seed)
    rivals = tuple(named(rival, seed) for rival in ("thresholds", "bandit", "no_change"))
    rails = Rails()
    return LanguageModel(
        players.chat(name)(None), lambda mixture: Verdict(narrow(mixture, space, rails)), rivals, candidates=1
    )


def propose(log: Log, space: Space, engineer: Engineer, modules: Modules) -> tuple[Proposal, bool]:
    """Return a proposal, and whether the hand schedule made it because there is nothing to read off yet."""
    start = natural(space)
    stages = tuple(replace(own, settings=_legal(own.settings, space, start)) for own in log.stages)
    told = evidence(replace(log, stages=stages), space, modules)
    current = space.distribution(stages[-1].settings if stages else start)
    instead = bool(getattr(engineer, "reads", False)) and cold(told)
    return (HandSchedule() if instead else engineer).propose(current, told, space), instead


def natural(space: Space) -> Settings:
    """Return what the scales of the house's environments say, and the easiest elsewhere."""
    specs = {}
    for part in space.parts:
        try:
            specs[part.env_id] = registry.get(part.env_id).spec
        except PalaestraError:  # somebody else's environment
            continue
    return spaces.natural(space, specs)


def _legal(settings: Settings, space: Space, start: Settings) -> Settings:
    """Return the settings of somebody's log on the grid of the space, those that it lacks as at the start."""
    return spaces.project({spaces.PARTS: dict(settings)}, space, start).settings


def read(path: Path) -> Any:
    """Return the JSON data of a file.

    Raises:
        ConfigError: it cannot be read, or is no JSON.
    """
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: cannot be read as JSON ({error})") from error


def read_log(path: Path) -> Log:
    """Return the log of a file; raises as `read` does, and where it has another form."""
    return load_log(read(path))


def read_space(path: Path) -> Space:
    """Return the space of a file; raises as `read` does, and where it is no space."""
    return spaces.load(read(path))


def told(proposal: Proposal, space: Space) -> Mapping[str, Any]:
    """Return a proposal as JSON data: its settings, and the cells of the mixture with their shares."""
    shares = proposal.distribution.probabilities()
    return {
        "settings": space.settings(proposal.distribution),
        "cells": [{**cell_to_json(cell), "weight": weight} for cell, weight in shares.items() if weight],
        "rationale": proposal.rationale,
        "projected": list(proposal.projected),
    }
