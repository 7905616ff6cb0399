"""Mirror a point: where do points land when they are mirrored at drawn lines and turned about a drawn centre?

Every landing place on the way lies in the picture, well away from where the point was before, so a step that is left
out, or a turn the other way, misses.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from math import cos, dist, pi, sin
from typing import NamedTuple

import numpy as np

from palaestra.core.answer import Point, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.geometry._plane import Place, seen
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import Asked, scored

FRAME = 1000  # places are in thousandths of the picture, whole ones where they are drawn
SQUARE = 100  # of the paper
LETTERS = "ABC"
RIM = 70  # between the ends of a line and the edge
APART = 150  # least distance of two labels, and of a point from where it was before
TRIES = 80  # places tried for one point

TASK = "Every point is {}. Where does it land (x to the right, y down), to within {}? {}"
RULES = "The whole picture is {} wide and high, a square of its paper {}. All points must land near enough."
HINT_MIRROR = "A point and its mirror image face each other squarely across the line, equally far from it."
HINT_TURN = "A quarter turn keeps the distance from O; take the steps one after another."


class Motion(NamedTuple):
    """A mirror at the line between two ends, or a quarter turn clockwise about one place."""

    name: str
    ends: tuple[Place, ...]

    @property
    def turns(self) -> bool:
        """Whether it is a turn."""
        return len(self.ends) == 1

    @property
    def done(self) -> str:
        """What it does to a point."""
        return f"turned clockwise by a quarter about {self.name}" if self.turns else f"mirrored at line {self.name}"

    @property
    def drawn(self) -> str:
        """What is to be seen of it."""
        return (
            f"{'orange centre' if self.turns else 'line'} {self.name} {' to '.join(f'{x} {y}' for x, y in self.ends)}"
        )


@dataclass(frozen=True, slots=True)
class Sheet:
    """One question: the points, what is done with them, and how near is near enough."""

    points: tuple[Place, ...]
    motions: tuple[Motion, ...]
    tolerance: int


class MirrorPoint:
    """The environment."""

    spec = EnvSpec(
        id="geometry/mirror_point",
        version=1,
        title="Mirror a point",
        horizon=1,
        scales=(
            {"points": 1, "mirrors": 1, "turns": 0, "slanted": 0, "tolerance": 90},
            {"points": 1, "mirrors": 1, "turns": 0, "slanted": 1, "tolerance": 80},
            {"points": 2, "mirrors": 1, "turns": 0, "slanted": 1, "tolerance": 70},
            {"points": 2, "mirrors": 1, "turns": 1, "slanted": 1, "tolerance": 70},
            {"points": 3, "mirrors": 2, "turns": 0, "slanted": 1, "tolerance": 60},
            {"points": 3, "mirrors": 2, "turns": 1, "slanted": 1, "tolerance": 50},
        ),
        knobs=(
            Knob("points", 1, 3, "points to follow"),
            Knob("mirrors", 1, 2, "lines to mirror at"),
            Knob("turns", 0, 1, "quarter turns after the first mirror"),
            Knob("slanted", 0, 1, "whether lines may lie at any angle"),
            Knob("tolerance", 30, 90, "largest error allowed, in thousandths of the picture"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "continuous", "lines"}),
    )

    def reset(self, instance: Instance) -> Asked[Sheet]:
        settings = self.spec.settings(instance)
        points, mirrors, turns, tolerance = (int(settings[k]) for k in ("points", "mirrors", "turns", "tolerance"))

        def propose(rng: np.random.Generator) -> Asked[Sheet] | None:
            motions = [_line(name, bool(settings["slanted"]), rng) for name in "LM"[:mirrors]]
            if turns:
                x, y = rng.integers(350, 651, 2).tolist()
                motions.insert(1, Motion("O", ((x, y),)))
            taken = [place for motion in motions for place in motion.ends]
            if any(dist(a, b) < APART for k, a in enumerate(taken) for b in taken[:k]):
                return None
            labelled = len(taken)
            for _ in range(points):
                for x, y in rng.integers(RIM, FRAME - RIM + 1, (TRIES, 2)).tolist():
                    path = _path((x, y), motions)
                    if all(dist(path[0], other) >= APART for other in taken) and _plain(path):
                        taken.append((x, y))
                        break
                else:
                    return None
            return Asked(Sheet(tuple(taken[labelled:]), tuple(motions), tolerance))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Sheet]) -> int:
        return 1

    def public(self, state: Asked[Sheet]) -> Sheet:
        return state.question

    def view(self, public: Sheet, pixels: int = 448) -> View:
        kind, motions = _answer(len(public.points)), public.motions
        canvas = _draw(public, pixels) if pixels else None
        drawn = [f"blue point {name} {x} {y}" for name, (x, y) in zip(LETTERS, public.points, strict=False)]
        away = [round(dist(place, _path(place, motions)[1]) / 2) for place in public.points]
        told = ", ".join(f"{name} {far}" for name, far in zip(LETTERS, away, strict=False))
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=TASK.format(", then ".join(motion.done for motion in motions), public.tolerance, kind.describe()),
            rules=RULES.format(FRAME, SQUARE),
            hint=f"{HINT_MIRROR} {HINT_TURN}" if any(motion.turns for motion in motions) else HINT_MIRROR,
            state=f"Distance from line L: {told}.",
            caption=f"Drawn (right, down): {'; '.join([*drawn, *(motion.drawn for motion in motions)])}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Sheet], action: tuple[Place, ...]) -> Step[Asked[Sheet]]:
        sheet = state.question
        events: list[str] = []
        for said, place in zip(action, sheet.points, strict=True):
            error = dist(said, _path(place, sheet.motions)[-1])
            if error <= sheet.tolerance:
                events.append("target_located")
            else:
                events.append("target_near" if error <= 2 * sheet.tolerance else "target_missed")
                events += _mistaken(said, place, sheet)
        right = events.count("target_located")
        return scored(Asked(sheet, answered=True), right, len(sheet.points), events)

    def solve(self, state: Asked[Sheet]) -> Sequence[str] | None:
        if state.answered:
            return ()
        sheet = state.question
        ends = [_path(place, sheet.motions)[-1] for place in sheet.points]
        return [_answer(len(ends)).format(tuple((round(x, 1), round(y, 1)) for x, y in ends))]

    def problem(self, state: Asked[Sheet]) -> bytes:
        """Return points and motions up to a turn of the picture, and up to a mirror where nothing turns clockwise."""
        sheet = state.question
        images = []
        for k in range(4 if any(motion.turns for motion in sheet.motions) else 8):
            points = sorted(seen(place, k, FRAME) for place in sheet.points)
            images.append((points, [sorted(seen(end, k, FRAME) for end in ends) for _, ends in sheet.motions]))
        return repr((min(images), sheet.tolerance)).encode()


def _line(name: str, slanted: bool, rng: np.random.Generator) -> Motion:
    """Return a line through the middle part of the picture, its ends where it comes near the edge."""
    x, y = rng.integers(350, 651, 2).tolist()
    angle = pi * rng.random() if slanted else pi / 2 * rng.integers(2)
    ends: list[Place] = []
    for dx, dy in ((cos(angle), sin(angle)), (-cos(angle), -sin(angle))):
        reach = min(((FRAME - RIM if d > 0 else RIM) - v) / d for v, d in ((x, dx), (y, dy)) if abs(d) > 1e-9)
        ends.append((round(x + reach * dx), round(y + reach * dy)))
    return Motion(name, tuple(ends))


def _path(place: Place, motions: Sequence[Motion]) -> list[Place]:
    """Return a place and where every motion takes it."""
    path = [place]
    for motion in motions:
        (x, y), (u, v) = motion.ends[0], motion.ends[-1]
        dx, dy = path[-1][0] - x, path[-1][1] - y
        if motion.turns:
            path.append((x - dy, y + dx))
            continue
        across, down = u - x, v - y
        twice = 2 * (across * dy - down * dx) / (across * across + down * down)  # of the way to the line, squarely
        path.append((x + dx + twice * down, y + dy - twice * across))
    return path


def _plain(path: Sequence[Place]) -> bool:
    """Return whether every place is in the picture and well away from the one before and the first."""
    inside = all(RIM <= v <= FRAME - RIM for place in path for v in place)
    return inside and all(dist(a, b) >= APART for a, b in (*pairwise(path), (path[0], path[-1])))


def _mistaken(said: Place, place: Place, sheet: Sheet) -> list[str]:
    """Return which motions were left out, or turned the other way, if one of them explains where a point was put."""
    found = []
    for k, motion in enumerate(sheet.motions):
        before, after = sheet.motions[:k], sheet.motions[k + 1 :]
        others = [(*before, *after), (*before, motion, motion, motion, *after)]  # three quarters are one the other way
        if any(dist(said, _path(place, other)[-1]) <= sheet.tolerance for other in others):
            found.append("rotation_mistaken" if motion.turns else "mirror_mistaken")
    return found


def _draw(sheet: Sheet, pixels: int) -> Canvas:
    """Draw mirrors of glass and the figure that the points make, on squared paper."""
    unit, glyph = pixels / FRAME, max(7, pixels // 34)
    canvas = Canvas(pixels, pixels)
    for k in range(SQUARE, FRAME, SQUARE):
        at = round(k * unit)
        canvas.rectangle((at, 0, at + 1, pixels), "mist")
        canvas.rectangle((0, at, pixels, at + 1), "mist")
    mirrors = [motion.ends for motion in sheet.motions if not motion.turns]
    arrows = [line for motion in sheet.motions if motion.turns for line in _arrow(motion.ends[0], 1.9 * glyph / unit)]
    for lines, thickness, fill in (
        (mirrors, pixels / 36, "sky"),
        ([*mirrors, *arrows], max(1, pixels / 150), "slate"),
        (combinations(sheet.points, 2), pixels / 220, "grey"),
    ):
        canvas.segments([(a * unit, b * unit, c * unit, d * unit) for (a, b), (c, d) in lines], thickness, fill)
    for motion in sheet.motions:
        fill = "orange" if motion.turns else "white"
        for x, y in motion.ends:
            box = canvas.shape("circle", (x * unit, y * unit), 2 * glyph, fill, "ink", motion.name, glyph)
            canvas.element(motion.name, box, glyph=glyph)
    for name, (x, y) in zip(LETTERS, sheet.points, strict=False):
        box = canvas.shape("circle", (x * unit, y * unit), 2 * glyph, "blue", "", name, glyph, "white")
        canvas.element(name, box, glyph=glyph)
    return canvas


def _arrow(place: Place, radius: float) -> Iterator[tuple[Place, ...]]:
    """Yield the lines of an arrow that goes clockwise round a place by a quarter, from above it to its right."""
    x, y = place
    arc = [(x + radius * sin(k * pi / 16), y - radius * cos(k * pi / 16)) for k in range(9)]
    head = [(x + share * radius, y - 0.3 * radius) for share in (0.7, 1.3)]
    return pairwise([*arc, head[0], arc[-1], head[1]])


@lru_cache(maxsize=len(LETTERS))
def _answer(points: int) -> Record:
    return Record(tuple((name, Point(FRAME, FRAME)) for name in LETTERS[:points]))


environment = MirrorPoint()
