"""Stage "select": from the profiles of a run, and its sketches when there are any, to the environments to train on.

It reads files only, so profiles may come from anywhere; it writes `selection.json`, and selecting again replaces that.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from palaestra.core.errors import ConfigError, RunFolderError, nearest
from palaestra.core.profile import AbilityProfile
from palaestra.core.runfolder import RunFolder
from palaestra.core.selection import Pick, Selection
from palaestra.measure.conflict import cosines
from palaestra.pipeline import profiles, sketches
from palaestra.pipeline.profiles import core_abilities
from palaestra.selection import METHODS
from palaestra.selection.objective import saturation

NAME = "selection.json"
"""The file in a run folder."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A selection, beside the profiles it was made from."""

    selection: Selection
    profiles: tuple[AbilityProfile, ...]

    def curve(self) -> list[int]:
        """Return how many core abilities are covered after each pick."""
        by_id = {profile.env_id: profile for profile in self.profiles}
        picked = [by_id[env_id] for env_id in self.selection.env_ids]
        return [len(core_abilities(picked[: n + 1])) for n in range(len(picked))]

    def json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        chosen = self.selection
        return {
            "method": chosen.method,
            "picks": [_described(pick) for pick in chosen.picks],
            "covered": sorted(chosen.covered),
            "core_abilities": core_abilities(self.profiles),
            "unmeasured": sorted(chosen.unmeasured),
            "cost": dict(chosen.cost),
            "saturation": saturation(chosen),
        }


def select(run: Path, method: str = "aes", k: int | None = None, seed: int = 0) -> Selected:
    """Select from a run folder by the method of a name, and write the selection there.

    Raises:
        ConfigError: there is no such method, or a profile is of an environment that is held out.
        RunFolderError: profiles are missing, or a file is damaged.
        BadCandidates: the profiles or `k` make no choice.
        BadMeasurement: the sketches do not belong together.
    """
    name = method.replace("-", "_")
    if name not in METHODS:
        raise ConfigError(f"no method is called {method!r}{nearest(name, METHODS)}")
    found = profiles.read(run)
    known = {profile.env_id for profile in found}
    profiles.allowed(known)
    pulls = [sketch for sketch in sketches.read(run) if sketch.env_id in known]
    conflict = cosines(pulls).conflict() if pulls else {}
    selected = Selected(METHODS[name](found, conflict, k, seed), tuple(found))
    RunFolder(run).write_json(NAME, selected.json())
    return selected


def chosen(run: Path) -> tuple[str, ...]:
    """Return the environments that were selected in a run folder, none where nothing was.

    Raises:
        RunFolderError: the file is damaged.
    """
    path = run / NAME
    try:
        return tuple(str(pick["env_id"]) for pick in json.loads(path.read_text(encoding="utf-8"))["picks"])
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise RunFolderError(f"{path} is damaged ({error!r}); select again") from error


def _described(pick: Pick) -> dict[str, Any]:
    """Return a pick as JSON data, without what was not computed."""
    return {name: value for name, value in asdict(pick).items() if value is not None}
