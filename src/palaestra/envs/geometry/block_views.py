"""Block views: how high is a pile of cubes from the front and from the side, and how many cubes are there in all?

The drawing is isometric, so either half of a stack's top is in sight or all of it is covered. At least one half always
is, and then the picture tells every height: with the stacks before it known, a wrong height would show sides there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from palaestra.core import answer
from palaestra.core.answer import Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import headings, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.masks import Mask
from palaestra.envs.kit.palette import LEVELS, PALETTE, colour
from palaestra.envs.kit.parts import Asked, scored

FINE = 4  # subpixels of a sprite in each direction
KNOWN = 244  # colours of the palette that are not blank

TASK = (
    "Tell the highest stack of each column (front: 1 first) and row (side: A first), and how many cubes there are. {}"
)
RULES = "A stack is as high as it has cubes. No cube floats, and of every stack's top at least half is in sight."
HINT = "Find every stack's height from the nearest corner backwards; cubes below a visible one count too."


@dataclass(frozen=True, slots=True)
class Pile:
    """One question: heights by row, the nearest first, and column, the leftmost first."""

    heights: tuple[tuple[int, ...], ...]
    highest: int


class BlockViews:
    """The environment."""

    spec = EnvSpec(
        id="geometry/block_views",
        version=1,
        title="Block views",
        horizon=1,
        scales=(
            {"rows": 3, "columns": 3, "highest": 3},
            {"rows": 3, "columns": 4, "highest": 3},
            {"rows": 4, "columns": 4, "highest": 3},
            {"rows": 4, "columns": 5, "highest": 4},
            {"rows": 5, "columns": 5, "highest": 4},
            {"rows": 5, "columns": 6, "highest": 4},
        ),
        knobs=(
            Knob("rows", 2, 6, "rows of stacks, named by letters"),
            Knob("columns", 2, 7, "columns of stacks, named by numbers"),
            Knob("highest", 1, 4, "cubes of the highest stack"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "occlusion"}),
    )

    def reset(self, instance: Instance) -> Asked[Pile]:
        settings = self.spec.settings(instance)
        rows, columns, highest = (int(settings[name]) for name in ("rows", "columns", "highest"))

        def propose(rng: np.random.Generator) -> Asked[Pile] | None:
            heights = [[0] * columns for _ in range(rows)]
            luck = rng.random((rows, columns)).tolist()
            caps = [rng.integers(1, highest + 1, count).tolist() for count in (rows, columns)]
            for r in range(rows):
                for c in reversed(range(columns)):  # from the nearest corner backwards
                    low = min(_least(heights, r, c))
                    more = max(0, min(caps[0][r], caps[1][c]) - low)
                    heights[r][c] = low + int((more + 1) * luck[r][c] ** 1.5)
            pile = Pile(tuple(map(tuple, heights)), highest)
            front, side, _ = _right(pile)
            outline = {*front, *side}
            return Asked(pile) if str(highest) in outline and len(outline) > 1 else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Pile]) -> int:
        return 1

    def public(self, state: Asked[Pile]) -> Pile:
        return state.question

    def view(self, public: Pile, pixels: int = 448) -> View:
        heights = public.heights
        kind = _answer(len(heights), len(heights[0]), public.highest)
        canvas = _draw(public, pixels) if pixels else None
        cells = [(r, c, h) for r, row in enumerate(heights) for c, h in enumerate(row)]
        covered = sum(max(_least(heights, r, c)) > h for r, c, h in cells)
        said = [f"{headings.LETTERS[r]}{c + 1} {h}" for r, c, h in cells]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=TASK.format(kind.describe()),
            rules=RULES,
            hint=HINT,
            state=f"Empty places: {sum(h == 0 for *_, h in cells)}; tops half covered: {covered}.",
            caption=f"{headings.told(len(heights), len(heights[0]))} Heights: {', '.join(said)}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Pile], action: tuple[tuple[str, ...], tuple[str, ...], int]) -> Step[Asked[Pile]]:
        pile = state.question
        front, side, cubes = _right(pile)
        nearest = (*pile.heights[0], *(row[-1] for row in pile.heights))  # what stands at the edges looked from
        events: list[str] = []
        for said, true, near in zip((*action[0], *action[1]), (*front, *side), nearest, strict=True):
            behind = int(true) > near  # the outline is made by something farther back
            if said == true:
                events.append("count_occluded_ok" if behind else "value_ok")
            else:
                events.append("count_occluded_missed" if behind and said < true else "value_off")
        right = events.count("count_occluded_ok") + events.count("value_ok")
        error = action[2] - cubes
        events.append("count_over" if error > 0 else "count_occluded_missed" if error else "count_occluded_ok")
        events += ["count_off_by_one"] if abs(error) == 1 else []
        return scored(Asked(pile, answered=True), right + (error == 0), len(nearest) + 1, events)

    def solve(self, state: Asked[Pile]) -> Sequence[str] | None:
        heights = state.question.heights
        kind = _answer(len(heights), len(heights[0]), state.question.highest)
        return () if state.answered else [kind.format(_right(state.question))]

    def problem(self, state: Asked[Pile]) -> bytes:
        """Return the heights, a pile and its mirror image being one."""
        heights = state.question.heights
        mirrored = tuple(column[::-1] for column in zip(*heights, strict=True))[::-1]
        return repr(min(heights, mirrored)).encode()


def _least(heights: Sequence[Sequence[int]], row: int, column: int) -> tuple[int, int]:
    """Return from which height on the left and the right half of a stack's top are in sight."""
    left = right = 0
    for k in range(max(len(heights), len(heights[0]))):
        before, beside, both = (
            heights[r][c] - k if r >= 0 and c < len(heights[0]) else 0
            for r, c in ((row - 1 - k, column + k), (row - k, column + 1 + k), (row - 1 - k, column + 1 + k))
        )
        left, right = max(left, before, both), max(right, beside, both)
    return left, right


