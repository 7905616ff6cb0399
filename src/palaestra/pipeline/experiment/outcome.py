"""``experiment.json``: what the runs of an experiment came to, as a fold over their folders.

A value of one run has its count and interval over problems; over the seeds of an arm there are mean, least and most.
What a run took in seconds stands apart under `clock`: all else is the same when the experiment is repeated.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from palaestra.core.runfolder import RunFolder
from palaestra.evaluation.compare import compare
from palaestra.evaluation.scores import Scores
from palaestra.pipeline import records
from palaestra.pipeline.experiment import clock
from palaestra.pipeline.experiment.arms import JUDGED, Run
from palaestra.pipeline.experiment.design import ExperimentConfig
from palaestra.pipeline.experiment.pilot import Plan
from palaestra.pipeline.tracking import MEASURED

HELD = ("H4", "H1", "H0", "grey")
"""What the last checkpoint plays: without help, with it, and with grey pictures."""


def outcome(design: ExperimentConfig, plan: Plan, runs: Sequence[Run], out: Path) -> dict[str, Any]:
    """Return what is known of an experiment by now, as JSON data.

    Raises:
        RunFolderError: a file of a run is damaged.
    """
    judged = {run: data for run in runs if (data := records.stored(run.folder(out) / JUDGED, dict)) is not None}
    flat = {(run.problem, run.seed): data for run, data in judged.items() if run.arm == design.baseline}
    done = {run: _run(data, flat.get((run.problem, run.seed)), run.folder(out)) for run, data in judged.items()}
    problems = {}
    for name, own in design.problems.items():
        arms = {arm: _arm({run.seed: told for run, told in done.items() if (run.problem, run.arm) == (name, arm)})
                for arm in design.names}  # fmt: skip
        problems[name] = {
            "environment": own.environment,
            "scale": own.scale,
            "seeds": own.seeds,
            "contexts": plan.contexts[name],
            "base": plan.gates[name],
            "arms": {arm: told for arm, told in arms.items() if told["seeds"]},
        }
    return {
        "baseline": design.baseline,
        "updates": plan.updates,
        "rollouts": plan.rollouts,
        "problems": problems,
        "missing": [[run.problem, run.arm, run.seed] for run in runs if run not in done],
        "clock": _clock(done, out),
    }


def spread(values: Iterable[float]) -> dict[str, float] | None:
    """Return mean, least and most over seeds, None without any.

    >>> spread([0.5, 0.25])
    {'mean': 0.375, 'least': 0.25, 'most': 0.5, 'seeds': 2}
    """
    found = list(values)
    return {"mean": fmean(found), "least": min(found), "most": max(found), "seeds": len(found)} if found else None


def _run(judged: Mapping[str, Any], flat: Mapping[str, Any] | None, folder: Path) -> dict[str, Any]:
    """Return what one run came to; `flat` is what its seed came to in the baseline."""
    less = flat and compare(Scores.load(judged["scores"]), Scores.load(flat["scores"])).json()
    learning = _learning(folder, [point["updates"] for point in judged["curve"]])
    return {name: judged[name] for name in ("curve", *HELD, "probe")} | {"difference": less, "learning": learning}


def _learning(folder: Path, updates: Sequence[int]) -> dict[str, Any] | None:
    """Return the share of groups with a signal between checkpoints, and the means of what else events tell."""
    events = [event for event in RunFolder(folder).events() if event["event"] == "update"]
    if not events:
        return None
    parts = [[e for e in events if low < e["updates"] <= high] for low, high in pairwise(updates)]
    live = [sum(e["live"] for e in part) / sum(e["groups"] for e in part) for part in parts]
    means = {term: [e[term] for e in events if e.get(term) is not None] for term in MEASURED}
    return {"live": live, **{term: fmean(values) for term, values in means.items() if values}}


def _arm(seeds: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the runs of an arm on a problem, and what they have in common."""
    runs = seeds.values()
    learning = [run["learning"] for run in runs if run["learning"]]
    points = zip(*(run["curve"] for run in runs), strict=True)
    return {
        "seeds": {str(seed): run for seed, run in seeds.items()},
        **{name: spread(run[name]["value"] for run in runs) for name in HELD},
        "difference": spread(run["difference"]["difference"]["value"] for run in runs if run["difference"]),
        "beyond": [seed for seed, run in seeds.items() if run["difference"] and run["difference"]["beyond"]],
        "curve": [
            {**{k: at[0][k] for k in ("updates", "rollouts")}, "success": spread(p["success"]["value"] for p in at)}
            for at in points
        ],
        "live": [spread(part) for part in zip(*(own["live"] for own in learning), strict=True)],
        **{term: spread(own[term] for own in learning if term in own) for term in MEASURED},
    }


def _clock(done: Mapping[Run, Mapping[str, Any]], out: Path) -> dict[str, Any]:
    """Return the processor seconds at each point of the curves, by problem, arm and seed."""
    told: dict[str, dict[str, dict[str, list[float]]]] = {}
    for run, own in done.items():
        laps = [0.0, *clock.seconds(run.folder(out))]
        last = own["curve"][-1]["updates"]
        at = [laps[(len(laps) - 1) * point["updates"] // last] for point in own["curve"]]
        told.setdefault(run.problem, {}).setdefault(run.arm, {})[str(run.seed)] = [round(s, 2) for s in at]
    return told
