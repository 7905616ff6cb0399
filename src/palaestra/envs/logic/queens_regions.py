"""Queens in regions: one queen in every row, column and coloured region, no two of them touching.

Regions grow from the queens of a planted solution. While there is another solution, one of its cells changes to a
region beside it, which then would hold two of its queens; so the last solution left is the planted one.

*Source*: the rules of Star Battle with one star. *Departures*: boards grow from their solution.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import Element, Picture, View
from palaestra.envs.kit import bits, captions, grid, headings, splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.palette import PALETTE
from palaestra.envs.kit.parts import Asked, scored

PASTELS = {
    "red": (255, 153, 153), "orange": (255, 204, 102), "yellow": (255, 255, 153), "green": (153, 204, 153),
    "teal": (102, 204, 204), "blue": (153, 204, 255), "purple": (204, 153, 255), "grey": (204, 204, 204),
    "brown": (204, 153, 102),
}  # fmt: skip
COLOURS = tuple(PASTELS)
LEGEND = dict(zip("roygtbpsn", COLOURS, strict=True))
INDEX = {name: int(np.equal(PALETTE, rgb).all(axis=1).argmax()) for name, rgb in PASTELS.items()}
LONE = 2  # regions of one cell at most: each gives its queen away
REPAIRS, MANY = 10, 50  # how many other solutions may be ruled out one by one, and be there, or a board is given up

TASK = "Place a queen in every row, column and region, none touching. Give their columns, from the top row down."
RULES = "Bold lines bound the regions, each of one colour. One queen in each; queens touch also at a corner."
HINT = "Begin with the smallest regions and cross out what each possible queen attacks."


@dataclass(frozen=True, slots=True)
class Board:
    """A square board: the region of each cell, row by row, and the colour of each region."""

    regions: bytes
    colours: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Placing:
    """The board, and the column of the queen in each row."""

    board: Board
    queens: tuple[int, ...]


class QueensRegions:
    """The environment."""

    spec = EnvSpec(
        id="logic/queens_regions",
        version=1,
        title="Queens in regions",
        horizon=1,
        scales=(
            {"side": 5, "even": 0.7},
            {"side": 6, "even": 0.7},
            {"side": 7, "even": 0.6},
            {"side": 8, "even": 0.5},
            {"side": 9, "even": 0.3},
        ),
        knobs=(
            Knob("side", 5, 9, "rows, columns and regions"),
            Knob("even", 0.0, 1.0, "how alike the paces are at which regions grow: small regions give much away"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "lines"}),
        source="rules of Star Battle",
    )

    def reset(self, instance: Instance) -> Asked[Placing]:
        settings = self.spec.settings(instance)
        side, even = int(settings["side"]), float(settings["even"])

        def propose(rng: np.random.Generator) -> Asked[Placing] | None:
            planted = int(rng.integers(_ways(side).shape[1]))
            queens = _ways(side)[:, planted].tolist()
            grown = _grown(queens, even, rng)
            regions = _only(grown, planted, rng) if _lone(grown) <= LONE else None
            colours = rng.permutation(len(COLOURS))[:side].tolist()
            if regions is None:
                return None
            return Asked(Placing(Board(regions, tuple(colours)), tuple(queen % side for queen in queens)))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Placing]) -> int:
        return 1

    def public(self, state: Asked[Placing]) -> Board:
        return state.question.board

    def view(self, public: Board, pixels: int = 448) -> View:
        side = len(public.colours)
        names = [COLOURS[colour] for colour in public.colours]
        sizes = "; ".join(f"{name} {public.regions.count(region)}" for region, name in enumerate(names))
        signs = "".join("roygtbpsn"[public.colours[region]] for region in public.regions)
        image, scene = _draw(public, pixels) if pixels else (None, grid.NOTHING)
        return View(
            answer=_answer(side),
            image=image,
            task=f"{TASK} {_answer(side).describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Cells of the regions: {sizes}.",
            caption=f"{headings.told(0, side)}\n{captions.board(LEGEND, signs, side)}",
            scene=scene,
        )

    def step(self, state: Asked[Placing], action: tuple[str, ...]) -> Step[Asked[Placing]]:
        side = len(state.question.queens)
        said = [int(column) - 1 for column in action]
        held = [state.question.board.regions[row * side + column] for row, column in enumerate(said)]
        events: list[str] = []
        kept = 0
        for row, column in enumerate(said):
            faults = ["constraint_broken"] if said.count(column) > 1 or held.count(held[row]) > 1 else []
            beside = said[max(0, row - 1) : row] + said[row + 1 : row + 2]
            faults += ["attack_overlooked"] if any(abs(column - other) < 2 for other in beside) else []
            kept += not faults
            events += faults or ["constraint_kept"]
        return scored(Asked(state.question, answered=True), kept, side, events)

    def solve(self, state: Asked[Placing]) -> Sequence[str] | None:
        if state.answered:
            return ()
        return [_answer(len(state.question.queens)).format(tuple(str(column + 1) for column in state.question.queens))]

    def problem(self, state: Asked[Placing]) -> bytes:
        """Return the regions up to turns and mirrors, numbered in the order in which they first occur."""
        side = len(state.question.queens)
        return grid.canonical(side, side, np.frombuffer(state.question.board.regions, np.uint8), _renamed)


def _renamed(content: bytes) -> bytes:
    names: dict[int, int] = {}
    return bytes(names.setdefault(region, len(names)) for region in content)


@lru_cache(maxsize=8)
def _ways(side: int) -> NDArray[np.intp]:
    """Return the cells [rows, ways] of every placement that the rules allow where no regions are."""
    placed = np.arange(side, dtype=np.int8)[:, None]
    for _ in range(side - 1):
        longer = np.concatenate([np.insert(placed, placed.shape[1], column, axis=1) for column in range(side)])
        apart = np.abs(longer[:, -1] - longer[:, -2]) > 1
        placed = longer[apart & (longer[:, :-1] != longer[:, -1:]).all(axis=1)]
    return np.ascontiguousarray(placed.T + np.arange(0, side * side, side)[:, None])


@lru_cache(maxsize=512)
def _through(side: int, cell: int) -> NDArray[np.intp]:
    """Return the ways that place a queen at a cell."""
    return np.flatnonzero(_ways(side)[cell // side] == cell)


def _fits(regions: Sequence[int], ways: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which ways place one queen in every region."""
    region = 1 << np.array(regions, np.int16)
    alive, held = np.arange(ways.shape[1]), region[ways[0]]
    for row in ways[1:]:  # most drop out after few rows
        more = region[row[alive]]
        apart = held & more == 0
        alive, held = alive[apart], (held | more)[apart]
    fits = np.zeros(ways.shape[1], np.bool_)
    fits[alive] = True
    return fits


