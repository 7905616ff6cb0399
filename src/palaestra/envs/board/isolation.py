"""Isolation: step from stone to stone, each sinks when it is left, and whoever cannot move has lost.

The end of a game is dealt, on islands of stones, and only when the player can win and can also slip; from the middle
scales on whoever first steps where most stones are beside has slipped. Who wins is found by a full search over sets of
stones, and the opponent, which uses it too, never gives a won game back.

Source: the game Isolation (Bernd Kienitz, 1972), in the form where the cell just left is the one removed. Departures:
smaller boards, begun when some cells are gone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, splits, sprites
from palaestra.envs.kit.canvas import Canvas, Pixels

STEPS = {
    "up": (-1, 0), "up-right": (-1, 1), "right": (0, 1), "down-right": (1, 1),
    "down": (1, 0), "down-left": (1, -1), "left": (0, -1), "up-left": (-1, -1),
}  # fmt: skip
WATER, STONE, YOU, OPPONENT = range(4)
NAMES = ("water", "stone", "you", "opponent")
LEGEND = dict(zip("~.@X", NAMES, strict=True))
SIGNS = bytes.maketrans(bytes(range(4)), "".join(LEGEND).encode())

ANSWER = Choice(tuple(STEPS))
TASK = (
    "You are red. A stone sinks when it is left: still have a move when the opponent has none. Say where to step. "
    f"{ANSWER.describe()}"
)
RULES = (
    "You and the opponent step by turns to a free stone beside one's own, also diagonally. "
    "Who cannot move has lost. The opponent never misses a win; without one it goes where most stones are beside it."
)
HINT = "Count the steps that remain to each in its own part once the stones fall apart, and part them in your favour."


@dataclass(frozen=True, slots=True)
class Game:
    """All there is to see: the size, the free stones (one bit for each cell, row by row), where both stand, and whether
    the game is won."""

    rows: int
    columns: int
    stones: int
    you: int
    opponent: int
    won: bool = False


class Isolation:
    """The environment."""

    spec = EnvSpec(
        id="board/isolation",
        version=1,
        title="Isolation",
        horizon=9,
        scales=(
            {"rows": 4, "columns": 4, "stones": 7, "moves": 2, "lure": 0},
            {"rows": 4, "columns": 4, "stones": 9, "moves": 3, "lure": 0},
            {"rows": 4, "columns": 5, "stones": 11, "moves": 4, "lure": 0},
            {"rows": 5, "columns": 5, "stones": 13, "moves": 4, "lure": 1},
            {"rows": 5, "columns": 5, "stones": 14, "moves": 5, "lure": 1},
            {"rows": 5, "columns": 6, "stones": 15, "moves": 5, "lure": 1},
        ),
        knobs=(
            Knob("rows", 3, 6, "rows of cells"),
            Knob("columns", 3, 6, "columns of cells"),
            Knob("stones", 6, 18, "free stones at first; fewer when there is no room"),
        ),
        embedded_scales=(0, 1, 2),
        tags=frozenset({"multi_turn"}),
        source="the game Isolation",
    )

    def reset(self, instance: Instance) -> Game:
        settings = self.spec.settings(instance)
        rows, columns = int(settings["rows"]), int(settings["columns"])
        stones = min(int(settings["stones"]), rows * columns - 2)
        moves, lure = min(int(settings["moves"]), stones // 3), bool(settings["lure"])
        around = _around(rows, columns)

        def propose(rng: np.random.Generator) -> Game:
            return _island(rows, columns, stones, rng)

        def suits(game: Game) -> bool:
            def beside(cell: int) -> int:
                return (around[cell] & game.stones).bit_count()

            first, kept = sorted(_cells(around[game.you] & game.stones), key=beside, reverse=True), 0
            for cell in first:
                keeps = not _wins(rows, columns, game.stones ^ 1 << cell, game.opponent, cell)
                kept += keeps
                if kept > len(first) // 2 or (keeps and lure and beside(cell) == beside(first[0])):
                    return False
            return kept > 0 and len(_plan(game)) >= moves

        return splits.draw(instance, propose, self.problem, suits)

    def horizon(self, state: Game) -> int:
        return (state.stones.bit_count() + 1) // 2

    def public(self, state: Game) -> Game:
        return state

    def view(self, public: Game, pixels: int = 448) -> View:
        rows, columns = public.rows, public.columns
        content = _content(public)
        image, elements = None, grid.NOTHING
        if pixels:
            size = pixels // max(rows, columns)
            image = grid.paint(np.frombuffer(content, np.uint8).astype(np.intp).reshape(rows, columns), _tiles(size))
            elements = grid.scene(NAMES, content, rows, columns, size)
        around = _around(rows, columns)
        beside = [(around[cell] & public.stones).bit_count() for cell in (public.you, public.opponent)]
        return View(
            ANSWER,
            image,
            TASK,
            RULES,
            HINT,
            f"Free stones: {public.stones.bit_count()}; beside you {beside[0]}, beside the opponent {beside[1]}.",
            captions.board(LEGEND, content.translate(SIGNS).decode(), columns),
            elements,
        )

    def step(self, state: Game, action: str) -> Step[Game]:
        row, column = (at + by for at, by in zip(divmod(state.you, state.columns), STEPS[action], strict=True))
        target = row * state.columns + column
        if not (0 <= row < state.rows and 0 <= column < state.columns and state.stones >> target & 1):
            return Step(state, legal=False, events=("action_illegal",))
        mine = replace(state, stones=state.stones & ~(1 << target), you=target)
        lost = _wins(state.rows, state.columns, mine.stones, mine.opponent, target)
        event = "win_kept" if not lost else "win_given_away" if self.solve(state) else "moved_level"
        reply = _replied(mine)
        if reply is None:
            return Step(replace(mine, won=True), 1.0, done=True, success=True, events=(event, "task_completed"))
        if not _around(state.rows, state.columns)[reply.you] & reply.stones:
            return Step(reply, done=True, events=(event, "opponent_won"))
        return Step(reply, events=(event,))

    def solve(self, state: Game) -> Sequence[str] | None:
        if state.won:
            return ()
        return _plan(state) if _wins(state.rows, state.columns, state.stones, state.you, state.opponent) else None

    def problem(self, state: Game) -> bytes:
        return grid.canonical(state.rows, state.columns, np.frombuffer(_content(state), np.uint8))


def _content(game: Game) -> bytes:
    cells = bytearray(STONE if game.stones >> cell & 1 else WATER for cell in range(game.rows * game.columns))
    cells[game.you], cells[game.opponent] = YOU, OPPONENT
    return bytes(cells)


@lru_cache(maxsize=64)
def _around(rows: int, columns: int) -> tuple[int, ...]:
    """Return for each cell the set of its neighbours."""
    cells = [divmod(cell, columns) for cell in range(rows * columns)]
    return tuple(
        sum(1 << k for k, (r, c) in enumerate(cells) if max(abs(r - row), abs(c - column)) == 1)
        for row, column in cells
    )


def _cells(bits: int) -> list[int]:
    return [cell for cell in range(bits.bit_length()) if bits >> cell & 1]


@lru_cache(maxsize=1 << 16)
def _wins(rows: int, columns: int, stones: int, mover: int, other: int) -> bool:
    """Return whether who is to move wins."""
    around = _around(rows, columns)
    threats, moves = around[other], []
    targets = around[mover] & stones
    while targets:
        stone = targets & -targets
        targets ^= stone
        cell, left = stone.bit_length() - 1, stones ^ stone
        if not threats & left:
            return True
        moves.append(((threats & left).bit_count() - (around[cell] & left).bit_count(), left, cell))
    moves.sort()  # first the moves that leave the other little room
    return any(not _wins(rows, columns, left, other, cell) for _, left, cell in moves)


def _best(game: Game, mover: int, other: int) -> int | None:
    """Return where a side goes: to win if it can, else to where most stones are beside it; None without a move."""
    around = _around(game.rows, game.columns)
    moves = [
        (
            not _wins(game.rows, game.columns, game.stones ^ 1 << cell, other, cell),
            (around[cell] & game.stones).bit_count(),
            -cell,
        )
        for cell in _cells(around[mover] & game.stones)
    ]
    return -max(moves)[2] if moves else None


def _replied(game: Game) -> Game | None:
    """Return the game after the opponent's move, None when it has none."""
    cell = _best(game, game.opponent, game.you)
    return None if cell is None else replace(game, stones=game.stones ^ 1 << cell, opponent=cell)


