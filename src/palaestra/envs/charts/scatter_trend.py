"""Scatter trend: find the point that lies off the line of the others, and carry that line on beyond the plot.

The line is the least-squares line of the points as they are drawn, without the one that lies off; that one is at least
twice as far from it as any other point of its colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from palaestra.core.answer import Choice, Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.charts import _axes
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.graphs import NAMES
from palaestra.envs.kit.parts import Asked, scored

COLOURS = ("blue", "red", "green", "purple")
HIGHEST = 100  # of both axes
UPWARDS, ALONG = ("0", "25", "50", "75", "100"), ("0", "50", "100")
MARGIN = 6  # of the axis, which lines keep free
SPREAD = 10  # how much more than the least a point may lie off

RULES = "The line fits the other points best (least squares). All answers must be right."
HINT = "Lay a ruler along the points of one colour, leave out what lies far off, and go on."


class Point(NamedTuple):
    """One point of a colour (by number)."""

    x: int
    y: int
    group: int


@dataclass(frozen=True, slots=True)
class Plot:
    """One question: the points from the left, which of them is odd, and at which x the lines are asked for."""

    points: tuple[Point, ...]
    odd: int
    colours: tuple[str, ...]
    x: int
    tolerance: int

    def heights(self, x: int) -> list[float]:
        """Return y at an x for the line of each colour, without the odd point."""
        return [height(self._others(group), x) for group in range(len(self.colours))]

    def lies_off(self) -> bool:
        """Return whether the odd point is twice as far from its line as every other point of its colour."""
        odd = self.points[self.odd]
        others = self._others(odd.group)
        away = [abs(point.y - height(others, point.x)) for point in (odd, *others)]
        return away[0] >= 2 * max(away[1:])

    def _others(self, group: int) -> list[Point]:
        return [point for k, point in enumerate(self.points) if point.group == group and k != self.odd]


class ScatterTrend:
    """The environment."""

    spec = EnvSpec(
        id="charts/scatter_trend",
        version=1,
        title="Scatter trend",
        horizon=1,
        scales=(
            {"groups": 1, "points": 5, "noise": 1, "offset": 28, "beyond": 20, "tolerance": 7},
            {"groups": 1, "points": 5, "noise": 2, "offset": 24, "beyond": 30, "tolerance": 6},
            {"groups": 1, "points": 8, "noise": 3, "offset": 22, "beyond": 40, "tolerance": 5},
            {"groups": 2, "points": 5, "noise": 2, "offset": 20, "beyond": 30, "tolerance": 6},
            {"groups": 2, "points": 6, "noise": 3, "offset": 20, "beyond": 40, "tolerance": 5},
            {"groups": 2, "points": 7, "noise": 3, "offset": 17, "beyond": 50, "tolerance": 4},
        ),
        knobs=(
            Knob("groups", 1, 2, "colours, each with a line of its own"),
            Knob("points", 5, 7, "points of each colour"),
            Knob("noise", 0, 3, "largest distance of points from their line before rounding"),
            Knob("offset", 16, 30, "least distance of the odd point from it"),
            Knob("beyond", 10, 50, "how far beyond the plot the line is asked for, of 100"),
            Knob("tolerance", 3, 8, "largest error allowed"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "continuous", "lines"}),
    )

    def reset(self, instance: Instance) -> Asked[Plot]:
        settings = self.spec.settings(instance)
        groups, each, noise, offset = (int(settings[name]) for name in ("groups", "points", "noise", "offset"))
        count, asked = groups * each, HIGHEST + int(settings["beyond"])

        def propose(rng: np.random.Generator) -> Asked[Plot] | None:
            xs = ((np.arange(count) + 0.45 + 0.1 * rng.random(count)) * HIGHEST / count).round().astype(int)
            owners = rng.permuted(np.tile(np.arange(groups), (each, 1)), axis=1).ravel()
            ends = rng.integers(MARGIN, HIGHEST - MARGIN + 1, (groups, 2))[owners]
            ys = ends[:, 0] + (ends[:, 1] - ends[:, 0]) * xs / asked + noise * (2 * rng.random(count) - 1)
            ys = ys.round().astype(int)
            odd, off = int(rng.integers(count)), int(rng.integers(offset, offset + SPREAD))
            upwards = ys[odd] < off + MARGIN or (ys[odd] <= HIGHEST - MARGIN - off and rng.random() < 0.5)
            ys[odd] += off if upwards else -off
            plot = Plot(
                points=tuple(map(Point, xs.tolist(), ys.tolist(), owners.tolist())),
                odd=odd,
                colours=tuple(COLOURS[k] for k in rng.permutation(len(COLOURS))[:groups].tolist()),
                x=asked,
                tolerance=int(settings["tolerance"]),
            )
            inside = all(0 <= y <= HIGHEST for y in plot.heights(asked))
            return Asked(plot) if inside and plot.lies_off() else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Plot]) -> int:
        return 1

    def public(self, state: Asked[Plot]) -> Plot:
        return state.question

    def view(self, public: Plot, pixels: int = 448) -> View:
        kind = _answer(public)
        canvas = _draw(public, pixels) if pixels else None
        middles = [f"{colour} {y:.0f}" for colour, y in zip(public.colours, public.heights(HIGHEST // 2), strict=True)]
        points = [f"{NAMES[k]} {public.colours[p.group]} {p.x} {p.y}" for k, p in enumerate(public.points)]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task="Points of one colour lie near a line, but one lies off: name it. "
            f"Tell y on the line at x = {public.x}, to within {public.tolerance}. {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"On the line at x = {HIGHEST // 2}: {', '.join(middles)}.",
            caption=f"Axes {' '.join(ALONG)} and {' '.join(UPWARDS)}. Points by colour, x, y: {'; '.join(points)}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Plot], action: tuple[str | int, ...]) -> Step[Asked[Plot]]:
        plot, (letter, *values) = state.question, action
        events, right = (
            ["difference_found" if letter == NAMES[plot.odd] else "difference_missed"],
            int(letter == NAMES[plot.odd]),
        )
        truth = plot.heights(plot.x)
        for said, true in zip(map(int, values), truth, strict=True):
            error = abs(said - true)
            right += error <= plot.tolerance
            events.append("simulation_ok" if error <= plot.tolerance else "value_off")
            if error > plot.tolerance:
                events += ["value_near"] if error < 2 * plot.tolerance else []
                events += ["series_confused"] if any(abs(said - other) <= plot.tolerance for other in truth) else []
        return scored(Asked(plot, answered=True), right, len(action), events)

    def solve(self, state: Asked[Plot]) -> Sequence[str] | None:
        plot = state.question
        values = [round(y) for y in plot.heights(plot.x)]
        return () if state.answered else [_answer(plot).format((NAMES[plot.odd], *values))]

    def problem(self, state: Asked[Plot]) -> bytes:
        """Return the points with their colours in any order, upright or upside down."""
        plot = state.question
        least = min(
            [(x, abs(flip - y), group != plot.points[0].group) for x, y, group in plot.points] for flip in (0, HIGHEST)
        )
        return repr((least, plot.odd, plot.x, plot.tolerance)).encode()


def height(points: Sequence[Point], x: float) -> float:
    """Return y at an x on the least-squares line of some points.

    >>> height([Point(0, 1, 0), Point(1, 3, 0), Point(2, 5, 0)], 10)
    21.0
    """
    middle, level = (sum(point[axis] for point in points) / len(points) for axis in (0, 1))
    spread = sum((point.x - middle) ** 2 for point in points)
    return level + (x - middle) * sum((point.x - middle) * (point.y - level) for point in points) / spread


def _draw(plot: Plot, pixels: int) -> Canvas:
    """Draw the points with their letters, each colour with marks of its own."""
    axes = _axes.axes(UPWARDS, ALONG, pixels, legend=False, lined=True, ticked=True)
    canvas, size = axes.canvas(), max(11, pixels // 20)
    glyph = max(6, round(0.45 * size))
    for k, (x, y, group) in enumerate(plot.points):
        place = axes.at(x / HIGHEST, y / HIGHEST)
        box = canvas.shape(_axes.MARKS[group], place, size, plot.colours[group], "", NAMES[k], glyph, "white")
        canvas.element(NAMES[k], box, glyph=glyph)
    return canvas


def _answer(plot: Plot) -> Record:
    return _kind(len(plot.points), plot.colours, plot.x)


@lru_cache(maxsize=512)
def _kind(count: int, colours: Sequence[str], x: int) -> Record:
    values = [(f"{colour} at {x}", Integer(0, HIGHEST)) for colour in colours]
    return Record((("lies off", Choice(tuple(NAMES[:count]))), *values))


environment = ScatterTrend()
