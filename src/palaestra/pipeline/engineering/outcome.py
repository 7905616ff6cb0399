"""``engineer.json``: what the runs of a comparison came to.

A rate of one run has its count and interval over problems; over the seeds of an arm there are mean, least and most.
*Valid* is success; *optimal* is counted where an environment says what a success cost, and unmeasured elsewhere.
Seconds stand apart under `clock`: all else is the same when the comparison is repeated.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from palaestra.core.rate import Rate
from palaestra.engineer.log import Counts
from palaestra.pipeline.engineering.design import EngineeringConfig
from palaestra.pipeline.experiment import clock
from palaestra.pipeline.experiment.outcome import spread

NAME = "engineer.json"

WHEN = ("before", "after")


def outcome(
    design: EngineeringConfig, results: Mapping[str, Mapping[int, Mapping[str, Any]]], out: Path
) -> dict[str, Any]:
    """Return what is known of a comparison by now, as JSON data."""
    costs = any(
        own["optimal"] is not None
        for of_arm in results.values()
        for result in of_arm.values()
        for when in WHEN
        for own in result[when].values()
    )
    return {
        "stages": design.stages,
        "updates": design.stages * design.updates,
        "rollouts": design.stages * design.rollouts,
        "arms": {name: _arm(design, name, own, costs) for name, own in results.items() if own},
        "missing": [[name, seed] for name, own in results.items() for seed in design.runs(name) if seed not in own],
        "clock": {
            name: {
                str(seed): round(laps[-1], 1)
                for seed in own
                if (laps := clock.seconds(out / "runs" / name / str(seed)))
            }
            for name, own in results.items()
        },
    }


def rates(counts: Iterable[Counts], costs: bool) -> dict[str, Any]:
    """Return success and optimality of some problems as JSON data.

    Optimality is None where any part lacks it. A part without success is not optimal either, if `costs` are told of
    anywhere in the comparison.

    >>> found = rates([Counts(10, 4, optimal=2), Counts(10, 2, optimal=None)], costs=True)
    >>> found["valid"]["value"], found["optimal"], rates([Counts(10, 0)], costs=False)["optimal"]
    (0.3, None, None)
    """
    every = [*counts]
    n = sum(own.n for own in every)
    known = [own.optimal if own.successes or not costs else 0 for own in every]
    optimal = None if None in known else Rate(sum(k for k in known if k is not None), n).json()
    return {"valid": Rate(sum(own.successes for own in every), n).json(), "optimal": optimal}


def _arm(design: EngineeringConfig, name: str, results: Mapping[int, Mapping[str, Any]], costs: bool) -> dict[str, Any]:
    seeds = {str(seed): _run(own, costs) for seed, own in results.items()}
    return {
        "engineer": design.arms[name].engineer,
        "seeds": seeds,
        **{when: spread(own[when]["all"]["valid"]["value"] for own in seeds.values()) for when in WHEN},
        "optimal": spread(
            own["after"]["all"]["optimal"]["value"] for own in seeds.values() if own["after"]["all"]["optimal"]
        ),
        "parts": {
            part: spread(own["after"]["parts"][part]["valid"]["value"] for own in seeds.values())
            for part in next(iter(seeds.values()))["after"]["parts"]
        },
    }


def _run(result: Mapping[str, Any], costs: bool) -> dict[str, Any]:
    told: dict[str, Any] = {key: result[key] for key in ("proposals", "updates", "rollouts", "probed", "digest")}
    told["trajectory"] = [
        {"settings": own["settings"], "note": own["note"],
         **{side: {part: Rate(c["successes"], c["n"]).json() for part, c in own[side].items()}
            for side in ("trained", "validated")}}
        for own in result["stages"]
    ]  # fmt: skip
    for when in WHEN:
        counts = {part: Counts(**own) for part, own in result[when].items()}
        parts = {part: rates([own], costs) for part, own in counts.items()}
        told[when] = {"all": rates(counts.values(), costs), "parts": parts}
    return told
