"""Stage "report": whatever a run folder holds, as one page that needs nothing else, and the same numbers as Markdown.

    RUN/report.html, RUN/report.md

It reads files and draws the environments that they name; it computes nothing that the files do not imply, and any file
may be missing: its section then says which command makes it. The same files give the same bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from palaestra.core.errors import EnvironmentFailed, UnknownEnvironment
from palaestra.core.runfolder import RunFolder
from palaestra.envs import held_out, registry
from palaestra.evaluation.figures import abilities, conflict, coverage, curriculum, engineers, pool, scores, selection
from palaestra.evaluation.report import Code, Section, Table, markdown, page
from palaestra.pipeline import course, evaluate, found, profiles, records, select, sketches
from palaestra.pipeline.found import Found

PAGE, MARKDOWN = "report.html", "report.md"

MAKES = {
    profiles.NAME: "palaestra measure --out RUN",
    sketches.NAME: "palaestra measure --out RUN --checkpoint CHECKPOINT",
    select.NAME: "palaestra select RUN",
    course.NAME: "palaestra train CONFIG --out RUN",
    evaluate.NAME: "palaestra evaluate RUN",
}
"""Which command makes which file."""


@dataclass(frozen=True, slots=True)
class Reported:
    """Where a report stands, and its sections, of which some may lack a file."""

    page: Path
    markdown: Path
    sections: tuple[Section, ...]

    def json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "report": str(self.page),
            "markdown": str(self.markdown),
            "sections": [own.name for own in self.sections if not own.missing],
            "missing": [own.name for own in self.sections if own.missing],
        }


def report(run: Path) -> Reported:
    """Write the report of a run folder.

    Raises:
        RunFolderError: it is no run, a file is damaged, or the folder cannot be written.
        ExtraMissing: matplotlib is not installed, or what a file needs to be read.
    """
    held = found.read(run)
    title = f"Palaestra report: {held.name}"
    sections = tuple(_section(held, *part) for part in PARTS)
    if held.engineered is not None:  # a comparison by itself, which no run of another kind lacks
        with records.damaged(run / found.ENGINEERED):
            sections += (engineers.engineers(held.engineered),)
    folder = RunFolder(run)
    folder.write(MARKDOWN, markdown(title, sections).encode())
    folder.write(PAGE, page(title, sections).encode())
    return Reported(run / PAGE, run / MARKDOWN, sections)


def _section(held: Found, name: str, title: str, needs: tuple[str, ...], make: Callable[[Found], Section]) -> Section:
    """Return a section, or what it lacks."""
    lacking = next((file for file in needs if file not in held.files), None)
    return make(held) if lacking is None else Section(name, title, (), (lacking, MAKES[lacking]))


def _about(held: Found) -> Section:
    facts = [("environments", f"{len(held.env_ids)} named by the files of this run")]
    if held.profiles:
        played = sum(own.support.get("", 0) for own in held.profiles)
        facts.append(("profiles", f"{played} trajectories, {len(held.profiles)} environments"))
    if held.chosen:
        facts.append(("selection", f"{len(held.picked)} environments by {held.chosen.method}"))
    if held.course:
        last = held.course.history[-1]
        facts.append(("training", f"{last.rollouts} rollouts, {last.updates} updates, by {held.course.name}"))
    if held.checkpoints:
        facts.append(("checkpoints", ", ".join(held.checkpoints)))
    blocks = []
    if judged := held.judged:
        facts.append(("evaluation", f"{judged.problems} problems, suite {judged.suite}, seed {judged.seed}"))
        facts.append(("scales left out", str(len(judged.left_out))))
        scales: dict[tuple[str, str], list[int]] = {}
        for env_id, scale, why in judged.left_out:
            scales.setdefault((env_id, why), []).append(scale)
        left = tuple((env_id, ", ".join(map(str, own)), why) for (env_id, why), own in scales.items())
        blocks.append(Table("What was left out of the evaluation, and why", ("environment", "scales", "reason"), left))
    told = Table("In numbers", ("part", "what the files say"), tuple(facts), opened=True)
    configurations = (Code(name, text) for name, text in held.configs.items())
    return Section("about", "What was run", (told, *blocks, *configurations))


def _pool(held: Found) -> Section:
    here, absent = {}, {}
    for env_id in held.env_ids:
        try:
            here[env_id] = registry.get(env_id)
        except UnknownEnvironment:
            absent[env_id] = "not registered here"
        except EnvironmentFailed:  # its author's to mend; `palaestra check` says how
            absent[env_id] = "cannot be loaded"
    return pool.pictures(pool.cards(held.env_ids, here, absent), held.picked, held_out.HELD_OUT)


def _abilities(held: Found) -> Section:
    profiled = {own.env_id for own in held.profiles}
    sketched = {env_id for pair in held.cosines for env_id in pair}
    return abilities.abilities(held.profiles, held.picked, sorted(sketched - profiled))


def _conflict(held: Found) -> Section:
    sketched = {env_id for pair in held.cosines for env_id in pair}
    without = [own.env_id for own in held.profiles if own.env_id not in sketched]
    section = conflict.conflict(held.cosines, held.picked, without)
    return replace(section, blocks=(*section.blocks, held.drift)) if held.drift else section


def _selection(held: Found) -> Section:
    assert held.chosen is not None  # its file was read
    return selection.selection(held.chosen)


def _coverage(held: Found) -> Section:
    return coverage.coverage(held.profiles, {method: one.env_ids for method, one in held.methods.items()})


def _curriculum(held: Found) -> Section:
    told = held.course
    assert told is not None  # its file was read
    cells = sorted(told.final.items(), key=lambda item: (-item[1], item[0].env_id, item[0].scale))
    rows = tuple(
        (own.env_id, str(own.scale), own.harness.name, own.learn.name if own.learn else "the same", f"{weight:.4f}")
        for own, weight in cells
    )
    final = Table("The last distribution", ("environment", "scale", "rollouts see", "the update sees", "weight"), rows)
    return curriculum.curriculum(told.history, told.environments, told.name, final)


def _scores(held: Found) -> Section:
    assert held.judged is not None  # its file was read
    return scores.scores(held.judged, held_out.HELD_OUT)


PARTS: tuple[tuple[str, str, tuple[str, ...], Callable[[Found], Section]], ...] = (
    ("about", "What was run", (), _about),
    ("pool", pool.TITLE, (), _pool),
    ("abilities", abilities.TITLE, (profiles.NAME,), _abilities),
    ("conflict", conflict.TITLE, (sketches.NAME,), _conflict),
    ("selection", selection.TITLE, (select.NAME,), _selection),
    ("coverage", coverage.TITLE, (profiles.NAME, select.NAME), _coverage),
    ("curriculum", curriculum.TITLE, (course.NAME,), _curriculum),
    ("scores", scores.TITLE, (evaluate.NAME,), _scores),
)
"""The sections in their order: name, title, the files it needs, and what makes it."""
