"""The section on engineers: what each arm's stages came to, part by part, what was set, and why.

Rates of one run have their interval over problems; an arm's mean, least and most are over its seeds.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from math import nan
from typing import Any

import numpy as np

from palaestra.core.space import WEIGHT
from palaestra.evaluation.figures.sheet import INK, LINE, MAIN, MUTED, SMALL, label, ramp, raster, sheet, ticks, widest
from palaestra.evaluation.report import Figure, Section, Table

TITLE = "Engineers: who set what was trained on"

WHEN = ("before", "after")

WORDS = (
    "Every arm starts from the same base and mixture, spends the same rollouts in the same stages, and is judged on "
    "the same problems. Valid: all conditions of a problem are met; optimal: at the least cost, where that is measured."
)

ENDS = (
    "Valid before and after, part by part in their order: the line is the mean over seeds after the last stage, the "
    "band goes from the worst seed to the best; dashed and grey is the base that all start from."
)

COURSE = (
    "What each engineer set, and what came of it. One block for each arm (its first seed), in it one row for each "
    "part; stages run from left to right. First the weight of a part, then its dials; the last panel is the share of "
    "validation problems that were won after the stage. The colours of a panel go from its least to its most, the same "
    "for all arms; nothing is drawn where a dial holds a word."
)

WIDE, TALL, GAP, ROW, CELL = 132.0, 92.0, 16.0, 4, 11.0
"""Width and height of a panel and the room between two, panels in a row, height of a part's row [pixels]."""


def engineers(data: Mapping[str, Any]) -> Section:
    """Return the section of a comparison, from what `engineer.json` holds.

    Raises:
        LookupError, TypeError, ValueError: it holds something else.
    """
    arms = data["arms"]
    parts = sorted({part for own in arms.values() for part in own["parts"]}, key=_counting)
    ends = tuple((name, own["engineer"], *(_spread(own[w]) for w in (*WHEN, "optimal"))) for name, own in arms.items())
    by_part = tuple(
        (name, seed, part, *(_rate(run[when]["parts"][part][what]) for what in ("valid", "optimal") for when in WHEN))
        for name, own in arms.items() for seed, run in own["seeds"].items() for part in parts
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
            *((_ends(arms, parts), _course(arms, parts, data["stages"])) if parts else ()),
            Table("Before and after", ("arm", "engineer", "valid before", "valid after", "optimal after"), ends, True),
            Table("Part by part", ("arm", "seed", "part", "valid before", "after", "optimal before", "after"), by_part),
            Table("What was set, weight first", ("arm", "seed", "part", *stages), steps),
            Table("What was proposed", ("arm", "seed", "stage", "by", "why", "changed", "note"), said),
        ),
    )


def _counting(name: str) -> list[str | int]:
    """Return what sorts names by the numbers in them.

    >>> sorted(["size 10", "size 9"], key=_counting)
    ['size 9', 'size 10']
    """
    return [int(word) if word.isdecimal() else word for word in re.split(r"(\d+)", name)]


