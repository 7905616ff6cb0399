"""One run of an experiment: an arm on a problem with a seed, trained and judged in a run folder of its own.

    RUN/...            what `train` writes; every checkpoint until it is judged, then the last one
    RUN/clock.json     processor seconds of each update, apart from all that a resumed run repeats to the byte
    RUN/judged.json    what the checkpoints scored: a run that has it is done, and never made again

A run that was killed goes on from its last checkpoint; the reference, which imitates a teacher, is made as a whole.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palaestra.core.observation import H0, H1
from palaestra.core.runfolder import RunFolder, write_atomic
from palaestra.evaluation.blind import Blindfolded, Probe
from palaestra.evaluation.compare import compare
from palaestra.evaluation.metrics import success_rate
from palaestra.pipeline import pretrain
from palaestra.pipeline.experiment.clock import Clock
from palaestra.pipeline.experiment.design import SUPERVISED, ExperimentConfig
from palaestra.pipeline.experiment.exam import Exam
from palaestra.pipeline.experiment.imitation import imitate
from palaestra.pipeline.hands import Told
from palaestra.pipeline.standing import Standing
from palaestra.pipeline.train import TrainConfig, train
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.backend import Embedded

JUDGED = "judged.json"


@dataclass(frozen=True, slots=True)
class Run:
    """Which run of an experiment."""

    problem: str
    arm: str
    seed: int

    def folder(self, out: Path) -> Path:
        """Return where it is kept in the experiment's folder."""
        return out / "runs" / self.problem / self.arm / str(self.seed)

    def __str__(self) -> str:
        return f"{self.problem}, {self.arm}, seed {self.seed}"


def lend(base: Path, folder: Path) -> None:
    """Put a base into the folder of a run, as if it had been made there; the file that makes it whole comes last. Only
    an embedded one has a configuration of its own."""
    for name in (pretrain.NAME, *(f"{pretrain.CHECKPOINTS}/base/{file}" for file in (stored.TENSORS, stored.DATA))):
        if (base / name).exists() and not (folder / name).exists():
            write_atomic(folder / name, (base / name).read_bytes())


def made(run: Run, design: ExperimentConfig, updates: int, contexts: int, exam: Exam, out: Path, told: Told) -> None:
    """Train one run in the experiment's folder, or go on with it, and judge it; arguments are those of both."""
    own = run.folder(out)
    lend(out / "base", own)
    judged(trained(run, design, updates, contexts, own, told), design.judging.problems, exam, own)


def trained(run: Run, design: ExperimentConfig, updates: int, contexts: int, folder: Path, told: Told) -> TrainConfig:
    """Train one run in a folder that holds the base, or go on with it; return what decided it.

    Args:
        run: which one.
        design: what is compared.
        updates: how many every arm makes.
        contexts: how many the reference sees.
        folder: the run's own.
        told: of the updates.

    Raises:
        RunFolderError: the folder cannot be written, or holds another run.
    """
    if run.arm == SUPERVISED:
        assert design.supervised is not None  # or there were no such run
        plan = design.plan(run.problem, design.baseline, run.seed, updates)
        imitate(design.supervised, design.problems[run.problem], plan, contexts, folder, told)
        return plan
    plan, clock = design.plan(run.problem, run.arm, run.seed, updates), Clock(folder)

    def lapped(now: Standing) -> None:
        clock.lap(now.done)
        told(now.done, now.total)

    train(plan, folder, lapped)
    return plan


def judged(plan: TrainConfig, problems: int, exam: Exam, folder: Path) -> dict[str, Any]:
    """Judge the checkpoints of a run, write that down, and remove all but the last.

    Without help each plays so many of the exam's problems. The last one plays all of them, and again with grey pictures
    and with help: what it kept of what the base could do.
    """
    *earlier, last = found = stored.numbered(folder / pretrain.CHECKPOINTS)
    base = stored.found(folder / pretrain.CHECKPOINTS / "base")
    assert base is not None  # it was lent
    engine = Embedded(folder / pretrain.CHECKPOINTS, describe=plan.groups.describe, device=plan.device)
    policy = engine.policy(last)
    seen, grey = exam.sit(policy), exam.sit(Blindfolded(policy))
    rates = [success_rate(exam.sit(engine.policy(one), problems=problems)) for one in (base, *earlier)]
    of_one = plan.budget.rollouts // plan.updates
    told = {
        "curve": [
            {"updates": one.step, "rollouts": one.step * of_one, "success": rate.json()}
            for one, rate in zip((base, *found), (*rates, success_rate(seen)), strict=True)
        ],
        "H4": success_rate(seen).json(),
        "H1": success_rate(exam.sit(policy, H1)).json(),
        "H0": success_rate(exam.sit(policy, H0)).json(),
        "grey": success_rate(grey).json(),
        "probe": Probe(compare(seen, grey, seed=exam.seed)).json(),
        "scores": seen.dump(),
    }
    RunFolder(folder).write_json(JUDGED, told)
    stored.keep(folder / pretrain.CHECKPOINTS, [last])
    return told
