"""``plan.json``: what the base can do before any training, and how many updates every run makes. Written once.

The gates come first: the base plays each problem at H4, H1 and H0. Then one update of every arm on every problem is
timed, in processor seconds, and the largest number of updates is taken that the whole table can pay for, the judging of
its checkpoints included. Later updates may cost more than the first: the hours are an estimate.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import rmtree
from time import process_time
from typing import Any

from palaestra.core.errors import ConfigError
from palaestra.core.observation import H0, H1, H4
from palaestra.core.runfolder import RunFolder
from palaestra.evaluation.metrics import success_rate
from palaestra.pipeline import records
from palaestra.pipeline.experiment.arms import Run, lend, trained
from palaestra.pipeline.experiment.clock import seconds
from palaestra.pipeline.experiment.design import ExperimentConfig, WhenUnmet
from palaestra.pipeline.experiment.exam import Exam
from palaestra.pipeline.pretrain import CHECKPOINTS
from palaestra.rollout.policies import Random
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.backend import Embedded

NAME = "plan.json"

Told = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is fixed before the first run.

    `gates` holds by problem what the base did there, and how many different contexts its groups met; `updates` and
    `rollouts` are those of every run, `contexts` by problem how many the reference sees; `seconds` are those of one
    update, by problem and arm, `judging` those of one run's judging, by problem.
    """

    gates: Mapping[str, Mapping[str, Any]]
    updates: int
    rollouts: int
    contexts: Mapping[str, int]
    seconds: Mapping[str, Mapping[str, float]]
    judging: Mapping[str, float]

    def runs(self, problem: str, design: ExperimentConfig) -> bool:
        """Return whether a problem is run."""
        return self.gates[problem]["met"] or design.gate.when_unmet is WhenUnmet.RUN


def plan(
    design: ExperimentConfig, exams: Callable[[str], Exam], out: Path, told: Callable[[str], Told],
    gated: Callable[[str, Mapping[str, Any]], None],
) -> Plan:  # fmt: skip
    """Return the plan of an experiment, after making it where it is missing.

    Args:
        design: what is compared.
        exams: the exam of a problem.
        out: the experiment's folder, which holds the base.
        told: told what is under way, and then how far.
        gated: told what the base did on a problem.

    Raises:
        ConfigError: the hours pay for nothing, or a problem has too few test problems.
        RunFolderError: the folder cannot be written, or the plan is damaged.
    """
    found = records.stored(out / NAME, lambda data: Plan(**data))
    if found is None:
        gates, judging = {}, {}
        for name in design.problems:
            gates[name], judging[name] = _gate(design, exams(name), out)
            gated(name, gates[name])
        found = _budgeted(Plan(gates, design.updates, 0, {}, {}, judging), design, out, told("pilot"))
        RunFolder(out).write_json(NAME, asdict(found))
    return found


def _gate(design: ExperimentConfig, exam: Exam, out: Path) -> tuple[dict[str, Any], float]:
    """Return what the base does on an exam, and the seconds that judging one run will take."""
    base = stored.found(out / "base" / CHECKPOINTS / "base")
    assert base is not None  # it was made before
    wanted, judging = design.gate, design.judging
    policy, problems = Embedded(out, device=design.shared.device).policy(base), judging.problems
    since = process_time()
    rates = {rung.name: success_rate(exam.sit(policy, rung, problems)) for rung in (H4, H1, H0)}
    each = (process_time() - since) / (3 * problems)
    low, high = wanted.helped
    met = rates["H4"].value < wanted.unhelped and low <= rates["H1"].value <= high
    told = {name: rate.json() for name, rate in rates.items()}
    told["random"] = success_rate(exam.sit(Random())).json()
    rollouts = design.shared.groups.rollouts
    contexts = exam.contexts(policy, rollouts, -(-problems // rollouts))
    gate = {**told, "contexts": contexts, "suite": exam.suite.digest, "met": met}
    return gate, each * (judging.checkpoints * problems + 4 * judging.at_end)


def _budgeted(plan: Plan, design: ExperimentConfig, out: Path, told: Told) -> Plan:
    """Return a plan with its budget, after a pilot unless the design fixes it."""
    names = [name for name in design.problems if plan.runs(name, design)]
    shared = design.shared
    contexts = {name: round(shared.tickets * plan.gates[name]["contexts"]) for name in design.problems}
    updates, took = design.updates, dict[str, dict[str, float]]()
    if not updates and names:
        scratch = out / "pilot"
        for number, run in enumerate(runs := [Run(name, arm, 0) for name in names for arm in design.names]):
            told(number, len(runs))
            rmtree(scratch, ignore_errors=True)  # what a pilot that was killed left there
            lend(out / "base", run.folder(scratch))
            trained(run, design, 1, contexts[run.problem], run.folder(scratch), lambda done, total: None)
            took.setdefault(run.problem, {})[run.arm] = seconds(run.folder(scratch))[-1]
        rmtree(scratch, ignore_errors=True)
        seeds = {name: design.problems[name].seeds for name in names}
        fixed = sum(seeds[name] * len(design.names) * plan.judging[name] for name in names)
        each = sum(seeds[name] * sum(took[name].values()) for name in names)
        parts = design.judging.checkpoints
        updates = int((design.cpu_hours * 3600 - fixed) / each / parts) * parts
        if updates < parts:
            raise ConfigError(
                f"cpu_hours = {design.cpu_hours} pay for no run: judging takes {fixed / 3600:.2f} hours and one update "
                f"of every run {each / 3600:.3f}; raise cpu_hours, judge less, or leave out arms, problems or seeds"
            )
    seen = {name: updates * count for name, count in contexts.items()}
    return Plan(plan.gates, updates, updates * shared.budget.rollouts, seen, took, plan.judging)
