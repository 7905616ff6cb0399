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
from palaestra.evaluation.figures.selection import Chosen
from palaestra.evaluation.judged import Judged
from palaestra.measure.conflict import cosines
from palaestra.pipeline import course, drift, evaluate, profiles, records, select, sketches
from palaestra.pipeline.records import Course

ENGINEERED = "engineer.json"

FILES = (profiles.NAME, sketches.NAME, select.NAME, course.NAME, evaluate.NAME, ENGINEERED)
"""What a report is made of."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a run folder holds; `files` names what was there to read, of which the rest is made.

    `chosen` is the selection that counts, `methods` the last one of every method, that one first.
    """

    name: str
    files: frozenset[str]
    configs: Mapping[str, str]
    profiles: tuple[AbilityProfile, ...]
    cosines: Mapping[tuple[str, str], Cosine]
    chosen: Chosen | None
    methods: Mapping[str, Chosen]
    course: Course | None
    judged: Judged | None
    engineered: Mapping[str, Any] | None
    checkpoints: tuple[str, ...]
    drift: str = ""

    @property
    def picked(self) -> list[str]:
        """The ids of the picks, in their order."""
        return self.chosen.env_ids if self.chosen else []

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
    chosen, methods = records.stored(run / select.NAME, records.chosen), {}
    if chosen:
        others = sorted((run / select.EVERY).glob("*.json"))
        read_ = {path.stem: records.stored(path, records.chosen) for path in others}
        methods = {chosen.method: chosen} | {name: one for name, one in read_.items() if one and name != chosen.method}
    found = Found(
        run.resolve().name,
        files,
        configs,
        tuple(profiles.read(run)) if profiles.NAME in files else (),
        {pair: matrix.pair(*pair) for pair in pairs} if matrix else {},
        chosen,
        methods,
        records.stored(run / course.NAME, records.course),
        records.stored(run / evaluate.NAME, records.judged),
        records.stored(run / ENGINEERED, dict),
        _checkpoints(run / "checkpoints"),
        records.stored(run / drift.NAME, drift.sentences) or "",
    )
    known = {own.env_id for own in found.profiles}
    for method, one in methods.items():
        if known and (lost := set(one.env_ids) - known):
            file = select.NAME if one is chosen else f"{select.EVERY}/{method}.json"
            raise RunFolderError(
                f"{run / file} picks {min(lost)}, which has no profile; select again: palaestra select {run} "
                f"--method {method}"
            )
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
