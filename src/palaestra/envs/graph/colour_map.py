"""Colour map: give the white panes of a leaded window colours, so that no two panes with a common border are alike.

Three colours do not suffice for every map; they do for those drawn here, but a choice that looks free may leave a pane
further on without a colour. Every colouring that keeps all borders is right; it is verified, never compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from palaestra.core.answer import Choice, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import grid, splits
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.graphs import NAMES
from palaestra.envs.kit.parts import Asked, scored

COLOURS = ("red", "yellow", "blue", "green")
LETTERS = {"white": "ink", "yellow": "ink"}  # the ink of a pane's letter, where it is not white
OPEN = -1

TASK = "Colour the white panes so that no two panes with a common border are alike."
RULES = "Coloured panes keep their colour. Panes that meet in a corner only have no common border and may be alike."
HINT = "Colour the pane that has the fewest colours left next, and start beside the coloured panes."

Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Window:
    """One question: panes as boxes (left, top, right, bottom) in lattice units, and the colour of each, or OPEN.

    `palette` is how many colours there are.
    """

    side: int
    panes: tuple[Box, ...]
    colours: tuple[int, ...]
    palette: int

    @property
    def open(self) -> list[int]:
        """The panes that need a colour."""
        return [pane for pane, colour in enumerate(self.colours) if colour == OPEN]


class ColourMap:
    """The environment."""

    spec = EnvSpec(
        id="graph/colour_map",
        version=1,
        title="Colour map",
        horizon=1,
        scales=(
            {"side": 4, "panes": 7, "given": 0.4, "colours": 3},
            {"side": 4, "panes": 9, "given": 0.3, "colours": 3},
            {"side": 5, "panes": 11, "given": 0.25, "colours": 3},
            {"side": 6, "panes": 14, "given": 0.25, "colours": 3},
            {"side": 6, "panes": 17, "given": 0.25, "colours": 3},
            {"side": 7, "panes": 20, "given": 0.25, "colours": 3},
            {"side": 7, "panes": 23, "given": 0.2, "colours": 3},
        ),
        knobs=(
            Knob("panes", 7, 23, "panes of the window; the lattice grows when they do not fit"),
            Knob("given", 0.1, 0.45, "share of panes that are coloured already"),
            Knob("colours", 3, 4, "colours to choose from"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "many_right"}),
    )

    def reset(self, instance: Instance) -> Asked[Window]:
        settings = self.spec.settings(instance)
        panes, palette = int(settings["panes"]), int(settings["colours"])
        given = round(float(settings["given"]) * panes)
        side = max(int(settings["side"]), round((2 * panes) ** 0.5))

        def propose(rng: np.random.Generator) -> Asked[Window] | None:
            boxes = _divide(side, panes, rng)
            tries = rng.permuted(np.tile(np.arange(palette), (panes, 1)), axis=1).tolist()
            planted = next(_colourings(_borders(boxes), [OPEN] * panes, tries), None)
            if planted is None:
                return None
            shown = set(rng.permutation(panes)[:given].tolist())
            colours = tuple(colour if pane in shown else OPEN for pane, colour in enumerate(planted))
            return Asked(Window(side, boxes, colours, palette))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Window]) -> int:
        return 1

    def public(self, state: Asked[Window]) -> Window:
        return state.question

    def view(self, public: Window, pixels: int = 448) -> View:
        kind = _answer(tuple(public.open), public.palette)
        near = _borders(public.panes)
        drawn = _draw(public, pixels) if pixels else None
        beside = [{public.colours[other] for other in near[pane]} - {OPEN} for pane in public.open]
        left = [f"{NAMES[pane]} {public.palette - len(taken)}" for pane, taken in zip(public.open, beside, strict=True)]
        given = [f"{NAMES[pane]} is {COLOURS[c]}" for pane, c in enumerate(public.colours) if c != OPEN]
        borders = [f"{NAMES[a]}-{NAMES[b]}" for a, others in enumerate(near) for b in others if a < b]
        return View(
            answer=kind,
            image=drawn.picture() if drawn else None,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Colours that the coloured panes leave to each: {', '.join(left)}.",
            caption=f"{', '.join(given)}. Borders: {', '.join(borders)}.",
            scene=tuple(drawn.elements) if drawn else (),
        )

    def step(self, state: Asked[Window], action: tuple[str, ...]) -> Step[Asked[Window]]:
        window = state.question
        near, colours = _borders(window.panes), list(window.colours)
        for pane, said in zip(window.open, action, strict=True):
            colours[pane] = COLOURS.index(said)
        kept = [all(colours[pane] != colours[other] for other in near[pane]) for pane in window.open]
        events = ["constraint_kept" if ok else "constraint_broken" for ok in kept]
        return scored(Asked(window, answered=True), sum(kept), len(kept), events)

    def solve(self, state: Asked[Window]) -> Sequence[str] | None:
        return () if state.answered else next(self.solutions(state), None)

    def solutions(self, state: Asked[Window]) -> Iterator[Sequence[str]]:
        window = state.question
        kind, tries = _answer(tuple(window.open), window.palette), [range(window.palette)] * len(window.panes)
        for colours in _colourings(_borders(window.panes), window.colours, tries):
            yield [kind.format(tuple(COLOURS[colours[pane]] for pane in window.open))]

    def problem(self, state: Asked[Window]) -> bytes:
        """Return which lattice cells share a pane and which panes a colour, not what the colours are."""
        window = state.question
        content = np.zeros((window.side, window.side), np.uint8)
        for pane, (left, top, right, bottom) in enumerate(window.panes):
            content[top:bottom, left:right] = 8 * pane + 1 + window.colours[pane]
        return grid.canonical(window.side, window.side, content.ravel(), _renamed) + bytes([window.palette])


def _divide(side: int, panes: int, rng: np.random.Generator) -> tuple[Box, ...]:
    """Return the boxes of a square cut in two again and again, large ones first and across their longer side."""
    boxes: list[Box] = [(0, 0, side, side)]
    luck = rng.random((panes, 3)).tolist()
    for which, across, where in luck[1:]:
        largest = sorted((box for box in boxes if _area(box) > 1), key=_area)[-2:]
        left, top, right, bottom = box = largest[int(which * len(largest))]
        boxes.remove(box)
        width, height = right - left, bottom - top
        if width > height or (width == height and across < 0.5):
            cut = left + 1 + int(where * (width - 1))
            boxes += [(left, top, cut, bottom), (cut, top, right, bottom)]
        else:
            cut = top + 1 + int(where * (height - 1))
            boxes += [(left, top, right, cut), (left, cut, right, bottom)]
    return tuple(sorted(boxes, key=lambda box: (box[1], box[0])))


def _area(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


@lru_cache(maxsize=512)
def _borders(panes: tuple[Box, ...]) -> tuple[tuple[int, ...], ...]:
    """Return for each pane the panes with which it has a border in common, longer than a corner."""
    near: list[list[int]] = [[] for _ in panes]
    for a, b in combinations(range(len(panes)), 2):
        wide = min(panes[a][2], panes[b][2]) - max(panes[a][0], panes[b][0])
        high = min(panes[a][3], panes[b][3]) - max(panes[a][1], panes[b][1])
        if wide + high > 0 and min(wide, high) == 0:
            near[a].append(b)
            near[b].append(a)
    return tuple(map(tuple, near))


def _colourings(
    near: Sequence[Sequence[int]], given: Sequence[int], tries: Sequence[Sequence[int]]
) -> Iterator[list[int]]:
    """Yield every colouring that keeps the given colours, the pane with the fewest colours left first (Brelaz)."""
    colours = list(given)

    def left(pane: int) -> list[int]:
        taken = {colours[other] for other in near[pane]}
        return [colour for colour in tries[pane] if colour not in taken]

    def extend() -> Iterator[list[int]]:
        choices = [(pane, left(pane)) for pane, colour in enumerate(colours) if colour == OPEN]
        if not choices:
            yield list(colours)
            return
        pane, free = min(choices, key=lambda choice: len(choice[1]))
        for colour in free:
            colours[pane] = colour
            yield from extend()
        colours[pane] = OPEN

    yield from extend()


def _renamed(content: bytes) -> bytes:
    """Return panes and colours numbered in the order in which they first occur."""
    panes: dict[int, int] = {}
    colours = {0: 0}
    return bytes(
        n for code in content for n in (panes.setdefault(code, len(panes)), colours.setdefault(code & 7, len(colours)))
    )


def _draw(window: Window, pixels: int) -> Canvas:
    """Draw the panes on leads of ink."""
    lead = max(2, pixels // 110)
    unit = (pixels - lead) // window.side
    canvas = Canvas(unit * window.side + lead, unit * window.side + lead, "ink")
    glyph = max(7, round(unit * 0.26))
    for pane, (left, top, right, bottom) in enumerate(window.panes):
        box = (left * unit + lead, top * unit + lead, right * unit, bottom * unit)
        fill = "white" if window.colours[pane] == OPEN else COLOURS[window.colours[pane]]
        canvas.rectangle(box, fill)
        canvas.text(NAMES[pane], ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), glyph, LETTERS.get(fill, "white"))
        canvas.element(NAMES[pane], box, glyph=glyph)
    return canvas


@lru_cache(maxsize=512)
def _answer(panes: tuple[int, ...], palette: int) -> Record:
    return Record(tuple((NAMES[pane], Choice(COLOURS[:palette])) for pane in panes))


environment = ColourMap()
