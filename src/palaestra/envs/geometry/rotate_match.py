"""Rotate and match: which candidates are a shape turned in the plane, by how much, and which only look like it?

What is no turn is either the mirror image or the shape with one block moved, turned as well. No shape has a symmetry
of its own, so that every candidate has one right answer.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.geometry._polyominoes import Cells, images, pushed
from palaestra.envs.kit import captions, splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import Asked, scored

LETTERS = "ABCDEFGH"
ANSWERS = ("none", "90", "180", "270")
WIDEST = 4  # blocks in one direction, so that small pictures stay legible
TRIES = 40  # blocks moved at random in search of shapes that look alike

TASK = "How far clockwise was blue turned to give A to {}?"
RULES = "Say none for a mirror image or where a block was moved."
HINT = "A turn keeps which way a shape bends; a mirror image does not."


@dataclass(frozen=True, slots=True)
class Sheet:
    """One question: the sample and the candidates, no two alike."""

    sample: Cells
    candidates: tuple[Cells, ...]


class RotateMatch:
    """The environment."""

    spec = EnvSpec(
        id="geometry/rotate_match",
        version=1,
        title="Rotate and match",
        horizon=1,
        scales=(
            {"blocks": 5, "candidates": 3, "mirrors": 0.3},
            {"blocks": 6, "candidates": 3, "mirrors": 0.6},
            {"blocks": 6, "candidates": 5, "mirrors": 0.5},
            {"blocks": 8, "candidates": 5, "mirrors": 0.6},
            {"blocks": 8, "candidates": 8, "mirrors": 0.5},
            {"blocks": 9, "candidates": 8, "mirrors": 0.7},
        ),
        knobs=(
            Knob("blocks", 5, 10, "blocks of a shape"),
            Knob("candidates", 2, 8, "shapes to compare with the sample"),
            Knob("mirrors", 0.0, 1.0, "share of mirror images among the candidates that are no turns"),
        ),
        embedded_scales=(0,),
        tags=frozenset({"single_turn", "lines"}),
        source="the mental rotation task of Shepard and Metzler (1971), in the plane",
    )

    def reset(self, instance: Instance) -> Asked[Sheet]:
        settings = self.spec.settings(instance)
        blocks, count, mirrors = int(settings["blocks"]), int(settings["candidates"]), float(settings["mirrors"])

        def propose(rng: np.random.Generator) -> Asked[Sheet] | None:
            sample = _grown(blocks, rng)
            views = images(sample)
            if len(set(views)) < len(views):
                return None
            turned = int(rng.integers(1, min(count - 1, 3) + 1))  # how many candidates are turns
            found = [views[1 + k] for k in rng.permutation(3)[:turned].tolist()]
            reflected = min(4, int(rng.binomial(count - turned, mirrors)))
            found += [views[4 + k] for k in rng.permutation(4)[:reflected].tolist()]
            order, quarters = rng.permutation(count).tolist(), rng.integers(4, size=TRIES).tolist()
            for other, k in zip(_altered(sample, rng), quarters, strict=False):
                if len(found) == count:
                    return Asked(Sheet(sample, tuple(found[k] for k in order)))
                if (candidate := images(other)[k]) not in found:
                    found.append(candidate)
            return None  # too few shapes look alike

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Sheet]) -> int:
        return 1

    def public(self, state: Asked[Sheet]) -> Sheet:
        return state.question

    def view(self, public: Sheet, pixels: int = 448) -> View:
        count = len(public.candidates)
        kind, right = _answer(count), _right(public)
        canvas = _draw(public, pixels) if pixels else None
        reflected = images(public.sample)[4:]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"{TASK.format(LETTERS[count - 1])} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Turns among them: {count - right.count('none')}; mirror images: "
            f"{sum(shape in reflected for shape in public.candidates)}.",
            caption=f"Rows, 1 is a block: {_listing(public)}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Sheet], action: tuple[str, ...]) -> Step[Asked[Sheet]]:
        sheet = state.question
        reflected = images(sheet.sample)[4:]
        events: list[str] = []
        right = _right(sheet)
        for shape, said, true in zip(sheet.candidates, action, right, strict=True):
            events.append("value_ok" if said == true else "value_off")
            if said != "none":
                events.append("pair_mismatched" if true == "none" else "rotation_seen")
                events += ["mirror_mistaken"] if shape in reflected else []
        hits = sum(said == true for said, true in zip(action, right, strict=True))
        return scored(Asked(sheet, answered=True), hits, len(right), events)

    def solve(self, state: Asked[Sheet]) -> Sequence[str] | None:
        return () if state.answered else [_answer(len(state.question.candidates)).format(_right(state.question))]

    def problem(self, state: Asked[Sheet]) -> bytes:
        """Return the shapes up to a turn or a mirror of them all, in whatever order the candidates are."""
        sheet = state.question
        candidates = [images(shape) for shape in sheet.candidates]
        views = [(image, sorted(c[k] for c in candidates)) for k, image in enumerate(images(sheet.sample))]
        return repr(min(views)).encode()


def _right(sheet: Sheet) -> tuple[str, ...]:
    """Return the right answer for each candidate."""
    turns = dict(zip(images(sheet.sample)[1:], ANSWERS[1:], strict=False))
    return tuple(turns.get(shape, "none") for shape in sheet.candidates)


def _beside(cells: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the free cells beside some cells that make them no wider than may be, in order."""
    rows, columns = zip(*cells, strict=True)
    (top, bottom), (left, right) = ((max(axis) - WIDEST, min(axis) + WIDEST) for axis in (rows, columns))
    around = {cell for r, c in cells for cell in ((r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c))}
    return sorted((r, c) for r, c in around.difference(cells) if top < r < bottom and left < c < right)


