"""Pie shares: tell the shares in per cent of some slices of a pie or a ring, and of two slices together.

Nothing is written on the slices: a reader compares them with a quarter, a half, and one another. Easy pies begin at the
top with the largest slice; hard ones have their slices in any order, begin anywhere, and leave the middle out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palaestra.core.answer import Integer, Record
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.charts import _axes
from palaestra.envs.kit import masks, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.palette import LEVELS, colour
from palaestra.envs.kit.parts import Asked, scored

NAMES = ("Ash", "Elm", "Fir", "Lime", "Oak", "Palm", "Pine", "Teak", "Yew")
COLOURS = ("blue", "orange", "green", "red", "teal", "yellow", "navy", "wine", "slate")  # also for the colour-blind
LEAST = 4  # per cent of a slice, so that small ones stay visible
FINE = 36  # steps of the circle in one per cent

RULES = "All slices together are 100 per cent. All shares must be near enough."
HINT = "Compare a slice with a quarter and a half of the circle; then see that all shares add up."


class Slice(NamedTuple):
    """One slice: its name, its colour and its share in per cent."""

    name: str
    colour: str
    share: int


@dataclass(frozen=True, slots=True)
class Pie:
    """One question: the slices clockwise from a place `start` (steps from the top), and the groups of slices whose
    shares are asked for."""

    slices: tuple[Slice, ...]
    start: int
    ring: bool
    asked: tuple[tuple[int, ...], ...]
    tolerance: int

    def label(self, group: Sequence[int]) -> str:
        """Return what slices that are asked for together are called."""
        return " and ".join(self.slices[k].name for k in group)

    @property
    def truth(self) -> tuple[int, ...]:
        """The shares asked for."""
        return tuple(sum(self.slices[k].share for k in group) for group in self.asked)

    @property
    def said(self) -> str:
        """The slices as captions and scenes name them."""
        return ", ".join(f"{name} {share}" for name, _, share in self.slices)


class PieShares:
    """The environment."""

    spec = EnvSpec(
        id="charts/pie_shares",
        version=1,
        title="Pie shares",
        horizon=1,
        scales=(
            {"slices": 4, "single": 2, "sums": 0, "tolerance": 5, "plain": 1, "ring": 0},
            {"slices": 5, "single": 3, "sums": 0, "tolerance": 5, "plain": 1, "ring": 0},
            {"slices": 6, "single": 3, "sums": 0, "tolerance": 4, "plain": 0, "ring": 0},
            {"slices": 7, "single": 2, "sums": 1, "tolerance": 4, "plain": 0, "ring": 1},
            {"slices": 8, "single": 3, "sums": 1, "tolerance": 3, "plain": 0, "ring": 1},
            {"slices": 9, "single": 3, "sums": 2, "tolerance": 2, "plain": 0, "ring": 1},
        ),
        knobs=(
            Knob("slices", 3, 9, "slices, told apart by colours and a legend"),
            Knob("single", 1, 3, "slices whose shares are asked for"),
            Knob("sums", 0, 2, "pairs of other slices whose shares together are asked for; no more than there are"),
            Knob("tolerance", 1, 8, "largest error allowed, in per cent of the whole"),
            Knob("plain", 0, 1, "whether slices begin at the top with the largest and get smaller"),
            Knob("ring", 0, 1, "whether the middle is left out"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "continuous"}),
    )

    def reset(self, instance: Instance) -> Asked[Pie]:
        settings = self.spec.settings(instance)
        count, single, sums, tolerance = (int(settings[name]) for name in ("slices", "single", "sums", "tolerance"))
        plain = bool(settings["plain"])

        def propose(rng: np.random.Generator) -> Asked[Pie]:
            cuts = np.sort(rng.permutation(100 - (LEAST - 1) * count - 1)[: count - 1] + 1)
            shares = np.diff(cuts, prepend=0, append=100 - (LEAST - 1) * count) + LEAST - 1
            names, colours = (rng.permutation(len(NAMES))[:count].tolist() for _ in range(2))
            ordered = sorted(shares.tolist(), reverse=True) if plain else shares.tolist()
            slices = [Slice(NAMES[n], COLOURS[c], s) for n, c, s in zip(names, colours, ordered, strict=True)]
            order = rng.permutation(count).tolist()
            alone = sorted(order[:single])
            pairs = zip(order[single::2], order[single + 1 :: 2], strict=False)
            together = sorted(tuple(sorted(pair)) for pair in pairs)[:sums]
            return Asked(
                Pie(
                    slices=tuple(slices),
                    start=0 if plain else int(rng.integers(100 * FINE)),
                    ring=bool(settings["ring"]),
                    asked=(*((k,) for k in alone), *together),
                    tolerance=tolerance,
                )
            )

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Pie]) -> int:
        return 1

    def public(self, state: Asked[Pie]) -> Pie:
        return state.question

    def view(self, public: Pie, pixels: int = 448) -> View:
        kind = _answer(public)
        canvas = _draw(public, pixels) if pixels else None
        ordered = sorted(public.slices, key=lambda slice_: (slice_.share, slice_.name))
        legend = [f"{name} is {colour}" for name, colour, _ in sorted(public.slices)]
        return View(
            answer=kind,
            image=canvas.picture() if canvas else None,
            task=f"Tell these shares in per cent, each to within {public.tolerance}. {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"From small to large: {', '.join(slice_.name for slice_ in ordered)}.",
            caption=f"{'. '.join(legend)}. Clockwise: {public.said}.",
            scene=tuple(canvas.elements) if canvas else (),
        )

    def step(self, state: Asked[Pie], action: tuple[int, ...]) -> Step[Asked[Pie]]:
        pie, events, right = state.question, [], 0
        for said, true, group in zip(action, pie.truth, pie.asked, strict=True):
            error, thing = abs(said - true), "sum" if len(group) > 1 else "value"
            right += error <= pie.tolerance
            events.append(f"{thing}_ok" if error <= pie.tolerance else f"{thing}_off")
            events += ["value_near"] if pie.tolerance < error < 2 * pie.tolerance else []
        return scored(Asked(pie, answered=True), right, len(action), events)

    def solve(self, state: Asked[Pie]) -> Sequence[str] | None:
        return () if state.answered else [_answer(state.question).format(state.question.truth)]

    def problem(self, state: Asked[Pie]) -> bytes:
        """Return the shares and what is asked, however the pie is turned or reflected."""
        pie, count = state.question, len(state.question.slices)
        shares = [slice_.share for slice_ in pie.slices]
        orders = [[(first + way * k) % count for k in range(count)] for first in range(count) for way in (1, -1)]
        least = min(
            ([shares[k] for k in order], sorted(sorted(map(order.index, group)) for group in pie.asked))
            for order in orders
        )
        return repr((least, pie.tolerance)).encode()


def _draw(pie: Pie, pixels: int) -> Canvas:
    """Draw slices as a table of colours over the angle; soft lines of ground lie where two of them meet."""
    glyph = max(7, pixels // 32)
    line, margin = max(1, pixels // 220), max(3, glyph // 2)
    size = pixels - round(4.7 * glyph) - 3 * margin
    canvas = Canvas(pixels, size + 2 * margin)
    colours = np.repeat([colour(s.colour) for s in pie.slices], [FINE * s.share for s in pie.slices]).astype(np.uint8)
    whole = (margin, margin, margin + size, margin + size)
    inside = canvas.pixels[margin : margin + size, margin : margin + size]
    inside[...] = np.roll(colours, pie.start)[_angles(size)]
    turns = 2 * np.pi * (pie.start / FINE + np.cumsum([s.share for s in pie.slices])) / 100
    ends = (size / 2 * np.stack([1 + np.sin(turns), 1 - np.cos(turns)], axis=1)).round(2).tolist()
    edges = [(size / 2, size / 2, x, y) for x, y in ends]
    canvas.stamp(masks.segments(size, size, edges, max(1.0, pixels / 150)), margin, margin, "paper")
    canvas.stamp(_around(size), margin, margin, "paper")
    if pie.ring:
        canvas.shape("circle", (margin + size / 2, margin + size / 2), round(0.5 * size), "paper")
    canvas.element(pie.said, whole)
    apart = min(round(1.9 * glyph), size // len(pie.slices))
    left, top = whole[2] + margin + line, margin + (size - apart * len(pie.slices)) // 2
    for k, (name, fill, _) in enumerate(sorted(pie.slices)):
        _axes.entry(canvas, name, fill, (left, top + k * apart), glyph, line)
    return canvas


@lru_cache(maxsize=16)
def _angles(size: int) -> NDArray[np.intp]:
    """Return the angle [size, size] of every pixel, clockwise from the top, in steps."""
    middle = np.arange(size) + 0.5 - size / 2
    turns = np.arctan2(middle[None, :], -middle[:, None]) / (2 * np.pi) % 1
    steps: NDArray[np.intp] = (turns * 100 * FINE).astype(np.intp)
    return steps % (100 * FINE)


@lru_cache(maxsize=16)
def _around(size: int) -> masks.Mask:
    """Return what a circle leaves over of its square."""
    disc = masks.shape("circle", size)
    outside: Pixels = np.where(disc.full, 0, LEVELS).astype(np.uint8)
    outside[disc.rows, disc.columns] -= disc.levels
    return masks.Mask.of(outside)


def _answer(pie: Pie) -> Record:
    return _kind(tuple(map(pie.label, pie.asked)))


@lru_cache(maxsize=512)
def _kind(names: tuple[str, ...]) -> Record:
    return Record(tuple((name, Integer(0, 100)) for name in names))


environment = PieShares()
