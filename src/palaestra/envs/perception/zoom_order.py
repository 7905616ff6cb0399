"""Zoom order: put pictures of one scene, each a close-up in another one, in order from the widest to the closest.

A picture shows large things and, in a frame, what the next closer one shows large; so sizes tell nothing, and one has
to find each frame's content again. In hard scenes all pictures look alike, and some belong to other scenes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt

import numpy as np

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import grid, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.parts import Asked, scored

KINDS = (
    ("o", "circle", "blue"),
    ("x", "cross", "red"),
    ("d", "diamond", "brown"),
    ("s", "square", "green"),
    ("t", "triangle", "purple"),
    ("w", "star", "orange"),
)
SIGNS = "".join(sign for sign, *_ in KINDS) + ".#"
NOTHING, FRAME = len(KINDS), len(KINDS) + 1
LETTERS = "ABCDEFGHJKLM"  # no I, which is a mere stroke

RULES = "A frame in a picture holds what the next closer one shows large. Grey is too small to see."
TASK = "Put the pictures in order from the widest to the closest{}. {}"
LEAVE = ", and leave out those of other scenes"
HINT = "Take the things in one frame and look for the picture that shows all of them large, each in its place."

Level = tuple[int, ...]  # what each cell of a square lattice holds: a kind, nothing or, once, the frame


@dataclass(frozen=True, slots=True)
class Sheet:
    """One question: of each picture what it shows large and what is in its frame."""

    side: int
    pictures: tuple[tuple[Level, Level], ...]

    def order(self) -> tuple[int, ...]:
        """Return the pictures from the widest to the closest."""
        large = {shown: k for k, (shown, _) in enumerate(self.pictures)}
        after = {k: large[framed] for k, (_, framed) in enumerate(self.pictures) if framed in large}
        (place,) = after.keys() - after.values()
        chain = [place]
        while place in after:
            place = after[place]
            chain.append(place)
        return tuple(chain)


class ZoomOrder:
    """The environment."""

    spec = EnvSpec(
        id="perception/zoom_order",
        version=1,
        title="Zoom order",
        horizon=1,
        scales=(
            {"side": 2, "pictures": 3, "others": 0, "alike": 0},
            {"side": 2, "pictures": 4, "others": 0, "alike": 0},
            {"side": 3, "pictures": 5, "others": 0, "alike": 0},
            {"side": 3, "pictures": 5, "others": 1, "alike": 1},
            {"side": 3, "pictures": 6, "others": 2, "alike": 1},
            {"side": 3, "pictures": 7, "others": 2, "alike": 1},
        ),
        knobs=(
            Knob("side", 2, 3, "rows and columns of places in a picture, one of them the frame"),
            Knob("pictures", 3, 8, "pictures of the scene"),
            Knob("others", 0, 3, "pictures of other scenes, which are left out"),
            Knob("alike", 0, 1, "whether each picture is like the next wider one but for a little"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn"}),
    )

    def reset(self, instance: Instance) -> Asked[Sheet]:
        settings = self.spec.settings(instance)
        side, count, others = (int(settings[name]) for name in ("side", "pictures", "others"))
        alike = bool(settings["alike"])

        def propose(rng: np.random.Generator) -> Asked[Sheet] | None:
            levels = [_level(side, rng)]
            while len(levels) < count + 1:
                levels.append(_changed(levels[-1], rng) if alike else _level(side, rng))
            pictures = [(levels[k], levels[k + 1]) for k in range(count)]
            copied = rng.integers(count, size=others).tolist()
            pictures += [(_changed(levels[k], rng), _changed(levels[k + 1], rng)) for k in copied]
            every = [*levels, *(level for picture in pictures[count:] for level in picture)]
            if len(set(every)) < len(every):
                return None
            return Asked(Sheet(side, tuple(pictures[k] for k in rng.permutation(len(pictures)).tolist())))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Sheet]) -> int:
        return 1

    def public(self, state: Asked[Sheet]) -> Sheet:
        return state.question

    def view(self, public: Sheet, pixels: int = 448) -> View:
        count, right = len(public.pictures), len(public.order())
        kind = _answer(count, right < count)
        canvas = _draw(public, pixels) if pixels else None
        kinds = sorted({kind for picture in public.pictures for level in picture for kind in level if kind < NOTHING})
        legend = ", ".join(f"{KINDS[k][0]} {KINDS[k][2]} {KINDS[k][1]}" for k in kinds)
        # of the large ones only: what is in the frames, too, would tell the order to who sees nothing
        kinds_shown = [
            f"{letter} {len({kind for kind in large if kind < NOTHING})}"
            for letter, (large, _) in zip(LETTERS, public.pictures, strict=False)
        ]
        shown = [
            f"{letter} {_rows(large, public.side)}, {_rows(framed, public.side)}"
            for letter, (large, framed) in zip(LETTERS, public.pictures, strict=False)
        ]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=TASK.format(LEAVE if right < count else "", kind.describe()),
            rules=RULES,
            hint=HINT,
            state=f"Different large things: {', '.join(kinds_shown)}.",
            caption=f"{legend}, # frame (in it # grey), . nothing. Rows of large things, rows in the frame: "
            f"{'; '.join(shown)}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Sheet], action: tuple[str, ...]) -> Step[Asked[Sheet]]:
        sheet = state.question
        order = tuple(LETTERS[k] for k in sheet.order())
        fits = [said == true for said, true in zip(action, order, strict=False)]
        events = ["order_right" if fit else "order_wrong" for fit in fits]
        wrong = [k for k, fit in enumerate(fits) if not fit]
        if len(action) == len(order) and len(wrong) == 2 and wrong[1] - wrong[0] == 1 and set(action) == set(order):
            events.append("order_adjacent_swapped")
        events += ["start_right"] if fits[0] else []
        events += ["end_right"] if action[-1] == order[-1] else []
        events += ["part_left_out"] if not set(order) <= set(action) else []
        events += ["part_superfluous"] if not set(action) <= set(order) else []
        events += ["symbol_repeated"] if len(set(action)) < len(action) else []
        return scored(Asked(sheet, answered=True), sum(fits), max(len(action), len(order)), events)

    def solve(self, state: Asked[Sheet]) -> Sequence[str] | None:
        sheet = state.question
        order, count = sheet.order(), len(sheet.pictures)
        return () if state.answered else [_answer(count, len(order) < count).format(tuple(LETTERS[k] for k in order))]

    def problem(self, state: Asked[Sheet]) -> bytes:
        """Return the pictures up to symmetries of them all, with kinds numbered as they come up."""
        sheet = state.question
        order = sheet.order()
        others = sorted(picture for k, picture in enumerate(sheet.pictures) if k not in order)
        shown = np.array([*(sheet.pictures[k] for k in order), *others], np.uint8)
        images = []
        for symmetry in grid.symmetries(sheet.side, sheet.side):
            image = shown[:, :, symmetry].tobytes()
            names = [kind for kind in dict.fromkeys(image) if kind < NOTHING]
            images.append(image.translate(bytes.maketrans(bytes(names), bytes(range(len(names))))))
        return bytes([sheet.side, len(order)]) + min(images)


def _level(side: int, rng: np.random.Generator) -> Level:
    """Return a frame and things at random places: everywhere on the smallest lattice, else at three in five."""
    free = 0 if side == 2 else round(0.4 * side * side)
    things = rng.integers(len(KINDS), size=side * side - free - 1).tolist()
    cells = [FRAME, *[NOTHING] * free, *things]
    return tuple(cells[k] for k in rng.permutation(side * side).tolist())


def _changed(level: Level, rng: np.random.Generator) -> Level:
    """Return a level with two places exchanged or with another thing in one."""
    first, second, kind = rng.integers((len(level), len(level), 2 * len(KINDS))).tolist()
    cells = list(level)
    if kind < len(KINDS) and cells[first] < NOTHING:
        cells[first] = kind
    else:
        cells[first], cells[second] = cells[second], cells[first]
    return tuple(cells) if tuple(cells) != level else _changed(level, rng)


def _rows(level: Level, side: int) -> str:
    return " ".join("".join(SIGNS[kind] for kind in level[k : k + side]) for k in range(0, len(level), side))


def _draw(sheet: Sheet, pixels: int) -> Canvas:
    """Draw the pictures in lines, each with its letter to its left."""
    columns = ceil(sqrt(len(sheet.pictures)))
    width = pixels // columns
    glyph, gap = max(7, width // 14), max(1, width // 40)
    places = sheet.side**2  # along an edge of a picture, small ones
    small = (width - glyph - 4 * gap) // places
    edge, height = small * places, small * places + 2 * gap
    canvas = Canvas(columns * width, ceil(len(sheet.pictures) / columns) * height)
    for k, picture in enumerate(sheet.pictures):
        left, top = k % columns * width, k // columns * height
        inner, upper = left + width - gap - edge, top + gap
        canvas.pixels[upper : upper + edge, inner : inner + edge] = _picture(sheet.side, picture, small)
        canvas.text(LETTERS[k], (inner - gap - 0.6 * glyph, upper + 0.6 * glyph), glyph)
        canvas.element(LETTERS[k], (left, top, left + width, top + height), glyph=glyph)
    return canvas


@lru_cache(maxsize=256)
def _picture(side: int, picture: tuple[Level, Level], small: int) -> Pixels:
    """Draw a picture whose small places have a size in pixels."""
    canvas, line = Canvas(side * side * small, side * side * small, "mist"), max(1, small // 12)
    large, framed = picture
    row, column = divmod(large.index(FRAME), side)
    box = (column * side * small, row * side * small, (column + 1) * side * small, (row + 1) * side * small)
    canvas.rectangle(box, "slate")
    canvas.rectangle((box[0] + line, box[1] + line, box[2] - line, box[3] - line), "white")
    for level, size, left, top in ((large, side * small, 0, 0), (framed, small, box[0], box[1])):
        for place, kind in enumerate(level):
            x, y = left + (place % side + 0.5) * size, top + (place // side + 0.5) * size
            if kind < NOTHING:
                canvas.shape(KINDS[kind][1], (x, y), round(0.72 * size), KINDS[kind][2])
            elif kind == FRAME and size == small:
                canvas.shape("square", (x, y), round(0.8 * size), "grey")
    canvas.pixels.setflags(write=False)
    return canvas.pixels


@lru_cache(maxsize=64)
def _answer(pictures: int, some: bool) -> answer.Sequence:
    return answer.Sequence(tuple(LETTERS[:pictures]), shortest=2 if some else pictures, longest=pictures)


environment = ZoomOrder()