@lru_cache(maxsize=1024)
def _plan(game: Game) -> tuple[str, ...]:
    """Return moves that win a won game against this opponent."""
    plan: list[str] = []
    after: Game | None = game
    while after is not None:
        cell = _best(after, after.you, after.opponent)
        if cell is None:
            return ()
        row, column = (
            to - at for to, at in zip(divmod(cell, game.columns), divmod(after.you, game.columns), strict=True)
        )
        plan.append(next(name for name, step in STEPS.items() if step == (row, column)))
        after = _replied(replace(after, stones=after.stones ^ 1 << cell, you=cell))
    return tuple(plan)


def _island(rows: int, columns: int, stones: int, rng: np.random.Generator) -> Game:
    """Return both sides on one island, which grows stone by stone."""
    around, luck = _around(rows, columns), rng.random(stones + 2).tolist()
    land, rim = 0, (1 << rows * columns) - 1
    for share in luck:
        shore = _cells(rim)
        cell = shore[int(share * len(shore))]
        rim = (rim if land else 0) | around[cell]
        land |= 1 << cell
        rim &= ~land
    cells = _cells(land)
    you, opponent = (cells[k] for k in rng.permutation(len(cells))[:2].tolist())
    return Game(rows, columns, land & ~(1 << you | 1 << opponent), you, opponent)


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(kind, size) for kind in range(4))


def _tile(kind: int, size: int) -> Pixels:
    canvas = Canvas(size, size, "deep")
    middle = (size / 2, size / 2)
    if kind == WATER:
        for x, y in ((0.3, 0.36), (0.62, 0.66)):
            ends = (x * size - size * 0.14, y * size, x * size + size * 0.14, y * size)
            canvas.segments([ends], max(1.0, size / 22), "blue")
        return canvas.pixels
    canvas.shape("circle", middle, round(size * 0.94), "silver", edge="slate")
    canvas.shape("circle", middle, round(size * 0.76), "mist")
    if kind == YOU:
        sprites.walker(canvas, "red", "wine")
    if kind == OPPONENT:
        sprites.walker(canvas, "purple", "ink")
    return canvas.pixels


environment = Isolation()
