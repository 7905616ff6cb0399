"""Odd patches: which patch of each row differs from all its neighbours in the one feature in which those agree.

In easy rows everything else is the same too. In hard ones other features vary from patch to patch, every value of them
at least twice, so that a reader must first find the feature that does not vary, and then a small difference in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin
from typing import NamedTuple

import numpy as np

from palaestra.core.answer import Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import Element, Picture, View
from palaestra.envs.kit import captions, grid, headings, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.parts import Asked, scored

COLOURS = ("orange", "blue", "pink", "brown", "black")  # told apart by everybody
SHAPES = ("circle", "square", "triangle", "diamond", "star", "cross")
TURNS = ("flat", "rising", "upright", "falling")
SPACINGS = ("wide", "medium", "narrow")
FEATURES = ("number", "colour", "shape", "turn", "spacing")
VALUES = (6, len(COLOURS), len(SHAPES), len(TURNS), len(SPACINGS))
PLAIN, STRIPED = (0, 1, 2), (0, 2, 3, 4)  # the features in which patches are odd, by whether they are striped
MARKS = (0.6, 0.38, 0.34, 0.31, 0.27, 0.25)  # size of the marks by their number, as a share of a patch
LINES = (4, 6, 9)  # stripes of a patch by their spacing

RULES = "In each row all but one agree in some feature: number, colour or shape of the marks{}."
STRIPES = ", turn or spacing of the stripes"
FREELY = " Features whose every value occurs at least twice do not count."
HINT = "Go along a row for one feature at a time."


class Patch(NamedTuple):
    """One patch, feature by feature, as places among the values; no stripes are -1."""

    number: int
    colour: int
    shape: int
    turn: int = -1
    spacing: int = -1

    @property
    def word(self) -> str:
        """What it is called, such as "3-red-star-flat-wide"."""
        marks = f"{self.number + 1}-{COLOURS[self.colour]}-{SHAPES[self.shape]}"
        return marks if self.turn < 0 else f"{marks}-{TURNS[self.turn]}-{SPACINGS[self.spacing]}"


Row = tuple[Patch, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One question: the rows of patches, and whether features vary that do not count."""

    rows: tuple[Row, ...]
    varied: bool


class OddPatches:
    """The environment."""

    spec = EnvSpec(
        id="perception/odd_patches",
        version=1,
        title="Odd patches",
        horizon=1,
        scales=(
            {"rows": 3, "columns": 3, "varied": 0, "stripes": 0},
            {"rows": 3, "columns": 4, "varied": 0, "stripes": 0},
            {"rows": 3, "columns": 5, "varied": 1, "stripes": 0},
            {"rows": 4, "columns": 5, "varied": 1, "stripes": 1},
            {"rows": 4, "columns": 6, "varied": 2, "stripes": 1},
            {"rows": 5, "columns": 6, "varied": 3, "stripes": 1},
        ),
        knobs=(
            Knob("rows", 2, 7, "rows, each with an odd patch"),
            Knob("columns", 3, 7, "patches in a row"),
            Knob("varied", 0, 3, "features that vary and do not count; rows of three are too short for it"),
            Knob("stripes", 0, 1, "whether patches are striped, and odd ones differ by little"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn"}),
    )

    def reset(self, instance: Instance) -> Asked[Sheet]:
        settings = self.spec.settings(instance)
        rows, columns, varied = (int(settings[name]) for name in ("rows", "columns", "varied"))
        striped = bool(settings["stripes"])

        def propose(rng: np.random.Generator) -> Asked[Sheet]:
            sheet = tuple(_row(columns, varied, striped, rng) for _ in range(rows))
            return Asked(Sheet(sheet, varied > 0 and columns > 3))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Sheet]) -> int:
        return 1

    def public(self, state: Asked[Sheet]) -> Sheet:
        return state.question

    def view(self, public: Sheet, pixels: int = 448) -> View:
        rows, columns = len(public.rows), len(public.rows[0])
        kind = _answer(rows, columns)
        words = [patch.word for row in public.rows for patch in row]
        image, scene = _draw(public, words, pixels) if pixels else (None, grid.NOTHING)
        features = [f"{headings.LETTERS[r]} {FEATURES[odd(row)[1]]}" for r, row in enumerate(public.rows)]
        return View(
            answer=kind,
            image=image,
            task=f"Find the odd patch of each row. {kind.describe()}",
            rules=RULES.format(STRIPES * (public.rows[0][0].turn >= 0)) + FREELY * public.varied,
            hint=HINT,
            state=f"The odd ones differ in: {', '.join(features)}.",
            caption=f"{headings.told(rows, columns)}\n{captions.rows(words, columns)}",
            scene=scene,
        )

    def step(self, state: Asked[Sheet], action: tuple[int, ...]) -> Step[Asked[Sheet]]:
        sheet = state.question
        found = [said == odd(row)[0] + 1 for said, row in zip(action, sheet.rows, strict=True)]
        return scored(
            Asked(sheet, answered=True),
            sum(found),
            len(found),
            ["difference_found" if hit else "difference_missed" for hit in found],
        )

    def solve(self, state: Asked[Sheet]) -> Sequence[str] | None:
        if state.answered:
            return ()
        rows = state.question.rows
        return [_answer(len(rows), len(rows[0])).format(tuple(odd(row)[0] + 1 for row in rows))]

    def problem(self, state: Asked[Sheet]) -> bytes:
        """Return the rows in any order, and their patches in any order."""
        return repr(sorted(sorted(map(tuple, row)) for row in state.question.rows)).encode()