def _ends(arms: Mapping[str, Any], parts: Sequence[str]) -> Figure:
    """Return the figure of success by part, one panel for each arm."""
    rows, left, top, under = -(-len(arms) // ROW), 34.0, 26.0, 40.0
    with sheet(left + ROW * (WIDE + GAP), top + rows * (TALL + top) + under - top) as paper:
        for place, (name, own) in enumerate(arms.items()):
            row, column = divmod(place, ROW)
            x, y = left + column * (WIDE + GAP), top + row * (TALL + top)
            axes = paper.panel(x, y, WIDE, TALL)
            axes.set(xlim=(-0.3, len(parts) - 0.7), ylim=(-0.02, 1.02))
            axes.grid(axis="y", color=LINE, linewidth=0.6)
            axes.set_axisbelow(True)
            ticks(axes.yaxis, 4)
            if column:
                axes.set_yticklabels([])
            before_SP, after_SP = (
                np.array([[_valid(run[when], part) for part in parts] for run in own["seeds"].values()])
                for when in WHEN
            )
            numbers = np.arange(len(parts))
            axes.plot(numbers, before_SP.mean(axis=0), color=MUTED, linewidth=1.6, dashes=(4, 3))
            axes.fill_between(numbers, after_SP.min(axis=0), after_SP.max(axis=0), color=MAIN, alpha=0.2, linewidth=0)
            axes.plot(numbers, after_SP.mean(axis=0), color=MAIN, linewidth=1.6, marker="o", markersize=3)
            paper.text(x, y - 10, label(name), size=SMALL + 1, color=INK)
        last = f"{label(parts[0])} to {label(parts[-1])}" if parts else "no part"
        paper.text(left, paper.height - 8, f"parts: {last}", size=SMALL + 1, color=MUTED)
        told = ", ".join(f"{label(name)} {_spread(own['after'])}" for name, own in arms.items())
        return Figure(paper.svg("engineers-ends", "Valid before and after by part", f"After: {told}."), ENDS)


def _course(arms: Mapping[str, Any], parts: Sequence[str], stages: int) -> Figure:
    """Return the figure of what was set, stage by stage."""
    runs = {name: next(iter(own["seeds"].values()))["trajectory"] for name, own in arms.items()}
    held = [stage["settings"].get(part, {}) for run in runs.values() for stage in run for part in parts]
    dials = tuple(dict.fromkeys(name for own in held for name in own if name != WEIGHT))
    shown: dict[str, Callable[[Any, str], float]] = {
        dial: lambda stage, part, dial=dial: _number(stage["settings"].get(part, {}).get(dial))  # type: ignore[misc]
        for dial in (WEIGHT, *dials)
    }
    shown["won"] = lambda stage, part: _number(stage["validated"].get(part, {}).get("value"))
    names, tall = [label(part) for part in parts], CELL * len(parts)
    left, top, step = widest(names, SMALL) + 8, 44.0, 26.0
    wide = max(76.0, min(WIDE, 14.0 * stages))
    with sheet(left + len(shown) * (wide + GAP), top + len(runs) * (tall + step)) as paper:
        for column, (what, value) in enumerate(shown.items()):
            grid_ASP = np.array([[[value(s, part) for part in parts] for s in run[:stages]] for run in runs.values()])
            known = grid_ASP[np.isfinite(grid_ASP)]
            low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
            x = left + column * (wide + GAP)
            paper.text(x, 10, label(what), size=SMALL + 1, color=INK)
            paper.text(x, 24, f"{low:.2g} to {high:.2g}", size=SMALL, color=MUTED)
            for number, (name, grid_SP) in enumerate(zip(runs, grid_ASP, strict=True)):
                y = top + number * (tall + step) + 8
                axes = paper.panel(x, y, wide, tall)
                raster(axes, ramp(grid_SP.T, low, high), (0, len(grid_SP), len(parts), 0))
                if not column:
                    axes.set_yticks(np.arange(len(parts)) + 0.5, names, fontsize=SMALL - 1)
                    paper.text(x, y - 7, label(name), size=SMALL, color=INK)
        alt = f"Weights, dials and validation of {len(parts)} parts over {stages} stages for {len(runs)} arms."
        return Figure(paper.svg("engineers-course", "What was set, stage by stage", alt), COURSE)


def _valid(exam: Mapping[str, Any], part: str) -> float:
    return float(exam["parts"][part]["valid"]["value"])


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else nan


def _settings(own: Mapping[str, Any]) -> str:
    return ", ".join([f"{float(own.get(WEIGHT, 0)):.2f}", *(f"{k} {v}" for k, v in own.items() if k != WEIGHT)])


def _rate(own: Mapping[str, Any] | None) -> str:
    return "unmeasured" if own is None else f"{own['value']:.3f} [{own['low']:.3f}, {own['high']:.3f}], n = {own['n']}"


def _spread(own: Mapping[str, Any] | None) -> str:
    if own is None:
        return "unmeasured"
    return f"{own['mean']:.3f} ({own['least']:.3f} to {own['most']:.3f}), {own['seeds']} seeds"