def _grown(queens: Sequence[int], even: float, rng: np.random.Generator) -> list[int]:
    """Return the regions of cells after each region grew from its queen, at its own pace, until they met."""
    side = len(queens)
    around = grid.neighbours(side, side)
    pace = np.exp(2 * (1 - even) * rng.standard_normal(side)).tolist()
    luck = iter(rng.exponential(size=4 * side * side).tolist())
    regions = [-1] * (side * side)
    front = [(0.0, cell, region) for region, cell in enumerate(queens)]
    while front:
        time, cell, region = heappop(front)
        if regions[cell] < 0:
            regions[cell] = region
            for other in around[cell]:
                if other >= 0 and regions[other] < 0:
                    heappush(front, (time + next(luck) * pace[region], other, region))
    return regions


def _only(regions: list[int], planted: int, rng: np.random.Generator) -> bytes | None:
    """Return regions changed until the planted way is the only solution, None when that takes too long."""
    ways = _ways(side := round(len(regions) ** 0.5))
    fits = _fits(regions, ways)
    fits[planted] = False
    for _ in range(REPAIRS):
        others = np.flatnonzero(fits)
        if not len(others):
            return bytes(regions)
        if len(others) > MANY:
            return None
        queens = ways[:, others[rng.integers(len(others))]].tolist()
        best: tuple[int, int, int] | None = None
        for cell, region in _changes(regions, [cell for cell in queens if cell not in ways[:, planted]]):
            through = _through(side, cell)
            before, regions[cell] = regions[cell], region
            left = int(_fits(regions, ways[:, through]).sum() - fits[through].sum())
            regions[cell] = before
            best = min(best or (left, cell, region), (left, cell, region))
        if best is None:
            return None
        _, cell, regions[best[1]] = best
        fits[_through(side, cell)] = _fits(regions, ways[:, _through(side, cell)])
    return None


def _lone(regions: Sequence[int]) -> int:
    """Return how many regions have one cell only."""
    return sum(size == 1 for size in Counter(regions).values())


def _changes(regions: Sequence[int], cells: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield every cell that can go over to a region beside it, with that region, its own staying in one piece."""
    side = round(len(regions) ** 0.5)
    around, least = grid.neighbours(side, side), 2 if _lone(regions) == LONE else 1
    for cell in cells:
        own = sum(1 << k for k, region in enumerate(regions) if region == regions[cell] and k != cell)
        if own.bit_count() >= least and bits.flood(side, side, own, own & -own) == own:
            yield from ((cell, regions[n]) for n in around[cell] if n >= 0 and regions[n] != regions[cell])


def _draw(board: Board, pixels: int) -> tuple[Picture, tuple[Element, ...]]:
    """Draw pastel cells with bold lines between regions, and numbers above the columns."""
    side = len(board.colours)
    margin = max(9, pixels // 14)
    bold, hair = max(2, pixels // 96), max(1, pixels // 300)
    unit = (pixels - margin - bold) // side
    canvas = Canvas(side * unit + bold, margin + side * unit + bold, "white")
    glyph = max(7, margin // 2)
    for column in range(side):
        name = str(column + 1)
        box = canvas.text(name, (column * unit + (unit + bold) / 2, margin / 2), glyph)
        canvas.element(name, box, glyph=glyph)
    regions = np.full((side + 2, side + 2), side, np.uint8)
    regions[1:-1, 1:-1] = np.frombuffer(board.regions, np.uint8).reshape(side, side)
    for row, column in np.ndindex(side + 1, side + 1):
        left, top = column * unit, margin + row * unit
        here = regions[row + 1, column + 1]
        if here != regions[row, column + 1]:
            canvas.rectangle((left, top, left + unit + bold, top + bold), "ink")
        if here != regions[row + 1, column]:
            canvas.rectangle((left, top, left + bold, top + unit + bold), "ink")
        if here < side:
            name, box = COLOURS[board.colours[here]], (left + bold, top + bold, left + unit, top + unit)
            canvas.pixels[box[1] + hair : box[3] - hair, box[0] + hair : box[2] - hair] = INDEX[name]
            canvas.element(name, box, (row, column))
    return canvas.picture(), tuple(canvas.elements)


@lru_cache(maxsize=8)
def _answer(side: int) -> answer.Sequence:
    return answer.Sequence(tuple(str(column + 1) for column in range(side)), shortest=side, longest=side)


environment = QueensRegions()
