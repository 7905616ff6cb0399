"""Path recall: stepping stones across a pond are shown for a moment, then they must be walked from memory.

No two stones touch but those that follow one another, so where the first one lies the others tell their order. The
stones may be shown a few at a time or in a mirror, and may have to be walked from the goal back to the start.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, splits, sprites
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.memory._frames import NEXT

WATER, ROCK, STONE, START, GOAL, YOU = range(6)
NAMES = ("water", "rock", "stone", "start", "goal", "you")
LEGEND = {".": "water", "^": "rock", "o": "stone", "S": "start", "G": "goal", "@": "you"}
SIGNS = bytes.maketrans(bytes(range(6)), "".join(LEGEND).encode())
SLACK = 2  # turns beyond those needed, for steps that are stopped

MOVES = Choice(grid.DIRECTIONS)
TASK = "Remember the stepping stones, then walk them from {} to {}."
MIRRORED = "While stones are shown, the pond is seen in a mirror: its first column is really the last."
RULES = (
    "Each stone lies beside the one before it, and sinks when you leave it. Stones are hidden once you walk. "
    "Water ends the walk; rocks and the edge stop you."
)
HINT = "Rocks stay in sight: note how the stones pass by them."


@dataclass(frozen=True, slots=True)
class Pond:
    """What a player is told, the rocks being where they really are; `glimpse` is how many stones a frame shows."""

    rows: int
    columns: int
    rocks: tuple[int, ...]
    stones: int
    glimpse: int
    mirrored: bool
    backwards: bool

    @property
    def frames(self) -> int:
        """How many frames show stones."""
        return -(-self.stones // self.glimpse)


@dataclass(frozen=True, slots=True)
class Walk:
    """The stones from start to goal (in public those shown so far), the frame, and where one stands, -1 at first."""

    pond: Pond
    stones: tuple[int, ...]
    frame: int = 0
    steps: int = 0
    cell: int = -1

    @property
    def path(self) -> tuple[int, ...]:
        """The stones in the order in which they must be walked."""
        return self.stones[::-1] if self.pond.backwards else self.stones


class PathRecall:
    """The environment."""

    spec = EnvSpec(
        id="memory/path_recall",
        version=1,
        title="Path recall",
        horizon=25,
        scales=(
            {"rows": 4, "columns": 5, "stones": 5, "glimpse": 0, "mirrored": 0, "backwards": 0},
            {"rows": 5, "columns": 5, "stones": 7, "glimpse": 0, "mirrored": 0, "backwards": 0},
            {"rows": 5, "columns": 6, "stones": 8, "glimpse": 0, "mirrored": 0, "backwards": 1},
            {"rows": 6, "columns": 6, "stones": 9, "glimpse": 3, "mirrored": 0, "backwards": 0},
            {"rows": 6, "columns": 7, "stones": 10, "glimpse": 3, "mirrored": 1, "backwards": 0},
            {"rows": 7, "columns": 7, "stones": 12, "glimpse": 2, "mirrored": 1, "backwards": 1},
        ),
        knobs=(
            Knob("rows", 3, 8, "rows of cells"),
            Knob("columns", 3, 8, "columns of cells"),
            Knob("stones", 3, 12, "stones of the path; fewer where they take more than a quarter of the pond"),
            Knob("glimpse", 0, 6, "stones that one frame shows, 0 for all of them"),
            Knob("mirrored", 0, 1, "whether the stones are shown in a mirror"),
            Knob("backwards", 0, 1, "whether the path leads from the goal to the start"),
        ),
        memory=25,
        clairvoyant=True,
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "hidden"}),
    )

    def reset(self, instance: Instance) -> Walk:
        settings = self.spec.settings(instance)
        rows, columns = int(settings["rows"]), int(settings["columns"])
        cells = rows * columns
        stones = min(int(settings["stones"]), cells // 4 + 1)
        glimpse = int(settings["glimpse"]) or stones
        mirrored, backwards = bool(settings["mirrored"]), bool(settings["backwards"])

        def propose(rng: np.random.Generator) -> Walk | None:
            order = rng.permutation(cells).tolist()
            rocks = tuple(sorted(order[: cells // 8]))
            path = _path(rng, rows, columns, rocks, [order[-1]], stones)
            return Walk(Pond(rows, columns, rocks, stones, glimpse, mirrored, backwards), path) if path else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Walk) -> int:
        return state.pond.frames + state.pond.stones - 1 + SLACK

    def public(self, state: Walk) -> Walk:
        return replace(state, stones=state.stones[: (state.frame + 1) * state.pond.glimpse])

    def view(self, public: Walk, pixels: int = 448) -> View:
        pond, stones = public.pond, public.stones
        rows, columns = pond.rows, pond.columns
        watching = public.cell < 0
        kind = NEXT if watching else MOVES
        content = bytearray(rows * columns)
        for cell in pond.rocks:
            content[cell] = ROCK
        if watching:
            for k, cell in list(enumerate(stones))[public.frame * pond.glimpse :]:
                content[cell] = START if k == 0 else GOAL if k == pond.stones - 1 else STONE
        else:
            content[public.cell] = YOU
        kinds = np.frombuffer(content, np.uint8).reshape(rows, columns)
        if watching and pond.mirrored:
            kinds = kinds[:, ::-1]
        image, elements = None, grid.NOTHING
        if pixels:
            size = pixels // max(rows, columns)
            image = grid.paint(kinds.astype(np.intp), _tiles(size))
            elements = grid.scene(NAMES, kinds.tobytes(), rows, columns, size)
        ends = ("the goal G", "the start S") if pond.backwards else ("the start S", "the goal G")
        shown = [
            (cell // columns, columns - 1 - cell % columns if pond.mirrored else cell % columns) for cell in stones
        ]
        return View(
            answer=kind,
            image=image,
            task=" ".join([TASK.format(*ends), *([MIRRORED] if pond.mirrored else []), kind.describe()]),
            rules=RULES,
            hint=HINT,
            state=f"Stones as shown, by row and column: {' '.join(f'{row},{column}' for row, column in shown)}. "
            f"Steps walked: {public.steps} of {pond.stones - 1}.",
            caption=captions.board(LEGEND, kinds.tobytes().translate(SIGNS).decode(), columns),
            scene=elements,
        )

    def step(self, state: Walk, action: str) -> Step[Walk]:
        pond, path, steps = state.pond, state.path, state.steps
        if state.cell < 0:
            last = state.frame == pond.frames - 1
            after = replace(state, frame=state.frame + 1, cell=path[0] if last else -1)
            return Step(after, events=("unseen_explored",))
        cell = grid.neighbours(pond.rows, pond.columns)[state.cell][grid.DIRECTIONS.index(action)]
        if cell < 0 or cell in pond.rocks:
            return Step(state, events=("edge_bumped" if cell < 0 else "obstacle_bumped", "memory_missed"))
        if cell != path[steps + 1]:
            return Step(replace(state, cell=cell), done=True, events=("hazard_entered", "memory_missed"))
        after, share = replace(state, steps=steps + 1, cell=cell), 0.5 / (pond.stones - 1)
        if steps + 2 < pond.stones:
            return Step(after, share, events=("moved_closer", "memory_used"))
        return Step(after, share + 0.5, done=True, success=True, events=("memory_used", "goal_reached"))

    def solve(self, state: Walk) -> Sequence[str] | None:
        if state.cell >= 0 and state.cell != state.path[state.steps]:
            return None
        waits = [NEXT.options[0]] * (state.pond.frames - state.frame)
        return (*waits, *_headings(state.pond, state.path[state.steps :]))

    def guide(self, public: Walk) -> str | None:
        """Return the step to the next stone, once all of them were shown."""
        if public.cell < 0:
            return NEXT.options[0]
        plan = self.solve(public)
        return plan[0] if plan else None

    def reseal(self, state: Walk, seed: int) -> Walk:
        """Return the pond with another way on from the stones that were shown."""
        pond, shown, rng = state.pond, list(self.public(state).stones), np.random.default_rng(seed)
        while not (stones := _path(rng, pond.rows, pond.columns, pond.rocks, shown, pond.stones)):
            pass  # it ran into a corner; the true path shows that one goes on
        return replace(state, stones=stones)

    def problem(self, state: Walk) -> bytes:
        """Return rocks and path; a path is one problem however it is shown."""
        pond = state.pond
        content = np.zeros(pond.rows * pond.columns, np.uint8)
        content[list(pond.rocks)] = 255
        content[list(state.path)] = range(1, pond.stones + 1)
        return grid.canonical(pond.rows, pond.columns, content)


def _path(
    rng: np.random.Generator, rows: int, columns: int, rocks: Collection[int], begun: Sequence[int], stones: int
) -> tuple[int, ...]:
    """Return a path that goes on from one begun at random and never touches itself, () when it ran into a corner."""
    around = grid.neighbours(rows, columns)
    path = list(begun)
    while len(path) < stones:
        ways = [
            cell
            for cell in around[path[-1]]
            if cell >= 0 and cell not in rocks and cell not in path and not {*around[cell]} & {*path[:-1]}
        ]
        if not ways:
            return ()
        path.append(ways[rng.integers(len(ways))])
    return tuple(path)


def _headings(pond: Pond, path: Sequence[int]) -> list[str]:
    """Return the steps along a path."""
    around = grid.neighbours(pond.rows, pond.columns)
    return [grid.DIRECTIONS[around[a].index(b)] for a, b in pairwise(path)]


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(kind, size) for kind in range(len(NAMES)))


def _tile(kind: int, size: int) -> Pixels:
    canvas, middle = Canvas(size, size, "navy"), (size / 2, size / 2)
    if kind in (WATER, ROCK):
        waves = [(x, y, x + 0.2, y) for x, y in ((0.1, 0.2), (0.66, 0.12), (0.7, 0.86), (0.16, 0.8), (0.4, 0.5))]
        canvas.segments([(size * a, size * b, size * c, size * d) for a, b, c, d in waves], max(1, size / 40), "blue")
    if kind == ROCK:
        canvas.shape("hexagon", middle, round(size * 0.84), "grey", edge="slate")
        canvas.shape("hexagon", (size * 0.44, size * 0.42), round(size * 0.4), "silver")
    elif kind != WATER:
        canvas.shape("circle", middle, round(size * 0.9), "sand", edge="brown")
    if kind in (START, GOAL):
        canvas.text("SG"[kind == GOAL], middle, round(size * 0.45), "green" if kind == START else "red")
    elif kind == YOU:
        sprites.walker(canvas, "orange")
    return canvas.pixels


environment = PathRecall()
