"""The section on engineers: what each arm's stages came to, part by part, what was set, and why.

Rates of one run have their interval over problems; an arm's mean, least and most are over its seeds.
"""

from collections.abc import Mapping
from typing import Any

from palaestra.core.space import WEIGHT
from palaestra.evaluation.report import Section, Table

TITLE = "Engineers: who set what was trained on"

WHEN = ("before", "after")

WORDS = (
    "Every arm starts from the same base and mixture, spends the same rollouts in the same stages, and is judged on "
    "the same problems. Valid: all conditions of a problem are met; optimal: at the least cost, where that is measured."
)


def engineers(data: Mapping[str, Any]) -> Section:
    """Return the section of a comparison, from what `engineer.json` holds.

    Raises:
        LookupError, TypeError, ValueError: it holds something else.
    """
    arms = data["arms"]
    names = [part for own in arms.values() for part in own["parts"]]
    parts = tuple(dict.fromkeys(names))
    ends = tuple((name, own["engineer"], *(_spread(own[w]) for w in (*WHEN, "optimal"))) for name, own in arms.items())
    by_part = tuple(
        (name, seed, part, *(_rate(run[when]["parts"][part][what]) for what in ("valid", "optimal") for when in WHEN))
        for name, own in arms.items() for seed, run in own["seeds"].items() for part in run["after"]["parts"]
    )  # fmt: skip
    steps = tuple(
        (name, seed, part, *(_settings(stage["settings"].get(part, {})) for stage in run["trajectory"]))
        for name, own in arms.items() for seed, run in own["seeds"].items() for part in parts
    )  # fmt: skip
    said = tuple(
        (name, seed, str(own["stage"]), own["by"], own["rationale"][:200], "; ".join(own["diff"])[:300], own["note"])
        for name, arm in arms.items() for seed, run in arm["seeds"].items() for own in run["proposals"]
    )  # fmt: skip
    stages = tuple(f"stage {k}" for k in range(data["stages"]))
    return Section(
        "engineers",
        TITLE,
        (
            WORDS,
            Table("Before and after", ("arm", "engineer", "valid before", "valid after", "optimal after"), ends, True),
            Table("Part by part", ("arm", "seed", "part", "valid before", "after", "optimal before", "after"), by_part),
            Table("What was set, weight first", ("arm", "seed", "part", *stages), steps),
            Table("What was proposed", ("arm", "seed", "stage", "by", "why", "changed", "note"), said),
        ),
    )


def _settings(own: Mapping[str, Any]) -> str:
    return ", ".join([f"{float(own.get(WEIGHT, 0)):.2f}", *(f"{k} {v}" for k, v in own.items() if k != WEIGHT)])


def _rate(own: Mapping[str, Any] | None) -> str:
    return "unmeasured" if own is None else f"{own['value']:.3f} [{own['low']:.3f}, {own['high']:.3f}], n = {own['n']}"


def _spread(own: Mapping[str, Any] | None) -> str:
    if own is None:
        return "unmeasured"
    return f"{own['mean']:.3f} ({own['least']:.3f} to {own['most']:.3f}), {own['seeds']} seeds"
