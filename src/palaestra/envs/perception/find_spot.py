"""Find spot: point at the one thing among many that fits a description by features and by where it lies.

For every feature that is named there is a lookalike that lacks only this one. Where the description goes on with
relations, several things have all the features, and every relation is needed to tell them apart.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from operator import and_
from typing import NamedTuple

import numpy as np

from palaestra.core.answer import Point
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import grid, splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import Asked

SIZES = ("small", "large", "")
SHARES = (0.46, 0.8, 0.76)  # of the distance of two neighbours
COLOURS = ("red", "blue", "yellow", "pink", "black")  # told apart by everybody
SHAPES = ("circle", "square", "triangle", "diamond", "star", "cross")
RELATIONS = {"left of": (0, -1), "right of": (0, 1), "above": (1, -1), "below": (1, 1)}  # the axis and the sign
JITTER = 0.16  # of the distance of two neighbours
LEVEL = 0.5  # of it, too: things whose centres are no further apart along an axis are in one row or column
FRAME = 1000
TRIES = 200

ANSWER = Point(FRAME, FRAME)
RULES = "x runs to the right and y down. Any point inside the thing will do."
RELATED = " Above, below, left and right hold however far apart things are."
HINT = "Take in all things that have the features."
SIEVE = " Then drop those that lie on the wrong side."


class Kind(NamedTuple):
    """Features, as places among the values."""

    size: int
    colour: int
    shape: int

    @property
    def name(self) -> str:
        """What it is called, such as "small red star"."""
        return f"{SIZES[self.size]} {COLOURS[self.colour]} {SHAPES[self.shape]}".strip()


class Thing(NamedTuple):
    """One thing: its features, its cell on the lattice, its centre in thousandths of the picture."""

    kind: Kind
    cell: int
    centre: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Scene:
    """One question: the things, the features wanted, and relations to other things, such as ("above", thing)."""

    side: int
    things: tuple[Thing, ...]
    wanted: Kind
    relations: tuple[tuple[str, int], ...]

    def reach(self, thing: Thing) -> float:
        """Return half the side of the box around a thing, in thousandths of the picture."""
        return FRAME * SHARES[thing.kind.size] / self.side / 2

    def fits(self, thing: Thing) -> bool:
        """Return whether a thing is as described."""
        return thing.kind == self.wanted and all(
            _beyond(relation, thing, self.things[anchor]) > 0 for relation, anchor in self.relations
        )

    @property
    def target(self) -> Thing:
        """The one thing that fits."""
        (target,) = filter(self.fits, self.things)
        return target

    @property
    def description(self) -> str:
        """What is looked for."""
        said = [f"{relation} the {self.things[anchor].kind.name}" for relation, anchor in self.relations]
        return " and ".join([" ".join([self.wanted.name, *said[:1]]), *said[1:]])


class FindSpot:
    """The environment."""

    spec = EnvSpec(
        id="perception/find_spot",
        version=1,
        title="Find spot",
        horizon=1,
        scales=(
            {"side": 2, "things": 4, "sizes": 0, "relations": 0},
            {"side": 3, "things": 7, "sizes": 0, "relations": 0},
            {"side": 4, "things": 13, "sizes": 1, "relations": 0},
            {"side": 5, "things": 20, "sizes": 1, "relations": 1},
            {"side": 6, "things": 28, "sizes": 1, "relations": 2},
            {"side": 8, "things": 44, "sizes": 1, "relations": 3},
        ),
        knobs=(
            Knob("things", 4, 48, "things in the picture; the lattice grows when they do not fit"),
            Knob("sizes", 0, 1, "whether things are small or large"),
            Knob("relations", 0, 3, "other things that the description relates to; there are more things if need be"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "continuous"}),
    )

    def reset(self, instance: Instance) -> Asked[Scene]:
        settings = self.spec.settings(instance)
        side, count = int(settings["side"]), int(settings["things"])
        sized, relations = bool(settings["sizes"]), int(settings["relations"])
        while side * side < count or side < relations + 2:
            side += 1

        def propose(rng: np.random.Generator) -> Asked[Scene] | None:
            kinds = _kinds(max(count, 4 * relations + 4), sized, relations, rng)
            cells = rng.permutation(side * side)[: len(kinds)].tolist()
            shifts = (JITTER * (rng.random((len(kinds), 2)) - 0.5) + 0.5).tolist()
            places = zip(kinds, cells, shifts, strict=True)
            things = tuple(
                Thing(kind, cell, (round(FRAME * (cell % side + x) / side), round(FRAME * (cell // side + y) / side)))
                for kind, cell, (x, y) in places
            )
            chosen = _relations(things, relations, side, rng)
            return None if chosen is None else Asked(Scene(side, things, kinds[0], chosen))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Scene]) -> int:
        return 1

    def public(self, state: Asked[Scene]) -> Scene:
        return state.question

    def view(self, public: Scene, pixels: int = 448) -> View:
        canvas = _draw(public, pixels) if pixels else None
        wanted = public.wanted
        alike = [
            f"{word} {sum(thing.kind[k] == wanted[k] for thing in public.things)}"
            for k, word in enumerate((SIZES[wanted.size], COLOURS[wanted.colour], SHAPES[wanted.shape]))
            if word
        ]
        listed = [f"{thing.kind.name} {thing.centre[0]} {thing.centre[1]}" for thing in _in_order(public)]
        return View(
            answer=ANSWER,
            image=canvas.picture() if canvas else None,
            task=f"Point at the {public.description}. {ANSWER.describe()}",
            rules=RULES + RELATED * bool(public.relations),
            hint=HINT + SIEVE * bool(public.relations),
            state=f"Things by feature: {', '.join(alike)}; with all of them "
            f"{sum(thing.kind == wanted for thing in public.things)}.",
            caption=f"Centres x y: {'; '.join(listed)}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Scene], action: tuple[float, float]) -> Step[Asked[Scene]]:
        scene, after = state.question, Asked(state.question, answered=True)
        target = scene.target
        away = _away(target, action)
        if away <= scene.reach(target):
            return Step(after, 1.0, done=True, success=True, events=("target_located",))
        hit = [thing for thing in scene.things if _away(thing, action) <= scene.reach(thing)]
        if hit and sum(a == b for a, b in zip(hit[0].kind, scene.wanted, strict=True)) >= 2:
            return Step(after, done=True, events=("target_missed", "lookalike_taken"))
        near = away <= 2 * scene.reach(target) and not hit
        return Step(after, done=True, events=("target_near" if near else "target_missed",))

    def solve(self, state: Asked[Scene]) -> Sequence[str] | None:
        return () if state.answered else [ANSWER.format(state.question.target.centre)]

    def problem(self, state: Asked[Scene]) -> bytes:
        """Return what lies in which cell, and which things the description singles out or relates to."""
        scene = state.question
        content = np.zeros(scene.side**2, np.uint8)
        for size, colour, shape, cell in ((*thing.kind, thing.cell) for thing in scene.things):
            content[cell] = 1 + (size % 2 * len(COLOURS) + colour) * len(SHAPES) + shape
        content[scene.target.cell] += 64
        content[[scene.things[anchor].cell for _, anchor in scene.relations]] += 128
        return grid.canonical(scene.side, scene.side, content) + bytes([scene.wanted.size == 2])


def _in_order(scene: Scene) -> list[Thing]:
    return sorted(scene.things, key=lambda thing: thing.cell)


def _away(thing: Thing, place: tuple[float, float]) -> float:
    return max(abs(thing.centre[0] - place[0]), abs(thing.centre[1] - place[1]))


def _beyond(relation: str, thing: Thing, anchor: Thing) -> int:
    """Return how far a thing lies on the side of another that a relation names."""
    axis, sign = RELATIONS[relation]
    return sign * (thing.centre[axis] - anchor.centre[axis])


def _kinds(count: int, sized: bool, relations: int, rng: np.random.Generator) -> list[Kind]:
    """Draw the wanted kind, those that relations go to, the wanted one again where there are relations, lookalikes
    that lack one feature each, and any others."""
    sizes = (0, 1) if sized else (2,)
    every = [Kind(*kind) for kind in product(sizes, range(len(COLOURS)), range(len(SHAPES)))]
    wanted, *rest = (every[k] for k in rng.permutation(len(every)).tolist())
    lookalikes = [next(kind for kind in rest if _lacks(kind, wanted, f)) for f in range(0 if sized else 1, 3)]
    anchors = [kind for kind in rest if kind not in lookalikes][:relations]
    others = [kind for kind in rest if kind not in anchors]
    again = [wanted] * (relations + 1) if relations else []
    fixed = [wanted, *anchors, *again, *lookalikes]
    return fixed + [others[k] for k in rng.integers(len(others), size=count - len(fixed)).tolist()]


def _lacks(kind: Kind, wanted: Kind, feature: int) -> bool:
    """Return whether a kind differs in one feature only."""
    return all((a != b) == (k == feature) for k, (a, b) in enumerate(zip(kind, wanted, strict=True)))


def _relations(
    things: Sequence[Thing], count: int, side: int, rng: np.random.Generator
) -> tuple[tuple[str, int], ...] | None:
    """Return relations of the first thing to things of unique kinds, all needed to tell it from those alike.

    It lies clearly beyond them, and those alike fail however little beyond they must lie: whether "above" holds within
    a row may be a matter of opinion, the answer is not. None if no such relations are found.
    """
    if not count:
        return ()
    kinds = Counter(thing.kind for thing in things)
    first, *alike = (thing for thing in things if thing.kind == things[0].kind)
    left: list[tuple[str, int, int]] = []  # what holds for the first, and for which set of those alike too
    for anchor, other in enumerate(things):
        for relation in RELATIONS if kinds[other.kind] == 1 else ():
            beyond = [_beyond(relation, thing, other) for thing in (first, *alike)]
            if beyond[0] > LEVEL * FRAME / side:
                left.append((relation, anchor, sum(1 << k for k, far in enumerate(beyond[1:]) if far > 0)))
    for picks in rng.integers(len(left), size=(TRIES, count)).tolist() if left else ():
        sets = [left[k][2] for k in picks]
        needed = all(reduce(and_, sets[:k] + sets[k + 1 :], -1) for k in range(count))
        if needed and not reduce(and_, sets) and len({left[k][1] for k in picks}) == count:
            return tuple(left[k][:2] for k in picks)
    return None


def _draw(scene: Scene, pixels: int) -> Canvas:
    canvas = Canvas(pixels, pixels)
    for thing in _in_order(scene):
        size, shape, fill = round(pixels * SHARES[thing.kind.size] / scene.side), thing.kind.shape, thing.kind.colour
        x, y = (pixels * part / FRAME for part in thing.centre)
        canvas.element(thing.kind.name, canvas.shape(SHAPES[shape], (x, y), size, COLOURS[fill], edge="ink"))
    return canvas


environment = FindSpot()
