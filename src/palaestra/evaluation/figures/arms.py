"""The figure of an experiment: success by rollouts of every arm on one problem, each beside the baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from palaestra.evaluation.figures.sheet import INK, LINE, MAIN, MUTED, SMALL, Axes, label, sheet, ticks
from palaestra.evaluation.report import Figure

CAPTION = (
    "Success on {problem} without help by rollouts, on test problems. Each panel shows one arm: the line is its mean "
    "over seeds, the band goes from the worst seed to the best; dashed and grey is {baseline}, the same in every panel."
)

WIDE, TALL, GAP, ROW = 132.0, 92.0, 16.0, 4
"""Width and height of a panel and the room between two [pixels]; panels in a row."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Success of one arm: mean, least and most over its seeds, each by rollouts; all of one length."""

    rollouts: Sequence[float]
    mean: Sequence[float]
    least: Sequence[float]
    most: Sequence[float]


def arms(curves: Mapping[str, Curve], baseline: str, problem: str, name: str) -> Figure:
    """Return the figure of some arms by name; `name` tells it from other figures.

    Raises:
        ExtraMissing: matplotlib is not installed.
    """
    rows = -(-len(curves) // ROW)
    left, top, under = 34.0, 26.0, 40.0
    end = max(curve.rollouts[-1] for curve in curves.values())
    most = max(0.05, *(max(curve.most) for curve in curves.values()))
    with sheet(left + ROW * (WIDE + GAP), top + rows * (TALL + top) + under - top) as paper:
        for place, (arm, curve) in enumerate(curves.items()):
            row, column = divmod(place, ROW)
            x, y = left + column * (WIDE + GAP), top + row * (TALL + top)
            axes = paper.panel(x, y, WIDE, TALL)
            axes.set(xlim=(0, end), ylim=(0, most * 1.05))
            axes.grid(axis="y", color=LINE, linewidth=0.6)
            axes.set_axisbelow(True)
            ticks(axes.yaxis, 4)
            if column:
                axes.set_yticklabels([])
            if place + ROW >= len(curves):
                ticks(axes.xaxis, 2, whole=True)
            if baseline in curves:
                _drawn(axes, curves[baseline], MUTED, dashes=(4, 3))
            if arm != baseline:
                _drawn(axes, curve, MAIN)
            paper.text(x, y - 10, label(arm), size=SMALL + 1, color=INK)
        paper.text(left, paper.height - 8, "rollouts", size=SMALL + 1, color=MUTED)
        last = ", ".join(f"{label(arm)} {curve.mean[-1]:.3f}" for arm, curve in curves.items())
        svg = paper.svg(name, f"Success by rollouts on {label(problem)}", f"At the end, mean over seeds: {last}.")
    return Figure(svg, CAPTION.format(problem=label(problem), baseline=label(baseline)))


def _drawn(axes: Axes, curve: Curve, colour: str, **style: object) -> None:
    x, mean, least, most = (np.asarray(own, float) for own in (curve.rollouts, curve.mean, curve.least, curve.most))
    axes.fill_between(x, least, most, color=colour, alpha=0.2, linewidth=0)
    axes.plot(x, mean, color=colour, linewidth=1.6, **style)
