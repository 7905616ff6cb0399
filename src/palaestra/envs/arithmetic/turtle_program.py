"""Turtle program: where a turtle ends, where it then looks, and which coloured tiles it walked over.

A short program of steps, turns and loops is drawn beside the floor; what a loop repeats stands indented under it. The
program is drawn first and the start then laid so that the turtle never leaves the floor.

Source: the turtle of Logo (Papert 1980). Departures: it walks from tile to tile and turns by quarters.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from palaestra.core.answer import Choice, Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, headings, masks, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.parts import Asked, scored

COLOURS = ("red", "blue", "yellow")
TURTLES = tuple(f"turtle {heading}" for heading in grid.DIRECTIONS)
NAMES = ("floor", *(f"{colour} tile" for colour in COLOURS), *TURTLES)
SIGNS = dict(zip(".rby^>v<", NAMES, strict=True))
TILED = 0.45  # share of the floor that is coloured
LEAST = 0.6  # share of a walk's tiles that are different, at least

TASK = "Where does this program end, where does the turtle look then, and how many tiles of each colour did it enter?"
RULES = (
    "go walks that many tiles ahead, left and right turn on the spot, repeat runs the indented lines that many times. "
    "A tile entered twice counts once; the last one counts too."
)
HINT = "Follow with a finger, and note tile and heading after each line and each round of a loop."


class Line(NamedTuple):
    """One line of a program: how deep it is indented, its word, and its number (0 for turns)."""

    depth: int
    word: str
    number: int = 0

    @property
    def text(self) -> str:
        """What is written, such as "go 3"."""
        return f"{self.word} {self.number}" if self.number else self.word


Program = tuple[Line, ...]


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
            program = _written(lines, loops, bool(nested) and loops > 1, rng)
            if program is None:
                return None
            heading = int(rng.integers(4))
            walk = [(0, 0)] + [(row, column) for row, column, _, moved in _walked(program, heading) if moved]
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
        canvas = _draw(public, bytes(kinds), pixels) if pixels else None
        board = captions.board(SIGNS, "".join([*SIGNS][k] for k in kinds), public.columns)
        steps, turns = (sum(moved == step for *_, moved in _run(public)) for step in (True, False))
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"The turtle walks {steps} tiles and turns {turns} times.",
            caption=f"{headings.told(public.rows, public.columns)}\n{board}\nProgram: {_told(public.program)}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Floor], action: tuple[str | int, ...]) -> Step[Asked[Floor]]:
        floor = state.question
        true = _result(floor)
        poses = {(headings.LETTERS[r], c + 1, grid.DIRECTIONS[h]) for r, c, h, _ in _run(floor)}
        foretold = "ok" if action[:3] == true[:3] else "early_ok" if action[:3] in poses else "off"
        events = [f"simulation_{foretold}", "object_tracked" if action[:2] == true[:2] else "object_lost"]
        events.append("turn_right" if action[2] == true[2] else "turn_wrong")
        for number, count in zip(action[3:], true[3:], strict=True):
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
        return min(repr((image.tolist(), *map(tuple, program))) for image, program in images).encode()


def _written(lines: int, loops: int, nested: bool, rng: np.random.Generator) -> Program | None:
    """Return a program of so many lines: steps and turns by turns, runs of two to four of which become loops.

    A nested program has its last loop made around another one; None when no run is left that could become a loop.
    """
    first = int(rng.integers(2))
    parts = list[Program]()  # lines outside loops, and whole loops
    for k in range(lines - loops):
        go = (k + first) % 2
        parts.append((Line(0, "go", int(rng.integers(1, 4))) if go else Line(0, ("left", "right")[rng.integers(2)]),))
    for loop in range(loops):
        outer, size = nested and loop == loops - 1, int(rng.integers(2, 5))
        runs = [parts[at : at + size] for at in range(len(parts) - size + 1)]
        starts = [at for at, run in enumerate(runs) if any(len(part) > 1 for part in run) == outer]
        if not starts:
            return None
        at = starts[rng.integers(len(starts))]
        head = Line(0, "repeat", int(rng.integers(2, 3 if outer else 4)))
        parts[at : at + size] = [(head, *(line._replace(depth=line.depth + 1) for line in chain(*runs[at])))]
    return tuple(chain(*parts))


def _expanded(program: Program) -> Iterator[Line]:
    """Yield the lines in the order in which they run, loops unrolled."""
    k = 0
    while k < len(program):
        line = program[k]
        body = next((n for n in range(k + 1, len(program)) if program[n].depth <= line.depth), len(program))
        if line.word == "repeat":
            for _ in range(line.number):
                yield from _expanded(program[k + 1 : body])
            k = body
        else:
            yield line
            k += 1


@lru_cache(maxsize=512)
def _walked(program: Program, heading: int, row: int = 0, column: int = 0) -> tuple[tuple[int, int, int, bool], ...]:
    """Return row, column and heading after each step or turn, and whether it was a step."""
    walk: list[tuple[int, int, int, bool]] = []
    for line in _expanded(program):
        if line.word != "go":
            heading = (heading + (1 if line.word == "right" else -1)) % 4
            walk.append((row, column, heading, False))
        for _ in range(line.number):
            row += (-1, 0, 1, 0)[heading]
            column += (0, 1, 0, -1)[heading]
            walk.append((row, column, heading, True))
    return tuple(walk)


def _told(program: Program) -> str:
    """Return a program in one line, with the lines of loops in brackets."""
    told, depth = "", 0
    for line in program:
        told += ")" * (depth - line.depth) + (" (" if line.depth > depth else ", " if told else "") + line.text
        depth = line.depth
    return told + ")" * depth


def _run(floor: Floor) -> tuple[tuple[int, int, int, bool], ...]:
    """Return the walk from where the turtle starts."""
    return _walked(floor.program, floor.heading, *divmod(floor.start, floor.columns))


def _result(floor: Floor) -> tuple[str | int, ...]:
    """Return row and column of the last tile, the last heading, and the different tiles crossed by colour."""
    run = _run(floor)
    crossed = {row * floor.columns + column for row, column, _, _ in run}
    found = [floor.tiles[cell] for cell in crossed]
    row, column, heading, _ = run[-1]
    place = (headings.LETTERS[row], column + 1)
    return (*place, grid.DIRECTIONS[heading], *(found.count(colour + 1) for colour in range(floor.asked)))


def _draw(floor: Floor, kinds: bytes, pixels: int) -> Canvas:
    """Draw the floor with its headings and the program to its right; `kinds` are places in `NAMES`, row by row."""
    glyph, count = max(6, pixels // 28), len(floor.program)
    deepest = max((line.depth for line in floor.program if line.word == "repeat"), default=0)
    wide = pixels - glyph * (6 + deepest) - pixels // 24
    board = np.frombuffer(kinds, np.uint8).astype(np.intp).reshape(floor.rows, floor.columns)
    picture, elements = headings.draw([NAMES[kind] for kind in kinds], board, _tiles, wide, "paper")
    distance = min(glyph * 2.2, max(glyph * 1.6, picture.height / (count + 1)))
    canvas = Canvas(pixels, max(picture.height, round(distance * (count + 1))))
    canvas.pixels[: picture.height, : picture.width] = picture.pixels
    canvas.elements += elements
    for k, line in enumerate(floor.program):
        left = wide + glyph * (0.5 + line.depth)
        place = (left + masks.text(line.text, glyph).width / 2, distance * (k + 1))
        canvas.element(line.text, canvas.text(line.text, place, glyph), glyph=glyph)
    return canvas


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(name, size) for name in NAMES)


def _tile(name: str, size: int) -> Pixels:
    """Return a tile of the floor, plain, coloured, or with the turtle on it."""
    canvas = Canvas(size, size, "silver")
    line = max(1, size // 40)
    canvas.rectangle((line, line, size - line, size - line), "mist")
    colour = name.removesuffix(" tile")
    if colour in COLOURS:
        canvas.shape("square", (size / 2, size / 2), round(size * 0.86), colour)
    if name in TURTLES:  # from above: feet, head, shell
        for x, y in ((0.22, 0.42), (0.78, 0.42), (0.24, 0.84), (0.76, 0.84)):
            canvas.shape("circle", (size * x, size * y), round(size * 0.24), "brown")
        canvas.shape("circle", (size * 0.5, size * 0.22), round(size * 0.4), "brown")
        canvas.shape("circle", (size * 0.5, size * 0.63), round(size * 0.66), "green", edge="ink")
        canvas.shape("hexagon", (size * 0.5, size * 0.63), round(size * 0.34), "grass")
        canvas.pixels = np.rot90(canvas.pixels, -TURTLES.index(name))
    return canvas.pixels


@lru_cache(maxsize=64)
def _answer(rows: int, columns: int, asked: int) -> Record:
    place = (("row", Choice(tuple(headings.LETTERS[:rows]))), ("column", Integer(1, columns)))
    counts = tuple((colour, Integer(0, rows * columns // 2)) for colour in COLOURS[:asked])
    return Record((*place, ("looks", Choice(grid.DIRECTIONS)), *counts))


environment = TurtleProgram()