def odd(row: Row) -> tuple[int, int]:
    """Return the place of the odd patch of a row, and the feature in which all others agree."""
    for feature, values in enumerate(zip(*row, strict=True)):
        for place, value in enumerate(values):
            if values.count(value) == 1 and len(set(values)) == 2:
                return place, feature
    raise ValueError(f"no patch is odd in {row}")


def _row(columns: int, varied: int, striped: bool, rng: np.random.Generator) -> Row:
    """Draw a row: one feature with an odd value, some with values that occur twice at least, the others constant."""
    candidates, count = (STRIPED, 5) if striped else (PLAIN, 3)
    feature, place = candidates[int(rng.integers(len(candidates)))], int(rng.integers(columns))
    free = [k for k in rng.permutation(count).tolist() if k != feature][:varied]
    row: list[list[int]] = []
    for k in range(count):
        first, *others = rng.permutation(VALUES[k]).tolist()
        values = [first] * columns
        if k == feature:
            values[place] = next(value for value in others if _may_be_odd(k, abs(value - first), striped))
        elif k in free:
            kinds = [first, *others][: columns // 2]
            values = [kinds[c % len(kinds)] for c in rng.permutation(columns).tolist()]
        row.append(values)
    return tuple(Patch(*values) for values in zip(*row, strict=True))


def _may_be_odd(feature: int, away: int, striped: bool) -> bool:
    """Return whether an odd value may be so far away: next to the usual one in striped rows, else clearly apart."""
    if FEATURES[feature] in ("colour", "shape"):
        return True
    return away in (1, 3) if FEATURES[feature] == "turn" else (away == 1) == striped


def _draw(sheet: Sheet, words: Sequence[str], pixels: int) -> tuple[Picture, tuple[Element, ...]]:
    patches = [patch for row in sheet.rows for patch in row]
    kinds = np.arange(len(patches)).reshape(len(sheet.rows), -1)
    return headings.draw(words, kinds, lambda size: grid.stack(_tile(p, size) for p in patches), pixels, "paper")


@lru_cache(maxsize=2048)
def _tile(patch: Patch, size: int) -> Pixels:
    """Draw a patch: stripes on white in a thin frame, and its marks in a ring."""
    canvas = Canvas(size, size)
    gap, line, middle = max(1, size // 20), max(1, size // 60), size / 2
    side = size - 2 * gap
    canvas.rectangle((gap, gap, size - gap, size - gap), "grey")
    inner = Canvas(side - 2 * line, side - 2 * line, "white")
    if patch.turn >= 0:
        distance = side / LINES[patch.spacing]
        x, y = side * sin(pi * patch.turn / 4), side * cos(pi * patch.turn / 4)  # flat lines are apart along y
        shifts = [(k + 0.5) * distance / side for k in range(-2 * LINES[-1], 2 * LINES[-1])]
        ends = [(side / 2 + k * x, side / 2 + k * y) for k in shifts]
        inner.segments([(u - 2 * y, v + 2 * x, u + 2 * y, v - 2 * x) for u, v in ends], distance * 0.4, "frost")
    canvas.pixels[gap + line : gap + side - line, gap + line : gap + side - line] = inner.pixels
    count, mark = patch.number + 1, round(MARKS[patch.number] * side)
    ring = side * (0.0, 0.23, 0.27)[min(count, 3) - 1]
    for k in range(count):
        angle = 2 * pi * k / count + (pi / 4 if count == 4 else pi / 2 if count == 2 else 0)
        centre = (middle + ring * sin(angle), middle - ring * cos(angle))
        canvas.shape(SHAPES[patch.shape], centre, mark, COLOURS[patch.colour])
    canvas.pixels.setflags(write=False)
    return canvas.pixels


@lru_cache(maxsize=64)
def _answer(rows: int, columns: int) -> Record:
    return Record(tuple((f"row {headings.LETTERS[row]}", Integer(1, columns)) for row in range(rows)))


environment = OddPatches()
