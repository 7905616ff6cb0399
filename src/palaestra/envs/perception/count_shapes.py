"""Count shapes: how many of each asked kind are there, all counts right at once, some shapes being partly covered.

Every shape keeps at least two fifths of its area in sight, which is measured when the picture is laid out, not hoped
for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from palaestra.core.answer import Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, masks, splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import Asked, scored

SHAPES = ("circle", "square", "triangle", "star", "cross")
COLOURS = ("red", "blue", "green", "yellow")
VISIBLE = 0.4  # the least share of a shape's area that stays in sight
SIZES = (0.74, 0.8, 0.86)  # of shapes, in lattice units
PUSH = 0.36  # how far a crowded shape moves towards or under a neighbour
FINE = 32  # pixels of a lattice cell when visibility is measured

RULES = "A shape that another one partly covers counts too. All counts must be right."
HINT = "Count one kind at a time and look for rims that vanish under a neighbour."


class Piece(NamedTuple):
    """One shape: what it is, the lattice cell it belongs to, its centre and size in lattice units."""

    colour: str
    shape: str
    cell: int
    x: float
    y: float
    size: float

    @property
    def kind(self) -> str:
        """What it is called, such as "red circle"."""
        return f"{self.colour} {self.shape}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """One question: the pieces from bottom to top, which of them are partly covered, and the kinds asked for."""

    side: int
    pieces: tuple[Piece, ...]
    covered: tuple[bool, ...]
    asked: tuple[str, ...]


class CountShapes:
    """The environment."""

    spec = EnvSpec(
        id="perception/count_shapes",
        version=1,
        title="Count shapes",
        horizon=1,
        scales=(
            {"side": 3, "pieces": 5, "kinds": 3, "asked": 2, "crowding": 0.2},
            {"side": 3, "pieces": 7, "kinds": 4, "asked": 2, "crowding": 0.4},
            {"side": 4, "pieces": 10, "kinds": 5, "asked": 3, "crowding": 0.5},
            {"side": 4, "pieces": 13, "kinds": 6, "asked": 3, "crowding": 0.7},
            {"side": 5, "pieces": 18, "kinds": 7, "asked": 4, "crowding": 0.8},
            {"side": 6, "pieces": 26, "kinds": 8, "asked": 4, "crowding": 0.9},
        ),
        knobs=(
            Knob("pieces", 2, 30, "shapes in the picture; the lattice grows when they do not fit"),
            Knob("kinds", 2, 12, "different kinds of shapes that may occur"),
            Knob("crowding", 0.0, 1.0, "share of shapes that are pushed over a neighbour"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "occlusion"}),
    )

    def reset(self, instance: Instance) -> Asked[Sheet]:
        settings = self.spec.settings(instance)
        side, pieces = int(settings["side"]), int(settings["pieces"])
        kinds, asked, crowding = int(settings["kinds"]), int(settings["asked"]), float(settings["crowding"])
        while side * side < pieces:
            side += 1

        def propose(rng: np.random.Generator) -> Asked[Sheet] | None:
            looks = [(COLOURS[k % 4], SHAPES[k // 4]) for k in rng.permutation(20)[:kinds].tolist()]
            placed = _place(side, pieces, looks, crowding, rng)
            if placed is None:
                return None
            names = sorted(f"{colour} {shape}" for colour, shape in looks[: min(asked, kinds)])
            covered = tuple(visible < 0.98 for _, visible in placed)
            return Asked(Sheet(side, tuple(piece for piece, _ in placed), covered, tuple(names)))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Sheet]) -> int:
        return 1

    def public(self, state: Asked[Sheet]) -> Sheet:
        return state.question

    def view(self, public: Sheet, pixels: int = 448) -> View:
        kind = _answer(public.asked, len(public.pieces))
        rows = [0] * public.side
        for piece in public.pieces:
            rows[piece.cell // public.side] += 1
        canvas = _draw(public, pixels) if pixels else None
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"Count these shapes. {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Shapes in the rows from the top: {' '.join(map(str, rows))}; covered: {sum(public.covered)}.",
            caption=captions.listing((p.kind, divmod(p.cell, public.side)) for p in public.pieces),
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Sheet], action: tuple[int, ...]) -> Step[Asked[Sheet]]:
        sheet = state.question
        events: list[str] = []
        right = 0
        for name, said, true in zip(sheet.asked, action, _counts(sheet), strict=True):
            hidden = any(c and p.kind == name for p, c in zip(sheet.pieces, sheet.covered, strict=True))
            right += said == true
            if said == true:
                events.append("count_zero_ok" if true == 0 else "count_occluded_ok" if hidden else "count_ok")
            else:
                events.append("count_over" if said > true else "count_occluded_missed" if hidden else "count_under")
                events += ["count_off_by_one"] if abs(said - true) == 1 else []
        return scored(Asked(sheet, answered=True), right, len(sheet.asked), events)

    def solve(self, state: Asked[Sheet]) -> Sequence[str] | None:
        if state.answered:
            return ()
        return [_answer(state.question.asked, len(state.question.pieces)).format(_counts(state.question))]

    def problem(self, state: Asked[Sheet]) -> bytes:
        sheet = state.question
        kinds = sorted({piece.kind for piece in sheet.pieces} | set(sheet.asked))
        content = np.zeros(sheet.side**2, np.uint8)
        content[[piece.cell for piece in sheet.pieces]] = [1 + kinds.index(piece.kind) for piece in sheet.pieces]
        return grid.canonical(sheet.side, sheet.side, content) + repr((kinds, sheet.asked)).encode()


def _draw(sheet: Sheet, pixels: int) -> Canvas:
    unit = pixels / sheet.side
    canvas = Canvas(pixels, pixels)
    for piece in sheet.pieces:
        centre = (piece.x * unit, piece.y * unit)
        box = canvas.shape(piece.shape, centre, round(piece.size * unit), piece.colour, edge="ink")
        canvas.element(piece.kind, box, divmod(piece.cell, sheet.side))
    return canvas


def _counts(sheet: Sheet) -> tuple[int, ...]:
    return tuple(sum(piece.kind == name for piece in sheet.pieces) for name in sheet.asked)


def _place(
    side: int, count: int, looks: Sequence[tuple[str, str]], crowding: float, rng: np.random.Generator
) -> tuple[tuple[Piece, float], ...] | None:
    """Return pieces from bottom to top with the share of each that stays in sight, None when one would vanish.

    Pieces are laid from the top down, so what is above is known: a piece pushed under its neighbours goes home when too
    little of it would show.
    """
    cells = rng.permutation(side * side)[:count].tolist()
    which = rng.integers(len(looks), size=count).tolist()
    sizes = rng.integers(len(SIZES), size=count).tolist()
    jitter = (0.08 * (rng.random((count, 2)) - 0.5)).round(3).tolist()
    pushes = (PUSH * rng.integers(-1, 2, (count, 2)) * (rng.random((count, 1)) < crowding)).tolist()
    above = np.zeros((side * FINE, side * FINE), bool)
    placed: list[tuple[Piece, float]] = []
    for cell, look, size, (dx, dy), push in zip(cells, which, sizes, jitter, pushes, strict=True):
        home = (cell % side + 0.5 + dx, cell // side + 0.5 + dy)
        for px, py in (push, (0, 0)):
            x, y = (min(max(v, 0.45), side - 0.45) for v in (home[0] + px, home[1] + py))
            colour, shape = looks[look]
            piece = Piece(colour, shape, cell, x, y, SIZES[size])
            mask = masks.shape(piece.shape, round(piece.size * FINE)).full
            left, top = (round(v * FINE - len(mask) / 2) for v in (x, y))
            under = above[top : top + len(mask), left : left + len(mask)]
            visible = 1 - np.count_nonzero(under & mask) / np.count_nonzero(mask)
            if visible >= VISIBLE:
                break
        else:
            return None
        under |= mask
        placed.append((piece, visible))
    return tuple(reversed(placed))


@lru_cache(maxsize=512)
def _answer(asked: tuple[str, ...], highest: int) -> Record:
    return Record(tuple((name, Integer(0, highest)) for name in asked))


environment = CountShapes()