def _grown(blocks: int, rng: np.random.Generator) -> Cells:
    """Return a connected shape, grown block by block."""
    cells = {(0, 0)}
    for luck in rng.random(blocks - 1).tolist():
        free = _beside(cells)
        cells.add(free[int(luck * len(free))])
    return pushed(cells)


def _connected(cells: Collection[tuple[int, int]]) -> bool:
    left = set(cells)
    edge = [left.pop()]
    while edge:
        r, c = edge.pop()
        near = {(r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c)} & left
        left -= near
        edge += near
    return not left


def _altered(shape: Cells, rng: np.random.Generator) -> Iterator[Cells]:
    """Yield connected shapes that come of moving one block, and that are neither turns nor mirror images."""
    for block, place in rng.random((TRIES, 2)).tolist():
        moved = shape[int(block * len(shape))]
        rest = [cell for cell in shape if cell != moved]
        free = _beside(rest)
        altered = (*rest, free[int(place * len(free))])
        if _connected(altered) and (other := pushed(altered)) not in images(shape):
            yield other


def _name(colour: str, shape: Cells) -> str:
    """Return what captions and scenes call a shape, such as "blue 110 011"."""
    height, width = (max(axis) + 1 for axis in zip(*shape, strict=True))
    rows = ["".join("01"[(r, c) in shape] for c in range(width)) for r in range(height)]
    return f"{colour} {' '.join(rows)}"


@lru_cache(maxsize=64)
def _panels(sheet: Sheet) -> tuple[tuple[str, str, Cells, tuple[int, int]], ...]:
    """Return letter, name, shape and cell of every panel, the sample's first."""
    shapes = (sheet.sample, *sheet.candidates)
    columns = 2 if len(shapes) <= 4 else 3
    names = [_name("orange" if k else "blue", shape) for k, shape in enumerate(shapes)]
    cells = [divmod(k, columns) for k in range(len(shapes))]
    return tuple(zip(" " + LETTERS, names, shapes, cells, strict=False))


def _listing(sheet: Sheet) -> str:
    return "; ".join(f"{letter} {captions.listing([(name, cell)])}".strip() for letter, name, _, cell in _panels(sheet))


def _draw(sheet: Sheet, pixels: int) -> Canvas:
    """Draw the panels from the top left, each with its letter beside its shape."""
    panels = _panels(sheet)
    rows, columns = (1 + max(cell[axis] for *_, cell in panels) for axis in (0, 1))
    size = pixels // columns
    line = max(1, pixels // 200)
    canvas = Canvas(columns * size, rows * size)
    for k in range(1, columns):
        canvas.rectangle((k * size - line, 0, k * size, rows * size), "silver")
    for k in range(1, rows):
        canvas.rectangle((0, k * size - line, columns * size, k * size), "silver")
    glyph = max(7, size // 9)
    strip = glyph + 2 * line
    block = (size - strip - 3 * line) // WIDEST
    for letter, name, shape, (row, column) in panels:
        height, width = (block * (max(axis) + 1) for axis in zip(*shape, strict=True))
        left = column * size + strip + (size - line - strip - width) // 2
        top = row * size + (size - line - height) // 2
        tile = _block(name.split()[0], block)
        for r, c in shape:
            canvas.pixels[top + r * block : top + (r + 1) * block, left + c * block : left + (c + 1) * block] = tile
        canvas.element(name, (left, top, left + width, top + height), (row, column))
        if letter != " ":
            corner = (column * size + line + glyph * 0.6, row * size + 2 * line + glyph * 0.6)
            canvas.element(letter, canvas.text(letter, corner, glyph), glyph=glyph)
    return canvas


@lru_cache(maxsize=32)
def _block(colour: str, size: int) -> NDArray[np.uint8]:
    canvas = Canvas(size, size, {"blue": "navy", "orange": "brown"}[colour])
    rim = max(1, size // 16)
    canvas.rectangle((rim, rim, size - rim, size - rim), colour)
    canvas.pixels.setflags(write=False)
    return canvas.pixels


@lru_cache(maxsize=8)
def _answer(count: int) -> answer.Sequence:
    return answer.Sequence(ANSWERS, shortest=count, longest=count)


environment = RotateMatch()
