"""The figure of arms at the end: a forest plot, success of each arm by group of environments, seed by seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palaestra.evaluation.figures.sheet import INK, LINE, MAIN, MUTED, PAPER, SMALL, TEXT, label, sheet, ticks, widest
from palaestra.evaluation.report import Figure

CAPTION = (
    "Success on test problems without help, macro means over environments. A filled point is an arm's mean over seeds, "
    "with its 95 % interval over seeds, which may go on beyond the frame; hollow points are the seeds. The dashed line "
    "is the base that all started from."
)

WIDE, ROW, GAP, TOP = 140.0, 26.0, 16.0, 34.0
"""Width of a panel, height of an arm, room between panels and above them [pixels]."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm in one group: its value by seed, their mean, and its interval, None where it is not known."""

    seeds: Sequence[float]
    mean: float
    low: float | None
    high: float | None


def forest(groups: Mapping[str, Mapping[str, Arm]], base: Mapping[str, float], name: str) -> Figure:
    """Return the figure of some groups, each with its arms by name; `name` tells it from other figures.

    Raises:
        ExtraMissing: matplotlib is not installed.
    """
    arms = list(dict.fromkeys(arm for own in groups.values() for arm in own))
    left, tall = widest(map(label, arms), TEXT) + 12, ROW * len(arms)
    with sheet(left + (WIDE + GAP) * len(groups), TOP + tall + 44) as paper:
        for row, arm in enumerate(arms):
            paper.text(left - 10, TOP + ROW * (row + 0.5), label(arm), size=TEXT, color=INK, ha="right")
        for column, (group, own) in enumerate(groups.items()):
            x = left + column * (WIDE + GAP)
            axes = paper.panel(x, TOP, WIDE, tall)
            shown = [base[group], *(value for arm in own.values() for value in arm.seeds)]
            room = max(0.02, 0.15 * (max(shown) - min(shown)))
            low, high = max(0.0, min(shown) - room), min(1.0, max(shown) + room)
            axes.set(xlim=(low, high), ylim=(len(arms) - 0.5, -0.5))
            ticks(axes.xaxis, 3)
            axes.axvline(base[group], color=MUTED, linewidth=1.2, linestyle=(0, (4, 3)))
            for row, arm in enumerate(arms):
                axes.axhline(row + 0.5, color=LINE, linewidth=0.4)
                if drawn := own.get(arm):
                    ends = [drawn.mean if end is None else min(max(end, low), high) for end in (drawn.low, drawn.high)]
                    axes.plot(ends, [row, row], color=MAIN, linewidth=1.6)
                    point = {"color": MAIN, "linestyle": "none", "marker": "o", "clip_on": False, "zorder": 3}
                    axes.plot(drawn.seeds, [row] * len(drawn.seeds), markersize=5, markerfacecolor=PAPER, **point)
                    axes.plot([drawn.mean], [row], markersize=7, **point)
            paper.text(x, TOP - 12, label(group), size=SMALL + 1, color=INK)
        paper.text(left, paper.height - 10, "success", size=SMALL + 1, color=MUTED)
        said = ", ".join(f"{label(arm)} {own.mean:.3f}" for arm, own in next(iter(groups.values())).items())
        svg = paper.svg(name, "Success at the end, by group", f"{next(iter(groups))}: {said}; all in the tables.")
    return Figure(svg, CAPTION)
