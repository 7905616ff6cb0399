"""Code break: find a hidden row of coloured pegs from what earlier tries were answered.

The first tries are already on the board, so that no two boards begin alike. All tries stay in sight with their answers:
the skill is to infer, not to remember. The guide tries the first code that agrees with every answer.

*Source*: the rules of Mastermind (Mordecai Meirowitz, 1970). *Departures*: the first tries are given.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import Element, Picture, View
from palaestra.envs.kit import captions, grid, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.palette import PALETTE

COLOURS = ("red", "yellow", "blue", "teal", "wine", "navy", "orange", "green")  # six apart for colour-blind people too
SIGNS = "rybtwnog-"
NAMES = (*COLOURS, "free")
LEGEND = dict(zip(SIGNS, NAMES, strict=True))
FREE = len(COLOURS)

TASK = "Find the hidden code of coloured pegs before the free rows are used up."
RULES = (
    "Each try is answered with a black mark for every peg of the right colour in the right place, and a white one for "
    "every other peg whose colour stands elsewhere in the code. Colours may repeat."
)
HINT = "Only a code that would have earned every answer on the board can be the hidden one."

Code = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """All that was shown: how many pegs a code has, of how many colours, the tries, the answers to them (black marks,
    white marks), and the rows for tries in all."""

    pegs: int
    colours: int
    rows: int
    tries: tuple[Code, ...]
    answers: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Game:
    """The board and the hidden code."""

    board: Board
    code: Code


class CodeBreak:
    """The environment."""

    spec = EnvSpec(
        id="logic/code_break",
        version=1,
        title="Code break",
        horizon=10,
        scales=(
            {"pegs": 3, "colours": 5, "given": 3, "tries": 5},
            {"pegs": 3, "colours": 6, "given": 3, "tries": 5},
            {"pegs": 4, "colours": 5, "given": 2, "tries": 6},
            {"pegs": 4, "colours": 6, "given": 2, "tries": 7},
            {"pegs": 5, "colours": 6, "given": 2, "tries": 8},
            {"pegs": 5, "colours": 8, "given": 2, "tries": 8},
        ),
        knobs=(
            Knob("pegs", 3, 5, "pegs of a code"),
            Knob("colours", 4, 8, "colours that pegs may have"),
            Knob("given", 1, 3, "tries that are on the board at first"),
            Knob("tries", 3, 10, "tries that are left to the player"),
        ),
        clairvoyant=True,
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "hidden", "inferred"}),
        source="rules of Mastermind",
    )

    def reset(self, instance: Instance) -> Game:
        settings = self.spec.settings(instance)
        pegs, colours, given, tries = (int(settings[name]) for name in ("pegs", "colours", "given", "tries"))

        def propose(rng: np.random.Generator) -> Game | None:
            code, *drawn = map(tuple, rng.integers(colours, size=(1 + given, pegs)).tolist())
            game = Game(Board(pegs, colours, given + tries, (), ()), code)
            for guess in drawn:
                game = _tried(game, guess)
            different = len({code, *drawn}) == 1 + given
            return game if different and len(_possible(game.board)) > 2 else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Game) -> int:
        return state.board.rows - len(state.board.tries)

    def public(self, state: Game) -> Board:
        return state.board

    def view(self, public: Board, pixels: int = 448) -> View:
        kind = _answer(public.pegs, public.colours)
        left = public.rows - len(public.tries)
        content = bytes(peg for guess in public.tries for peg in guess) + bytes([FREE]) * (left * public.pegs)
        image, scene = _draw(public, content, pixels) if pixels else (None, grid.NOTHING)
        signs = "".join(SIGNS[peg] for peg in content)
        return View(
            answer=kind,
            image=image,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Codes that agree with every answer: {len(_possible(public))}. Tries left: {left}.",
            caption=f"{captions.board(LEGEND, signs, public.pegs)}\n"
            f"Marks from the top: {'; '.join(_told(*marks) for marks in public.answers)}.",
            scene=scene,
        )

    def step(self, state: Game, action: tuple[str, ...]) -> Step[Game]:
        guess = tuple(map(COLOURS.index, action))
        after = _tried(state, guess)
        possible, left = _possible(state.board), _possible(after.board)
        events = ["guess_consistent" if (possible == guess).all(axis=1).any() else "guess_contradicted"]
        events.append("trial_informative" if len(left) < len(possible) else "trial_redundant")
        if guess == state.code:
            return Step(after, 1.0, done=True, success=True, events=(*events, "task_completed"))
        return Step(after, done=len(after.board.tries) == state.board.rows, events=tuple(events))

    def solve(self, state: Game) -> Sequence[str] | None:
        board = state.board
        if board.tries[-1] == state.code:
            return ()
        return [_reply(board, state.code)] if len(board.tries) < board.rows else None

    def guide(self, public: Board) -> str | None:
        """Return the first code that agrees with every answer."""
        return _reply(public, _possible(public)[0].tolist()) if len(public.tries) < public.rows else None

    def reseal(self, state: Game, seed: int) -> Game:
        """Return the board over another code that agrees with every answer."""
        possible = _possible(state.board)
        return replace(state, code=tuple(possible[np.random.default_rng(seed).integers(len(possible))].tolist()))

    def problem(self, state: Game) -> bytes:
        """Return the code and the first tries, up to the order of places and of tries and the names of colours."""
        board = state.board
        images = (
            _renamed(guess[place] for guess in (state.code, *tries) for place in places)
            for tries in permutations(board.tries)
            for places in permutations(range(board.pegs))
        )
        return bytes([board.pegs]) + min(images)


def _renamed(pegs: Iterable[int]) -> bytes:
    """Return pegs with their colours numbered in the order in which they first occur."""
    names: dict[int, int] = {}
    return bytes(names.setdefault(peg, len(names)) for peg in pegs)


def _tried(game: Game, guess: Code) -> Game:
    """Return the game after one more try."""
    board, code = game.board, game.code
    black = sum(a == b for a, b in zip(code, guess, strict=True))
    white = sum(min(code.count(peg), guess.count(peg)) for peg in set(guess)) - black
    after = replace(board, tries=(*board.tries, guess), answers=(*board.answers, (black, white)))
    return replace(game, board=after)


@lru_cache(maxsize=16)
def _codes(pegs: int, colours: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return all codes [codes, pegs], and how often each holds each colour [codes, colours]."""
    codes = np.indices((colours,) * pegs, np.uint8).reshape(pegs, -1).T
    return codes, np.stack([(codes == colour).sum(axis=1, dtype=np.uint8) for colour in range(colours)], axis=1)


