"""Gauge reading: read several gauges, round and straight ones of different ranges, each within a stated tolerance.

Easy gauges start at 0 and their needles stand at numbers. Hard ones have ticks without numbers, start anywhere, run
from right to left, and a reader must judge a small part of the way between two ticks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import cos, pi, sin
from typing import NamedTuple

import numpy as np

from palaestra.core.answer import Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.parts import Asked, scored

LETTERS = "ABCDEFGH"
COLOURS = ("red", "blue", "green", "purple", "brown", "teal", "wine", "navy")
DISTANCES = (10, 20, 50, 100)  # of numbers, in units of the gauge
VALUES = Integer(-300, 1100)  # of all gauges, so that a range tells nothing of a scale
WIDEST = 4 * pi / 9  # to where a round gauge turns from the middle, either way
MIDDLE, RADIUS = (1.0, 0.88), 0.62  # of a round gauge; all places are in heights of a tile, which is twice as wide
LEFT, RIGHT, LINE = 0.2, 1.8, 0.64  # of a straight gauge

RULES = "Scales are even. All readings must be near enough."
REVERSED = " Some scales run from right to left."
HINT = "See by how much two numbers differ and what part of the way between them the needle has gone."


class Dial(NamedTuple):
    """A scale: `steps` distances of numbers from `low` on, each parted by ticks into so many parts."""

    straight: bool
    low: int
    distance: int
    steps: int
    parts: int
    reversed: bool

    @property
    def high(self) -> int:
        """The largest number."""
        return self.low + self.steps * self.distance

    @property
    def numbers(self) -> list[int]:
        """The numbers from left to right."""
        numbers = list(range(self.low, self.high + 1, self.distance))
        return numbers[::-1] if self.reversed else numbers


class Gauge(NamedTuple):
    """A scale and the value that its needle shows."""

    dial: Dial
    value: int

    @property
    def ticks(self) -> float:
        """How far the needle is from the left, in distances of numbers."""
        ticks = (self.value - self.dial.low) / self.dial.distance
        return self.dial.steps - ticks if self.dial.reversed else ticks


@dataclass(frozen=True, slots=True)
class Panel:
    """One question: the gauges, which are asked for, and the tolerance as a share of the distance of numbers."""

    gauges: tuple[Gauge, ...]
    asked: tuple[int, ...]
    share: float

    def tolerance(self, gauge: int) -> int:
        """Return the largest error allowed."""
        return max(1, int(self.share * self.gauges[gauge].dial.distance + 1e-9))


class GaugeReading:
    """The environment."""

    spec = EnvSpec(
        id="perception/gauge_reading",
        version=1,
        title="Gauge reading",
        horizon=1,
        scales=(
            {"gauges": 2, "asked": 2, "tolerance": 0.5, "parts": 1, "between": 0, "shifted": 0, "reversed": 0},
            {"gauges": 2, "asked": 2, "tolerance": 0.4, "parts": 2, "between": 1, "shifted": 0, "reversed": 0},
            {"gauges": 4, "asked": 3, "tolerance": 0.3, "parts": 2, "between": 1, "shifted": 1, "reversed": 0},
            {"gauges": 4, "asked": 4, "tolerance": 0.2, "parts": 5, "between": 1, "shifted": 1, "reversed": 0},
            {"gauges": 6, "asked": 4, "tolerance": 0.2, "parts": 5, "between": 1, "shifted": 1, "reversed": 1},
            {"gauges": 8, "asked": 5, "tolerance": 0.1, "parts": 5, "between": 1, "shifted": 1, "reversed": 1},
        ),
        knobs=(
            Knob("gauges", 2, 8, "gauges in the picture"),
            Knob("asked", 1, 5, "gauges that are asked for, as far as there are so many"),
            Knob("tolerance", 0.1, 0.5, "largest error allowed, as a share of the distance of two numbers"),
            Knob("parts", 1, 5, "parts into which ticks divide that distance"),
            Knob("between", 0, 1, "whether needles may stand between numbers"),
            Knob("shifted", 0, 1, "whether scales may start elsewhere than at 0"),
            Knob("reversed", 0, 1, "whether scales may run from right to left"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "continuous"}),
    )

    def reset(self, instance: Instance) -> Asked[Panel]:
        settings = self.spec.settings(instance)
        count, parts = int(settings["gauges"]), int(settings["parts"])
        asked = min(count, int(settings["asked"]))
        between, shifted, turned = (bool(settings[name]) for name in ("between", "shifted", "reversed"))

        def propose(rng: np.random.Generator) -> Asked[Panel]:
            gauges = []
            draws = rng.integers((0, 0, 4, -3, 0), (2, len(DISTANCES), 6, 7, 2), size=(count, 5)).tolist()
            for straight, kind, steps, start, turn in draws:
                distance = DISTANCES[kind]
                dial = Dial(bool(straight), start * distance * shifted, distance, steps, parts, bool(turn) and turned)
                grain = 1 if between else distance
                gauges.append(Gauge(dial, dial.low + grain * int(rng.integers(steps * distance // grain + 1))))
            which = tuple(sorted(rng.permutation(count)[:asked].tolist()))
            return Asked(Panel(tuple(gauges), which, float(settings["tolerance"])))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Panel]) -> int:
        return 1

    def public(self, state: Asked[Panel]) -> Panel:
        return state.question

    def view(self, public: Panel, pixels: int = 448) -> View:
        kind = _answer(public)
        canvas = _draw(public, pixels) if pixels else None
        near = ", ".join(f"{LETTERS[k]} to within {public.tolerance(k)}" for k in public.asked)
        steps = ", ".join(f"{LETTERS[k]} {gauge.dial.distance}" for k, gauge in enumerate(public.gauges))
        turned = any(gauge.dial.reversed for gauge in public.gauges)
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"Read off gauge {near}. {kind.describe()}",
            rules=RULES + REVERSED * turned,
            hint=HINT,
            state=f"Two neighbouring numbers differ by: {steps}.",
            caption=f"Numbers from left to right, and by how many steps the needle is from the first: "
            f"{'; '.join(map(_told, LETTERS, public.gauges))}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Panel], action: tuple[int, ...]) -> Step[Asked[Panel]]:
        panel = state.question
        events: list[str] = []
        for k, said in zip(panel.asked, action, strict=True):
            gauge, allowed = panel.gauges[k], panel.tolerance(k)
            error = abs(said - gauge.value)
            events.append("value_ok" if error <= allowed else "value_off")
            if allowed < error < 2 * allowed:
                events.append("value_near")
            elif error > allowed and error % gauge.dial.distance == 0:
                events.append("scale_misread")
        return scored(Asked(panel, answered=True), events.count("value_ok"), len(panel.asked), events)

    def solve(self, state: Asked[Panel]) -> Sequence[str] | None:
        panel = state.question
        return () if state.answered else [_answer(panel).format(tuple(panel.gauges[k].value for k in panel.asked))]

    def problem(self, state: Asked[Panel]) -> bytes:
        """Return the gauges in any order."""
        panel = state.question
        shown = sorted((tuple(gauge.dial), gauge.value, k in panel.asked) for k, gauge in enumerate(panel.gauges))
        return repr((shown, panel.share)).encode()


def _told(letter: str, gauge: Gauge) -> str:
    form = "straight" if gauge.dial.straight else "round"
    return f"{letter} {form} {' '.join(map(str, gauge.dial.numbers))}, needle {gauge.ticks:.2f}"


def _draw(panel: Panel, pixels: int) -> Canvas:
    columns = 1 if len(panel.gauges) <= 2 else 2
    width = pixels // columns
    height = width // 2
    canvas = Canvas(columns * width, -(-len(panel.gauges) // columns) * height)
    for k, gauge in enumerate(panel.gauges):
        top, left = k // columns * height, k % columns * width
        tile = Canvas(1, 1)
        tile.pixels = canvas.pixels[top : top + height, left : left + width]
        tile.pixels[...] = _dial(gauge.dial, width, height)
        _needle(tile, gauge, COLOURS[k])
        tile.text(LETTERS[k], (0.13 * height, 0.16 * height), _glyph(height) + height // 40)
        canvas.element(LETTERS[k], (left, top, left + width, top + height), glyph=_glyph(height))
    return canvas


def _glyph(height: int) -> int:
    return max(6, height // 11)


def _at(straight: bool, share: float, depth: float, height: int) -> tuple[float, float]:
    """Return the place in pixels at a share of a scale's length and so far from it: up, or towards the middle."""
    if straight:
        return height * (LEFT + share * (RIGHT - LEFT)), height * (LINE - depth)
    angle = WIDEST * (2 * share - 1)
    x, y = MIDDLE[0] + (RADIUS - depth) * sin(angle), MIDDLE[1] - (RADIUS - depth) * cos(angle)
    return height * x, height * y


