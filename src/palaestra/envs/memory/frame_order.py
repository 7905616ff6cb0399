"""Frame order: the frames of a film come mixed up, one a turn, and their true order must be told at the end.

One thing in them goes one way only: a tower grows, a candle burns down, a jug fills, the sun crosses the sky. Other
things come and go. A film of several days has two such things: one changes from day to day, and every day has its sun.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import pi, sin

import numpy as np

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.memory._frames import NEXT, scored

LETTERS = "ABCDEFGHIJ"
THINGS = {
    "tower": "the tower grows",
    "candle": "the candle burns down",
    "jug": "the jug fills",
    "sun": "the sun goes from left to right",
}
"""What may be in a frame, and which way it goes."""

TASK = "The frames of a film were mixed up. In it {}. Tell their letters from first to last."
DAYS = "{} from day to day, and every day {}"
RULES = "The letters say nothing about the order."
OTHERS = "What the task does not name follows no order."
HINT = "Insert every new frame among those you know already."


@dataclass(frozen=True, slots=True)
class Film:
    """Frames of which those up to `at` were shown (the public part holds no others), and whether it was answered.

    `values` holds for each frame how far each thing is, from 1 to `levels`; the first `keys` things tell the order.
    """

    things: tuple[str, ...]
    days: int
    levels: int
    total: int
    values: tuple[tuple[int, ...], ...]
    at: int = 0
    answered: bool = False

    @property
    def keys(self) -> int:
        """How many things tell the order."""
        return 1 if self.days == 1 else 2

    def names(self, frame: int) -> list[str]:
        """Return what a frame shows, such as "tower 3"."""
        return [f"{thing} {value}" for thing, value in zip(self.things, self.values[frame], strict=True)]

    def order(self, first: int, last: int) -> tuple[str, ...]:
        """Return the letters of the frames in the order in which some of the things put them."""

        def passed(frame: int) -> list[int]:
            pairs = list(zip(self.things, self.values[frame], strict=True))
            return [-value if thing == "candle" else value for thing, value in pairs[first:last]]

        return tuple(LETTERS[frame] for frame in sorted(range(len(self.values)), key=passed))


class FrameOrder:
    """The environment."""

    spec = EnvSpec(
        id="memory/frame_order",
        version=1,
        title="Frame order",
        horizon=10,
        scales=(
            {"frames": 5, "things": 1, "levels": 8, "days": 1},
            {"frames": 6, "things": 1, "levels": 10, "days": 1},
            {"frames": 6, "things": 2, "levels": 10, "days": 1},
            {"frames": 7, "things": 2, "levels": 10, "days": 2},
            {"frames": 8, "things": 3, "levels": 12, "days": 3},
            {"frames": 9, "things": 4, "levels": 12, "days": 3},
        ),
        knobs=(
            Knob("frames", 4, 10, "frames of the film"),
            Knob("things", 1, 4, "things in every frame; a film of several days has two at least"),
            Knob("levels", 10, 14, "how many different states a thing may be in"),
            Knob("days", 1, 4, "days that the film takes"),
        ),
        memory=10,
        clairvoyant=True,
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "hidden"}),
    )

    def reset(self, instance: Instance) -> Film:
        settings = self.spec.settings(instance)
        frames, count, levels, days = (int(settings[name]) for name in ("frames", "things", "levels", "days"))

        def propose(rng: np.random.Generator) -> Film | None:
            things = [list(THINGS)[k] for k in rng.permutation(len(THINGS)).tolist()]
            if days > 1:
                things.remove("sun")
                things.insert(1, "sun")
            del things[max(2 if days > 1 else 1, count) :]
            if things == ["sun"]:  # it needs something to shine on
                return None
            return _filmed(rng, Film(tuple(things), days, max(levels, frames), frames, ()))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Film) -> int:
        return state.total

    def public(self, state: Film) -> Film:
        return replace(state, values=state.values[: state.at + 1])

    def view(self, public: Film, pixels: int = 448) -> View:
        kind = _answer(public.total) if len(public.values) == public.total else NEXT
        clauses = [THINGS[thing] for thing in public.things[: public.keys]]
        letter, names = LETTERS[public.at], public.names(public.at)
        canvas = _draw(public, letter, names, pixels) if pixels else None
        known = [f"{LETTERS[frame]} {', '.join(public.names(frame)[: public.keys])}" for frame in range(public.at)]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"{TASK.format(clauses[0] if len(clauses) == 1 else DAYS.format(*clauses))} {kind.describe()}",
            rules=RULES if public.keys == len(public.things) else f"{RULES} {OTHERS}",
            hint=HINT,
            state=f"Frames before: {'; '.join(known) or 'none'}.",
            caption=f"Frame {letter} of {public.total}: {', '.join(sorted(names))}. All go from 1 to {public.levels}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Film, action: str | tuple[str, ...]) -> Step[Film]:
        if state.at < state.total - 1:
            return Step(replace(state, at=state.at + 1), events=("unseen_explored",))
        if len(set(action)) < state.total:
            return Step(state, legal=False, events=("action_illegal",))
        true = state.order(0, state.keys)
        right = [said == letter for said, letter in zip(action, true, strict=True)]
        events = ["order_right" if ok else "order_wrong" for ok in right]
        wrong = [place for place, ok in enumerate(right) if not ok]
        if len(wrong) == 2 and wrong[1] - wrong[0] == 1:
            events.append("order_adjacent_swapped")
        if any(action == state.order(k, k + 1) != true for k in range(len(state.things))):
            events.append("series_confused")
        return scored(replace(state, answered=True), right, events)

    def solve(self, state: Film) -> Sequence[str] | None:
        if state.answered:
            return ()
        return [NEXT.options[0]] * (state.total - 1 - state.at) + [_reply(state)]

    def guide(self, public: Film) -> str | None:
        """Return the order, once the last frame is shown."""
        return _reply(public) if len(public.values) == public.total else NEXT.options[0]

    def reseal(self, state: Film, seed: int) -> Film:
        """Return the film with other frames to come."""
        rng = np.random.default_rng(seed)
        while (film := _filmed(rng, self.public(state))) is None:
            pass
        return film

    def problem(self, state: Film) -> bytes:
        """Return how far things are in every frame, whatever they are; things that do not count have no order."""
        columns = [
            [state.levels + 1 - value if thing == "candle" else value for value in column]
            for thing, column in zip(state.things, zip(*state.values, strict=True), strict=True)
        ]
        return repr((columns[: state.keys], sorted(columns[state.keys :]))).encode()


def _filmed(rng: np.random.Generator, film: Film) -> Film | None:
    """Return a film with all its frames, the first ones being its own; None when a thing beside the keys tells it."""
    seen = list(zip(*film.values, strict=True)) or [()] * len(film.things)
    kinds = [film.days if k < film.keys - 1 else film.total for k in range(len(film.things))]
    columns = [_column(rng, film.levels, each, film.total, known) for each, known in zip(kinds, seen, strict=True)]
    film = replace(film, values=tuple(zip(*columns, strict=True)))
    true = film.order(0, film.keys)
    followed = any(film.order(k, k + 1) in (true, true[::-1]) for k in range(film.keys, len(film.things)))
    return None if followed else film


def _column(rng: np.random.Generator, levels: int, kinds: int, total: int, seen: Sequence[int]) -> list[int]:
    """Return values that begin with those seen: so many different ones, each as often as another or once more."""
    known = Counter(seen)
    while True:
        fresh = [value for value in (1 + rng.permutation(levels)).tolist() if value not in known]
        drawn = Counter(np.resize(rng.permutation([*known, *fresh[: kinds - len(known)]]), total).tolist())
        if known <= drawn:
            return [*seen, *rng.permutation([*(drawn - known).elements()]).tolist()]


@lru_cache(maxsize=16)
def _answer(frames: int) -> answer.Sequence:
    return answer.Sequence(tuple(LETTERS[:frames]), shortest=frames, longest=frames)


def _reply(film: Film) -> str:
    return _answer(film.total).format(film.order(0, film.keys))


def _draw(film: Film, letter: str, names: Sequence[str], pixels: int) -> Canvas:
    """Return a print: the sky with its sun, the things below side by side, and the letter on the margin."""
    high, sky, margin, glyph = round(0.82 * pixels), round(0.28 * pixels), round(0.14 * pixels), max(7, pixels // 14)
    canvas = Canvas(pixels, high + margin, "paper")
    grounded = sorted(name for name in names if not name.startswith("sun"))
    top = sky if len(grounded) < len(names) else 0
    edges = [round(k * pixels / len(grounded)) for k in range(len(grounded) + 1)]
    boxes = {name: (edges[k], top, edges[k + 1], high) for k, name in enumerate(grounded)}
    boxes |= {name: (0, 0, pixels, sky) for name in names if name not in boxes}
    for name, box in boxes.items():
        left, upper, right, lower = box
        canvas.pixels[upper:lower, left:right] = _tile(name, film.levels, right - left, lower - upper)
        canvas.element(name, box)
    canvas.element(letter, canvas.text(letter, (pixels / 2, high + margin / 2), glyph), glyph=glyph)
    return canvas


@lru_cache(maxsize=1024)
def _tile(name: str, levels: int, width: int, height: int) -> Pixels:
    """Return a thing in one of its states: on a meadow, or in the sky."""
    thing, _, value = name.partition(" ")
    canvas = Canvas(width, height, "sky")
    if thing == "sun":
        _sun(canvas, int(value), levels)
        return canvas.pixels
    floor = round(0.9 * height)
    canvas.rectangle((0, floor, width, height), "grass")
    draw = {"tower": _tower, "candle": _candle, "jug": _jug}[thing]
    draw(canvas, [round(floor - 0.8 * height * step / levels) for step in range(levels + 1)], int(value))
    return canvas.pixels


def _bar(canvas: Canvas, share: float, bottom: int, top: int, fill: str) -> None:
    """Fill a bar in the middle that is as wide as a share of the canvas, or of its height where that is less."""
    height, width = canvas.pixels.shape
    half = max(2, round(share * min(width, height) / 2))
    canvas.rectangle((width // 2 - half, top, width // 2 + half, bottom), fill)


def _tower(canvas: Canvas, steps: Sequence[int], value: int) -> None:
    for step in range(value):
        _bar(canvas, 0.44, steps[step], steps[step + 1], "ink")
        _bar(canvas, 0.42, steps[step] - 1, steps[step + 1] + 1, "orange" if step % 2 else "gold")


def _candle(canvas: Canvas, steps: Sequence[int], value: int) -> None:
    height, width = canvas.pixels.shape
    _bar(canvas, 0.44, steps[0] + height // 20, steps[0], "slate")
    for step in range(value):
        _bar(canvas, 0.18, steps[step], steps[step + 1], "wine" if step % 2 else "red")
    flame = max(4, height // 12)
    canvas.shape("diamond", (width / 2, steps[value] - flame / 2), flame, "yellow", edge="orange")


def _jug(canvas: Canvas, steps: Sequence[int], value: int) -> None:
    line = max(1, canvas.pixels.shape[0] // 80)
    _bar(canvas, 0.56, steps[0], steps[-1] - 2 * line, "slate")
    _bar(canvas, 0.52, steps[0] - line, steps[-1] - 2 * line, "white")
    _bar(canvas, 0.52, steps[0] - line, steps[value], "blue")
    for step in steps[1:-1]:
        _bar(canvas, 0.16, step + line, step, "ice" if step > steps[value] else "grey")


def _sun(canvas: Canvas, value: int, levels: int) -> None:
    """Draw the sun at one of the dots that mark its way."""
    height, width = canvas.pixels.shape
    size = round(min(0.4 * height, 0.9 * width / levels))
    for step in range(1, levels + 1):
        way = (step - 0.5) / levels
        place = (way * width, height * (0.75 - 0.5 * sin(pi * way)))
        if step == value:
            canvas.shape("circle", place, size, "yellow", edge="orange")
        else:
            canvas.shape("circle", place, max(2, size // 6), "grey")


environment = FrameOrder()
