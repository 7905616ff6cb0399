"""The stage: the folder of an experiment, and the runs that are missing in it.

    FOLDER/experiment.toml   the effective configuration
    FOLDER/base/             the base that every run starts from
    FOLDER/plan.json         what the base can do, and how many updates every run makes (`pilot`)
    FOLDER/runs/             a run folder for each problem, arm and seed (`arms`)
    FOLDER/experiment.json   all figures, with counts, intervals and seeds (`outcome`)
    FOLDER/experiment.md     the same as tables, and a picture for each problem

Runs that are done are kept and never made again, one that was killed goes on: the table may be filled part by part, by
arms, problems or seeds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from palaestra.core import config
from palaestra.core.errors import ExtraMissing
from palaestra.core.runfolder import RunFolder
from palaestra.pipeline import hands
from palaestra.pipeline.experiment import outcome, tables
from palaestra.pipeline.experiment.arms import JUDGED, Run, made
from palaestra.pipeline.experiment.design import ExperimentConfig
from palaestra.pipeline.experiment.exam import Exam
from palaestra.pipeline.experiment.pilot import Plan, plan
from palaestra.pipeline.hands import Told as Progress
from palaestra.pipeline.pretrain import pretrain

CONFIG, JSON, MARKDOWN = "experiment.toml", "experiment.json", "experiment.md"

Told = Callable[[str], Progress]
"""Told what begins; what it returns is told how much of how much is done."""

Gated = Callable[[str, Mapping[str, Any]], None]
"""Told what the base did on a problem."""


@dataclass(frozen=True, slots=True)
class Experimented:
    """What `experiment.json` holds, how many runs this call made, and whether there are pictures."""

    outcome: dict[str, Any]
    made: int
    drawn: bool


def experiment(
    design: ExperimentConfig,
    out: Path,
    told: Told,
    gated: Gated,
    arms: Sequence[str] = (),
    problems: Sequence[str] = (),
    seeds: int | None = None,
    workers: int = 1,
) -> Experimented:
    """Make the runs of an experiment that are missing, and tell what all of them came to.

    Args:
        design: what is compared.
        out: the folder.
        told: what is under way.
        gated: what the base did, before anything is trained.
        arms: those to make now, without any all of them.
        problems: likewise.
        seeds: how many of each problem's seeds to make now, None for all.
        workers: how many processes make runs side by side, with the same result.

    Raises:
        ConfigError: an arm or a problem does not exist, or the budget pays for nothing.
        RunFolderError: the folder cannot be written, or holds another experiment.
    """
    wanted, on = design.chosen(arms, problems)
    folder = RunFolder.open(out, config.dump(design), CONFIG)
    step = told("base")
    pretrain(design.shared.base, out / "base", lambda done, total, losses: step(done, total))

    @cache
    def exams(problem: str) -> Exam:
        return Exam.draw(design.problems[problem], design.judging)

    fixed = plan(design, exams, out, told, gated)
    jobs: dict[str, Callable[[Progress], object]] = {}
    for run in runs(design, fixed):
        chosen = run.problem in on and run.arm in wanted and (seeds is None or run.seed < seeds)
        if chosen and not (run.folder(out) / JUDGED).exists():
            contexts, exam = fixed.contexts[run.problem], exams(run.problem)
            jobs[str(run)] = partial(made, run, design, fixed.updates, contexts, exam, out)
    hands.done(jobs, told, workers)
    found = outcome.outcome(design, fixed, runs(design, fixed), out)
    folder.write_json(JSON, found)
    return Experimented(found, len(jobs), _written(folder, found))


def runs(design: ExperimentConfig, fixed: Plan) -> list[Run]:
    """Return every run of an experiment: seed by seed, so that a part of the table is already a comparison."""
    return [
        Run(problem, arm, seed)
        for problem, own in design.problems.items()
        if fixed.runs(problem, design)
        for seed in range(own.seeds)
        for arm in design.names
    ]


def _written(folder: RunFolder, found: Mapping[str, Any]) -> bool:
    """Write tables and pictures; return whether there is something to draw with."""
    try:
        pictures = tables.pictures(found)
    except ExtraMissing:
        pictures = {}
    for name, svg in pictures.items():
        folder.write(name, svg.encode())
    folder.write(MARKDOWN, tables.markdown(found, pictures).encode())
    return bool(pictures)
