"""Change spotting: a shelf is shown, looked away from, and shown again; where do the first and the last scene differ?

Scenes between the two differ from the first one as well, mostly elsewhere, so the last two pictures alone mislead.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, headings, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.memory._frames import NEXT, scored

SHAPES = ("circle", "square", "triangle", "star", "cross")
COLOURS = ("red", "blue", "teal", "white")  # told apart by colour-blind people too
NAMES = ("empty", *(f"{colour} {shape}" for shape in SHAPES for colour in COLOURS))
LEGEND = dict(zip(".abcdefghijklmnopqrst", NAMES, strict=True))
FILLED = 0.7  # share of places where a thing stands

TASK = "Compare the first scene with the last one and name the places where they differ, {} in all."
RULES = "A thing may have changed its colour or its shape, gone, or come; nothing moves along."
CONFUSING = "The scenes between the first and the last do not count."
HINT = "Go over the first scene row by row and keep in mind which thing stands where."

Scene = tuple[int, ...]
"""What stands at each place, as an index into NAMES."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Scenes of which those up to `at` were shown (the public part holds no others), and whether it was answered."""

    rows: int
    columns: int
    changes: int
    total: int
    scenes: tuple[Scene, ...]
    at: int = 0
    answered: bool = False

    @property
    def changed(self) -> set[int]:
        """Return where the latest scene differs from the first one."""
        return _differing(self.scenes[0], self.scenes[-1])


class ChangeSpot:
    """The environment."""

    spec = EnvSpec(
        id="memory/change_spot",
        version=1,
        title="Change spotting",
        horizon=5,
        scales=(
            {"rows": 3, "columns": 3, "changes": 2, "between": 0},
            {"rows": 3, "columns": 4, "changes": 2, "between": 0},
            {"rows": 4, "columns": 4, "changes": 3, "between": 0},
            {"rows": 4, "columns": 5, "changes": 3, "between": 1},
            {"rows": 5, "columns": 5, "changes": 4, "between": 1},
            {"rows": 5, "columns": 6, "changes": 5, "between": 2},
        ),
        knobs=(
            Knob("rows", 3, 7, "rows of places"),
            Knob("columns", 3, 7, "columns of places"),
            Knob("changes", 1, 6, "places that differ"),
            Knob("between", 0, 3, "scenes between the two"),
        ),
        memory=5,
        clairvoyant=True,
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "hidden"}),
    )

    def reset(self, instance: Instance) -> Shelf:
        settings = self.spec.settings(instance)
        rows, columns, changes, between = (int(settings[name]) for name in ("rows", "columns", "changes", "between"))
        things = round(FILLED * rows * columns)

        def propose(rng: np.random.Generator) -> Shelf:
            first = np.zeros(rows * columns, int)
            first[rng.permutation(rows * columns)[:things]] = rng.integers(1, len(NAMES), things)
            scenes = _scenes(rng, (tuple(first.tolist()),), changes, between + 2)
            return Shelf(rows, columns, changes, between + 2, scenes)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Shelf) -> int:
        return state.total

    def public(self, state: Shelf) -> Shelf:
        return replace(state, scenes=state.scenes[: state.at + 1])

    def view(self, public: Shelf, pixels: int = 448) -> View:
        rows, columns, scene = public.rows, public.columns, public.scenes[-1]
        kind = NEXT if len(public.scenes) < public.total else _answer(rows, columns, public.changes)
        image, elements = None, grid.NOTHING
        if pixels:
            kinds = np.array(scene, np.intp).reshape(rows, columns)
            image, elements = headings.draw([NAMES[look] for look in scene], kinds, _tiles, pixels, "paper")
        known = [f"{headings.label(cell, columns)} {NAMES[look]}" for cell, look in enumerate(public.scenes[0]) if look]
        earlier = f" The first one: {', '.join(known)}; all else was empty." if public.at else ""
        return View(
            answer=kind,
            image=image,
            task=f"{TASK.format(public.changes)} {kind.describe()}",
            rules=RULES if public.total == 2 else f"{RULES} {CONFUSING}",
            hint=HINT,
            state=f"Scene {public.at + 1} of {public.total}.{earlier}",
            caption="\n".join(
                [
                    headings.told(rows, columns),
                    captions.board(LEGEND, "".join(tuple(LEGEND)[look] for look in scene), columns),
                ]
            ),
            scene=elements,
        )

    def step(self, state: Shelf, action: str | tuple[str, ...]) -> Step[Shelf]:
        if state.at < state.total - 1:
            return Step(replace(state, at=state.at + 1), events=("unseen_explored",))
        said = {headings.cell_of(label, state.columns) for label in action}
        if len(said) < len(action):
            return Step(state, legal=False, events=("action_illegal",))
        right = [cell in said for cell in sorted(state.changed)]
        events = ["difference_found" if noticed else "difference_missed" for noticed in right]
        misled = _differing(*state.scenes[-2:])
        events += ["memory_missed" if cell in misled else "false_alarm" for cell in sorted(said - state.changed)]
        return scored(replace(state, answered=True), right, events)

    def solve(self, state: Shelf) -> Sequence[str] | None:
        if state.answered:
            return ()
        return [NEXT.options[0]] * (state.total - 1 - state.at) + [_reply(state)]

    def guide(self, public: Shelf) -> str | None:
        """Return the changes, once the last scene is shown."""
        return NEXT.options[0] if len(public.scenes) < public.total else _reply(public)

    def reseal(self, state: Shelf, seed: int) -> Shelf:
        """Return the shelf with other scenes to come."""
        rng, shown = np.random.default_rng(seed), state.scenes[: state.at + 1]
        return replace(state, scenes=_scenes(rng, shown, state.changes, state.total))

    def problem(self, state: Shelf) -> bytes:
        """Return all scenes, with looks numbered in the order in which they first occur."""
        histories = list(zip(*state.scenes, strict=True))

        def renamed(cells: bytes) -> bytes:
            numbers: dict[int, int] = {0: 0}
            return bytes(numbers.setdefault(look, len(numbers)) for cell in cells for look in histories[cell])

        return grid.canonical(state.rows, state.columns, np.arange(len(histories), dtype=np.uint8), renamed)


