"""Clock times: what time it is on each of several clocks, whose dials lose their numerals and are turned.

Hands move evenly, so the short one is as far past its hour as the long one is round the dial, and which of two
neighbouring hours is meant can always be told. A turned dial has its 12 where the mark is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, cos, pi, sin, sqrt
from typing import NamedTuple

import numpy as np

from palaestra.core.answer import Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.parts import Asked, scored

LETTERS = "ABCDEFGHI"
RIMS = ("navy", "teal", "wine", "slate", "brown", "purple")
FIELDS = {"hour": Integer(1, 12), "minute": Integer(0, 59), "second": Integer(0, 59)}
HALF_DAY = 12 * 3600

RULES = "The short hand makes one round in 12 hours, the long hand one in an hour. All must be right."
TURNED = ", whose 12 is at the orange mark"
SECONDS = " The red hand makes one round in a minute."
HINT = "Read the long hand first: it says how far the short one has gone past its hour."


class Clock(NamedTuple):
    """One clock: seconds since its 12, by how many hours its dial is turned clockwise, the colour of its rim."""

    seconds: int
    turn: int
    rim: str

    @property
    def time(self) -> tuple[int, int, int]:
        """Hour, minute and second."""
        return self.seconds // 3600 or 12, self.seconds // 60 % 60, self.seconds % 60

    @property
    def hands(self) -> tuple[float, float, int]:
        """Where the short, the long and the red hand point, in sixtieths of a round clockwise from the top."""
        shares = (60 * self.seconds / HALF_DAY, self.seconds / 60 % 60, self.seconds % 60)
        short, long, red = (round((share + 5 * self.turn) % 60, 2) for share in shares)
        return short, long, int(red)


@dataclass(frozen=True, slots=True)
class Wall:
    """One question: the clocks, which of them are asked, and what all dials have."""

    clocks: tuple[Clock, ...]
    asked: tuple[int, ...]
    numerals: bool
    turned: bool
    red: bool

    def parts(self, clock: int) -> tuple[int, ...]:
        """Return what has to be said of a clock."""
        return self.clocks[clock].time[: 3 if self.red else 2]


class ClockTimes:
    """The environment."""

    spec = EnvSpec(
        id="perception/clock_times",
        version=1,
        title="Clock times",
        horizon=1,
        scales=(
            {"clocks": 2, "asked": 1, "step": 5, "numerals": 1, "turned": 0, "seconds": 0},
            {"clocks": 2, "asked": 2, "step": 5, "numerals": 1, "turned": 0, "seconds": 0},
            {"clocks": 4, "asked": 2, "step": 1, "numerals": 1, "turned": 0, "seconds": 0},
            {"clocks": 4, "asked": 3, "step": 1, "numerals": 0, "turned": 0, "seconds": 0},
            {"clocks": 6, "asked": 4, "step": 1, "numerals": 0, "turned": 1, "seconds": 0},
            {"clocks": 6, "asked": 4, "step": 1, "numerals": 0, "turned": 1, "seconds": 1},
        ),
        knobs=(
            Knob("clocks", 2, 9, "clocks in the picture"),
            Knob("asked", 1, 4, "clocks that are asked for, as far as there are so many"),
            Knob("step", 1, 15, "every time is a multiple of so many minutes, seconds aside"),
            Knob("numerals", 0, 1, "whether dials have numerals; otherwise a mark at 12"),
            Knob("turned", 0, 1, "whether dials are turned, which have no numerals then"),
            Knob("seconds", 0, 1, "whether there is a hand for the seconds"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn"}),
    )

    def reset(self, instance: Instance) -> Asked[Wall]:
        settings = self.spec.settings(instance)
        count, step = int(settings["clocks"]), 60 * int(settings["step"])
        turned, red = bool(settings["turned"]), bool(settings["seconds"])
        asked = min(count, int(settings["asked"]))

        def propose(rng: np.random.Generator) -> Asked[Wall] | None:
            seconds = step * rng.integers(HALF_DAY // step, size=count) + rng.integers(60, size=count) * red
            if len(set(seconds.tolist())) < count:
                return None
            turns = rng.integers(1, 12, count) * turned
            rims = [RIMS[k % len(RIMS)] for k in rng.permutation(count).tolist()]
            clocks = tuple(map(Clock, seconds.tolist(), turns.tolist(), rims))
            which = tuple(sorted(rng.permutation(count)[:asked].tolist()))
            return Asked(Wall(clocks, which, bool(settings["numerals"]) and not turned, turned, red))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Wall]) -> int:
        return 1

    def public(self, state: Asked[Wall]) -> Wall:
        return state.question

    def view(self, public: Wall, pixels: int = 448) -> View:
        kind = _answer(public.asked, public.red)
        canvas = _draw(public, pixels) if pixels else None
        names = ", ".join(LETTERS[k] for k in public.asked)
        order = sorted(range(len(public.clocks)), key=lambda k: public.clocks[k].seconds)
        dials = "numerals 12 3 6 9" if public.numerals else "no numerals, a mark at 12"
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"Tell the time on {names}{TURNED * public.turned}. {kind.describe()}",
            rules=RULES + SECONDS * public.red,
            hint=HINT,
            state=f"Counted from 12, early to late: {' '.join(LETTERS[k] for k in order)}.",
            caption=f"Dials with {dials}. In sixtieths clockwise from the top: {'; '.join(_told(public))}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Wall], action: tuple[int, ...]) -> Step[Asked[Wall]]:
        wall = state.question
        size = 3 if wall.red else 2
        events: list[str] = []
        right = 0
        for place, k in enumerate(wall.asked):
            said, true = action[place * size : (place + 1) * size], wall.parts(k)
            right += said == true
            if said == true:
                events.append("value_ok")
                continue
            events.append("value_off")
            if said[1:] == true[1:]:
                events.append("scale_misread")
            elif said in map(wall.parts, range(len(wall.clocks))):
                events.append("series_confused")
        return scored(Asked(wall, answered=True), right, len(wall.asked), events)

    def solve(self, state: Asked[Wall]) -> Sequence[str] | None:
        if state.answered:
            return ()
        wall = state.question
        return [_answer(wall.asked, wall.red).format(tuple(part for k in wall.asked for part in wall.parts(k)))]

    def problem(self, state: Asked[Wall]) -> bytes:
        """Return the times and turns of the clocks, wherever they hang."""
        wall = state.question
        shown = sorted((k in wall.asked, clock.seconds, clock.turn) for k, clock in enumerate(wall.clocks))
        return repr((shown, wall.numerals, wall.red)).encode()


def _told(wall: Wall) -> Iterator[str]:
    """Yield where the hands of each clock point."""
    for letter, clock in zip(LETTERS, wall.clocks, strict=False):
        short, long, red = clock.hands
        mark = f" mark {5 * clock.turn}" * wall.turned
        yield f"{letter}{mark} short {short:g} long {long:g}" + f" red {red}" * wall.red


def _draw(wall: Wall, pixels: int) -> Canvas:
    columns = ceil(sqrt(len(wall.clocks)))
    size = pixels // columns
    canvas = Canvas(columns * size, ceil(len(wall.clocks) / columns) * size)
    for k, clock in enumerate(wall.clocks):
        left, top = k % columns * size, k // columns * size
        tile = Canvas(1, 1)
        tile.pixels = canvas.pixels[top : top + size, left : left + size]
        tile.pixels[...] = _dial(size, clock.turn, clock.rim, wall.numerals)
        short, long, red = clock.hands
        _hand(tile, short, 0.24, 0.042, "ink")
        _hand(tile, long, 0.375, 0.024, "ink")
        if wall.red:
            _hand(tile, red, 0.4, 0.012, "red")
        tile.shape("circle", (size / 2, size / 2), max(3, round(0.06 * size)), "red" if wall.red else "ink")
        letter = tile.text(LETTERS[k], (0.075 * size, 0.085 * size), _glyph(size))
        canvas.element(LETTERS[k], (left, top, left + size, top + size), glyph=letter[3] - letter[1])
    return canvas


def _glyph(size: int) -> int:
    return max(6, size // 14)


def _hand(tile: Canvas, place: float, length: float, thickness: float, colour: str) -> None:
    """Draw a hand with a short tail; its length and thickness are shares of the tile."""
    size = tile.pixels.shape[0]
    x, y = (length * size * turn(pi * place / 30) for turn in (sin, cos))
    middle = size / 2
    tile.segments([(middle - 0.2 * x, middle + 0.2 * y, middle + x, middle - y)], max(1.6, thickness * size), colour)


@lru_cache(maxsize=512)
def _dial(size: int, turn: int, rim: str, numerals: bool) -> Pixels:
    """Draw a dial without hands: a rim, a white face, sixty ticks, and numerals or the mark at 12."""
    canvas = Canvas(size, size)
    middle = size / 2
    canvas.shape("circle", (middle, middle), round(0.95 * size), rim)
    canvas.shape("circle", (middle, middle), round(0.88 * size), "white")

    def at(place: float, radius: float) -> tuple[float, float]:
        return middle + radius * size * sin(pi * place / 30), middle - radius * size * cos(pi * place / 30)

    if size >= 100:  # below, sixty ticks run into one another
        canvas.segments([(*at(k, 0.395), *at(k, 0.425)) for k in range(60)], max(1.0, size / 150), "grey")
    canvas.segments([(*at(k, 0.365), *at(k, 0.425)) for k in range(0, 60, 5)], max(1.6, size / 60), "slate")
    if numerals:
        for hour in (12, 3, 6, 9):
            canvas.text(str(hour), at(5 * hour, 0.29), max(6, size // 12), "slate")
    else:
        canvas.shape("circle", at(5 * turn, 0.395), max(5, round(0.09 * size)), "orange", edge="brown")
    canvas.pixels.setflags(write=False)
    return canvas.pixels


@lru_cache(maxsize=512)
def _answer(asked: tuple[int, ...], red: bool) -> Record:
    parts = list(FIELDS.items())[: 3 if red else 2]
    return Record(tuple((f"{LETTERS[k]} {name}", kind) for k in asked for name, kind in parts))


environment = ClockTimes()