@lru_cache(maxsize=256)
def _possible(board: Board) -> NDArray[np.uint8]:
    """Return the codes [codes, pegs] that agree with every answer."""
    codes, counts = _codes(board.pegs, board.colours)
    for guess, (black, white) in zip(board.tries, board.answers, strict=True):
        held = np.array([guess.count(colour) for colour in range(board.colours)], np.uint8)
        agree = (codes == np.array(guess, np.uint8)).sum(axis=1) == black
        agree &= np.minimum(counts, held).sum(axis=1) == black + white
        codes, counts = codes[agree], counts[agree]
    return codes


def _reply(board: Board, code: Sequence[int]) -> str:
    return _answer(board.pegs, board.colours).format(tuple(COLOURS[peg] for peg in code))


def _told(black: int, white: int) -> str:
    return f"{black} black {white} white"


def _draw(board: Board, content: bytes, pixels: int) -> tuple[Picture, tuple[Element, ...]]:
    """Draw one row of pegs for each try, with its marks to the right."""
    rows, pegs = board.rows, board.pegs
    wide = (pegs + 1) // 2  # marks stand in two lines
    unit = int(pixels / max(rows, pegs + 0.5 * wide))
    side = unit * wide // 2
    drawn = Canvas(pegs * unit + side, rows * unit, "sand").pixels
    kinds = np.frombuffer(content, np.uint8).astype(np.intp).reshape(rows, pegs)
    drawn[:, : pegs * unit] = grid.paint(kinds, _tiles(unit)).pixels
    elements = list(grid.scene(NAMES, content, rows, pegs, unit))
    for row, marks in enumerate(board.answers):
        box = (pegs * unit, row * unit, pegs * unit + side, (row + 1) * unit)
        drawn[box[1] : box[3], box[0] :] = _marks(*marks, pegs, unit)
        elements.append(Element(_told(*marks), None, box))
    return Picture(drawn, PALETTE), tuple(elements)


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(name, size) for name in NAMES)


def _tile(name: str, size: int) -> Pixels:
    """Return a place for a peg: a hole, or a peg with a gleam."""
    canvas = Canvas(size, size, "sand")
    if name == "free":
        canvas.shape("circle", (size / 2, size / 2), max(4, round(size * 0.3)), "brown")
        return canvas.pixels
    canvas.shape("circle", (size / 2, size / 2), round(size * 0.78), name, edge="ink")
    canvas.shape("circle", (size * 0.37, size * 0.36), round(size * 0.16), "white")
    return canvas.pixels


@lru_cache(maxsize=256)
def _marks(black: int, white: int, pegs: int, unit: int) -> Pixels:
    """Return the marks of one answer, the black ones first, and a hole for each mark that was not given."""
    wide = (pegs + 1) // 2
    canvas = Canvas(unit * wide // 2, unit, "sand")
    looks = ["ink"] * black + ["white"] * white + [""] * (pegs - black - white)
    for k, fill in enumerate(looks):
        centre = ((k % wide + 0.5) * unit / 2, (0.3 + 0.4 * (k // wide)) * unit)
        canvas.shape("circle", centre, round(unit * (0.36 if fill else 0.14)), fill or "brown", edge=fill and "ink")
    return canvas.pixels


@lru_cache(maxsize=64)
def _answer(pegs: int, colours: int) -> answer.Sequence:
    return answer.Sequence(COLOURS[:colours], shortest=pegs, longest=pegs)


environment = CodeBreak()
