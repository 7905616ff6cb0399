"""Cell automaton: what becomes of a board of live and dead cells after some steps of a drawn rule.

All cells change at once, each by how many of its eight neighbours live. Which numbers give birth and which let a cell
stay is another rule on every board, told below it. Every step changes a board worth looking at: no two boards on the
way are equal and the last is neither empty nor full.

Source: the life-like automata after Conway's Game of Life (Gardner 1970). Departures: nothing lives beyond the edge.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from palaestra.core.answer import Grid
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import Asked, scored

NAMES = ("dead", "live")
SYMBOLS = ("0", "1")
BORN = ((2,), (3,), (2, 3), (3, 4), (3, 6), (2, 5))
STAY = ((2,), (1, 2), (2, 3), (3, 4), (2, 4), (1, 3), (1, 2, 4), (2, 3, 5))
LIVE = (0.2, 0.65)  # least and largest share of cells that live at the end
SHARE = 0.4  # of cells that live at first

TASK = (
    "Discs are live cells. Below the board stands how many of the eight cells around must live for one to be born or "
    "to last. Give the board after {}, 1 for live and 0 for dead."
)
RULES = (
    "All cells change at once, by how many of their eight neighbours live (none beyond the edge): a dead cell is born "
    "and a live one lasts at the numbers told, all others are dead."
)
HINT = "Write down the number of live neighbours of every cell before you change any."


@dataclass(frozen=True, slots=True)
class Automaton:
    """One question: the `cells` row by row, 1 for live, the numbers of the rule, and the steps asked for."""

    rows: int
    columns: int
    cells: bytes
    born: tuple[int, ...]
    stay: tuple[int, ...]
    steps: int


class CellAutomaton:
    """The environment."""

    spec = EnvSpec(
        id="arithmetic/cell_automaton",
        version=1,
        title="Cell automaton",
        horizon=1,
        scales=(
            {"rows": 4, "columns": 4, "steps": 1},
            {"rows": 5, "columns": 5, "steps": 1},
            {"rows": 5, "columns": 5, "steps": 2},
            {"rows": 6, "columns": 6, "steps": 2},
            {"rows": 7, "columns": 7, "steps": 3},
            {"rows": 8, "columns": 8, "steps": 4},
        ),
        knobs=(
            Knob("rows", 3, 9, "rows of cells"),
            Knob("columns", 3, 9, "columns of cells"),
            Knob("steps", 1, 5, "steps that the board goes on"),
        ),
        embedded_scales=(0, 1, 2),
        tags=frozenset({"single_turn"}),
        source="life-like cellular automata",
    )

    def reset(self, instance: Instance) -> Asked[Automaton]:
        settings = self.spec.settings(instance)
        rows, columns, steps = (int(settings[name]) for name in ("rows", "columns", "steps"))

        def propose(rng: np.random.Generator) -> Asked[Automaton] | None:
            cells = (rng.random(rows * columns) < SHARE).astype(np.uint8).tobytes()
            born, stay = BORN[rng.integers(len(BORN))], STAY[rng.integers(len(STAY))]
            automaton = Automaton(rows, columns, cells, born, stay, steps)
            boards = _boards(automaton)
            live = sum(boards[-1]) / len(cells)
            return Asked(automaton) if len(set(boards)) > steps and LIVE[0] <= live <= LIVE[1] else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Automaton]) -> int:
        return 1

    def public(self, state: Asked[Automaton]) -> Automaton:
        return state.question

    def view(self, public: Automaton, pixels: int = 448) -> View:
        kind = _answer(public.rows, public.columns)
        canvas = _draw(public, pixels) if pixels else None
        steps = f"{public.steps} step{'s' if public.steps > 1 else ''}"
        around = _live_around(np.frombuffer(public.cells, np.uint8).reshape(public.rows, public.columns))
        board = captions.board({".": "dead", "#": "live"}, "".join(".#"[cell] for cell in public.cells), public.columns)
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"{TASK.format(steps)} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Live neighbours along the top row: {', '.join(map(str, around[0].tolist()))}.",
            caption=f"{board}\nRule: {'; '.join(_rule(public))}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Automaton], action: tuple[tuple[str, ...], ...]) -> Step[Asked[Automaton]]:
        automaton = state.question
        boards, said = _boards(automaton), bytes(int(symbol) for row in action for symbol in row)
        starts = range(0, len(said), automaton.columns)
        right = [said[k : k + automaton.columns] == boards[-1][k : k + automaton.columns] for k in starts]
        foretold = "ok" if said == boards[-1] else "early_ok" if said in boards[1:] else "off"
        events = [f"simulation_{foretold}", *("value_ok" if ok else "value_off" for ok in right)]
        return scored(Asked(automaton, answered=True), sum(right), len(right), events)

    def solve(self, state: Asked[Automaton]) -> Sequence[str] | None:
        if state.answered:
            return ()
        automaton = state.question
        cells = np.frombuffer(_boards(automaton)[-1], np.uint8).reshape(automaton.rows, automaton.columns)
        rows = tuple(tuple(map(str, row)) for row in cells.tolist())
        return [_answer(automaton.rows, automaton.columns).format(rows)]

    def problem(self, state: Asked[Automaton]) -> bytes:
        """Return board, rule and steps, up to turns and mirrors of the board."""
        automaton = state.question
        board = grid.canonical(automaton.rows, automaton.columns, np.frombuffer(automaton.cells, np.uint8))
        return board + repr((automaton.born, automaton.stay, automaton.steps)).encode()


def _live_around(board: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return for each cell [rows, columns] how many of its eight neighbours live."""
    rows, columns = board.shape
    wide = np.zeros((rows + 2, columns + 2), np.uint8)
    wide[1:-1, 1:-1] = board
    three = wide[:-2] + wide[1:-1] + wide[2:]
    around: NDArray[np.uint8] = three[:, :-2] + three[:, 1:-1] + three[:, 2:] - board
    return around


