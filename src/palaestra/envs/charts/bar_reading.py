"""Bar reading: read several values off a bar chart, each within a stated tolerance.

Easy charts have their bars end at ticks, with lines across. Hard ones have groups of bars told apart by a legend, no
lines, and bars that end between ticks, with a tolerance so small that a reader must judge the part of the way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np

from palaestra.core.answer import Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.charts import _axes
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Box, Canvas
from palaestra.envs.kit.parts import Asked, scored

LETTERS = "ABCDEFGH"
SERIES = ("North", "South", "East")
DISTANCES = (10, 20, 50)  # of ticks, in units of the axis
LOWEST = 0.16  # of the axis, so that small bars stay visible

RULES = "All values must be near enough. Bars may end between ticks."
ON_TICKS = "All values must be near enough. Bars end at ticks."
HINT = "Take the tick below the top of a bar and add the part of the way to the next."


@dataclass(frozen=True, slots=True)
class Chart:
    """One question: `values` by category and series, `colours` by series, and which bars (category, series) are asked.

    The axis has `ticks` ticks above 0, `distance` apart; `tolerance` is in units of the axis.
    """

    values: tuple[tuple[int, ...], ...]
    colours: tuple[str, ...]
    ticks: int
    distance: int
    asked: tuple[tuple[int, int], ...]
    tolerance: int
    lined: bool
    between: bool

    @property
    def top(self) -> int:
        """The value of the highest tick."""
        return self.ticks * self.distance

    def label(self, category: int, series: int) -> str:
        """Return what a bar is called, such as "A" or "A North"."""
        return LETTERS[category] + (f" {SERIES[series]}" if len(self.colours) > 1 else "")


class BarReading:
    """The environment."""

    spec = EnvSpec(
        id="charts/bar_reading",
        version=1,
        title="Bar reading",
        horizon=1,
        scales=(
            {"categories": 4, "series": 1, "asked": 2, "tolerance": 0.5, "between": 0, "lines": 1},
            {"categories": 5, "series": 1, "asked": 2, "tolerance": 0.4, "between": 1, "lines": 1},
            {"categories": 4, "series": 2, "asked": 3, "tolerance": 0.3, "between": 1, "lines": 1},
            {"categories": 5, "series": 2, "asked": 3, "tolerance": 0.3, "between": 1, "lines": 0},
            {"categories": 5, "series": 3, "asked": 4, "tolerance": 0.2, "between": 1, "lines": 0},
            {"categories": 7, "series": 3, "asked": 5, "tolerance": 0.2, "between": 1, "lines": 0},
        ),
        knobs=(
            Knob("categories", 3, 7, "groups of bars, named by letters"),
            Knob("series", 1, 3, "bars in a group, told apart by colours and a legend when there are several"),
            Knob("asked", 2, 5, "bars that are asked for; 3 at most where there are no more"),
            Knob("tolerance", 0.2, 0.5, "largest error allowed, as a share of the distance of two ticks"),
            Knob("between", 0, 1, "whether bars may end between ticks"),
            Knob("lines", 0, 1, "whether lines go across at the ticks"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "continuous", "lines"}),
    )

    def reset(self, instance: Instance) -> Asked[Chart]:
        settings = self.spec.settings(instance)
        categories, series, asked = (int(settings[name]) for name in ("categories", "series", "asked"))
        between, share = bool(settings["between"]), float(settings["tolerance"])

        def propose(rng: np.random.Generator) -> Asked[Chart]:
            ticks, distance = int(rng.integers(4, 7)), DISTANCES[int(rng.integers(len(DISTANCES)))]
            size = (categories, series)
            if between:
                values = rng.integers(round(LOWEST * ticks * distance), ticks * distance + 1, size)
            else:
                values = distance * rng.integers(1, ticks + 1, size)
            bars = sorted(rng.permutation(categories * series)[:asked].tolist())
            chart = Chart(
                values=tuple(map(tuple, values.tolist())),
                colours=tuple(_axes.COLOURS[k] for k in rng.permutation(len(_axes.COLOURS))[:series].tolist()),
                ticks=ticks,
                distance=distance,
                asked=tuple(divmod(bar, series) for bar in bars),
                tolerance=int(share * distance),
                lined=bool(settings["lines"]),
                between=between,
            )
            return Asked(chart)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Chart]) -> int:
        return 1

    def public(self, state: Asked[Chart]) -> Chart:
        return state.question

    def view(self, public: Chart, pixels: int = 448) -> View:
        kind = _answer(public)
        canvas = _draw(public, pixels) if pixels else None
        ordered = sorted(public.asked, key=lambda bar: (public.values[bar[0]][bar[1]], bar))
        ticks = " ".join(str(k * public.distance) for k in range(public.ticks + 1))
        legend = [f"{SERIES[k]} is {colour}" for k, colour in enumerate(public.colours) if len(public.colours) > 1]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"Read off these values, each to within {public.tolerance}. {kind.describe()}",
            rules=RULES if public.between else ON_TICKS,
            hint=HINT,
            state=f"From low to high: {', '.join(public.label(*bar) for bar in ordered)}. "
            f"Ticks are {public.distance} apart.",
            caption=f"Axis {ticks}. {''.join(f'{said}. ' for said in legend)}{'; '.join(_names(public))}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Chart], action: tuple[int, ...]) -> Step[Asked[Chart]]:
        chart = state.question
        errors = [abs(said - chart.values[c][s]) for said, (c, s) in zip(action, chart.asked, strict=True)]
        events = ["value_ok" if error <= chart.tolerance else "value_off" for error in errors]
        right = events.count("value_ok")
        return scored(Asked(chart, answered=True), right, len(errors), events)

    def solve(self, state: Asked[Chart]) -> Sequence[str] | None:
        if state.answered:
            return ()
        return [_answer(state.question).format(tuple(state.question.values[c][s] for c, s in state.question.asked))]

    def problem(self, state: Asked[Chart]) -> bytes:
        """Return the chart without colours, read from either side and with its series in any order."""
        chart = state.question
        marked = [[(value, (c, s) in chart.asked) for s, value in enumerate(v)] for c, v in enumerate(chart.values)]
        least = min(
            [[group[s] for s in order] for group in side]
            for side in (marked, marked[::-1])
            for order in permutations(range(len(chart.colours)))
        )
        return repr((least, chart.ticks, chart.distance, chart.tolerance, chart.lined)).encode()


def _names(chart: Chart) -> list[str]:
    """Return what captions and scenes call the bars, from the left, such as "A North 37"."""
    return [f"{chart.label(c, s)} {value}" for c, group in enumerate(chart.values) for s, value in enumerate(group)]


def _draw(chart: Chart, pixels: int) -> Canvas:
    """Draw bars and legend into the axes; every box holds a line's width of ground at its left and top."""
    categories, several = len(chart.values), len(chart.colours) > 1
    upwards = tuple(str(k * chart.distance) for k in range(chart.ticks + 1))
    axes = _axes.axes(upwards, tuple(LETTERS[:categories]), pixels, several, chart.lined, ticked=False)
    canvas, (left, top, right, bottom), line = axes.canvas(), axes.plot, axes.line

    def patch(name: str, fill: str, box: Box) -> None:
        canvas.rectangle(box, fill)
        canvas.element(name, (box[0] - line, box[1] - line, box[2], box[3]))

    group = (right - left) / categories
    wide = int(group * 0.76 / len(chart.colours))
    names = iter(_names(chart))
    for c, values in enumerate(chart.values):
        first = round(left + (c + 0.5) * group - len(values) / 2 * wide)
        for s, value in enumerate(values):
            x = first + s * wide
            y = bottom - round((bottom - top) * value / chart.top)
            patch(next(names), chart.colours[s], (x, y, x + wide - line, bottom))
    for s, colour in enumerate(chart.colours if several else ()):
        x, y, glyph = right - 7 * axes.glyph * (len(chart.colours) - s), axes.glyph // 2, axes.glyph
        patch(colour, colour, (x, y, x + glyph, y + glyph))
        label = (x + glyph * (1.5 + 0.36 * len(SERIES[s])), y + glyph / 2)
        canvas.element(SERIES[s], canvas.text(SERIES[s], label, glyph), glyph=glyph)
    return canvas


@lru_cache(maxsize=512)
def _kind(names: tuple[str, ...], top: int) -> Record:
    return Record(tuple((name, Integer(0, top)) for name in names))


def _answer(chart: Chart) -> Record:
    return _kind(tuple(chart.label(*bar) for bar in chart.asked), chart.top)


environment = BarReading()
