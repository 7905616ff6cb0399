"""Segment crossings: how many other segments does each asked one cross?

Every end keeps clear of every other segment by a margin, so no crossing lies near an end, no two segments touch, and
a near miss can be seen to be one. Segments that cross do so at a fair angle.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import dist

import numpy as np

from palaestra.core.answer import Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.geometry._plane import Place, bend, seen
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.graphs import NAMES
from palaestra.envs.kit.parts import Asked, scored

Segment = tuple[Place, Place]
"""Its ends in hundredths of the picture."""

TRIES = 60  # segments tried for one
STEEP = 0.34  # sine of the smallest angle of a crossing, 20 degrees
RIM = 8  # free hundredths at the edge of the picture

TASK = "How many other segments does each of these cross? {}"
RULES = "Each segment is straight and has its letter at both ends. All counts must be right."
HINT = "Follow one segment from end to end, and beware of those that stop short before it."


@dataclass(frozen=True, slots=True)
class Sheet:
    """One question: the segments, named in this order, and which of them are asked for."""

    segments: tuple[Segment, ...]
    asked: tuple[int, ...]


class SegmentCrossings:
    """The environment."""

    spec = EnvSpec(
        id="geometry/segment_crossings",
        version=1,
        title="Segment crossings",
        horizon=1,
        scales=(
            {"segments": 4, "asked": 2, "shortest": 45, "margin": 10},
            {"segments": 4, "asked": 3, "shortest": 45, "margin": 9},
            {"segments": 6, "asked": 4, "shortest": 40, "margin": 6},
            {"segments": 8, "asked": 4, "shortest": 40, "margin": 5},
            {"segments": 9, "asked": 5, "shortest": 40, "margin": 4},
            {"segments": 11, "asked": 6, "shortest": 38, "margin": 4},
        ),
        knobs=(
            Knob("segments", 4, 11, "segments in the picture"),
            Knob("asked", 2, 6, "segments that are asked for; no more than there are"),
            Knob("shortest", 15, 45, "least length in hundredths of the picture: long ones cross more often"),
            Knob("margin", 4, 6, "how far, in hundredths of the picture, every end is clear of other segments"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "lines"}),
    )

    def reset(self, instance: Instance) -> Asked[Sheet]:
        settings = self.spec.settings(instance)
        count, asked, shortest, margin = (int(settings[k]) for k in ("segments", "asked", "shortest", "margin"))

        def propose(rng: np.random.Generator) -> Asked[Sheet] | None:
            placed: list[Segment] = []
            for _ in range(count):
                for x0, y0, x1, y1 in rng.integers(RIM, 101 - RIM, (TRIES, 4)).tolist():
                    segment = ((x0, y0), (x1, y1))
                    if dist(*segment) >= shortest and all(_clear(segment, other, margin) for other in placed):
                        placed.append(segment)
                        break
                else:
                    return None  # no room for another one
            chosen = sorted(rng.permutation(count)[:asked].tolist())
            sheet = Sheet(tuple(placed), tuple(chosen))
            return Asked(sheet) if len(set(_right(sheet))) > 1 else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Sheet]) -> int:
        return 1

    def public(self, state: Asked[Sheet]) -> Sheet:
        return state.question

    def view(self, public: Sheet, pixels: int = 448) -> View:
        kind = _answer(public)
        canvas = _draw(public, pixels) if pixels else None
        ends = [f"{n} {a},{b} to {c},{d}" for n, ((a, b), (c, d)) in zip(NAMES, public.segments, strict=False)]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=TASK.format(kind.describe()),
            rules=RULES,
            hint=HINT,
            state=f"Crossings in the whole picture: {sum(_counts(public.segments)) // 2}.",
            caption=f"Segments (right, down): {'; '.join(ends)}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Sheet], action: tuple[int, ...]) -> Step[Asked[Sheet]]:
        errors = [said - true for said, true in zip(action, _right(state.question), strict=True)]
        events: list[str] = []
        for said, error in zip(action, errors, strict=True):
            if error:
                events.append("false_alarm" if error > 0 else "crossing_missed")
                events += ["count_off_by_one"] if abs(error) == 1 else []
            else:
                events.append("crossing_found" if said else "count_zero_ok")
        return scored(Asked(state.question, answered=True), errors.count(0), len(errors), events)

    def solve(self, state: Asked[Sheet]) -> Sequence[str] | None:
        return () if state.answered else [_answer(state.question).format(_right(state.question))]

    def problem(self, state: Asked[Sheet]) -> bytes:
        """Return the segments up to turns and mirrors, and which are asked for, whatever they are called."""
        sheet = state.question
        images = [
            sorted(
                (sorted(seen(place, turns, 100) for place in segment), k in sheet.asked)
                for k, segment in enumerate(sheet.segments)
            )
            for turns in range(8)
        ]
        return repr(min(images)).encode()


def _cross(one: Segment, other: Segment) -> bool:
    parts = [bend(*one, place) > 0 for place in other] + [bend(*other, place) > 0 for place in one]
    return parts[0] != parts[1] and parts[2] != parts[3]


def _gap(place: Place, segment: Segment) -> float:
    """Return the distance of a place from the nearest place of a segment."""
    (x, y), (dx, dy) = segment[0], (segment[1][0] - segment[0][0], segment[1][1] - segment[0][1])
    share = ((place[0] - x) * dx + (place[1] - y) * dy) / (dx * dx + dy * dy)
    share = min(max(share, 0.0), 1.0)
    return dist(place, (x + share * dx, y + share * dy))


def _clear(one: Segment, other: Segment, margin: int) -> bool:
    """Return whether two segments plainly cross or plainly do not, with room for the letters at their ends."""
    if min(dist(one[0], other[0]), dist(one[0], other[1]), dist(one[1], other[0]), dist(one[1], other[1])) < 2 * margin:
        return False
    if min(_gap(one[0], other), _gap(one[1], other), _gap(other[0], one), _gap(other[1], one)) < margin:
        return False
    (ax, ay), (bx, by) = ((end[0] - start[0], end[1] - start[1]) for start, end in (one, other))
    return not _cross(one, other) or abs(ax * by - ay * bx) >= STEEP * dist(*one) * dist(*other)


@lru_cache(maxsize=1024)
def _counts(segments: tuple[Segment, ...]) -> tuple[int, ...]:
    return tuple(sum(_cross(one, other) for other in segments if other != one) for one in segments)


def _right(sheet: Sheet) -> tuple[int, ...]:
    counts = _counts(sheet.segments)
    return tuple(counts[k] for k in sheet.asked)


def _draw(sheet: Sheet, pixels: int) -> Canvas:
    unit, glyph = pixels / 100, max(7, pixels // 38)
    canvas = Canvas(pixels, pixels)
    lines = [(a * unit, b * unit, c * unit, d * unit) for (a, b), (c, d) in sheet.segments]
    canvas.segments(lines, max(1, pixels / 150), "slate")
    for name, segment in zip(NAMES, sheet.segments, strict=False):
        for x, y in segment:
            box = canvas.shape("circle", (x * unit, y * unit), 2 * glyph, "yellow", "ink", name, glyph)
            canvas.element(name, box, glyph=glyph)
    return canvas


@lru_cache(maxsize=512)
def _answer(sheet: Sheet) -> Record:
    kind = Integer(0, len(sheet.segments) - 1)
    return Record(tuple((NAMES[k], kind) for k in sheet.asked))


environment = SegmentCrossings()
