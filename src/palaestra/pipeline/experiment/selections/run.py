"""The part of the stage that compares selections: measure once, choose, make the runs that are missing.

FOLDER/experiment.toml   the effective configuration
FOLDER/base/             the base that every run starts from, and that measures the pool
FOLDER/pool/             the pool as it was measured, a run folder
FOLDER/choices.json      what each arm trains on, and what knowing it cost
FOLDER/base.json         what the base scores on the test problems
FOLDER/runs/ARM/SEED/    a run folder each; with judged.json it is done, and never made again
FOLDER/experiment.json   all figures; experiment.md and experiment.svg the same to be read
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import process_time

from palaestra.core import config
from palaestra.core.errors import ExtraMissing
from palaestra.core.runfolder import RunFolder, write_atomic
from palaestra.pipeline import hands
from palaestra.pipeline.experiment import clock
from palaestra.pipeline.experiment.arms import JUDGED, lend
from palaestra.pipeline.experiment.run import CONFIG, JSON, MARKDOWN, Experimented, Told
from palaestra.pipeline.experiment.selections import outcome, tables
from palaestra.pipeline.experiment.selections.choices import choices
from palaestra.pipeline.experiment.selections.design import SelectionsConfig
from palaestra.pipeline.experiment.selections.exam import Exam, base
from palaestra.pipeline.experiment.selections.outcome import JUDGING
from palaestra.pipeline.hands import Told as Progress
from palaestra.pipeline.pretrain import CHECKPOINTS, pretrain
from palaestra.pipeline.standing import Standing
from palaestra.pipeline.train import TrainConfig, train
from palaestra.training.embedded import checkpoint as stored

PICTURE = "experiment.svg"


def experiment(
    design: SelectionsConfig,
    out: Path,
    told: Told,
    arms: Sequence[str] = (),
    seeds: int | None = None,
    workers: int = 1,
) -> Experimented:
    """Make the runs of a comparison that are missing, and tell what all of them came to.

    Args:
        design: what is compared.
        out: the folder.
        told: what is under way.
        arms: the methods whose runs to make now, without any all of them.
        seeds: how many seeds to make now, None for all.
        workers: how many processes make runs side by side, with the same result.

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
    wanted = [arm for arm in design.methods if arm in named and arm in chosen["arms"]]
    # seed by seed, so that a part of the table is already a comparison
    now = [(arm, seed) for seed in range(min(seeds or design.seeds, design.seeds)) for arm in wanted]
    sets = {arm: {int(seed): tuple(sorted(ids)) for seed, ids in own.items()} for arm, own in chosen["arms"].items()}

    def made(seed: int, env_ids: Sequence[str]) -> Iterator[Path]:
        folders = (outcome.folder(out, arm, seed) for arm, own in sets.items() if own[seed] == env_ids)
        return (folder for folder in folders if (folder / JUDGED).exists())

    firsts: dict[tuple[int, tuple[str, ...]], str] = {}  # of arms that chose the same one is made
    for arm, seed in now:
        firsts.setdefault((seed, sets[arm][seed]), arm)
    jobs: dict[str, Callable[[Progress], object]] = {}
    for (seed, env_ids), arm in firsts.items():
        if not any(made(seed, env_ids)):
            own = outcome.folder(out, arm, seed)
            jobs[f"{arm}, seed {seed}"] = partial(_made, exam, design.plan(env_ids, seed), out / "base", own)
    hands.done(jobs, told, workers)
    for arm, seed in now:
        _copied(next(made(seed, sets[arm][seed])), outcome.folder(out, arm, seed))
    found = outcome.outcome(design, exam, before, chosen, out)
    folder.write_json(JSON, found)
    try:
        picture = tables.picture(found)
        folder.write(PICTURE, picture.encode())
    except ExtraMissing:
        picture = ""
    folder.write(MARKDOWN, tables.markdown(found, PICTURE if picture else "").encode())
    return Experimented(found, len(jobs), bool(picture))


def _made(exam: Exam, plan: TrainConfig, base: Path, own: Path, told: Progress) -> None:
    """Make one run: train it, or go on with it, and judge its last checkpoint."""
    lend(base, own)
    watch = clock.Clock(own)

    def lapped(now: Standing) -> None:
        watch.lap(now.done)
        told(now.done, now.total)

    last = train(plan, own, lapped, warn=lambda words: None).checkpoint  # what cannot be read the exam lists
    since = process_time()
    scores = exam.sit(last, plan.device, told)
    took = process_time() - since
    RunFolder(own).write_json(JUDGING, took)
    RunFolder(own).write_json(JUDGED, {"scores": scores.dump()})
    stored.keep(own / CHECKPOINTS, [last])


def _copied(twin: Path, own: Path) -> None:
    """Let a run stand for another arm that chose the same environments."""
    if not (own / JUDGED).exists():
        for name in (clock.NAME, JUDGING, JUDGED):  # the one that says that it is done comes last
            write_atomic(own / name, (twin / name).read_bytes())
