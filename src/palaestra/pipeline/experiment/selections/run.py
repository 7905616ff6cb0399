"""The part of the stage that compares selections: measure once, choose, make the runs that are missing.

FOLDER/experiment.toml   the effective configuration
FOLDER/base/             the base that every run starts from, and that measures the pool
FOLDER/pool/             the pool as it was measured, a run folder
FOLDER/choices.json      what each arm trains on, and what knowing it cost
FOLDER/base.json         what the base scores on the test problems
FOLDER/runs/ARM/SEED/    a run folder each; with judged.json it is done, and never made again
FOLDER/experiment.json   all figures; experiment.md and experiment.svg the same to be read
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any

from palaestra.core import config
from palaestra.core.errors import ExtraMissing
from palaestra.core.runfolder import RunFolder, write_atomic
from palaestra.core.trainer import Checkpoint
from palaestra.pipeline.experiment import clock
from palaestra.pipeline.experiment.arms import JUDGED, lend
from palaestra.pipeline.experiment.run import CONFIG, JSON, MARKDOWN, Experimented, Told
from palaestra.pipeline.experiment.selections import outcome, tables
from palaestra.pipeline.experiment.selections.choices import choices
from palaestra.pipeline.experiment.selections.design import SelectionsConfig
from palaestra.pipeline.experiment.selections.exam import Exam, base
from palaestra.pipeline.experiment.selections.outcome import JUDGING
from palaestra.pipeline.pretrain import CHECKPOINTS, pretrain
from palaestra.pipeline.standing import Standing
from palaestra.pipeline.train import TrainConfig, train
from palaestra.training.embedded import checkpoint as stored

PICTURE = "experiment.svg"


def experiment(
    design: SelectionsConfig, out: Path, told: Told, arms: Sequence[str] = (), seeds: int | None = None
) -> Experimented:
    """Make the runs of a comparison that are missing, and tell what all of them came to.

    Args:
        design: what is compared.
        out: the folder.
        told: what is under way.
        arms: the methods whose runs to make now, without any all of them.
        seeds: how many seeds to make now, None for all.

    Raises:
        ConfigError: there is no such arm, or no environment of the pool can be judged.
        RunFolderError: the folder cannot be written, or holds another experiment.
    """
    named = design.chosen(tuple(arms))
    folder = RunFolder.open(out, config.dump(design), CONFIG)
    shared = design.plan(design.pool, 0)
    step = told("base")
    start = pretrain(shared.base, out / "base", lambda done, total, *_: step(done, total)).checkpoint
    exam = Exam.draw(design, start)
    chosen = choices(design, start.path, out, told)
    before = base(exam, start, shared.device, out, told)
    made, wanted = 0, [arm for arm in design.methods if arm in named and arm in chosen["arms"]]
    for seed in range(design.seeds):  # seed by seed, so that a part of the table is already a comparison
        for arm in wanted:
            own = outcome.folder(out, arm, seed)
            if (seeds is None or seed < seeds) and not (own / JUDGED).exists():
                made += _made(design, exam, chosen["arms"], arm, seed, out, told)
    found = outcome.outcome(design, exam, before, chosen, out)
    folder.write_json(JSON, found)
    try:
        picture = tables.picture(found)
        folder.write(PICTURE, picture.encode())
    except ExtraMissing:
        picture = ""
    folder.write(MARKDOWN, tables.markdown(found, PICTURE if picture else "").encode())
    return Experimented(found, made, bool(picture))


def _made(
    design: SelectionsConfig, exam: Exam, chosen: Mapping[str, Any], arm: str, seed: int, out: Path, told: Told
) -> bool:
    """Make one run, and return whether it had to be trained: of two arms that chose the same one does for both."""
    own, env_ids = outcome.folder(out, arm, seed), sorted(chosen[arm][str(seed)])
    for other in chosen:
        twin = outcome.folder(out, other, seed)
        if sorted(chosen[other][str(seed)]) == env_ids and (twin / JUDGED).exists():
            for name in (clock.NAME, JUDGING, JUDGED):  # the one that says that it is done comes last
                write_atomic(own / name, (twin / name).read_bytes())
            return False
    lend(out / "base", own)
    plan = design.plan(tuple(env_ids), seed)
    _judged(exam, plan, own, _trained(plan, own, told, f"{arm}, seed {seed}"), told)
    return True


def _trained(plan: TrainConfig, folder: Path, told: Told, name: str) -> Checkpoint:
    """Train one run, or go on with it."""
    watch, step = clock.Clock(folder), told(name)

    def lapped(now: Standing) -> None:
        watch.lap(now.done)
        step(now.done, now.total)

    return train(plan, folder, lapped, warn=lambda words: None).checkpoint  # what cannot be read the exam lists


def _judged(exam: Exam, plan: TrainConfig, folder: Path, last: Checkpoint, told: Told) -> None:
    """Judge the last checkpoint of a run and write that down."""
    since = process_time()
    scores = exam.sit(last, plan.device, told("judging"))
    took = process_time() - since
    RunFolder(folder).write_json(JUDGING, took)
    RunFolder(folder).write_json(JUDGED, {"scores": scores.dump()})
    stored.keep(folder / CHECKPOINTS, [last])
