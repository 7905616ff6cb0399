"""Fold a cube: a net lies open; which marks end opposite one another, and which on the right of the turned cube?

The printed side comes outside, so a turned question has one answer, and its mirror image the face on the left.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Choice, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.parts import Asked, scored

Cell = tuple[int, int]
Vector = tuple[int, int, int]

MARKS = {
    "arrow": "navy", "circle": "red", "cross": "green", "diamond": "purple", "flag": "brown",
    "hexagon": "teal", "square": "blue", "star": "gold", "triangle": "orange",
}  # fmt: skip
"""Every mark has a colour of its own."""

_NETS = (
    ".x../xxxx/.x..", "x.../xxxx/x...", ".x../xxxx/..x.", "x.../xxxx/.x..", "x.../xxxx/..x.", "x.../xxxx/...x",
    "xx../.xxx/.x..", "xx../.xxx/..x.", "xx../.xxx/...x", "xx../.xx./..xx", "xxx../..xxx",
)  # fmt: skip
NETS = tuple(
    tuple((r, c) for r, row in enumerate(net.split("/")) for c, sign in enumerate(row) if sign == "x") for net in _NETS
)
"""The cells of the eleven nets of a cube: first those with a strip of four, which are the easiest to fold."""

TASK = "Fold this net into a cube, printed side out. Which mark is opposite the named one{}? {}"
TURNED = ", or on the right with the first named in front and the second on top"
RULES = "Neighbouring faces of the net keep their common edge as a hinge. All answers must be right."
HINT = "Along a straight strip every second face is opposite. Elsewhere walk round a corner, hinge by hinge."


@dataclass(frozen=True, slots=True)
class Net:
    """One question: cells and marks by face, the faces whose opposite is asked, and (front, top) of turned cubes."""

    cells: tuple[Cell, ...]
    marks: tuple[str, ...]
    opposite: tuple[int, ...]
    turned: tuple[tuple[int, int], ...]


class FoldCube:
    """The environment."""

    spec = EnvSpec(
        id="geometry/fold_cube",
        version=1,
        title="Fold a cube",
        horizon=1,
        scales=(
            {"nets": 6, "opposite": 2, "turned": 0},
            {"nets": 9, "opposite": 2, "turned": 1},
            {"nets": 11, "opposite": 2, "turned": 2},
            {"nets": 11, "opposite": 3, "turned": 3},
            {"nets": 11, "opposite": 3, "turned": 4},
            {"nets": 11, "opposite": 3, "turned": 6},
        ),
        knobs=(
            Knob("nets", 1, 11, "shapes of nets that may occur, from the plainest"),
            Knob("opposite", 1, 3, "faces whose opposite is asked for"),
            Knob("turned", 0, 6, "turned cubes whose face on the right is asked for"),
        ),
        train_only=frozenset({0}),  # two opposites in six nets make 54 problems, in all eleven 104
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn"}),
        source="the paper folding tasks of spatial ability tests; the eleven nets of the cube",
    )

    def reset(self, instance: Instance) -> Asked[Net]:
        settings = self.spec.settings(instance)
        nets, opposite, turned = (int(settings[name]) for name in ("nets", "opposite", "turned"))

        def propose(rng: np.random.Generator) -> Asked[Net]:
            cells = _moved(NETS[int(rng.integers(nets))], int(rng.integers(8)))
            far = [_facing(_folded(cells), face) for face in range(6)]
            order, marks = rng.permutation(6).tolist(), sorted(MARKS)
            faces = [face for k, face in enumerate(order) if far[face] not in order[:k]]
            beside = [(a, b) for a in range(6) for b in range(6) if b not in (a, far[a])]
            views = [beside[k] for k in rng.permutation(len(beside))[:turned].tolist()]
            chosen = tuple(marks[k] for k in rng.permutation(len(marks))[:6].tolist())
            return Asked(Net(cells, chosen, tuple(faces[:opposite]), tuple(views)))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Net]) -> int:
        return 1

    def public(self, state: Asked[Net]) -> Net:
        return state.question

    def view(self, public: Net, pixels: int = 448) -> View:
        kind = _answer(public)
        canvas = _draw(public, pixels) if pixels else None
        hinges = [f"{public.marks[a]}-{public.marks[b]}" for a, b in _hinges(public.cells)]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=TASK.format(TURNED if public.turned else "", kind.describe()),
            rules=RULES,
            hint=HINT,
            state=f"Hinges: {', '.join(hinges)}.",
            caption=f"Net: {captions.listing(zip(public.marks, public.cells, strict=True))}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Net], action: tuple[str, ...]) -> Step[Asked[Net]]:
        net = state.question
        normals, right = _folded(net.cells), _right(net)
        hits = [said == true for said, true in zip(action, right, strict=True)]
        pairs = len(net.opposite)
        events = ["pair_matched" if hit else "pair_mismatched" for hit in hits[:pairs]]
        for said, true, hit in zip(action[pairs:], right[pairs:], hits[pairs:], strict=True):
            events.append("rotation_seen" if hit else "rotation_mistaken")
            if said == net.marks[_facing(normals, net.marks.index(true))]:
                events.append("lookalike_taken")
        return scored(Asked(net, answered=True), sum(hits), len(hits), events)

    def solve(self, state: Asked[Net]) -> Sequence[str] | None:
        return () if state.answered else [_answer(state.question).format(_right(state.question))]

    def problem(self, state: Asked[Net]) -> bytes:
        """Return net and questions up to a turn, and up to a mirror where nobody asks for left or right."""
        net = state.question
        asked = [(a,) for a in net.opposite] + list(net.turned)
        images = [_moved(net.cells, k) for k in range(4 if net.turned else 8)]
        return repr(min((sorted(i), sorted([i[face] for face in faces] for faces in asked)) for i in images)).encode()


def _moved(cells: tuple[Cell, ...], k: int) -> tuple[Cell, ...]:
    """Return cells in their order turned by k quarters, from 4 on mirrored as well, pushed to the top left."""
    if k >= 4:
        cells = tuple((r, -c) for r, c in cells)
    for _ in range(k % 4):
        cells = tuple((c, -r) for r, c in cells)
    top, left = (min(axis) for axis in zip(*cells, strict=True))
    return tuple((r - top, c - left) for r, c in cells)


def _opposed(a: Vector) -> Vector:
    return (-a[0], -a[1], -a[2])


def _cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@lru_cache(maxsize=128)
def _folded(cells: tuple[Cell, ...]) -> tuple[Vector, ...]:
    """Return which way every face looks once the net is folded backwards from the first, which keeps facing us."""
    frames: dict[Cell, tuple[Vector, Vector]] = {cells[0]: ((0, 0, 1), (0, 1, 0))}  # what is out, what is up
    edge = [cells[0]]
    while edge:
        r, c = edge.pop()
        out, up = frames[r, c]
        right = _cross(up, out)
        for cell, frame in (
            ((r - 1, c), (up, _opposed(out))),
            ((r + 1, c), (_opposed(up), out)),
            ((r, c + 1), (right, up)),
            ((r, c - 1), (_opposed(right), up)),
        ):
            if cell in cells and cell not in frames:
                frames[cell] = frame
                edge.append(cell)
    return tuple(frames[cell][0] for cell in cells)


def _facing(normals: Sequence[Vector], face: int) -> int:
    return normals.index(_opposed(normals[face]))


def _hinges(cells: tuple[Cell, ...]) -> list[tuple[int, int]]:
    pairs = [(a, b) for a in range(len(cells)) for b in range(a + 1, len(cells))]
    return [(a, b) for a, b in pairs if sum(abs(x - y) for x, y in zip(cells[a], cells[b], strict=True)) == 1]


def _right(net: Net) -> tuple[str, ...]:
    """Return the right marks: opposites first, then what is on the right of the turned cubes."""
    normals = _folded(net.cells)
    faces = [_facing(normals, face) for face in net.opposite]
    faces += [normals.index(_cross(normals[top], normals[front])) for front, top in net.turned]
    return tuple(net.marks[face] for face in faces)


def _draw(net: Net, pixels: int) -> Canvas:
    """Draw the sheet: thin hinges inside, a thick edge where it was cut."""
    rows, columns = (1 + max(axis) for axis in zip(*net.cells, strict=True))
    margin = pixels // 40
    size = (pixels - 2 * margin) // max(rows, columns)
    canvas = Canvas(columns * size + 2 * margin, rows * size + 2 * margin, "sky")
    thick = max(1, size // 28)
    for mark, (r, c) in zip(net.marks, net.cells, strict=True):
        left, top = margin + c * size, margin + r * size
        right, bottom = left + size, top + size
        canvas.pixels[top:bottom, left:right] = _face(mark, size)
        for cell, box in (
            ((r - 1, c), (left, top, right, top + thick)),
            ((r + 1, c), (left, bottom - thick, right, bottom)),
            ((r, c - 1), (left, top, left + thick, bottom)),
            ((r, c + 1), (right - thick, top, right, bottom)),
        ):
            if cell not in net.cells:
                canvas.rectangle(box, "ink")
        canvas.element(mark, (left, top, right, bottom), (r, c))
    return canvas


@lru_cache(maxsize=64)
def _face(mark: str, size: int) -> Pixels:
    canvas = Canvas(size, size, "silver")
    rim = max(1, size // 90)
    canvas.rectangle((rim, rim, size - rim, size - rim), "white")
    canvas.shape(mark, (size / 2, size / 2), round(size * 0.54), MARKS[mark])
    canvas.pixels.setflags(write=False)
    return canvas.pixels


@lru_cache(maxsize=512)
def _answer(net: Net) -> Record:
    kind = Choice(tuple(sorted(net.marks)))
    names = [f"opposite {net.marks[face]}" for face in net.opposite]
    names += [f"{net.marks[front]} front {net.marks[top]} top" for front, top in net.turned]
    return Record(tuple((name, kind) for name in names))


environment = FoldCube()
