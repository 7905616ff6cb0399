"""Profiles as JSON, by environment; whoever has logs of another engine writes this file and goes on from there.

    {"a/b": {"core": {"plan": 0.9}, "soft": {"count": 0.2}, "edges": [["plan", "count", 3]], "support": {"": 40}}}

`edges` and `support` may be missing. `core.profile` says what each means.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaestra.core import config
from palaestra.core.errors import ConfigError, RunFolderError
from palaestra.core.profile import AbilityProfile
from palaestra.core.runfolder import RunFolder
from palaestra.envs import held_out

NAME = "profiles.json"
"""The file in a run folder."""


@dataclass(frozen=True)
class _Stored:
    """One profile as it stands in the file."""

    core: dict[str, float]
    soft: dict[str, float]
    edges: tuple[Any, ...] = ()
    support: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for ability, share in [*self.core.items(), *self.soft.items()]:
            if not 0 <= share <= 1:
                raise ConfigError(f"a share of {share} shows {ability!r}; shares lie in [0, 1]")
        if both := sorted(self.core.keys() & self.soft.keys()):
            raise ConfigError(f"{both[0]!r} is core and soft; make it one of them")
        if few := [ability for ability, count in self.support.items() if count < 0]:
            raise ConfigError(f"the support of {few[0]!r} is negative; it counts trajectories")


def write(folder: RunFolder, profiles: Iterable[AbilityProfile]) -> None:
    """Write the profiles of a run; equal profiles give equal bytes."""
    folder.write_json(
        NAME,
        {
            profile.env_id: {
                "core": dict(profile.core),
                "soft": dict(profile.soft),
                "edges": sorted([*edge, count] for edge, count in profile.edges.items()),
                "support": dict(profile.support),
            }
            for profile in profiles
        },
    )


def read(run: Path) -> list[AbilityProfile]:
    """Return the profiles of a run, equal to those that were written, in the order of their ids.

    Raises:
        RunFolderError: there are none, or the file is damaged.
    """
    path = run / NAME
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            raise ConfigError("found no JSON object; profiles stand in one, by environment")
        return [_profile(env_id, data[env_id]) for env_id in sorted(data)]
    except FileNotFoundError:
        raise RunFolderError(f"{run} holds no {NAME}; palaestra measure --out {run} makes one") from None
    except OSError as error:
        raise RunFolderError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, OverflowError, RecursionError) as error:  # a file may say anything
        raise RunFolderError(f"{path} is damaged: {error}; mend it, or measure again") from error


def allowed(env_ids: Iterable[str]) -> None:
    """Refuse environments that are held out.

    Raises:
        ConfigError: one of them is.
    """
    if kept := sorted(held_out.HELD_OUT.intersection(env_ids)):
        raise ConfigError(f"{kept[0]} is held out for evaluation: never measured, selected or trained on; leave it out")


def core_abilities(profiles: Iterable[AbilityProfile]) -> list[str]:
    """Return the abilities that are core in any of some environments."""
    return sorted({ability for profile in profiles for ability in profile.core})


def _profile(env_id: str, data: Any) -> AbilityProfile:
    if not isinstance(data, dict):
        raise ConfigError(f"{env_id}: found {data!r}; wanted a profile")
    found = config.build(data, _Stored, where=env_id)
    return AbilityProfile(env_id, found.core, found.soft, dict(_edge(env_id, e) for e in found.edges), found.support)


def _edge(env_id: str, edge: Any) -> tuple[tuple[str, str], int]:
    match edge:
        case [str() as one, str() as other, int() as count] if count > 0:
            return (one, other), count
    raise ConfigError(f"{env_id}: edge {edge!r}; wanted two abilities and how often the second followed the first")
