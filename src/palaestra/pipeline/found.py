"""What a run folder holds, read whole: the one value that a report is made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tomllib import loads
from typing import Any

from palaestra.core.errors import RunFolderError
from palaestra.core.gradient import Cosine
from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Pick
from palaestra.evaluation.judged import Judged
from palaestra.measure.conflict import cosines
from palaestra.pipeline import course, evaluate, profiles, records, select, sketches
from palaestra.pipeline.records import Course

ENGINEERED = "engineer.json"

FILES = (profiles.NAME, sketches.NAME, select.NAME, course.NAME, evaluate.NAME, ENGINEERED)
"""What a report is made of."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a run folder holds; `files` names what was there to read, of which the rest is made."""

    name: str
    files: frozenset[str]
    configs: Mapping[str, str]
    profiles: tuple[AbilityProfile, ...]
    cosines: Mapping[tuple[str, str], Cosine]
    method: str
    picks: tuple[Pick, ...]
    course: Course | None
    judged: Judged | None
    engineered: Mapping[str, Any] | None
    checkpoints: tuple[str, ...]

    @property
    def picked(self) -> list[str]:
        """The ids of the picks, in their order."""
        return [pick.env_id for pick in self.picks]

    @property
    def env_ids(self) -> list[str]:
        """Every environment that some file names, picked ones first."""
        named = {own.env_id for own in self.profiles}.union(*self.cosines)
        if self.course:
            named.update(self.course.environments)
        if self.judged:
            named.update(self.judged.base.environments, (left.env_id for left in self.judged.left_out))
        return [*self.picked, *sorted(named.difference(self.picked))]


def read(run: Path) -> Found:
    """Return what a run folder holds.

    Raises:
        RunFolderError: it holds nothing that can be reported, or a file is damaged.
        ExtraMissing: there are sketches, and safetensors is not installed.
    """
    configs = {path.name: _config(path) for path in sorted(run.glob("*.toml"))}
    files = frozenset(name for name in FILES if (run / name).exists())
    if not files and not configs:
        raise RunFolderError(f"{run} holds nothing to report; give a run folder, such as palaestra measure --out makes")
    pulls = sketches.read(run)
    with records.damaged(run / sketches.NAME):
        matrix = cosines(pulls) if pulls else None
    pairs = combinations(matrix.env_ids, 2) if matrix else ()
    method, picks = records.stored(run / select.NAME, records.picks) or ("", ())
    found = Found(
        run.resolve().name,
        files,
        configs,
        tuple(profiles.read(run)) if profiles.NAME in files else (),
        {pair: matrix.pair(*pair) for pair in pairs} if matrix else {},
        method,
        picks,
        records.stored(run / course.NAME, records.course),
        records.stored(run / evaluate.NAME, records.judged),
        records.stored(run / ENGINEERED, dict),
        _checkpoints(run / "checkpoints"),
    )
    known = {own.env_id for own in found.profiles}
    if known and (lost := set(found.picked) - known):
        name = run / select.NAME
        raise RunFolderError(f"{name} picks {min(lost)}, which has no profile; select again: palaestra select {run}")
    return found


def _checkpoints(folder: Path) -> tuple[str, ...]:
    """Return the names of the checkpoints, the base first."""
    names = [path.name for path in folder.glob("[!.]*") if path.is_dir()]
    return tuple(sorted(names, key=lambda name: (name != "base", name)))


def _config(path: Path) -> str:
    with records.damaged(path):
        text = path.read_text(encoding="utf-8")
        loads(text)
    return text