def _scenes(rng: np.random.Generator, shown: tuple[Scene, ...], changes: int, total: int) -> tuple[Scene, ...]:
    """Return scenes that begin with those shown, each of the others being the first one with changes of its own."""
    scenes = list(shown)
    while len(scenes) < total:
        scene = list(shown[0])
        for cell in rng.permutation(len(scene))[:changes].tolist():
            turns = _turns(scene[cell])
            scene[cell] = turns[rng.integers(len(turns))]
        scenes.append(tuple(scene))
    return tuple(scenes)


@lru_cache(maxsize=len(NAMES))
def _turns(look: int) -> tuple[int, ...]:
    """Return what a thing may turn into: another colour or shape of its own, or nothing; any thing out of nothing."""
    if not look:
        return tuple(range(1, len(NAMES)))
    shape, colour = divmod(look - 1, len(COLOURS))
    alike = [
        k for k in range(1, len(NAMES)) if ((k - 1) // len(COLOURS) == shape) != ((k - 1) % len(COLOURS) == colour)
    ]
    return (0, *alike)


def _differing(scene: Scene, other: Scene) -> set[int]:
    return {cell for cell, (a, b) in enumerate(zip(scene, other, strict=True)) if a != b}


def _reply(shelf: Shelf) -> str:
    labels = tuple(headings.label(cell, shelf.columns) for cell in sorted(shelf.changed))
    return _answer(shelf.rows, shelf.columns, shelf.changes).format(labels)


@lru_cache(maxsize=64)
def _answer(rows: int, columns: int, changes: int) -> answer.Sequence:
    labels = tuple(headings.label(cell, columns) for cell in range(rows * columns))
    return answer.Sequence(labels, shortest=changes, longest=changes)


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(name, size) for name in NAMES)


def _tile(name: str, size: int) -> Pixels:
    """Return one place of the shelf, with what stands on its board."""
    canvas = Canvas(size, size, "brown")
    board, side = max(2, size // 14), max(1, size // 40)
    canvas.rectangle((side, side, size - side, size - board), "sand")
    colour, _, shape = name.partition(" ")
    if shape:
        canvas.shape(shape, (size / 2, (size - board) / 2), round(size * 0.72), colour, edge="ink")
    return canvas.pixels


environment = ChangeSpot()
