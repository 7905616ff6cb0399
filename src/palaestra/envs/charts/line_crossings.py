"""Line crossings: how often the lines of two names cross, after which letter first, and whose line is on top where.

Values at one letter are a stated distance apart at least, so every order can be seen. Two straight pieces then cross
exactly where the upper one becomes the lower one, never at a letter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np

from palaestra.core.answer import Choice, Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.charts import _axes
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import Asked, scored

LETTERS = "ABCDEFGHJ"
NAMES = ("Ada", "Ben", "Eva", "Kim", "Max")
HIGHEST = 100
TICKS = ("0", "25", "50", "75", "100")
STEP = 26  # spread of the change of a value from one letter to the next

TASK = "How often do the lines of two names cross, after which letter first, and whose line is on top?"
RULES = "Two lines cross where the upper one becomes the lower one. All answers must be right."
HINT = "Follow both lines of a pair by their colours and marks from the left."


@dataclass(frozen=True, slots=True)
class Chart:
    """One question: values and colours by series, which pairs of series are asked for, and the letters for the top."""

    values: tuple[tuple[int, ...], ...]
    colours: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    tops: tuple[int, ...]

    @property
    def letters(self) -> str:
        """The names of the categories."""
        return LETTERS[: len(self.values[0])]

    def above(self, pair: tuple[int, int]) -> list[bool]:
        """Return at which letters the first of two series is above the second."""
        return [a > b for a, b in zip(*(self.values[s] for s in pair), strict=True)]

    def crossings(self, pair: tuple[int, int]) -> list[str]:
        """Return the letters after which two series cross."""
        return [letter for letter, (a, b) in zip(self.letters, pairwise(self.above(pair)), strict=False) if a != b]

    def top(self, category: int) -> str:
        """Return whose line is on top at a letter."""
        return max(zip(self.values, NAMES, strict=False), key=lambda series: series[0][category])[1]

    @property
    def truth(self) -> tuple[int | str, ...]:
        """The right answer."""
        found = [self.crossings(pair) for pair in self.pairs]
        return (*(said for letters in found for said in (len(letters), letters[0])), *map(self.top, self.tops))


class LineCrossings:
    """The environment."""

    spec = EnvSpec(
        id="charts/line_crossings",
        version=1,
        title="Line crossings",
        horizon=1,
        scales=(
            {"series": 2, "categories": 5, "pairs": 1, "tops": 2, "gap": 14},
            {"series": 3, "categories": 5, "pairs": 1, "tops": 2, "gap": 12},
            {"series": 3, "categories": 6, "pairs": 2, "tops": 2, "gap": 10},
            {"series": 4, "categories": 7, "pairs": 2, "tops": 3, "gap": 8},
            {"series": 4, "categories": 8, "pairs": 3, "tops": 3, "gap": 7},
            {"series": 5, "categories": 9, "pairs": 3, "tops": 4, "gap": 6},
        ),
        knobs=(
            Knob("series", 2, 5, "lines, told apart by colours and marks"),
            Knob("categories", 4, 9, "places along the chart, named by letters"),
            Knob("pairs", 1, 3, "pairs of lines that are asked for; no more than there are"),
            Knob("tops", 1, 4, "letters at which the line on top is asked for"),
            Knob("gap", 5, 15, "least distance of two lines at a letter, of 100"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "lines"}),
    )

    def reset(self, instance: Instance) -> Asked[Chart]:
        settings = self.spec.settings(instance)
        names = ("series", "categories", "pairs", "tops", "gap")
        series, categories, pairs, tops, gap = (int(settings[name]) for name in names)
        room = HIGHEST - gap * (series - 1)

        def propose(rng: np.random.Generator) -> Asked[Chart] | None:
            moves = rng.normal(0, STEP, (series, categories))
            moves[:, 0] = rng.integers(0, room + 1, series)
            walks = moves.cumsum(axis=1) % (2 * room)  # a walk that turns round at both ends
            walks = np.minimum(walks, 2 * room - walks).round().astype(int)
            values = walks + gap * walks.argsort(axis=0, kind="stable").argsort(axis=0)
            chart = Chart(
                values=tuple(map(tuple, values.tolist())),
                colours=tuple(_axes.COLOURS[k] for k in rng.permutation(len(_axes.COLOURS))[:series].tolist()),
                pairs=(),
                tops=tuple(sorted(rng.permutation(categories)[:tops].tolist())),
            )
            crossing = [pair for pair in combinations(range(series), 2) if chart.crossings(pair)]
            wanted = min(pairs, series * (series - 1) // 2)
            if len(crossing) < wanted:
                return None
            chosen = sorted(rng.permutation(len(crossing))[:wanted].tolist())
            return Asked(Chart(chart.values, chart.colours, tuple(crossing[k] for k in chosen), chart.tops))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Chart]) -> int:
        return 1

    def public(self, state: Asked[Chart]) -> Chart:
        return state.question

    def view(self, public: Chart, pixels: int = 448) -> View:
        kind = _answer(public)
        canvas = _draw(public, pixels) if pixels else None
        legend = [f"{name} is {colour}. " for name, colour in zip(NAMES, public.colours, strict=False)]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=" ".join(_orders(public)),
            caption=f"Axis {' '.join(TICKS)}. {''.join(legend)}{'; '.join(_columns(public))}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Chart], action: tuple[int | str, ...]) -> Step[Asked[Chart]]:
        chart, events, right = state.question, [], 0
        for k, (said, true) in enumerate(zip(action, chart.truth, strict=True)):
            right += said == true
            if isinstance(said, int) and isinstance(true, int):
                events.append("count_ok" if said == true else "count_over" if said > true else "count_under")
                events += ["count_off_by_one"] if abs(said - true) == 1 else []
            elif k < 2 * len(chart.pairs):
                events.append("crossing_found" if said == true else "crossing_missed")
            else:
                events.append("largest_found" if said == true else "largest_missed")
        return scored(Asked(chart, answered=True), right, len(action), events)

    def solve(self, state: Asked[Chart]) -> Sequence[str] | None:
        return () if state.answered else [_answer(state.question).format(state.question.truth)]

    def problem(self, state: Asked[Chart]) -> bytes:
        """Return the chart with its lines in any order and without colours."""
        chart = state.question
        order = sorted(range(len(chart.values)), key=chart.values.__getitem__)
        pairs = sorted(sorted(map(order.index, pair)) for pair in chart.pairs)
        return repr((sorted(chart.values), pairs, chart.tops)).encode()


def _columns(chart: Chart) -> list[str]:
    """Return what captions and scenes say of each letter, such as "A Ada 40 Ben 12"."""
    values = zip(*chart.values, strict=True)
    return [
        " ".join([letter, *(f"{name} {value}" for name, value in zip(NAMES, column, strict=False))])
        for letter, column in zip(chart.letters, values, strict=True)
    ]


def _orders(chart: Chart) -> Iterator[str]:
    """Yield where the first line of each pair is above the second."""
    for pair in chart.pairs:
        where = [letter for letter, above in zip(chart.letters, chart.above(pair), strict=True) if above]
        first, second = (NAMES[s] for s in pair)
        yield f"{first} is above {second} at {' '.join(where) or 'none'}."


def _draw(chart: Chart, pixels: int) -> Canvas:
    """Draw the lines, each with its own marks; the part of the plot around each letter is named by all it holds."""
    axes = _axes.axes(TICKS, tuple(chart.letters), pixels, legend=True, lined=True, ticked=False)
    canvas, count, (left, top, right, bottom) = axes.canvas(), len(chart.letters), axes.plot
    dot = max(6, pixels // 28)
    for values, colour, mark in zip(chart.values, chart.colours, _axes.MARKS, strict=False):
        places = [axes.at((c + 0.5) / count, value / HIGHEST) for c, value in enumerate(values)]
        _axes.polyline(canvas, places, max(2.0, pixels / 130), colour)
        for place in places:
            canvas.shape(mark, place, dot, colour, "white" if dot > 8 else "")
    _axes.key(canvas, axes, NAMES[: len(chart.values)], chart.colours, _axes.MARKS)
    edges = [round(left + c * (right - left) / count) for c in range(count + 1)]
    for name, (start, end) in zip(_columns(chart), pairwise(edges), strict=True):
        canvas.element(name, (start, top - axes.glyph // 2, end, bottom + axes.glyph // 3))
    return canvas


def _answer(chart: Chart) -> Record:
    return _kind(len(chart.values), len(chart.letters), chart.pairs, chart.tops)


@lru_cache(maxsize=512)
def _kind(series: int, categories: int, pairs: Sequence[tuple[int, int]], tops: Sequence[int]) -> Record:
    pieces, names = Choice(tuple(LETTERS[: categories - 1])), Choice(NAMES[:series])
    fields: list[tuple[str, Integer | Choice]] = []
    for a, b in pairs:
        both = f"{NAMES[a]} {NAMES[b]}"
        fields += [(f"{both} crossings", Integer(0, categories - 1)), (f"{both} first", pieces)]
    return Record((*fields, *((f"top at {LETTERS[c]}", names) for c in tops)))


environment = LineCrossings()
