"""``experiment.json`` of a comparison of selections, as a fold over the folders of its runs.

By arm and group of environments: success and normalised return with their interval over seeds, the relative gain over
the base, and two paired differences, to the baseline and to the base. Seconds stand apart under `clock` and `cost`.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from palaestra.evaluation.metrics import Measure, mean, relative_gain, succeeded
from palaestra.evaluation.scores import Scores
from palaestra.evaluation.seeds import OverSeeds, over_seeds
from palaestra.pipeline import records
from palaestra.pipeline.evaluate import success
from palaestra.pipeline.experiment import clock
from palaestra.pipeline.experiment.arms import JUDGED
from palaestra.pipeline.experiment.selections.design import SelectionsConfig
from palaestra.pipeline.experiment.selections.exam import Base, Exam

JUDGING = "judging.json"
"""Processor seconds that judging a run took."""

Runs = Mapping[int, Scores]
"""The scores of an arm by seed."""


def folder(out: Path, arm: str, seed: int) -> Path:
    """Return where a run is kept in the experiment's folder."""
    return out / "runs" / arm / str(seed)


def outcome(design: SelectionsConfig, exam: Exam, base: Base, chosen: Mapping[str, Any], out: Path) -> dict[str, Any]:
    """Return what is known of a comparison by now, as JSON data.

    Raises:
        RunFolderError: a file of a run is damaged.
    """
    every = [(arm, seed) for arm in design.methods if arm in chosen["arms"] for seed in range(design.seeds)]
    done: dict[str, dict[int, Scores]] = {}
    for arm, seed in every:
        scores = records.stored(folder(out, arm, seed) / JUDGED, lambda data: Scores.load(data["scores"]))
        if scores is not None:
            done.setdefault(arm, {})[seed] = scores
    plan = design.plan(design.pool, 0)
    arms = {
        arm: {
            "seeds": sorted(runs),
            "environments": chosen["arms"][arm],
            "groups": {name: _group(runs, done.get(design.baseline, {}), base, ids, exam.seed)
                       for name, ids in exam.groups.items() if ids},
        }
        for arm, runs in done.items()
    }  # fmt: skip
    return {
        "baseline": design.baseline,
        "k": design.k,
        "updates": design.updates,
        "rollouts": plan.budget.rollouts,
        "suite": exam.suite.digest,
        "problems": len(exam.suite.tickets),
        "unjudged": list(exam.suite.unjudged),
        "groups": {name: list(ids) for name, ids in exam.groups.items()},
        "base": {name: _alone(base, ids) for name, ids in exam.groups.items() if ids},
        "arms": arms,
        "refused": chosen.get("refused", {}),
        "measured": chosen["measured"],
        "cost": chosen["cost"],
        "missing": [[arm, seed] for arm, seed in every if seed not in done.get(arm, {})],
        "clock": {arm: {str(seed): _seconds(folder(out, arm, seed)) for seed in runs} for arm, runs in done.items()},
    }


def _alone(base: Base, ids: Sequence[str]) -> dict[str, Any]:
    own = base.scores.only(ids)
    return {"success": success(own), "return": mean(own, base.reference.normalised).json()}


def _group(runs: Runs, flat: Runs, base: Base, ids: Sequence[str], seed: int) -> dict[str, Any]:
    """Return what an arm came to on some environments; only seeds that both have made are compared."""
    own = {number: scores.only(ids) for number, scores in runs.items()}
    both = [number for number in own if number in flat]
    start = base.scores.only(ids)
    gains = [relative_gain(scores, start, seed=seed) for scores in own.values()]
    less = over_seeds([own[n] for n in both], [flat[n].only(ids) for n in both], seed=seed) if both else None
    beyond_base = over_seeds([*own.values()], [start] * len(own), seed=seed)
    return {
        "success": _means(own.values(), succeeded),
        "return": _means(own.values(), base.reference.normalised),
        "difference": less and less.json(),
        "less_base": beyond_base and beyond_base.json(),
        "gain": _over([gain.macro_mean.value for gain in gains]),
        "ratio": _over([gain.ratio_of_means.value for gain in gains]),
        "base_zero": list(gains[0].base_zero),
    }


def _means(runs: Iterable[Scores], measure: Measure) -> dict[str, Any] | None:
    return _over([mean(scores, measure).value for scores in runs])


def _over(values: Sequence[float]) -> dict[str, Any] | None:
    """Return the values of the seeds with their interval, None where one is no number: a ratio to nothing."""
    return OverSeeds(tuple(values)).json() if all(map(isfinite, values)) else None


def _seconds(run: Path) -> dict[str, float]:
    judging = records.stored(run / JUDGING, float) or 0.0
    return {"training": round(clock.seconds(run)[-1], 1), "judging": round(judging, 1)}
