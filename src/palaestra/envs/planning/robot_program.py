"""Robot program: write commands, in one reply, that take a robot over every marked tile of a floor.

The marks are where a program led that was written first, walls are put where it did not. Where it has loops there are
more marks to reach than commands allowed, so no program without a loop can do it: the pattern must be seen.

Source: turtle geometry (Papert, 1980). Departures: walls and the edge stop the robot, which need not
keep to the marks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, splits, sprites
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import Asked, scored

FLOOR, MARK, WALL, ROBOT = range(4)
NAMES = ("floor", "mark", "wall", *(f"robot facing {heading}" for heading in grid.DIRECTIONS))
SIGNS = ".o#^>v<"
TURNS = {"left": -1, "right": 1}
REPEATS = {"repeat 2": 2, "repeat 3": 3, "repeat 4": 4}
COMMANDS = ("forward", *TURNS, *REPEATS, "end")
LONGEST = 200  # steps after which a robot is stopped
EARLY = 3  # marks in a row that make a good beginning

TASK = "Write a program that takes the robot over all marks."
RULES = (
    "Left and right turn it in place; walls and the edge stop it; it may leave the marks. What stands between a repeat "
    "and its end is done so many times."
)
HINT = "Follow the marks from the robot and look for a stretch that comes again."


@dataclass(frozen=True, slots=True)
class Hall:
    """One question: a square floor of FLOOR, MARK and WALL, where the robot starts and faces, the commands allowed."""

    size: int
    cells: bytes
    start: int
    heading: int
    limit: int


@dataclass(frozen=True, slots=True)
class Written:
    """A hall, and the program that its marks were made with."""

    hall: Hall
    program: tuple[str, ...]


class RobotProgram:
    """The environment."""

    spec = EnvSpec(
        id="planning/robot_program",
        version=1,
        title="Robot program",
        horizon=1,
        scales=(
            {"size": 4, "loops": 0, "inside": 4, "outside": 2, "walls": 0.2, "spare": 2},
            {"size": 5, "loops": 0, "inside": 4, "outside": 4, "walls": 0.2, "spare": 2},
            {"size": 6, "loops": 1, "inside": 4, "outside": 4, "walls": 0.2, "spare": 1},
            {"size": 7, "loops": 1, "inside": 5, "outside": 4, "walls": 0.25, "spare": 1},
            {"size": 8, "loops": 2, "inside": 5, "outside": 3, "walls": 0.25, "spare": 1},
            {"size": 9, "loops": 2, "inside": 6, "outside": 5, "walls": 0.3, "spare": 0},
        ),
        knobs=(
            Knob("size", 6, 9, "rows and columns"),
            Knob("loops", 0, 2, "loops in the program; the second one is inside the first"),
            Knob("walls", 0.0, 0.4, "share of the other tiles that are walls"),
            Knob("spare", 0, 2, "commands allowed beyond those of the program"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "planted"}),
        source="turtle geometry",
    )

    def reset(self, instance: Instance) -> Asked[Written]:
        settings = self.spec.settings(instance)
        size, loops, inside, outside, spare = (
            int(settings[name]) for name in ("size", "loops", "inside", "outside", "spare")
        )
        walls, size = float(settings["walls"]), max(size, 6 if loops else 0)

        def propose(rng: np.random.Generator) -> Asked[Written] | None:
            program = _written(loops, inside, outside, rng)
            limit = len(program) + spare
            path = _path(program)
            low, high = ([pick(step[axis] for step in path) for axis in (0, 1)] for pick in (min, max))
            room = [size - (last - first) for first, last in zip(low, high, strict=True)]
            marks = len(set(path)) - 1
            if min(room) < 1 or marks <= (limit if loops else (inside + outside) // 2) or program[-1] in TURNS:
                return None
            row, column = (int(rng.integers(free)) - first for free, first in zip(room, low, strict=True))
            kinds = np.where(rng.random((size, size)) < walls, WALL, FLOOR).astype(np.uint8)
            for r, c in path:
                kinds[r + row, c + column] = MARK
            kinds[row, column] = ROBOT
            turned = np.rot90(kinds, -(heading := int(rng.integers(4)))).ravel()
            start = int(turned.argmax())
            turned[start] = FLOOR
            return Asked(Written(Hall(size, turned.tobytes(), start, heading, limit), program))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Written]) -> int:
        return 1

    def public(self, state: Asked[Written]) -> Hall:
        return state.question.hall

    def view(self, public: Hall, pixels: int = 448) -> View:
        size, content, kind = public.size, _content(public), _answer(public.limit)
        image, elements = None, grid.NOTHING
        if pixels:
            kinds = np.frombuffer(content, np.uint8).astype(np.intp).reshape(size, size)
            image = grid.paint(kinds, _tiles(pixels // size))
            elements = grid.scene(NAMES, content, size, size, pixels // size)
        row, column = divmod(public.start, size)
        return View(
            answer=kind,
            image=image,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Marks to reach: {public.cells.count(MARK)}. The robot is at row {row}, column {column}.",
            caption=captions.board(
                dict(zip(SIGNS, NAMES, strict=True)), "".join(SIGNS[kind] for kind in content), size
            ),
            scene=elements,
        )

    def step(self, state: Asked[Written], action: tuple[str, ...]) -> Step[Asked[Written]]:
        hall, after = state.question.hall, Asked(state.question, answered=True)
        marks = {cell for cell, kind in enumerate(hall.cells) if kind == MARK}
        commands = unrolled(action)
        if commands is None:
            return scored(after, 0, len(marks), ["precedence_broken", "goal_missed"])
        run = _run(hall, commands)
        reached = len(marks.intersection(run.cells))
        kept = next((k for k, c in enumerate(run.cells) if c not in marks and c != hall.start), len(run.cells))
        events = ["precedence_kept"] + ["edge_bumped"] * run.edge + ["obstacle_bumped"] * run.wall
        events += ["part_superfluous"] * (kept < len(run.cells)) + ["carried_on"] * (len(action) < len(commands))
        if reached == len(marks):
            events += ["goal_reached", "simulation_ok"]
        else:
            events += ["part_left_out", "goal_missed", "simulation_early_ok" if kept >= EARLY else "simulation_off"]
        return scored(after, reached, len(marks), events)

    def solve(self, state: Asked[Written]) -> Sequence[str] | None:
        return () if state.answered else [_answer(state.question.hall.limit).format(state.question.program)]

    def problem(self, state: Asked[Written]) -> bytes:
        """Return floor and robot up to turns and mirror images, and how many commands are allowed."""
        hall, images = state.question.hall, []
        cells = np.frombuffer(hall.cells, np.uint8).copy()
        cells[hall.start] = ROBOT
        board = cells.reshape(hall.size, hall.size)
        for side, heading in ((board, hall.heading), (board[:, ::-1], -hall.heading)):
            images += [np.rot90(side, turns).tobytes() + bytes([(heading - turns) % 4]) for turns in range(4)]
        return bytes([hall.size, hall.limit]) + min(images)


def unrolled(program: Sequence[str]) -> list[str] | None:
    """Return the commands that a program does one by one, LONGEST at most; None when its loops do not close."""
    levels, times = [list[str]()], list[int]()
    for command in program:
        if command in REPEATS:
            levels.append([])
            times.append(REPEATS[command])
        elif command != "end":
            levels[-1].append(command)
        elif times:
            body = levels.pop() * times.pop()
            levels[-1] += body[:LONGEST]
        else:
            return None
    return None if times else levels[0][:LONGEST]


class Run(NamedTuple):
    """The cells that a robot came to in turn, without its start, and whether the edge or a wall stopped it."""

    cells: list[int]
    edge: bool
    wall: bool


def _run(hall: Hall, commands: Sequence[str]) -> Run:
    cell, heading, cells = hall.start, hall.heading, list[int]()
    edge = wall = False
    around = grid.neighbours(hall.size, hall.size)
    for command in commands:
        if command in TURNS:
            heading = (heading + TURNS[command]) % 4
            continue
        ahead = around[cell][heading]
        if ahead < 0:
            edge = True
        elif hall.cells[ahead] == WALL:
            wall = True
        else:
            cell = ahead
            cells.append(cell)
    return Run(cells, edge, wall)


def _written(loops: int, inside: int, outside: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Return a program of so many loops, with so many commands inside and outside them."""
    if not loops:
        return _straight(outside + inside, rng)
    before = int(rng.integers(outside + 1))
    times = [f"repeat {n}" for n in rng.integers(2, 5, 2).tolist()]
    core = _straight(inside, rng)
    if loops == 2:
        first, last = sorted((rng.permutation(inside + 1)[:2]).tolist())
        core = (*core[:first], times[1], *core[first:last], "end", *core[last:])
    return (*_straight(before, rng), times[0], *core, "end", *_straight(outside - before, rng))


