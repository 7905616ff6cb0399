"""The figure of the curriculum: how much help and how large problems each environment got, update by update."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan

import numpy as np

from palaestra.core.observation import LADDER
from palaestra.core.rate import Rate
from palaestra.evaluation.figures.sheet import (
    INK,
    LINE,
    MAIN,
    MUTED,
    SMALL,
    TEXT,
    Axes,
    Floats,
    Sheet,
    label,
    ramp,
    raster,
    sheet,
    ticks,
    widest,
)
from palaestra.evaluation.report import Figure, Section, Table

TITLE = "Harness and scale over time"

RUNGS = {harness.name: rung for rung, harness in enumerate(LADDER)}

CAPTION = (
    "One row for each environment, in training order; updates run from left to right. Left: the harness that rollouts "
    "see, as the mean rung from H0 (all help) to H4 (task and picture alone). Middle: the mean scale, 0 the easiest. "
    "A colour holds from one entry of the history to the next. Right: the share of judged rollouts that succeeded "
    "since the entry before, under whatever harness and scale were then in use. The problem changes along the way: a "
    "line that stays level while help goes and scale grows is progress, and a line that rises may be easier problems."
)


@dataclass(frozen=True, slots=True)
class Share:
    """What a curriculum gives one environment: its share of tickets, and within it of each harness and scale."""

    share: float
    harness: Mapping[str, float]
    scale: Mapping[int, float]

    @property
    def rung(self) -> float:
        """Return the mean rung of the ladder; not a number where no harness is one of its rungs."""
        return _mean({RUNGS[name]: weight for name, weight in self.harness.items() if name in RUNGS})

    @property
    def mean_scale(self) -> float:
        """Return the mean scale."""
        return _mean(self.scale)


@dataclass(frozen=True, slots=True)
class Moment:
    """One entry of a curriculum's history: what it gives from now on, and what was played since the entry before."""

    updates: int
    rollouts: int
    environments: Mapping[str, Share]
    played: Mapping[str, Rate]


def curriculum(history: Sequence[Moment], env_ids: Sequence[str], name: str, final: Table) -> Section:
    """Return the section of a curriculum's history; `final` lists the cells it ended with."""
    last = history[-1]
    words = f"The curriculum {name} had given {last.rollouts} rollouts in {last.updates} updates when this was written."
    rows = tuple((env_id, *_row(env_id, history)) for env_id in env_ids)
    columns = (
        "environment",
        "share of tickets",
        "mean rung",
        "mean scale",
        "success, first entry",
        "success, last entry",
    )
    table = Table("Start and end of every environment", columns, rows, opened=len(rows) <= 15)
    return Section("curriculum", TITLE, (words, _drawn(history, env_ids), table, final))


def _row(env_id: str, history: Sequence[Moment]) -> tuple[str, ...]:
    """Return what a table says of one environment: shares, rungs and scales, and its success."""
    ends = [moment.environments.get(env_id) for moment in (history[0], history[-1])]
    rates = [moment.played[env_id] for moment in history if env_id in moment.played and moment.played[env_id].n]
    numbers = [[own.share, own.rung, own.mean_scale] if own else [nan] * 3 for own in ends]
    changes = (
        " to ".join(f"{end:.2f}" if isfinite(end) else "none" for end in both) for both in zip(*numbers, strict=True)
    )
    return *changes, *((str(rates[0]), str(rates[-1])) if rates else ("not played", "not played"))


def _drawn(history: Sequence[Moment], env_ids: Sequence[str]) -> Figure:
    names = [label(env_id) for env_id in env_ids]
    left, top, wide, gap = widest(names) + 8, 48.0, 118.0, 14.0
    row = 26.0 if len(names) <= 40 else 18.0
    tall = row * len(names)
    end = max(1, history[-1].updates)
    given = [[moment.environments.get(env_id) for moment in history] for env_id in env_ids]
    rung_EM = np.array([[own.rung if own else nan for own in row] for row in given])
    scale_EM = np.array([[own.mean_scale if own else nan for own in row] for row in given])
    most = max([1.0, *scale_EM[np.isfinite(scale_EM)].tolist()])
    with sheet(left + 3 * wide + 2 * gap + 14, top + tall + 44) as paper:
        panels = [paper.panel(left + n * (wide + gap), top, wide, tall) for n in range(3)]
        for axes in panels:
            axes.set(xlim=(0, end), ylim=(len(names), 0))
            ticks(axes.xaxis, 3, whole=True)
        panels[0].set_yticks(np.arange(len(names)) + 0.42, names, fontsize=min(TEXT, row - 4))
        for axes, values_EM, low, high, title, ends in (
            (panels[0], rung_EM, 0.0, 4.0, "harness", ("H0", "H4")),
            (panels[1], scale_EM, 0.0, most, "scale", ("0", f"{most:.1f}".removesuffix(".0"))),
        ):
            _strips(axes, values_EM, [m.updates for m in history], end, low, high)
            _key(paper, axes, title, ends)
        _lines(panels[2], history, env_ids)
        place = left + 2 * (wide + gap)
        paper.text(place, 10, "success while training", size=SMALL + 1, color=INK)
        paper.text(place, 29, "each row from 0 to 1", size=SMALL, color=MUTED)
        panels[1].set_xlabel("updates", size=SMALL + 1, color=MUTED, labelpad=6)
        alt = f"Mean rung, mean scale and success of {len(names)} environments over {history[-1].updates} updates."
        svg = paper.svg("curriculum", TITLE, alt)
    return Figure(svg, CAPTION)


def _strips(axes: Axes, values_EM: Floats, updates: Sequence[int], end: int, low: float, high: float) -> None:
    """Show what held at each moment as one strip of colour for each environment, with gaps between them."""
    columns = np.searchsorted(updates, (np.arange(240) + 0.5) / 240 * end, side="right") - 1
    columns = np.maximum(columns, 0)
    colours_RUX = np.repeat(ramp(values_EM[:, columns], low, high), 6, axis=0)
    colours_RUX[5::6] = 0  # nothing between two rows
    raster(axes, colours_RUX, (0, end, len(values_EM), 0))


def _key(paper: Sheet, axes: Axes, title: str, ends: tuple[str, str]) -> None:
    """Draw what the colours of a panel mean, above it."""
    place = axes.get_position()
    left, wide = place.x0 * paper.width, place.width * paper.width
    paper.text(left, 10, title, size=SMALL + 1, color=INK)
    bar = paper.panel(left + 20, 24, wide - 40, 10)
    raster(bar, ramp(np.linspace(0, 1, 41)[None], 0, 1), (0, 1, 0, 1))
    paper.text(left, 29, ends[0], size=SMALL, color=MUTED)
    paper.text(left + wide, 29, ends[1], size=SMALL, color=MUTED, ha="right")


def _lines(axes: Axes, history: Sequence[Moment], env_ids: Sequence[str]) -> None:
    """Draw the share of successes of each environment in its row."""
    for n, env_id in enumerate(env_ids):
        points = [(m.updates, m.played[env_id].value) for m in history if env_id in m.played and m.played[env_id].n]
        axes.axhline(n + 0.9, color=LINE, linewidth=0.6)
        if points:
            x, share = np.array(points).T
            style = {"marker": "o", "markersize": 2} if len(points) == 1 else {}
            axes.plot(x, n + 0.9 - 0.8 * share, color=MAIN, linewidth=1.1, **style)


def _mean(weights: Mapping[int, float]) -> float:
    total = sum(weights.values())
    return sum(value * weight for value, weight in weights.items()) / total if total else nan
