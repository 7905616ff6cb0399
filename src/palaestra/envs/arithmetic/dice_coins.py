"""Dice and coins: sums and counts of what lies about on a table, all of them right at once.

At higher scales pieces are pushed over one another, but only so far that pips and numerals stay in sight: a push is so
short that no two middles come nearer than the marks of one and the rim of the other reach.
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
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.parts import Asked, scored

DICE = {"red": "white", "blue": "white", "yellow": "ink", "white": "ink"}  # their pips; told apart by lightness too
COINS = {1: "brown", 2: "brown", 5: "silver", 10: "silver", 20: "gold", 50: "gold"}
SIZES = dict(zip(COINS, (0.64, 0.69, 0.74, 0.79, 0.84, 0.89), strict=True))  # of coins, in lattice units
DIE = 0.9  # its size, in lattice units
PIPS, PIP = 0.24, 0.2  # how far from the middle of a die its outer pips are, and their size, in its size
PUSH = 0.12  # how far a crowded piece moves towards or under its neighbours
FIELDS = ("red sum", "coin sum", "odd dice", "blue sum", "gold coins")
MEANS = (
    "the pips of all red dice together",
    "what all coins together are worth",
    "how many dice of any colour show an odd number",
    "the pips of all blue dice together",
    "how many coins are gold",
)

TASK = "Give these totals: {}."
RULES = "Pieces that others partly cover count in full. Every part must be right."
HINT = "Go row by row for one total at a time and keep it running."


class Piece(NamedTuple):
    """A die of a colour or a coin: its value, the lattice cell it belongs to, its middle in lattice units."""

    colour: str
    value: int
    cell: int
    x: float
    y: float

    @property
    def name(self) -> str:
        """What captions call it, such as "red die 5" or "coin 20"."""
        return f"{self.colour} die {self.value}" if self.colour in DICE else f"coin {self.value}"


@dataclass(frozen=True, slots=True)
class Table:
    """One question: the pieces from bottom to top on a lattice, and how many of the fields are asked."""

    side: int
    pieces: tuple[Piece, ...]
    asked: int


class DiceCoins:
    """The environment."""

    spec = EnvSpec(
        id="arithmetic/dice_coins",
        version=1,
        title="Dice and coins",
        horizon=1,
        scales=(
            {"side": 3, "dice": 3, "coins": 2, "asked": 2, "crowding": 0.0},
            {"side": 3, "dice": 4, "coins": 4, "asked": 3, "crowding": 0.3},
            {"side": 4, "dice": 7, "coins": 5, "asked": 3, "crowding": 0.5},
            {"side": 4, "dice": 8, "coins": 7, "asked": 4, "crowding": 0.7},
            {"side": 5, "dice": 12, "coins": 11, "asked": 5, "crowding": 0.8},
            {"side": 6, "dice": 18, "coins": 16, "asked": 5, "crowding": 0.9},
        ),
        knobs=(
            Knob("dice", 2, 18, "dice on the table; its lattice grows when they do not fit"),
            Knob("coins", 2, 18, "coins on the table; its lattice grows when they do not fit"),
            Knob("asked", 2, 5, "totals that are asked for"),
            Knob("crowding", 0.0, 1.0, "share of pieces that are pushed towards or over a neighbour"),
        ),
        embedded_scales=(0, 1, 2),
        tags=frozenset({"single_turn", "occlusion"}),
    )

    def reset(self, instance: Instance) -> Asked[Table]:
        settings = self.spec.settings(instance)
        side, dice, coins, asked = (int(settings[name]) for name in ("side", "dice", "coins", "asked"))
        crowding, count = float(settings["crowding"]), dice + coins
        while side * side < count:
            side += 1

        def propose(rng: np.random.Generator) -> Asked[Table]:
            colours, values = rng.integers(len(DICE), size=dice), rng.integers(1, 7, dice)
            kinds = [(tuple(DICE)[k], v) for k, v in zip(colours, values, strict=True)]
            kinds[0] = ("red", kinds[0][1])
            kinds += [("coin", tuple(COINS)[k]) for k in rng.integers(len(COINS), size=coins)]
            cells = rng.permutation(side * side)[:count].tolist()
            pushed = PUSH * rng.integers(-1, 2, (count, 2)) * (rng.random((count, 1)) < crowding)
            middles = np.array([(cell % side + 0.5, cell // side + 0.5) for cell in cells])
            places = (middles + pushed).clip(0.46, side - 0.46).tolist()
            pieces = [
                Piece(colour, int(value), cell, x, y)
                for (colour, value), cell, (x, y) in zip(kinds, cells, places, strict=True)
            ]
            return Asked(Table(side, tuple(pieces[k] for k in rng.permutation(count).tolist()), asked))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Table]) -> int:
        return 1

    def public(self, state: Asked[Table]) -> Table:
        return state.question

    def view(self, public: Table, pixels: int = 448) -> View:
        kind = _answer(public.asked, len(public.pieces))
        canvas = _draw(public, pixels) if pixels else None
        meant = [f"{field} ({means})" for field, means in zip(FIELDS, MEANS, strict=True)]
        colours = [piece.colour for piece in public.pieces]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"{TASK.format('; '.join(meant[: public.asked]))} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"On the table: {len(colours) - colours.count('coin')} dice, {colours.count('red')} of them red, and "
            f"{colours.count('coin')} coins.",
            caption=_caption(public),
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Table], action: tuple[int, ...]) -> Step[Asked[Table]]:
        table, events, right = state.question, list[str](), 0
        for field, said, true in zip(FIELDS, action, _totals(table), strict=False):
            right += said == true
            if field.endswith("sum"):
                events.append("sum_ok" if said == true else "sum_off")
            elif said == true:
                events.append("count_ok" if true else "count_zero_ok")
            else:
                events.append("count_over" if said > true else "count_under")
                events += ["count_off_by_one"] if abs(said - true) == 1 else []
        return scored(Asked(table, answered=True), right, len(action), events)

    def solve(self, state: Asked[Table]) -> Sequence[str] | None:
        if state.answered:
            return ()
        return [_answer(state.question.asked, len(state.question.pieces)).format(_totals(state.question))]

    def problem(self, state: Asked[Table]) -> bytes:
        """Return what lies where; colours of dice that no total asks for are one."""
        table = state.question
        told = {"red": 1, "blue": 2} if table.asked > FIELDS.index("blue sum") else {"red": 1}
        content = np.zeros(table.side**2, np.uint8)
        for piece in table.pieces:
            kind = 6 if piece.colour == "coin" else told.get(piece.colour, 3)
            content[piece.cell] = 10 * kind + piece.value
        return grid.canonical(table.side, table.side, content) + bytes([table.asked])


def _totals(table: Table) -> tuple[int, ...]:
    """Return the true values of the fields that are asked for."""

    def total(colour: str) -> int:
        return sum(piece.value for piece in table.pieces if piece.colour == colour)

    odd = sum(piece.value % 2 for piece in table.pieces if piece.colour in DICE)
    gold = sum(COINS[piece.value] == "gold" for piece in table.pieces if piece.colour == "coin")
    return (total("red"), total("coin"), odd, total("blue"), gold)[: table.asked]


def _caption(table: Table) -> str:
    """List the pieces, and which coins are gold where that is asked."""
    gold = "\nGold are the coins " + " and ".join(str(v) for v in COINS if COINS[v] == "gold") + "."
    listed = captions.listing((piece.name, divmod(piece.cell, table.side)) for piece in table.pieces)
    return f"{listed}.{gold if table.asked == len(FIELDS) else ''}"


def _draw(table: Table, pixels: int) -> Canvas:
    unit = pixels / table.side
    canvas = Canvas(pixels, pixels, "mint")
    for piece in table.pieces:
        centre = (piece.x * unit, piece.y * unit)
        if piece.colour == "coin":
            size = round(SIZES[piece.value] * unit)
            metal, glyph = COINS[piece.value], max(6, round(size * 0.38))
            ink = "white" if metal == "brown" else "ink"
            box = canvas.shape("circle", centre, size, metal, "ink", str(piece.value), glyph, ink)
            canvas.element(piece.name, box, divmod(piece.cell, table.side), glyph)
        else:
            size = round(DIE * unit)
            left, top = (round(middle - size / 2) for middle in centre)
            face = _face(piece.colour, piece.value, size)
            box = canvas.stamp(masks.shape("square", size), left, top, "ink", face)
            canvas.element(piece.name, box, divmod(piece.cell, table.side))
    return canvas


@lru_cache(maxsize=512)
def _face(colour: str, value: int, size: int) -> Pixels:
    """Return a die from above: its colour within a rim, and its pips."""
    canvas = Canvas(size, size, "ink")
    canvas.stamp(masks.shape("square", size, max(1, size // 18)), 0, 0, colour)
    spots = [(0, 0)] * (value % 2)
    spots += [(-1, -1), (1, 1)] * (value > 1) + [(-1, 1), (1, -1)] * (value > 3) + [(-1, 0), (1, 0)] * (value > 5)
    for x, y in spots:
        canvas.shape("circle", (size * (0.5 + PIPS * x), size * (0.5 + PIPS * y)), round(size * PIP), DICE[colour])
    return canvas.pixels


@lru_cache(maxsize=512)
def _answer(asked: int, pieces: int) -> Record:
    highest = {"red sum": 6 * pieces, "coin sum": 50 * pieces, "blue sum": 6 * pieces}
    return Record(tuple((field, Integer(0, highest.get(field, pieces))) for field in FIELDS[:asked]))


environment = DiceCoins()