def _straight(count: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Return commands without a loop and without two turns running."""
    commands: list[str] = []
    for command in rng.choice(("forward", "forward", *TURNS), count).tolist():
        commands.append("forward" if commands and commands[-1] in TURNS else command)
    return tuple(commands)


def _path(program: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places (row, column) on the way of a program that starts at 0,0 facing up on a floor without end."""
    row = column = heading = 0
    path = [(0, 0)]
    for command in unrolled(program) or ():
        if command in TURNS:
            heading = (heading + TURNS[command]) % 4
        else:
            row, column = row + (heading == 2) - (heading == 0), column + (heading == 1) - (heading == 3)
            path.append((row, column))
    return path


def _content(hall: Hall) -> bytes:
    """Return what lies at each cell, places in NAMES."""
    return hall.cells[: hall.start] + bytes([ROBOT + hall.heading]) + hall.cells[hall.start + 1 :]


@lru_cache(maxsize=32)
def _answer(limit: int) -> answer.Sequence:
    return answer.Sequence(COMMANDS, 1, limit)


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    """Return the tiles in the order of NAMES."""
    tiles = [_floor(size) for _ in range(4)]
    tiles[MARK].shape("square", (size / 2, size / 2), round(size * 0.7), "gold", edge="brown")
    sprites.bricks(tiles[WALL], "slate", "silver")
    robot = tiles[ROBOT]
    for left in (0.1, 0.74):
        robot.rectangle((round(size * left), round(size * 0.26), round(size * (left + 0.16)), round(size * 0.8)), "ink")
    robot.shape("circle", (size / 2, size / 2), round(size * 0.74), "blue", edge="ink")
    robot.shape("arrow", (size / 2, size / 2), round(size * 0.46), "white")
    headings = [np.rot90(robot.pixels, -heading) for heading in range(4)]
    return grid.stack([*(tile.pixels for tile in tiles[:ROBOT]), *headings])


def _floor(size: int) -> Canvas:
    canvas = Canvas(size, size, "silver")
    line = max(1, size // 40)
    canvas.rectangle((line, line, size - line, size - line), "paper")
    return canvas


environment = RobotProgram()
