"""Draughts capture: name the squares of the longest capture on the board.

A chain is laid first, jump by jump; then other pieces are strewn, and a search through all captures makes sure that
none became longer. Often several are equally long: a reply is verified jump by jump, and every longest one is right.

Source: international draughts, where the longest capture is the rule. Departures: boards of six and eight squares; no
black kings, as it does not matter what is jumped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.board import _squares
from palaestra.envs.kit import captions, grid, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.parts import Asked

LIGHT, DARK, MAN, KING, BLACK = range(5)
NAMES = ("light square", "dark square", "white piece", "white king", "black piece")
LEGEND = dict(zip("_.wKb", NAMES, strict=True))
SIGNS = bytes.maketrans(bytes(range(5)), "".join(LEGEND).encode())

TASK = (
    "As in international draughts, men jump backwards too{}. Name the squares of white's longest capture, from where "
    "its piece stands."
)
STARS = ", and kings (with a star) from afar"
RULES = (
    "A white piece jumps diagonally, in any direction, over a black one beside it to the free square right behind.{} "
    "It jumps on while it can; what was jumped stays till the end and is not jumped twice."
)
KINGS = " A king (with a star) jumps from any distance and lands on any free square behind."
HINT = "Follow every white piece in every direction; the nearest jump may close the way to more."

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Position:
    """What lies at each cell of a square board, row by row from the top."""

    side: int
    board: bytes


class DraughtsCapture:
    """The environment."""

    spec = EnvSpec(
        id="board/draughts_capture",
        version=1,
        title="Draughts capture",
        horizon=1,
        scales=(
            {"side": 6, "men": 2, "kings": 0, "black": 4, "jumps": 2},
            {"side": 6, "men": 3, "kings": 0, "black": 6, "jumps": 3},
            {"side": 8, "men": 4, "kings": 0, "black": 7, "jumps": 4},
            {"side": 8, "men": 3, "kings": 1, "black": 7, "jumps": 4},
            {"side": 8, "men": 4, "kings": 1, "black": 9, "jumps": 5},
            {"side": 8, "men": 4, "kings": 2, "black": 11, "jumps": 6},
        ),
        knobs=(
            Knob("men", 1, 4, "white men"),
            Knob("kings", 0, 2, "white kings"),
            Knob("black", 6, 11, "black pieces"),
            Knob("jumps", 2, 6, "jumps of the longest capture"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "many_right"}),
        source="international draughts",
    )

    def reset(self, instance: Instance) -> Asked[Position]:
        settings = self.spec.settings(instance)
        side, men, kings, black, jumps = (int(settings[k]) for k in ("side", "men", "kings", "black", "jumps"))

        def propose(rng: np.random.Generator) -> Asked[Position] | None:
            board = _laid(side, [MAN] * men + [KING] * kings, black, jumps, rng)
            position = Position(side, board or b"")
            return Asked(position) if board and len(_longest(position)[0]) == jumps + 1 else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Position]) -> int:
        return 1

    def public(self, state: Asked[Position]) -> Position:
        return state.question

    def view(self, public: Position, pixels: int = 448) -> View:
        side, board = public.side, public.board
        kind = _answer(side, board.count(BLACK) + 1)
        image, scene = None, grid.NOTHING
        if pixels:
            kinds = np.frombuffer(board, np.uint8).astype(np.intp).reshape(side, side)
            image, scene = _squares.draw([NAMES[k] for k in board], kinds, _tiles, pixels, "paper")
        first = [sum(1 for _ in _jumps(public, cell, cell, ())) for cell in _white(board)]
        return View(
            kind,
            image,
            f"{TASK.format(STARS if KING in board else '')} {kind.describe()}",
            RULES.format(KINGS if KING in board else ""),
            HINT,
            f"White pieces: {len(first)}, {sum(map(bool, first))} of them can jump. Black ones: {board.count(BLACK)}.",
            f"{_squares.told(side, side)}\n{captions.board(LEGEND, board.translate(SIGNS).decode(), side)}",
            scene,
        )

    def step(self, state: Asked[Position], action: tuple[str, ...]) -> Step[Asked[Position]]:
        position = state.question
        names = _squares.names(position.side, position.side)
        path = [names.index(square) for square in action]
        best = _longest(position)
        events = ["start_right"] if any(path[0] == other[0] for other in best) else []
        after, at = Asked(position, answered=True), path[0]
        taken: Path = ()
        for target in path[1:]:
            jumped = dict(_jumps(position, path[0], at, taken)).get(target)
            if jumped is None:
                return Step(after, done=True, events=(*events, "step_disconnected", "largest_missed"))
            taken, at = (*taken, jumped), target
        events += ["steps_connected", "capture_made"]
        share = len(taken) / (len(best[0]) - 1)
        if share == 1:
            return Step(after, 1.0, done=True, success=True, events=(*events, "largest_found", "cost_optimal"))
        events += ["largest_missed", "cost_near" if share >= 0.75 else "cost_excessive"]
        return Step(after, 0.5 * share, done=True, events=tuple(events))

    def solve(self, state: Asked[Position]) -> Sequence[str] | None:
        return () if state.answered else next(self.solutions(state))

    def solutions(self, state: Asked[Position]) -> Iterator[Sequence[str]]:
        side, board = state.question.side, state.question.board
        names = _squares.names(side, side)
        for path in _longest(state.question):
            yield [_answer(side, board.count(BLACK) + 1).format(tuple(names[cell] for cell in path))]

    def problem(self, state: Asked[Position]) -> bytes:
        side, board = state.question.side, state.question.board
        return grid.canonical(side, side, np.frombuffer(board, np.uint8))


@lru_cache(maxsize=64)
def _answer(side: int, longest: int) -> answer.Sequence:
    names = _squares.names(side, side)
    return answer.Sequence(tuple(names[cell] for cell in _dark(side)), 2, longest)


@lru_cache(maxsize=8)
def _dark(side: int) -> tuple[int, ...]:
    """Return the cells that are played on; the one at the lower left is among them."""
    return tuple(cell for cell in range(side * side) if (cell // side + cell % side + side) % 2)


@lru_cache(maxsize=8)
def _rays(side: int) -> tuple[tuple[Path, ...], ...]:
    """Return for each cell the cells along the four diagonals."""

    def ray(cell: int, down: int, right: int) -> Path:
        row, column = divmod(cell, side)
        reach = min(side - 1 - row if down > 0 else row, side - 1 - column if right > 0 else column)
        return tuple(cell + k * (down * side + right) for k in range(1, reach + 1))

    return tuple(tuple(ray(cell, d, r) for d in (-1, 1) for r in (-1, 1)) for cell in range(side * side))


def _white(board: bytes) -> list[int]:
    return [cell for cell, kind in enumerate(board) if kind in (MAN, KING)]


def _jumps(position: Position, start: int, at: int, taken: Path) -> Iterator[tuple[int, int]]:
    """Yield where the piece from a start can land from where it is now, and what it takes."""
    board = position.board
    if board[start] not in (MAN, KING):
        return
    flies = board[start] == KING
    for ray in _rays(position.side)[at]:
        victim = -1
        for cell in ray if flies else ray[:2]:
            if board[cell] == DARK or cell == start:
                if victim >= 0:
                    yield cell, victim
                elif not flies:
                    break
            elif board[cell] == BLACK and victim < 0 and cell not in taken:
                victim = cell
            else:
                break


@lru_cache(maxsize=1024)
def _longest(position: Position) -> tuple[Path, ...]:
    """Return all longest captures, each as the squares from the start on."""
    best: list[Path] = []

    def follow(path: Path, taken: Path) -> None:
        if not best or len(path) > len(best[0]):
            best[:] = [path]
        elif len(path) == len(best[0]):
            best.append(path)
        for cell, victim in _jumps(position, path[0], path[-1], taken):
            follow((*path, cell), (*taken, victim))

    for cell in _white(position.board):
        follow((cell,), ())
    return tuple(best)


def _laid(side: int, white: list[int], black: int, jumps: int, rng: np.random.Generator) -> bytes | None:
    """Return a board with a capture of so many jumps by one of the white pieces, None when there was no room for it."""
    dark = _dark(side)
    order = [dark[k] for k in rng.permutation(len(dark)).tolist()]
    hero = white[-1] if rng.random() < 0.7 else white[0]
    at = start = order[0]
    clear, victims = {start}, list[int]()
    for which, far in rng.random((4 * jumps, 2)).tolist():
        ray, over = _rays(side)[at][int(4 * which)], int(3 * far) if hero == KING else 0
        if len(ray) < over + 2 or ray[over] in clear or not set(victims).isdisjoint(ray[: over + 2]):
            continue
        clear |= {*ray[:over], ray[over + 1]}
        victims.append(ray[over])
        at = ray[over + 1]
        if len(victims) == jumps:
            break
    others = [BLACK] * (black - jumps) + white
    others.remove(hero)
    rest = [cell for cell in order if cell not in clear and cell not in victims]
    if len(victims) < jumps or len(rest) < len(others):
        return None
    board = bytearray([LIGHT]) * (side * side)
    for cell in dark:
        board[cell] = DARK
    for cell, kind in ((start, hero), *((victim, BLACK) for victim in victims), *zip(rest, others, strict=False)):
        board[cell] = kind
    return bytes(board)


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(kind, size) for kind in range(5))


def _tile(kind: int, size: int) -> Pixels:
    canvas = Canvas(size, size, "sand")
    line = max(1, size // 50)
    if kind != LIGHT:
        canvas.rectangle((line, line, size - line, size - line), "brown")
    if kind in (MAN, KING, BLACK):
        fill, ring = ("ink", "slate") if kind == BLACK else ("white", "silver")
        middle = (size / 2, size / 2)
        canvas.shape("circle", middle, round(size * 0.84), fill, edge="black" if kind == BLACK else "slate")
        canvas.shape("circle", middle, round(size * 0.6), ring)
        canvas.shape("circle", middle, round(size * 0.5), fill)
        if kind == KING:
            canvas.shape("star", middle, round(size * 0.56), "red")
    return canvas.pixels


environment = DraughtsCapture()
