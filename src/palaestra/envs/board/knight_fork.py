"""Knight fork: name every square from which a white knight, moved there, attacks two black pieces or more.

From the middle scales on the square must be safe too: none counts that a black piece attacks, other than the one taken
there.

Source: chess problems for beginners. Departures: small boards; it is only the attack that counts, not what it wins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.board import _chess, _squares
from palaestra.envs.board._chess import BISHOP, BLACK, FREE, KING, KNIGHT, PAWN, QUEEN, ROOK, WHITE
from palaestra.envs.kit import grid, splits
from palaestra.envs.kit.parts import Asked, scored

MOST = 8  # squares in a reply
RULES = (
    "A knight moves two squares straight and one aside, to a free square or one with a black piece, which it takes.{}"
)
SAFE = (
    " The square must be safe: no black piece attacks it after the move. Black pawns attack one square diagonally down."
)
HINT = (
    "Take the squares a knight can reach one by one and look at the eight squares around each, a knight's move away.{}"
)
SAFE_HINT = " Then ask who could take it there."
TARGETS = (KING, QUEEN, ROOK, ROOK, BISHOP, BISHOP, KNIGHT, KNIGHT, PAWN, PAWN, PAWN, PAWN, PAWN, PAWN)
OTHERS = (PAWN, BISHOP, PAWN, ROOK)

STANDING = bytes(ROOK if kind < BLACK and kind != KNIGHT else kind for kind in range(256))
TARGET = bytes(BLACK if BLACK <= kind < FREE else STANDING[kind] for kind in range(256))


@dataclass(frozen=True, slots=True)
class Position:
    """What stands at each cell of a square board, row by row from the top, and whether the square must be safe."""

    side: int
    board: bytes
    safe: bool


class KnightFork:
    """The environment."""

    spec = EnvSpec(
        id="board/knight_fork",
        version=1,
        title="Knight fork",
        horizon=1,
        scales=(
            {"side": 5, "knights": 1, "others": 1, "black": 5, "forks": 1, "safe": 0},
            {"side": 5, "knights": 1, "others": 2, "black": 6, "forks": 2, "safe": 0},
            {"side": 6, "knights": 1, "others": 2, "black": 6, "forks": 2, "safe": 1},
            {"side": 7, "knights": 2, "others": 3, "black": 8, "forks": 3, "safe": 1},
            {"side": 8, "knights": 2, "others": 4, "black": 9, "forks": 3, "safe": 1},
            {"side": 8, "knights": 3, "others": 2, "black": 9, "forks": 4, "safe": 1},
        ),
        knobs=(
            Knob("side", 6, 8, "ranks and files"),
            Knob("others", 0, 4, "other white pieces"),
            Knob("forks", 1, 4, "squares to be named"),
            Knob("safe", 0, 1, "1: no black piece may attack the square"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn"}),
        source="chess",
    )

    def reset(self, instance: Instance) -> Asked[Position]:
        settings = self.spec.settings(instance)
        side, knights, others, black, forks = (
            int(settings[name]) for name in ("side", "knights", "others", "black", "forks")
        )
        safe = bool(settings["safe"])

        def propose(rng: np.random.Generator) -> Asked[Position]:
            return Asked(Position(side, _scattered(side, knights, others, black, rng), safe))

        def suits(asked: Asked[Position]) -> bool:
            return _forks(asked.question)[0].bit_count() == forks

        return splits.draw(instance, propose, self.problem, suits)

    def horizon(self, state: Asked[Position]) -> int:
        return 1

    def public(self, state: Asked[Position]) -> Position:
        return state.question

    def view(self, public: Position, pixels: int = 448) -> View:
        side, board = public.side, public.board
        kind = _squares.several(side, side, 1, MOST)
        image, scene = _chess.draw(side, board, pixels) if pixels else (None, grid.NOTHING)
        reach = _reach(public)
        return View(
            kind,
            image,
            f"Name every {'safe ' * public.safe}square to which a white knight can move so that it attacks two or more "
            f"black pieces. {kind.describe()}",
            RULES.format(SAFE if public.safe else ""),
            HINT.format(SAFE_HINT if public.safe else ""),
            f"Moves of white knights: {len(reach)}; of these take a black piece: "
            f"{sum(board[cell] != FREE for cell in reach)}.",
            _chess.told(side, board),
            scene,
        )

    def step(self, state: Asked[Position], action: tuple[str, ...]) -> Step[Asked[Position]]:
        position = state.question
        names = _squares.names(position.side, position.side)
        right, unsafe = ({names[cell] for cell in _chess.cells(cells)} for cells in _forks(position))
        said = dict.fromkeys(action)
        events = [
            "threat_made" if name in right else "attack_overlooked" if name in unsafe else "part_superfluous"
            for name in said
        ]
        events += ["attack_seen"] if unsafe and right & said.keys() and not unsafe & said.keys() else []
        events += ["part_left_out"] if right - said.keys() else []
        events += ["node_repeated"] if len(said) < len(action) else []
        found, named = len(right & said.keys()), len(right | said.keys())
        return scored(Asked(position, answered=True), found, named, events)

    def solve(self, state: Asked[Position]) -> Sequence[str] | None:
        if state.answered:
            return ()
        side = state.question.side
        names = _squares.names(side, side)
        squares = tuple(names[cell] for cell in _chess.cells(_forks(state.question)[0]))
        return [_squares.several(side, side, 1, MOST).format(squares)]

    def problem(self, state: Asked[Position]) -> bytes:
        """Return the board; white pieces only stand in the way, and black ones too unless they attack."""
        position = state.question
        alike = position.board.translate(STANDING if position.safe else TARGET)
        return bytes([position.safe]) + _chess.canonical(position.side, alike)


def _reach(position: Position) -> list[int]:
    """Return the cells to which white knights can move, one by one."""
    board, leaps = position.board, _chess.geometry(position.side).knight
    knights = [cell for cell, kind in enumerate(board) if kind == KNIGHT]
    return [target for cell in knights for target in _chess.cells(leaps[cell]) if board[target] >= BLACK]


@lru_cache(maxsize=1024)
def _forks(position: Position) -> tuple[int, int]:
    """Return the cells to be named, and those from which as much is attacked but which are not safe."""
    side, right, unsafe = position.side, 0, 0
    sets, leaps = _chess.sets_of(position.board), _chess.geometry(position.side).knight
    black = _chess.union(sets[BLACK:])
    for target in _reach(position):
        if (leaps[target] & black).bit_count() > 1:
            bit = 1 << target
            left = tuple(bits & ~bit for bits in sets)  # no line leads from where a knight stood to where it goes
            if position.safe and _chess.attacked(side, left, target, BLACK):
                unsafe |= bit
            else:
                right |= bit
    return right, unsafe


def _scattered(side: int, knights: int, others: int, black: int, rng: np.random.Generator) -> bytes:
    """Return a board with white knights off the edge, and most black pieces where several of their moves aim at."""
    leaps = _chess.geometry(side).knight
    order = rng.permutation(side * side).tolist()
    inner = [cell for cell in order if 0 < cell % side < side - 1 and 0 < cell // side < side - 1]
    board = bytearray([FREE]) * (side * side)
    reach = 0
    for cell in inner[:knights]:
        board[cell] = WHITE + KNIGHT
        reach |= leaps[cell]
    order = [cell for cell in order if board[cell] == FREE]
    order.sort(key=lambda cell: (leaps[cell] & reach).bit_count() < 2)  # stable: the cells aimed at, in any order
    targets = [TARGETS[k] for k in rng.permutation(len(TARGETS))[:black].tolist()]
    aimed = black - 2
    kinds = [BLACK + piece for piece in targets] + [WHITE + piece for piece in OTHERS[:others]]
    for kind, cell in zip(kinds, order[:aimed] + order[: aimed - 1 : -1], strict=False):
        unfit = kind % 6 == PAWN and not 0 < cell // side < side - 1
        board[cell] = kind - PAWN + BISHOP if unfit else kind
    return bytes(board)


environment = KnightFork()
