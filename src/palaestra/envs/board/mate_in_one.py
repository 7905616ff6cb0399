"""Mate in one: find every move of white that mates, on boards from five by five to the full one.

The number of mating moves is told, and a reply names each by the squares it goes from and to, in any order. Every
position is searched through by the rules themselves, so a mate by a pinned piece or past a hidden defender is none.

Source: chess. Departures: small boards; no castling, no double step of pawns, no en passant; pawns stand where no move
promotes them.
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

RULES = (
    "The pieces move as in chess; white pawns go up, black ones down, one square at a time. "
    "Mate: the black king is attacked and no black move helps it."
)
HINT = "Try every check: can the king step aside, can the checking piece be taken, can something come between?"
ATTACKERS = (QUEEN, ROOK, BISHOP, KNIGHT, ROOK, QUEEN, PAWN, BISHOP, KNIGHT, PAWN)
DEFENDERS = (PAWN, ROOK, PAWN, BISHOP, KNIGHT, PAWN, QUEEN, BISHOP, KNIGHT)

TRIES = 16  # positions for each proposal, as most come out wrong at once


@dataclass(frozen=True, slots=True)
class Position:
    """What stands at each cell of a square board, row by row from the top, and how many moves mate."""

    side: int
    board: bytes
    mates: int


class MateInOne:
    """The environment."""

    spec = EnvSpec(
        id="board/mate_in_one",
        version=1,
        title="Mate in one",
        horizon=1,
        scales=(
            {"side": 5, "attackers": 2, "defenders": 1, "mates": 1},
            {"side": 5, "attackers": 3, "defenders": 2, "mates": 1},
            {"side": 6, "attackers": 3, "defenders": 3, "mates": 1},
            {"side": 7, "attackers": 4, "defenders": 4, "mates": 2},
            {"side": 8, "attackers": 5, "defenders": 5, "mates": 2},
            {"side": 8, "attackers": 6, "defenders": 7, "mates": 2},
        ),
        knobs=(
            Knob("side", 5, 8, "ranks and files"),
            Knob("attackers", 2, 6, "white pieces beside the king"),
            Knob("defenders", 0, 7, "black pieces beside the king"),
            Knob("mates", 1, 2, "moves that mate"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn"}),
        source="chess",
    )

    def reset(self, instance: Instance) -> Asked[Position]:
        settings = self.spec.settings(instance)
        side, attackers, defenders, mates = (int(settings[k]) for k in ("side", "attackers", "defenders", "mates"))

        def propose(rng: np.random.Generator) -> Asked[Position] | None:
            boards = (_scattered(side, attackers, defenders, rng) for _ in range(TRIES))
            board = next(filter(None, boards), None)
            return Asked(Position(side, board, mates)) if board else None

        def suits(asked: Asked[Position]) -> bool:
            return len(_mates(side, asked.question.board)) == mates

        return splits.draw(instance, propose, self.problem, suits)

    def horizon(self, state: Asked[Position]) -> int:
        return 1

    def public(self, state: Asked[Position]) -> Position:
        return state.question

    def view(self, public: Position, pixels: int = 448) -> View:
        side, board, mates = public.side, public.board, public.mates
        kind = _squares.several(side, side, 2 * mates, 2 * mates)
        image, scene = _chess.draw(side, board, pixels) if pixels else (None, grid.NOTHING)
        white, free = sum(k < BLACK for k in board), board.count(FREE)
        flights = _chess.flights(side, _chess.sets_of(board)).bit_count()
        return View(
            kind,
            image,
            f"White moves. {mates} of its moves mate at once: name from where to where each goes. {kind.describe()}"
            if mates > 1
            else f"White moves. One of its moves mates at once: name from where to where it goes. {kind.describe()}",
            RULES,
            HINT,
            f"White has {white} pieces, black {len(board) - free - white}. "
            f"Squares to which the black king could step now: {flights}.",
            _chess.told(side, board),
            scene,
        )

    def step(self, state: Asked[Position], action: tuple[str, ...]) -> Step[Asked[Position]]:
        position = state.question
        sets = _chess.sets_of(position.board)
        king = sets[BLACK].bit_length() - 1
        names = _squares.names(position.side, position.side)
        checks = {
            (names[cell], names[target]): _chess.attacked(position.side, after, king, WHITE)
            for cell, target, after in _chess.legal(position.side, sets, WHITE)
        }
        right = {(names[cell], names[target]) for cell, target in _mates(position.side, position.board)}
        said = list(zip(action[::2], action[1::2], strict=True))
        events = ["steps_connected" if all(move in checks for move in said) else "step_disconnected"]
        events += [
            "target_located" if move in right else "threat_made" if checks.get(move) else "target_missed"
            for move in said
        ]
        events += ["node_repeated"] if len(set(said)) < len(said) else []
        return scored(Asked(position, answered=True), len(right & set(said)), position.mates, events)

    def solve(self, state: Asked[Position]) -> Sequence[str] | None:
        if state.answered:
            return ()
        side = state.question.side
        names = _squares.names(side, side)
        squares = tuple(names[cell] for move in _mates(side, state.question.board) for cell in move)
        return [_squares.several(side, side, len(squares), len(squares)).format(squares)]

    def problem(self, state: Asked[Position]) -> bytes:
        return _chess.canonical(state.question.side, state.question.board)


@lru_cache(maxsize=4096)
def _mates(side: int, board: bytes) -> tuple[tuple[int, int], ...]:
    return tuple(_chess.mates(side, _chess.sets_of(board)))


def _scattered(side: int, attackers: int, defenders: int, rng: np.random.Generator) -> bytes | None:
    """Return a position with the black king at the edge and hemmed in, and no king attacked, None when it did not come
    out."""
    order = rng.permutation(side * side).tolist()
    edge = next(k for k, cell in enumerate(order) if cell % side in (0, side - 1) or cell // side in (0, side - 1))
    king, own = order.pop(edge), order.pop()
    near = _chess.geometry(side).king[king]
    if near >> own & 1:
        return None
    beside = [cell for cell in order if near >> cell & 1]
    sets, taken = [0] * FREE, 1 << king | 1 << own
    sets[BLACK + KING], sets[WHITE + KING] = 1 << king, 1 << own
    for k, share in enumerate((rng.random(attackers + defenders) ** 1.5).tolist()):
        by, other, pool, lowest = (WHITE, king, ATTACKERS, 2) if k < attackers else (BLACK, own, DEFENDERS, 1)
        wanted = pool[int(share * len(pool))]
        for cell in (*beside, *order) if by == BLACK and share < 0.4 else order:
            # a pawn stands where it has moved and does not promote next
            piece = KNIGHT if wanted == PAWN and not lowest <= cell // side < lowest + side - 3 else wanted
            if not (taken >> cell & 1 or _chess.attacks(side, by + piece, cell, taken) >> other & 1):
                break
        else:
            return None
        taken |= 1 << cell
        sets[by + piece] |= 1 << cell
    found = tuple(sets)
    return _chess.content(side, found) if _chess.flights(side, found).bit_count() < 2 else None


environment = MateInOne()
