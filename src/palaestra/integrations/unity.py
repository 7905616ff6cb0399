"""Unity ML-Agents: a mixture as `environment_parameters`, the block of its YAML that says what environments are set to.

What a mixture sets to one value becomes a constant; of several, `multirangeuniform` has a short interval at each value,
as long as its share, because that sampler chooses intervals in proportion to their lengths. The value nearest to a
number that Unity draws is then the value meant. Unity draws each parameter for itself, whenever it is read: shares of
values are kept, which values go together is not, so that a mixture of parts is best given as `lessons`, one setting
after the other.

Source: `EnvironmentParameterSettings` and `SamplerFactory` of ML-Agents, release 20 and later. Departures: none.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from palaestra.core.distribution import Distribution
from palaestra.core.errors import ConfigError
from palaestra.core.space import RUNG, SCALE, Space

WORDS = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"}
"""What YAML 1.1 takes for something else than a text."""

BLOCK = "environment_parameters"
"""The block's name in a trainer's configuration."""


def parameters(mixture: Distribution, space: Space) -> dict[str, Any]:
    """Return the block as data, one parameter for each knob.

    Raises:
        ConfigError: a knob is set to a text, a dial has a name of the house's, or a cell is not of the space.
    """
    return {BLOCK: {name: _sampler(name, own, space) for name, own in _shares(mixture, space).items()}}


def lessons(
    stages: Sequence[Distribution],
    space: Space,
    behavior: str,
    thresholds: Sequence[float],
    *,
    measure: str = "reward",
    episodes: int = 100,
) -> dict[str, Any]:
    """Return the block of a curriculum: one lesson for each stage, and every parameter moves on by the same rule.

    Args:
        stages: what each lesson plays, all with the same knobs.
        space: the space that they are of.
        behavior: the behaviour whose success ends a lesson.
        thresholds: of every lesson but the last, what `measure` must exceed.
        measure: `reward`, the smoothed mean of the return, or `progress`, the share of all steps that are over.
        episodes: how many of a lesson are played at least.

    Raises:
        ConfigError: thresholds do not fit the stages, or the stages one another; or as `parameters` does.
    """
    if len(thresholds) != len(stages) - 1 or measure not in ("reward", "progress"):
        raise ConfigError(
            f"{len(stages)} lessons with {len(thresholds)} thresholds by {measure!r}; give one threshold fewer than "
            "lessons, and measure reward or progress"
        )
    if measure == "progress" and not all(0 <= threshold <= 1 for threshold in thresholds):
        raise ConfigError(f"thresholds {list(thresholds)} by progress; that is a share of all steps, from 0 to 1")
    found: dict[str, list[dict[str, Any]]] = {}
    for k, stage in enumerate(stages):
        criteria: dict[str, Any] = {}
        if k < len(thresholds):
            rule = {"measure": measure, "behavior": behavior, "signal_smoothing": measure == "reward"}
            criteria = {"completion_criteria": {**rule, "min_lesson_length": episodes, "threshold": thresholds[k]}}
        for name, own in _shares(stage, space).items():
            lesson = {"name": f"stage{k}", **criteria, "value": _sampler(name, own, space)}
            found.setdefault(name, []).append(lesson)
    if uneven := [name for name, own in found.items() if len(own) < len(stages)]:
        raise ConfigError(f"{uneven[0]} is set in some stages only; lessons need every knob in each")
    return {BLOCK: {name: {"curriculum": own} for name, own in found.items()}}


def text(data: Mapping[str, Any]) -> str:
    """Return data as YAML: blocks of mappings, and all else as JSON, which YAML contains.

    >>> print(text({"environment_parameters": {"mass": 0.5, "gravity": {"sampler_type": "uniform"}}}), end="")
    environment_parameters:
      mass: 0.5
      gravity:
        sampler_type: "uniform"
    """
    return "".join(f"{line}\n" for line in _lines(data))


def _lines(data: Mapping[str, Any], indent: str = "") -> list[str]:
    found: list[str] = []
    for name, value in data.items():
        key = indent + (name if name.isidentifier() and name.lower() not in WORDS else json.dumps(name))
        if isinstance(value, Mapping):
            found += [f"{key}:", *_lines(value, f"{indent}  ")]
        elif isinstance(value, list) and value and all(isinstance(own, Mapping) for own in value):
            found.append(f"{key}:")
            for own in value:
                first, *rest = _lines(own, f"{indent}  ")
                found += [f"{indent}- {first.strip()}", *rest]
        else:
            found.append(f"{key}: {_plain(value)}")
    return found


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_plain, value))}]"
    told = json.dumps(value, allow_nan=False)
    is_short = isinstance(value, float) and "." not in told
    return told.replace("e", ".0e") if is_short else told  # YAML 1.1 takes 1e-05 for a text


def _shares(mixture: Distribution, space: Space) -> dict[str, dict[float, float]]:
    """Return by knob the share of each value."""
    if {dial.name for part in space.parts for dial in part.dials} & {SCALE, RUNG}:
        raise ConfigError(f"a dial is called {SCALE} or {RUNG}, which are the house's own; give it another name")
    found: dict[str, dict[float, float]] = {}
    for cell, share in mixture.probabilities().items():
        if share and space.owner(cell) is None:
            raise ConfigError(f"{cell.env_id} with {dict(cell.knobs)} is not in the space")
        for name, value in cell.knobs if share else ():
            if isinstance(value, str):
                raise ConfigError(f"{name} is {value!r}; parameters of Unity are numbers: give a dial of numbers")
            own = found.setdefault(name, {})
            own[value] = own.get(value, 0.0) + share
    return found


def _sampler(name: str, shares: Mapping[float, float], space: Space) -> Any:
    """Return what draws values with such shares."""
    legal = sorted(_legal(name, space))
    if len(shares) == 1:
        return next(iter(shares))
    largest = max(shares.values())
    room = min(after - before for before, after in pairwise(legal)) / 2
    intervals = []
    for value, share in sorted(shares.items()):
        length = room * share / largest
        low = min(max(value - length / 2, legal[0]), legal[-1] - length)  # nothing beyond what may be set
        intervals.append([round(low, 9), round(low + length, 9)])
    return {"sampler_type": "multirangeuniform", "sampler_parameters": {"intervals": intervals}}


def _legal(name: str, space: Space) -> set[float]:
    """Return every value that a knob may take anywhere in the space."""
    allowed = (value for part in space.parts for value in part.allowed.get(name, ()))
    return {value for value in allowed if not isinstance(value, str)}
