"""Probe curve: find the one peak of a hidden curve by asking for its height at few places, then claim it.

Whatever the curve, its peak lies between the two neighbours of the highest point known, as it is level nowhere. The
turn limit suffices for a
golden-section search, which keeps its points so that every probe narrows that part by the same share.

*Source*: Kiefer, "Sequential minimax search for a maximum" (1953). *Departures*: places are whole numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import ceil, log

import numpy as np

from palaestra.core.answer import Choice, Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.charts import _axes
from palaestra.envs.kit import masks, splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.palette import colour

HIGHEST = 1000  # of the upward axis
LEAST_PEAK, MOST_PEAK, MOST_EDGE = 700, 980, 450
GOLDEN = (3 - 5**0.5) / 2
NOTHING = "nothing probed"
SMALL = 200  # pixels up to which there is room for heights only
UPWARDS = tuple(str(HIGHEST * k // 4) for k in range(5))

TASK = (
    "A hidden curve rises to one peak and falls again. Probe it at some x, and when you know, claim the x of its peak"
)
RULES = "A probe shows how high the curve is at its x. A claim ends the search and must be near enough."
HINT = "The peak lies between the neighbours of the highest point. Probe in the wider of the two gaps beside it."


@dataclass(frozen=True, slots=True)
class Plot:
    """All that is known: how long the axis is, how near a claim must be, and the points found, in order of probing."""

    length: int
    tolerance: int
    points: tuple[tuple[int, int], ...] = ()

    def bracket(self) -> tuple[int, int]:
        """Return the first and the last x at which the peak may be."""
        best = max((y for _, y in self.points), default=0)
        highest = [x for x, y in self.points if y == best]
        if len(highest) > 1:
            return min(highest), max(highest)
        left = [x + 1 for x, _ in self.points if x < highest[0]]
        right = [x - 1 for x, _ in self.points if x > highest[0]]
        return max(left, default=0), min(right, default=self.length)

    @property
    def certain(self) -> bool:
        """Whether the middle of what is left is near enough to the peak, wherever that is."""
        low, high = self.bracket()
        return high - low <= 2 * self.tolerance


@dataclass(frozen=True, slots=True)
class Search:
    """What is known, the height of the hidden curve at every x, where its peak is, the turn limit, and the claim."""

    plot: Plot
    curve: tuple[int, ...]
    peak: int
    turns: int
    claimed: int | None = None

    @property
    def away(self) -> int:
        """How far the claim is from the peak."""
        return 0 if self.claimed is None else abs(self.claimed - self.peak)


class ProbeCurve:
    """The environment."""

    spec = EnvSpec(
        id="charts/probe_curve",
        version=1,
        title="Probe curve",
        horizon=16,
        scales=(
            {"length": 100, "tolerance": 6, "slack": 1},
            {"length": 100, "tolerance": 4, "slack": 1},
            {"length": 200, "tolerance": 6, "slack": 1},
            {"length": 200, "tolerance": 4, "slack": 1},
            {"length": 400, "tolerance": 6, "slack": 1},
            {"length": 400, "tolerance": 4, "slack": 1},
        ),
        knobs=(
            Knob("length", 60, 400, "largest x"),
            Knob("tolerance", 2, 8, "largest distance of a claim from the peak"),
            Knob("slack", 0, 4, "turns beyond those of a golden-section search"),
        ),
        clairvoyant=True,
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "hidden", "inferred", "continuous", "lines"}),
    )

    def reset(self, instance: Instance) -> Search:
        settings = self.spec.settings(instance)
        length, tolerance = int(settings["length"]), int(settings["tolerance"])
        turns = 2 + ceil(log((2 * tolerance + 1) / length) / log(1 - GOLDEN)) + int(settings["slack"])

        def propose(rng: np.random.Generator) -> Search:
            return _hide(Search(Plot(length, tolerance), (), 0, turns), rng)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Search) -> int:
        return state.turns

    def public(self, state: Search) -> Plot:
        return state.plot

    def view(self, public: Plot, pixels: int = 448) -> View:
        kind = _answer(public.length)
        canvas = _draw(public, pixels) if pixels else None
        low, high = public.bracket()
        best = max(public.points, key=lambda point: point[1], default=None)
        highest = f"The highest point is at x = {best[0]}" if best else "No point is known"
        axes = f"Axes x {' '.join(_along(public.length))} and y {' '.join(UPWARDS)}."
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"{TASK} to within {public.tolerance}. {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"{highest}; {high - low + 1} places are left.",
            caption=f"{axes} {_said(public)}.{' The last one is orange, others are blue.' if best else ''} "
            f"Above the plot: {', '.join(_heads(public)) or NOTHING}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Search, action: tuple[int, str]) -> Step[Search]:
        x, claim = action
        plot, (low, high) = state.plot, state.plot.bracket()
        if claim == "no":
            told = low <= x <= high and x not in dict(plot.points)
            points = (*(point for point in plot.points if point[0] != x), (x, state.curve[x]))
            after = replace(state, plot=replace(plot, points=points))
            return Step(after, events=("trial_informative" if told else "trial_redundant",))
        after = replace(state, claimed=x)
        right = after.away <= plot.tolerance
        near = after.away <= 2 * plot.tolerance
        events = (
            "committed_ready" if plot.certain else "committed_early",
            "guess_consistent" if low <= x <= high else "guess_contradicted",
            "target_located" if right else "target_near" if near else "target_missed",
        )
        return Step(after, 1.0 if right else 0.0, done=True, success=right, events=events)

    def solve(self, state: Search) -> Sequence[str] | None:
        if state.claimed is not None:
            return () if state.away <= state.plot.tolerance else None
        return [_answer(state.plot.length).format((state.peak, "yes"))]

    def guide(self, public: Plot) -> str | None:
        """Return a claim that cannot fail, else a probe in the wider gap beside the highest point."""
        low, high = public.bracket()
        best, _ = max(public.points, key=lambda point: point[1], default=(low, 0))
        if public.certain:
            return _answer(public.length).format(((low + high) // 2, "yes"))
        step = max(1, round(GOLDEN * max(high - best, best - low)))
        return _answer(public.length).format((best + step if high - best >= best - low else best - step, "no"))

    def reseal(self, state: Search, seed: int) -> Search:
        return _hide(state, np.random.default_rng(seed))

    def problem(self, state: Search) -> bytes:
        """Return the curve, from either side."""
        return repr((min(state.curve, state.curve[::-1]), state.plot.tolerance)).encode()


def _hide(state: Search, rng: np.random.Generator) -> Search:
    """Return the search with another curve through all points known; at every step it rises or falls by one at least,
    so that of two points the higher one always tells where the peak is."""
    known, length, (low, high) = dict(state.plot.points), state.plot.length, state.plot.bracket()
    border = length // 8
    neighbours = list(pairwise(sorted(known.items())))

    def least(x: int) -> int:
        return max((y + abs(x - at) for at, y in known.items()), default=LEAST_PEAK)

    def fits(x: int) -> bool:
        sides = ((y - z if b < x else z - y, b - a) for (a, z), (b, y) in neighbours if not a < x < b)
        return x not in known and least(x) <= MOST_PEAK and all(rise >= run for rise, run in sides)

    places = list(filter(fits, range(max(low, border), min(high, length - border) + 1)))
    peak = places[rng.integers(len(places))] if places else state.peak
    top = known.get(peak) or int(rng.integers(max(LEAST_PEAK, least(peak)), MOST_PEAK + 1))
    knots = known | {peak: top}
    for edge, nearest in ((0, min(knots)), (length, max(knots))):
        knots.setdefault(edge, int(rng.integers(min(MOST_EDGE, knots[nearest] - abs(edge - nearest)) + 1)))
    xs, everywhere = np.array(sorted(knots)), np.arange(length + 1)
    curve = np.interp(everywhere, xs, [knots[x] for x in xs.tolist()])
    for end in (int(xs[xs < peak].max()), int(xs[xs > peak].min())):
        part = slice(min(end, peak), max(end, peak) + 1)
        away, side = np.abs(everywhere[part] - peak), abs(end - peak)
        more = top - knots[end] - side
        curve[part] = top - away - more * (away / side) ** (1 + 0.3 * rng.random())
    return replace(state, curve=tuple(np.floor(curve + 0.5).astype(int).tolist()), peak=peak)


def _along(length: int) -> tuple[str, ...]:
    return tuple(str(length * k // 2) for k in range(3))


def _said(plot: Plot) -> str:
    """Return the points as captions and scenes name them."""
    return f"Points by x, y: {'; '.join(f'{x} {y}' for x, y in plot.points) or 'none'}"


def _heads(plot: Plot) -> tuple[str, ...]:
    """Return what is written above the plot: the numbers of the points between which a player has to decide."""
    points = (plot.points[-1], max(plot.points, key=lambda point: point[1])) if plot.points else ()
    return tuple(f"{word} {x} {y}" for word, (x, y) in zip(("last", "top"), points, strict=False))


def _draw(plot: Plot, pixels: int) -> Canvas:
    """Draw the points on stems; the plot is named by all its points, which may come close to one another."""
    axes = _axes.axes(UPWARDS, _along(plot.length), pixels, legend=True, lined=True, ticked=True)
    canvas, size, (left, top, right, bottom) = axes.canvas(), max(8, pixels // 30), axes.plot
    glyph = axes.glyph
    hidden = canvas.pixels[top:bottom, left:right]
    hidden[hidden == colour("paper")] = colour("sky")
    labels = [("x", (left + 0.75 * (right - left), bottom + glyph)), ("y", (left - glyph, top + (bottom - top) / 8))]
    labels = labels if pixels > SMALL else []
    if heads := [head if pixels > SMALL else head.split()[-1] for head in _heads(plot)]:
        _axes.key(canvas, axes, heads, ("orange", "blue"), ("circle", "circle"))
    else:
        labels.append((NOTHING, (right - masks.text(NOTHING, glyph).width / 2, glyph)))
    for label, place in labels:
        box = canvas.text(label, place, glyph)
        canvas.element(label, box, glyph=min(glyph, box[3] - box[1]))
    places = [axes.at(x / plot.length, y / HIGHEST) for x, y in plot.points]
    for x, y in places:
        start = round(x - axes.line / 2)
        canvas.rectangle((start, round(y), start + axes.line, bottom), "grey")
    for place in places:
        canvas.shape("circle", place, size, "orange" if place is places[-1] else "blue", "white" if size > 9 else "")
    canvas.element(_said(plot), (left, top - axes.glyph // 2, right, bottom))
    return canvas


@lru_cache(maxsize=16)
def _answer(length: int) -> Record:
    return Record((("x", Integer(0, length)), ("claim", Choice(("no", "yes")))))


environment = ProbeCurve()