def _right(pile: Pile) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    front = tuple(str(max(column)) for column in zip(*pile.heights, strict=True))
    return front, tuple(str(max(row)) for row in pile.heights), sum(map(sum, pile.heights))


def _draw(pile: Pile, pixels: int) -> Canvas:
    """Draw floor and cubes from the back to the front, the cubes of which nothing shows left out."""
    heights = pile.heights
    rows, columns = len(heights), len(heights[0])
    cells = [(r, c) for r in reversed(range(rows)) for c in range(columns)]
    glyph = max(7, pixels // 28)
    margin = round(1.8 * glyph)
    # a step along a row or column goes `wide` pixels aside and `high` down, a cube rises by twice as much
    rise = max(0, *(2 * heights[r][c] - c - rows + 1 + r for r, c in cells))
    high = min(int((pixels - 2 * margin) / (1.75 * (rows + columns))), (pixels - 2 * margin) // (rows + columns + rise))
    wide = round(1.732 * high)
    canvas = Canvas(wide * (rows + columns) + 2 * margin, high * (rows + columns + rise) + 2 * margin)
    places = {(r, c): (margin + (c + r) * wide, margin + (c + rows - 1 - r + rise) * high) for r, c in cells}
    tile, cube = _sprite(wide, high, 0), _sprite(wide, high, 2 * high)
    for left, top in places.values():
        canvas.stamp(tile[0], left, top, "slate", tile[1])
    for (r, c), (left, top) in places.items():
        around = min(heights[r - 1][c] if r else 0, heights[r][c + 1] if c + 1 < columns else 0)
        for level in range(max(0, min(around, heights[r][c] - 1)), heights[r][c]):
            canvas.stamp(cube[0], left, top - 2 * high * (level + 1), "slate", cube[1])
        name = f"{headings.LETTERS[r]}{c + 1} {heights[r][c]}"
        canvas.element(name, (left, top - 2 * high * heights[r][c], left + 2 * wide, top + 2 * high))
    away = 0.6 * glyph + 0.4 * high
    labels = [(str(c + 1), *places[0, c], 0.5, -0.5) for c in range(columns)]
    labels += [(headings.LETTERS[r], *places[r, columns - 1], 1.5, 0.5) for r in range(rows)]
    for label, left, top, aside, out in labels:
        centre = (left + aside * wide + out * away, top + 1.5 * high + 0.87 * away)
        canvas.element(label, canvas.text(label, centre, glyph), glyph=glyph)
    return canvas


@lru_cache(maxsize=32)
def _sprite(wide: int, high: int, tall: int) -> tuple[Mask, Pixels]:
    """Return a block of a height above its floor tile [2 high + tall, 2 wide], seen from its upper front corner."""
    x = (np.arange(2 * wide * FINE) + 0.5) / FINE - wide
    y = ((np.arange((2 * high + tall) * FINE) + 0.5) / FINE - high)[:, None]
    slope, line = np.abs(x) * high / wide, max(0.7, high / 18)
    side = y > high - slope  # below the top face, whose middle is at 0
    inside = (y >= slope - high) & (y <= high + tall - slope)
    edges = (y < slope - high + line) | (y > high + tall - slope - line) | (wide - np.abs(x) < line)
    edges |= (np.abs(y - high + slope) < line / 2) | (side & (np.abs(x) < line / 2))
    top, left, right, rim = (colour(name) for name in ("yellow" if tall else "mist", "orange", "brown", "slate"))
    fine = np.where(edges, rim, np.where(~side, top, np.where(x < 0, left, right)))
    levels = np.rint(_coarse(inside[..., None].astype(float)) * LEVELS).astype(np.uint8)[..., 0]
    mixed, back = np.unique(_coarse(PALETTE[fine].astype(float)).reshape(-1, 3), axis=0, return_inverse=True)
    nearest = ((mixed[:, None] - PALETTE[:KNOWN]) ** 2).sum(axis=2).argmin(axis=1)
    return Mask.of(levels), nearest[back.ravel()].reshape(levels.shape).astype(np.uint8)


def _coarse(fine: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of every pixel's subpixels."""
    height, width, depth = fine.shape
    return np.asarray(fine.reshape(height // FINE, FINE, width // FINE, FINE, depth).mean(axis=(1, 3)))


@lru_cache(maxsize=64)
def _answer(rows: int, columns: int, highest: int) -> Record:
    digits = tuple(map(str, range(highest + 1)))
    front, side = (answer.Sequence(digits, shortest=count, longest=count) for count in (columns, rows))
    return Record((("front", front), ("side", side), ("cubes", Integer(0, rows * columns * highest))))


environment = BlockViews()
