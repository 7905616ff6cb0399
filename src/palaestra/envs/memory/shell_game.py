"""Shell game: balls lie under cups, cups change places frame after frame, and at the end all balls must be found.

Numbers name places, not cups. Every ball is moved at least once, and no frame repeats a swap of the one before.

Source: the thimblerig of fairs. Departures: nobody cheats, several cups may change places at once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import cos, pi, sin

import numpy as np

from palaestra.core.answer import Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, headings, masks, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.memory._frames import NEXT, scored

COLOURS = ("red", "blue", "yellow", "teal", "white")  # told apart by colour-blind people too
GROUND = "mint"
LANES = ("orange", "teal")  # the colours of the arcs above and below the cups

TASK = "Balls lie under cups, and arcs exchange cups. Say after the last exchange at which number each ball is."
RULES = "An arc joins two cups that change places, each with what is under it. Numbers stay at their places."
HINT = "Carry the place of every ball along, one swap after another."

Pair = tuple[int, int]
Swaps = tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Show:
    """All that was shown so far: where each ball lay at first and the swaps of every frame since then, of a total."""

    cups: int
    at_once: int
    balls: tuple[str, ...]
    starts: tuple[int, ...]
    frames: tuple[Swaps, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Shuffle:
    """The show with all its frames, how many of them were shown, and whether it was answered."""

    show: Show
    shown: int = 0
    answered: bool = False


class ShellGame:
    """The environment."""

    spec = EnvSpec(
        id="memory/shell_game",
        version=1,
        title="Shell game",
        horizon=13,
        scales=(
            {"cups": 4, "balls": 2, "frames": 4, "at_once": 1},
            {"cups": 5, "balls": 2, "frames": 5, "at_once": 1},
            {"cups": 5, "balls": 3, "frames": 6, "at_once": 1},
            {"cups": 6, "balls": 3, "frames": 7, "at_once": 2},
            {"cups": 7, "balls": 4, "frames": 8, "at_once": 2},
            {"cups": 8, "balls": 4, "frames": 10, "at_once": 2},
        ),
        knobs=(
            Knob("cups", 4, 8, "cups in a row"),
            Knob("balls", 1, 4, "balls to be followed"),
            Knob("frames", 4, 12, "frames of swaps"),
            Knob("at_once", 1, 2, "pairs of cups that change places in one frame"),
        ),
        memory=13,
        clairvoyant=True,
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "hidden"}),
        source="the thimblerig of fairs",
    )

    def reset(self, instance: Instance) -> Shuffle:
        settings = self.spec.settings(instance)
        cups, balls, frames, at_once = (int(settings[name]) for name in ("cups", "balls", "frames", "at_once"))

        def propose(rng: np.random.Generator) -> Shuffle | None:
            shuffle = _shuffled(rng, (), frames, cups, at_once)
            starts = [place for place in rng.permutation(cups).tolist() if place in _moved(shuffle)][:balls]
            colours = tuple(COLOURS[k] for k in rng.permutation(len(COLOURS))[:balls].tolist())
            show = Show(cups, at_once, colours, tuple(starts), shuffle, frames)
            return Shuffle(show) if len(starts) == balls else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Shuffle) -> int:
        return 1 + state.show.total

    def public(self, state: Shuffle) -> Show:
        return replace(state.show, frames=state.show.frames[: state.shown])

    def view(self, public: Show, pixels: int = 448) -> View:
        kind = _answer(public.balls, public.cups) if len(public.frames) == public.total else NEXT
        swaps = public.frames[-1] if public.frames else ()
        under = {} if swaps else dict(zip(public.starts, public.balls, strict=True))
        names = [f"{under[place]} ball" if place in under else "cup" for place in range(public.cups)]
        legend = {"u": "cup"} | {ball[0].upper(): f"{ball} ball" for ball in public.balls}
        signs = "".join(under[place][0].upper() if place in under else "u" for place in range(public.cups))
        arcs = [f"swap of {a + 1} and {b + 1}" for a, b in swaps]
        canvas = _draw(public, names, swaps, arcs, pixels) if pixels else None
        lay = ", ".join(f"{ball} under {place + 1}" for ball, place in zip(public.balls, public.starts, strict=True))
        done = "; ".join(", ".join(f"{a + 1}-{b + 1}" for a, b in frame) for frame in public.frames)
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"At first: {lay}. Swaps so far: {done or 'none'}.",
            caption="\n".join(
                [headings.told(0, public.cups), captions.board(legend, signs, public.cups), *(f"{a}." for a in arcs)]
            ),
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Shuffle, action: str | tuple[int, ...]) -> Step[Shuffle]:
        show = state.show
        if state.shown < show.total:
            return Step(replace(state, shown=state.shown + 1), events=("unseen_explored",))
        events: list[str] = []
        right: list[bool] = []
        for said, place, start in zip(action, _ends(show.starts, show.frames), show.starts, strict=True):
            right.append(said == place + 1)
            events.append("object_tracked" if right[-1] else "object_lost")
            if not right[-1] and said == start + 1:
                events.append("memory_missed")
        return scored(replace(state, answered=True), right, events)

    def solve(self, state: Shuffle) -> Sequence[str] | None:
        if state.answered:
            return ()
        return [NEXT.options[0]] * (state.show.total - state.shown) + [_found(state.show)]

    def guide(self, public: Show) -> str | None:
        """Return what follows from all that was shown, once everything was."""
        return _found(public) if len(public.frames) == public.total else NEXT.options[0]

    def reseal(self, state: Shuffle, seed: int) -> Shuffle:
        """Return the show with other swaps in the frames to come, which still move every ball."""
        show, rng = state.show, np.random.default_rng(seed)
        while True:
            frames = _shuffled(rng, show.frames[: state.shown], show.total, show.cups, show.at_once)
            if {*show.starts} <= _moved(frames):
                return replace(state, show=replace(show, frames=frames))

    def problem(self, state: Shuffle) -> bytes:
        """Return where balls lay and what was swapped, whatever their colours, seen from either side of the table."""
        show = state.show

        def told(places: Sequence[int]) -> bytes:
            frames = [sorted(sorted((places[a], places[b])) for a, b in swaps) for swaps in show.frames]
            return repr((show.cups, sorted(places[start] for start in show.starts), frames)).encode()

        return min(told(range(show.cups)), told(range(show.cups)[::-1]))


def _shuffled(
    rng: np.random.Generator, shown: tuple[Swaps, ...], frames: int, cups: int, at_once: int
) -> tuple[Swaps, ...]:
    """Return frames of swaps that begin with those shown, no pair being swapped twice in a row."""
    swaps = list(shown)
    while len(swaps) < frames:
        drawn = rng.permutation(cups)[: 2 * at_once].reshape(at_once, 2)
        frame = tuple((int(a), int(b)) for a, b in np.sort(drawn, axis=1).tolist())
        if not swaps or not {*frame} & {*swaps[-1]}:
            swaps.append(frame)
    return tuple(swaps)


def _moved(frames: Iterable[Swaps]) -> set[int]:
    """Return the places that take part in a swap."""
    return {place for swaps in frames for pair in swaps for place in pair}


def _ends(starts: Iterable[int], frames: Iterable[Swaps]) -> tuple[int, ...]:
    """Return where things end that start at some places."""
    places = list(starts)
    for a, b in (pair for swaps in frames for pair in swaps):
        places = [b if place == a else a if place == b else place for place in places]
    return tuple(places)


@lru_cache(maxsize=512)
def _answer(balls: tuple[str, ...], cups: int) -> Record:
    return Record(tuple((ball, Integer(1, cups)) for ball in balls))


def _found(show: Show) -> str:
    return _answer(show.balls, show.cups).format(tuple(place + 1 for place in _ends(show.starts, show.frames)))


def _draw(public: Show, names: Sequence[str], swaps: Swaps, arcs: Sequence[str], pixels: int) -> Canvas:
    """Return the row of cups with its numbers, between two lanes for arcs."""
    unit, lane, glyph = pixels // public.cups, round(pixels * 0.2), max(7, pixels // 22)
    size = min(unit, pixels // 4)
    tall, gap = round(1.4 * size), glyph // 2
    below = lane if public.at_once > 1 else 0
    canvas = Canvas(unit * public.cups, lane + tall + glyph + 2 * gap + below + gap, GROUND)
    floor = lane + tall
    for place, name in enumerate(names):
        left = place * unit + (unit - size) // 2
        box = (left, lane, left + size, floor)
        canvas.pixels[lane:floor, left : left + size] = _tile(name, bool(swaps), size, tall)
        canvas.element(name, box, (0, place))
        number, middle = str(place + 1), ((place + 0.5) * unit, floor + gap + glyph / 2)
        canvas.element(number, canvas.text(number, middle, glyph), glyph=glyph)
    for k, ((a, b), name) in enumerate(zip(swaps, arcs, strict=True)):
        mask = _arc((b - a) * unit, lane, unit, k == 0)
        top = 0 if k == 0 else canvas.pixels.shape[0] - lane
        canvas.element(name, canvas.stamp(mask, round((a + 0.5) * unit - unit / 4), top, LANES[k]))
    return canvas


@lru_cache(maxsize=256)
def _tile(name: str, down: bool, size: int, tall: int) -> Pixels:
    """Return one place of the row: a cup on the table, or lifted over what lies under it."""
    canvas = Canvas(size, tall, GROUND)
    cup, ball = round(0.86 * size), round(0.5 * size)
    left, top, rim, band = (size - cup) // 2, tall - cup if down else 0, max(1, size // 40), round(cup * 0.12)
    if name != "cup":
        canvas.shape("circle", (size / 2, tall - ball / 2), ball, name.partition(" ")[0], edge="ink")
    for inset, first, last, fill in (
        (0, 0, cup, "ink"),
        (rim, rim, cup - rim, "wine"),
        (rim, cup // 5, cup // 5 + band, "gold"),
        (rim, cup - rim - band, cup - rim, "gold"),
    ):
        canvas.stamp(_cup(cup, inset).cut(0, first, cup, last), left, top + first, fill)
    return canvas.pixels


@lru_cache(maxsize=64)
def _cup(size: int, inset: int) -> masks.Mask:
    """Return the outline of a cup that stands on its mouth, narrower by an inset on either side."""
    y, x = np.mgrid[:size, :size] + 0.5
    half = size * 0.3 + 0.19 * y - inset
    return masks.Mask.of(np.clip(np.rint(4 * (half - abs(x - size / 2)) + 2), 0, 4).astype(np.uint8))


@lru_cache(maxsize=64)
def _arc(span: int, lane: int, unit: int, above: bool) -> masks.Mask:
    """Return an arc with a head at both ends, which stand `span` apart."""
    side, head, thick = unit / 4, min(unit / 7, lane / 4), max(1.5, lane / 18)
    low, high = lane * 0.9, lane * 0.75
    turns = [pi * k / 24 for k in range(25)]
    points = [(side + span / 2 - span / 2 * cos(turn), low - high * sin(turn)) for turn in turns]
    lines = [(*p, *q) for p, q in pairwise(points)]
    for x in (side, side + span):
        lines += [(x, low, x - head, low - head), (x, low, x + head, low - head)]
    if not above:
        lines = [(x0, lane - 1 - y0, x1, lane - 1 - y1) for x0, y0, x1, y1 in lines]
    return masks.segments(round(span + 2 * side), lane, lines, thick)


environment = ShellGame()