def _needle(tile: Canvas, gauge: Gauge, colour: str) -> None:
    """Draw what points at the value: a needle from the middle of a round gauge, an arrow below a straight one."""
    height, share = tile.pixels.shape[0], gauge.ticks / gauge.dial.steps
    thickness = max(1.6, height / 50)
    tip = _at(gauge.dial.straight, share, 0.02, height)
    if gauge.dial.straight:
        size = round(0.2 * height)
        tile.segments([(*tip, tip[0], tip[1] + 0.1 * height)], thickness, colour)
        tile.shape("triangle", (tip[0], tip[1] + 0.12 * height), size, colour)
    else:
        middle = (height * MIDDLE[0], height * MIDDLE[1])
        tile.segments([(*middle, *tip)], thickness, colour)
        tile.shape("circle", middle, round(0.13 * height), colour, edge="ink")


@lru_cache(maxsize=512)
def _dial(dial: Dial, width: int, height: int) -> Pixels:
    """Draw a gauge without its needle: a white card, the line of the scale, ticks and numbers."""
    canvas = Canvas(width, height)
    gap, line = max(1, height // 50), max(1, height // 110)
    canvas.rectangle((gap, gap, width - gap, height - gap), "silver")
    canvas.rectangle((gap + line, gap + line, width - gap - line, height - gap - line), "white")
    curve = [_at(dial.straight, k / 48, 0, height) for k in range(49)]
    canvas.segments([(*a, *b) for a, b in pairwise(curve)], max(1.2, height / 80), "slate")
    for count, depth, thinner in ((dial.steps * dial.parts, 0.06, 140), (dial.steps, 0.1, 80)):
        ends = [[_at(dial.straight, k / count, far, height) for far in (0, depth)] for k in range(count + 1)]
        canvas.segments([(*a, *b) for a, b in ends], max(1.2, height / thinner), "slate")
    for k, number in enumerate(dial.numbers):
        share, label = k / dial.steps, str(number)
        away = 0.2 if dial.straight else -0.11 - 0.022 * len(label) * abs(2 * share - 1)  # long ones clear the ends
        canvas.text(label, _at(dial.straight, share, away, height), _glyph(height))
    canvas.pixels.setflags(write=False)
    return canvas.pixels


@lru_cache(maxsize=512)
def _answer(panel: Panel) -> Record:
    return Record(tuple((f"gauge {LETTERS[k]}", VALUES) for k in panel.asked))


environment = GaugeReading()
