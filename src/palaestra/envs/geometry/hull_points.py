"""Hull points: which points does a rubber band around all of them touch, in order?

A margin is measured, not hoped for: every corner sticks out of the hull of the other points by it, and every other
point lies inside by it. Lures lie no deeper than twice the margin below a side.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import cos, dist, pi, sin

import numpy as np

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.geometry._plane import Place, bend, seen
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.graphs import NAMES
from palaestra.envs.kit.parts import Asked, scored

TRIES = 30  # places tried for one point inside

TASK = "A rubber band is put around all points. Name its corners in order along it. {}"
RULES = "Any start and either direction will do; name each corner once and no point inside."
HINT = "Begin at an outermost point and swing a line around all the others until it meets the next one."


@dataclass(frozen=True, slots=True)
class Sheet:
    """One question: the points in hundredths of the picture, named in this order."""

    points: tuple[Place, ...]


class HullPoints:
    """The environment."""

    spec = EnvSpec(
        id="geometry/hull_points",
        version=1,
        title="Hull points",
        horizon=1,
        scales=(
            {"corners": 4, "inside": 2, "lures": 0.0, "margin": 9, "spacing": 16},
            {"corners": 4, "inside": 3, "lures": 0.4, "margin": 8, "spacing": 16},
            {"corners": 5, "inside": 5, "lures": 0.5, "margin": 6, "spacing": 10},
            {"corners": 6, "inside": 7, "lures": 0.6, "margin": 5, "spacing": 8},
            {"corners": 7, "inside": 9, "lures": 0.7, "margin": 4, "spacing": 8},
            {"corners": 8, "inside": 12, "lures": 0.7, "margin": 3, "spacing": 8},
        ),
        knobs=(
            Knob("corners", 3, 9, "points that the band touches"),
            Knob("inside", 1, 13, "points inside"),
            Knob("lures", 0.0, 1.0, "share of the points inside that lie close to a side"),
            Knob("margin", 3, 8, "how far, in hundredths of the picture, every point is clear of being in doubt"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "many_right"}),
        source="the convex hull of a set of points",
    )

    def reset(self, instance: Instance) -> Asked[Sheet]:
        settings = self.spec.settings(instance)
        corners, inside, margin, spacing = (int(settings[k]) for k in ("corners", "inside", "margin", "spacing"))
        lures = round(float(settings["lures"]) * inside)

        def propose(rng: np.random.Generator) -> Asked[Sheet] | None:
            hull = _ring(corners, rng)
            sides = _sides(hull)
            if any(_depth(hull[k - 2], hull[k], hull[k - 1]) > -margin for k in range(corners)):
                return None  # a corner sticks out too little
            if any(dist(a, b) < spacing for a, b in combinations(hull, 2)):
                return None
            points = list(hull)
            for k in range(inside):
                for pick, along, depth, x, y in rng.random((TRIES, 5)).tolist():
                    a, b = sides[int(pick * corners)]
                    place = _beside(a, b, along, margin * (1 + depth)) if k < lures else (int(100 * x), int(100 * y))
                    if all(_depth(*side, place) >= margin for side in sides) and _clear(place, points, spacing):
                        points.append(place)
                        break
                else:
                    return None
            return Asked(Sheet(tuple(points[k] for k in rng.permutation(len(points)).tolist())))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Sheet]) -> int:
        return 1

    def public(self, state: Asked[Sheet]) -> Sheet:
        return state.question

    def view(self, public: Sheet, pixels: int = 448) -> View:
        points = public.points
        kind = _answer(len(points))
        canvas = _draw(public, pixels) if pixels else None
        corners = len(_hull(points))
        named = [f"{name} {x},{y}" for name, (x, y) in zip(NAMES, points, strict=False)]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=TASK.format(kind.describe()),
            rules=RULES,
            hint=HINT,
            state=f"Corners: {corners}; points inside: {len(points) - corners}.",
            caption=f"Points (right, down): {'; '.join(named)}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Sheet], action: tuple[str, ...]) -> Step[Asked[Sheet]]:
        sheet = state.question
        said, hull = [NAMES.index(name) for name in action], _hull(sheet.points)
        sides = {frozenset(side) for side in zip(hull, hull[1:] + hull[:1], strict=True)}
        found = sides & {frozenset(side) for side in zip(said, said[1:] + said[:1], strict=True)}
        events = ["part_left_out"] * len(set(hull).difference(said))
        events += ["part_superfluous"] * len(set(said).difference(hull))
        events += ["node_repeated"] if len(set(said)) < len(said) else []
        if not events:
            events.append("order_right" if found == sides else "order_wrong")
        return scored(Asked(sheet, answered=True), len(found), max(len(hull), len(said)), events)

    def solve(self, state: Asked[Sheet]) -> Sequence[str] | None:
        return () if state.answered else next(self.solutions(state))

    def solutions(self, state: Asked[Sheet]) -> Iterator[Sequence[str]]:
        """Yield the corners from every start in both directions."""
        points = state.question.points
        names = tuple(NAMES[k] for k in _hull(points))
        for way in (names, names[::-1]):
            for k in range(len(way)):
                yield [_answer(len(points)).format(way[k:] + way[:k])]

    def problem(self, state: Asked[Sheet]) -> bytes:
        """Return the places up to turns and mirrors, whatever they are called."""
        return repr(min(sorted(seen(place, k, 100) for place in state.question.points) for k in range(8))).encode()


def _ring(count: int, rng: np.random.Generator) -> tuple[Place, ...]:
    """Return places clockwise around the middle, some further out than others."""
    phase, *widths = rng.random(3).tolist()
    wide, high = (38 + 8 * width for width in widths)
    places = []
    for k, (turn, out) in enumerate(rng.random((count, 2)).tolist()):
        angle, radius = 2 * pi * (phase + (k + 0.5 * turn) / count), 0.84 + 0.16 * out
        places.append((round(50 + wide * radius * cos(angle)), round(50 + high * radius * sin(angle))))
    return tuple(places)


def _sides(ring: Sequence[Place]) -> list[tuple[Place, Place]]:
    return list(zip(ring, (*ring[1:], *ring[:1]), strict=True))


def _depth(a: Place, b: Place, place: Place) -> float:
    """Return how far to the right of the line from a to b a place lies: inside, where a ring runs clockwise."""
    return bend(a, b, place) / dist(a, b)


def _beside(a: Place, b: Place, along: float, depth: float) -> Place:
    """Return a place at a depth below the middle half of a side."""
    share, long = 0.25 + 0.5 * along, dist(a, b)
    dx, dy = b[0] - a[0], b[1] - a[1]
    return (round(a[0] + share * dx - depth * dy / long), round(a[1] + share * dy + depth * dx / long))


def _clear(place: Place, others: Sequence[Place], spacing: int) -> bool:
    return all(dist(place, other) >= spacing for other in others)


@lru_cache(maxsize=1024)
def _hull(points: tuple[Place, ...]) -> tuple[int, ...]:
    """Return the corners of the convex hull clockwise from the leftmost (gift wrapping)."""
    hull = [min(range(len(points)), key=points.__getitem__)]
    while True:
        here = following = hull[-1]
        for k, place in enumerate(points):
            if k != here and (following == here or bend(points[here], points[following], place) < 0):
                following = k
        if following == hull[0]:
            return tuple(hull)
        hull.append(following)


def _draw(sheet: Sheet, pixels: int) -> Canvas:
    canvas = Canvas(pixels, pixels, "sand")
    glyph = max(7, pixels // 32)
    for name, (x, y) in zip(NAMES, sheet.points, strict=False):
        centre = (x * pixels / 100, y * pixels / 100)
        box = canvas.shape("circle", centre, 2 * glyph, "navy", "white", name, glyph, "white")
        canvas.element(name, box, glyph=glyph)
    return canvas


@lru_cache(maxsize=64)
def _answer(points: int) -> answer.Sequence:
    return answer.Sequence(tuple(NAMES[:points]), shortest=3, longest=points)


environment = HullPoints()
