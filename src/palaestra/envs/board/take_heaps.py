"""Take heaps: take coins from one heap a turn, and take the last one, or at the top leave it, against a perfect
opponent.

Only positions are dealt that are won for the player, and the opponent never forgives a slip: every move must keep the
win. Who wins is found by trying all moves of heaps without order, so no theory of the game is taken for granted.

Source: Nim (Bouton, 1901) and its misere form. Departures: a move takes a few coins at most, as in the game of
twenty-one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import Element, Picture, View
from palaestra.envs.kit import captions, grid, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.palette import PALETTE

RULES = (
    "You and the opponent take turns; a move takes 1 to {} coins from one heap. Who takes the last coin of all {}. "
    "The opponent never misses a win."
)
HINT = (
    "Split each heap's remainder into fours, twos and ones: leave the opponent an even number of each kind.{} "
    "Remainders are those on division by the largest take plus one."
)
MISERE_HINT = " Only when no remainder would be left above one, leave an odd number of ones."

Heaps = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """All there is to see: the coins of each heap, how many one move may take, whether the last coin loses, how high a
    heap can be, and whether the game is won."""

    heaps: Heaps
    most: int
    misere: bool
    highest: int
    won: bool = False


class TakeHeaps:
    """The environment."""

    spec = EnvSpec(
        id="board/take_heaps",
        version=1,
        title="Take heaps",
        horizon=30,
        scales=(
            {"heaps": 2, "highest": 6, "most": 5, "misere": 0},
            {"heaps": 3, "highest": 6, "most": 5, "misere": 0},
            {"heaps": 3, "highest": 10, "most": 4, "misere": 0},
            {"heaps": 4, "highest": 12, "most": 5, "misere": 0},
            {"heaps": 5, "highest": 12, "most": 5, "misere": 0},
            {"heaps": 5, "highest": 14, "most": 5, "misere": 1},
        ),
        knobs=(
            Knob("heaps", 2, 5, "heaps of coins"),
            Knob("highest", 3, 14, "coins of a heap at most"),
            Knob("most", 3, 6, "coins that one move may take, or one less, or two less"),
            Knob("misere", 0, 1, "1: who takes the last coin loses"),
        ),
        train_only=frozenset({0, 1, 2}),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn"}),
        source="the game Nim",
    )

    def reset(self, instance: Instance) -> Table:
        settings = self.spec.settings(instance)
        heaps, highest, most = (int(settings[name]) for name in ("heaps", "highest", "most"))
        misere = bool(settings["misere"])

        def propose(rng: np.random.Generator) -> Table | None:
            coins = rng.integers(1, highest + 1, heaps).tolist()
            table = Table(tuple(coins), most - int(rng.integers(3)), misere, highest)
            return table if sum(coins) > 2 * heaps and _winning(table) else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Table) -> int:
        return (sum(state.heaps) + 1) // 2

    def public(self, state: Table) -> Table:
        return state

    def view(self, public: Table, pixels: int = 448) -> View:
        heaps, most = public.heaps, public.most
        kind = _answer(len(heaps), most)
        names = [_name(coins) for coins in heaps]
        image, scene = _draw(heaps, public.highest, pixels) if pixels else (None, grid.NOTHING)
        remainders = " ".join(str(coins % (most + 1)) for coins in heaps)
        return View(
            kind,
            image,
            f"{'Make the opponent take' if public.misere else 'Take'} the last coin: name a heap and how many coins "
            f"you take. {kind.describe()}",
            RULES.format(most, "loses" if public.misere else "wins"),
            HINT.format(MISERE_HINT if public.misere else ""),
            f"Remainders on division by {most + 1}: {remainders}.",
            f"Heaps {' '.join(str(k + 1) for k in range(len(heaps)))} from the left.\n"
            f"{captions.listing((name, (0, k)) for k, name in enumerate(names))}",
            scene,
        )

    def step(self, state: Table, action: tuple[int, int]) -> Step[Table]:
        heap, coins = action
        if coins > state.heaps[heap - 1]:
            return Step(state, legal=False, events=("action_illegal",))
        mine = _taken(state, heap - 1, coins)
        event = "moved_level" if not _winning(state) else "win_given_away" if _winning(mine) else "win_kept"
        if not any(mine.heaps):
            return _ended(mine, won=not state.misere, event=event)
        after = _taken(mine, *_best(mine))
        return Step(after, events=(event,)) if any(after.heaps) else _ended(after, won=state.misere, event=event)

    def solve(self, state: Table) -> Sequence[str] | None:
        if state.won:
            return ()
        if not any(state.heaps) or not _winning(state):
            return None
        kind, plan = _answer(len(state.heaps), state.most), []
        while any(state.heaps):
            heap, coins = _best(state)
            plan.append(kind.format((heap + 1, coins)))
            state = self.step(state, (heap + 1, coins)).state
        return plan

    def problem(self, state: Table) -> bytes:
        """Return the heaps without their order."""
        return bytes([state.most, state.misere, *sorted(state.heaps)])


def _taken(table: Table, heap: int, coins: int) -> Table:
    heaps = table.heaps
    return replace(table, heaps=(*heaps[:heap], heaps[heap] - coins, *heaps[heap + 1 :]))


def _ended(table: Table, won: bool, event: str) -> Step[Table]:
    if won:
        return Step(replace(table, won=True), 1.0, done=True, success=True, events=(event, "task_completed"))
    return Step(table, done=True, events=(event, "opponent_won"))


def _winning(table: Table) -> bool:
    """Return whether who is to move can win."""
    return _wins(tuple(sorted(filter(None, table.heaps))), table.most, table.misere)


@lru_cache(maxsize=1 << 16)
def _wins(heaps: Heaps, most: int, misere: bool) -> bool:
    return any(not _wins(after, most, misere) for after in _moves(heaps, most)) if heaps else misere


def _moves(heaps: Heaps, most: int) -> Iterator[Heaps]:
    """Yield what one move may leave of heaps in ascending order, in this order again."""
    for heap, coins in enumerate(heaps):
        if heap == 0 or heaps[heap - 1] < coins:
            rest = heaps[:heap] + heaps[heap + 1 :]
            for left in range(max(0, coins - most), coins):
                yield tuple(sorted((*rest, left))) if left else rest


def _best(table: Table) -> tuple[int, int]:
    """Return a move that wins if there is one, else as many coins of the largest heap as may be taken."""
    moves = [
        (coins, -heap)
        for heap, height in enumerate(table.heaps)
        for coins in range(1, min(height, table.most) + 1)
        if not _winning(_taken(table, heap, coins))
    ]
    if moves:
        coins, heap = max(moves)
        return -heap, coins
    height = max(table.heaps)
    return table.heaps.index(height), min(height, table.most)


def _name(coins: int) -> str:
    return f"heap of {coins}"


@lru_cache(maxsize=64)
def _answer(heaps: int, most: int) -> Record:
    return Record((("heap", Integer(1, heaps)), ("coins", Integer(1, most))))


def _draw(heaps: Heaps, highest: int, pixels: int) -> tuple[Picture, tuple[Element, ...]]:
    ground, heads, boxes = _frame(len(heaps), pixels)
    drawn = ground.copy()
    for coins, (left, top, right, bottom) in zip(heaps, boxes, strict=True):
        drawn[top:bottom, left:right] = _stack(coins, highest, right - left, bottom - top)
    stacks = [Element(_name(coins), (0, k), box) for k, (coins, box) in enumerate(zip(heaps, boxes, strict=True))]
    return Picture(drawn, PALETTE), (*heads, *stacks)


@lru_cache(maxsize=64)
def _frame(heaps: int, pixels: int) -> tuple[Pixels, Sequence[Element], Sequence[tuple[int, int, int, int]]]:
    """Return the empty table with the numbers of the heaps, their elements, and where the heaps stand."""
    margin, size = max(9, pixels // 14), pixels // heaps
    canvas = Canvas(size * heaps, pixels, "mint")
    glyph = max(7, margin // 2)
    for heap in range(heaps):
        label = str(heap + 1)
        box = canvas.text(label, ((heap + 0.5) * size, pixels - margin / 2), glyph)
        canvas.element(label, box, glyph=min(glyph, box[3] - box[1]))
    boxes = [(k * size, 0, (k + 1) * size, pixels - margin) for k in range(heaps)]
    return canvas.pixels, canvas.elements, boxes


@lru_cache(maxsize=256)
def _stack(coins: int, highest: int, width: int, height: int) -> Pixels:
    """Return a heap seen from the side: a board that carries its coins."""
    canvas = Canvas(width, height, "mint")
    thick = min((height * 0.94) / (highest + 0.5), width * 0.3)
    floor, middle, reach = height - thick * 0.3, width / 2, min(width * 0.4, thick * 3.5)
    rim = max(1.0, thick / 14)
    canvas.rectangle((round(width * 0.06), round(floor), round(width * 0.94), height), "brown")
    for k in range(coins):
        y = floor - (k + 0.5) * thick
        for grown, colour in ((0.0, "brown"), (rim, "gold")):
            round_ = thick - 2 * grown
            canvas.segments([(middle - reach + thick / 2, y, middle + reach - thick / 2, y)], round_, colour)
            for side in (-1, 1):
                canvas.shape("circle", (middle + side * (reach - thick / 2), y), round(round_), colour)
        shine = [(middle - reach * 0.7, y - thick * 0.18, middle + reach * 0.7, y - thick * 0.18)]
        canvas.segments(shine, max(1.0, thick * 0.16), "yellow")
    return canvas.pixels


environment = TakeHeaps()