@lru_cache(maxsize=512)
def _boards(automaton: Automaton) -> tuple[bytes, ...]:
    """Return the board at first and after each step."""
    lives = np.zeros((2, 9), np.uint8)
    lives[0, list(automaton.born)] = lives[1, list(automaton.stay)] = 1
    board = np.frombuffer(automaton.cells, np.uint8).reshape(automaton.rows, automaton.columns)
    boards = [automaton.cells]
    for _ in range(automaton.steps):
        board = lives[board, _live_around(board)]
        boards.append(board.tobytes())
    return tuple(boards)


def _rule(automaton: Automaton) -> tuple[str, str]:
    """Return what the picture tells of the rule, such as "born at 3" and "lasts at 2 3"."""
    return f"born at {' '.join(map(str, automaton.born))}", f"lasts at {' '.join(map(str, automaton.stay))}"


def _draw(automaton: Automaton, pixels: int) -> Canvas:
    """Draw the board and under it the rule."""
    rows, columns = automaton.rows, automaton.columns
    glyph = max(6, pixels // 26)
    strip = round(2.6 * glyph)
    size = min(pixels // columns, (pixels - strip) // rows)
    canvas = Canvas(pixels, rows * size + strip)
    left = (pixels - columns * size) // 2
    kinds = np.frombuffer(automaton.cells, np.uint8).astype(np.intp).reshape(rows, columns)
    canvas.pixels[: rows * size, left : left + columns * size] = grid.paint(kinds, _tiles(size)).pixels
    for cell, kind in enumerate(automaton.cells):
        row, column = divmod(cell, columns)
        x, y = left + column * size, row * size
        canvas.element(NAMES[kind], (x, y, x + size, y + size), (row, column))
    for k, told in enumerate(_rule(automaton)):
        place = (pixels * (0.26, 0.74)[k], rows * size + strip / 2)
        canvas.element(told, canvas.text(told, place, glyph), glyph=glyph)
    return canvas


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    tiles = []
    for kind in NAMES:
        canvas = Canvas(size, size, "frost")
        line = max(1, size // 40)
        canvas.rectangle((line, line, size - line, size - line), "ice")
        if kind == "live":
            canvas.shape("circle", (size / 2, size / 2), round(size * 0.78), "teal", edge="deep")
        tiles.append(canvas.pixels)
    return grid.stack(tiles)


@lru_cache(maxsize=64)
def _answer(rows: int, columns: int) -> Grid:
    return Grid(rows, columns, SYMBOLS)


environment = CellAutomaton()
