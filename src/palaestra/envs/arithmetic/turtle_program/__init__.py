"""Turtle program: where a turtle ends, where it then looks, and which coloured tiles it walked over.

A short program of steps, turns and loops is drawn beside the floor; what a loop repeats stands indented under it. The
program is drawn first and the start then laid so that the turtle never leaves the floor.

Source: the turtle of Logo (Papert 1980). Departures: it walks from tile to tile and turns by quarters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Choice, Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.arithmetic.turtle_program import picture
from palaestra.envs.arithmetic.turtle_program.picture import COLOURS, NAMES
from palaestra.envs.arithmetic.turtle_program.program import Program, told, walked, written
from palaestra.envs.kit import captions, grid, headings, splits
from palaestra.envs.kit.parts import Asked, scored

SIGNS = ".rby^>v<"
TILED = 0.45  # share of the floor that is coloured
LEAST = 0.6  # share of a walk's tiles that are different, at least

TASK = "Where does this program end, where does the turtle then look, how many tiles of each colour did it cross?"
RULES = (
    "go walks that many tiles ahead, left and right turn on the spot, repeat runs the indented lines that many times. "
    "A tile crossed twice counts once; the last one counts too."
)
HINT = "Follow with a finger, and note tile and heading after each line and each round of a loop."


@dataclass(frozen=True, slots=True)
class Floor:
    """One question: the colour of each tile (0: none), where the turtle starts, its heading, and its program."""

    rows: int
    columns: int
    tiles: bytes
    start: int
    heading: int
    program: Program
    asked: int


class TurtleProgram:
    """The environment."""

    spec = EnvSpec(
        id="arithmetic/turtle_program",
        version=1,
        title="Turtle program",
        horizon=1,
        scales=(
            {"rows": 4, "columns": 4, "lines": 4, "loops": 0, "nested": 0, "colours": 1},
            {"rows": 5, "columns": 5, "lines": 5, "loops": 1, "nested": 0, "colours": 1},
            {"rows": 5, "columns": 5, "lines": 7, "loops": 1, "nested": 0, "colours": 2},
            {"rows": 6, "columns": 6, "lines": 9, "loops": 2, "nested": 0, "colours": 2},
            {"rows": 7, "columns": 7, "lines": 9, "loops": 2, "nested": 1, "colours": 3},
            {"rows": 8, "columns": 8, "lines": 11, "loops": 3, "nested": 1, "colours": 3},
        ),
        knobs=(
            Knob("rows", 3, 8, "rows of tiles"),
            Knob("columns", 3, 8, "columns of tiles"),
            Knob("lines", 4, 12, "lines of the program, those of loops included"),
            Knob("colours", 1, 3, "colours of tiles that are asked for"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn"}),
        source="the turtle of Logo",
    )

    def reset(self, instance: Instance) -> Asked[Floor]:
        settings = self.spec.settings(instance)
        rows, columns, lines, loops, nested, colours = (int(value) for value in settings.values())
        loops = min(loops, lines // 3)

        def propose(rng: np.random.Generator) -> Asked[Floor] | None:
            program = written(lines, loops, bool(nested) and loops > 1, rng)
            if program is None:
                return None
            heading = int(rng.integers(4))
            walk = [(0, 0)] + [(row, column) for row, column, _, moved in walked(program, heading) if moved]
            low, high = ((f(r for r, _ in walk), f(c for _, c in walk)) for f in (min, max))
            room = (rows - 1 - high[0] + low[0], columns - 1 - high[1] + low[1])
            if min(room) < 0 or len(set(walk)) < max(LEAST * len(walk), lines / 2 + 2):
                return None  # it would leave the floor, or turn on the spot
            row, column = (int(rng.integers(free + 1)) - least for free, least in zip(room, low, strict=True))
            start = row * columns + column
            tiles = rng.integers(1, len(COLOURS) + 1, rows * columns) * (rng.random(rows * columns) < TILED)
            tiles[start] = 0
            return Asked(Floor(rows, columns, tiles.astype(np.uint8).tobytes(), start, heading, program, colours))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Floor]) -> int:
        return 1

    def public(self, state: Asked[Floor]) -> Floor:
        return state.question

    def view(self, public: Floor, pixels: int = 448) -> View:
        kind = _answer(public.rows, public.columns, public.asked)
        kinds = bytearray(public.tiles)
        kinds[public.start] = 1 + len(COLOURS) + public.heading
        canvas = picture.draw(public.rows, public.columns, bytes(kinds), public.program, pixels) if pixels else None
        legend = dict(zip(SIGNS, NAMES, strict=True))
        board = captions.board(legend, "".join(SIGNS[k] for k in kinds), public.columns)
        steps, turns = (sum(moved == step for *_, moved in _run(public)) for step in (True, False))
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"The turtle walks {steps} tiles and turns {turns} times.",
            caption=f"{headings.told(public.rows, public.columns)}\n{board}\nProgram: {told(public.program)}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Floor], action: tuple[str | int, ...]) -> Step[Asked[Floor]]:
        floor = state.question
        row, column, heading, *counts = true = _result(floor)
        top, left, looks, *numbers = action
        passed = {(headings.LETTERS[r], c + 1) for r, c, _, _ in _run(floor)}
        there = (top, left) == (row, column)
        events = [f"simulation_{'ok' if there else 'early_ok' if (top, left) in passed else 'off'}"]
        events.append("turn_right" if looks == heading else "turn_wrong")
        for number, count in zip(numbers, counts, strict=True):
            ok = "count_zero_ok" if count == 0 else "count_ok"
            events.append(ok if number == count else "count_over" if int(number) > int(count) else "count_under")
        right = sum(a == b for a, b in zip(action, true, strict=True))
        return scored(Asked(floor, answered=True), right, len(action), events)

    def solve(self, state: Asked[Floor]) -> Sequence[str] | None:
        if state.answered:
            return ()
        floor = state.question
        return [_answer(floor.rows, floor.columns, floor.asked).format(_result(floor))]

    def problem(self, state: Asked[Floor]) -> bytes:
        """Return floor, start and program, turned so that the turtle looks up; mirrored only with its turns."""
        floor = state.question
        tiles = np.frombuffer(floor.tiles, np.uint8).copy()
        tiles[tiles > floor.asked] = 0
        tiles[floor.start] = 9
        up = np.rot90(tiles.reshape(floor.rows, floor.columns), floor.heading)
        other = {"left": "right", "right": "left"}
        mirrored = tuple(line._replace(word=other.get(line.word, line.word)) for line in floor.program)
        images = ((up, floor.program), (up[:, ::-1], mirrored))
        return min(
            repr((image.shape, image.tolist(), tuple(map(tuple, program)))) for image, program in images
        ).encode()


def _run(floor: Floor) -> list[tuple[int, int, int, bool]]:
    """Return the walk from where the turtle starts."""
    top, left = divmod(floor.start, floor.columns)
    return [
        (top + row, left + column, heading, moved)
        for row, column, heading, moved in walked(floor.program, floor.heading)
    ]


def _result(floor: Floor) -> tuple[str | int, ...]:
    """Return row and column of the last tile, the last heading, and and the different tiles crossed by colour."""
    run = _run(floor)
    crossed = {row * floor.columns + column for row, column, _, _ in run}
    found = [floor.tiles[cell] for cell in crossed]
    row, column, heading, _ = run[-1]
    place = (headings.LETTERS[row], column + 1)
    return (*place, grid.DIRECTIONS[heading], *(found.count(colour + 1) for colour in range(floor.asked)))


@lru_cache(maxsize=64)
def _answer(rows: int, columns: int, asked: int) -> Record:
    place = (("row", Choice(tuple(headings.LETTERS[:rows]))), ("column", Integer(1, columns)))
    counts = tuple((colour, Integer(0, rows * columns // 2)) for colour in COLOURS[:asked])
    return Record((*place, ("looks", Choice(grid.DIRECTIONS)), *counts))


environment = TurtleProgram()
