"""What charts share: a plot between two axes with ticks, lines across and labels, and a legend above it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from palaestra.core.observation import Element
from palaestra.envs.kit import masks
from palaestra.envs.kit.canvas import Box, Canvas, Pixels
from palaestra.envs.kit.palette import LEVELS

COLOURS = ("blue", "orange", "green", "red", "purple", "teal")
"""Colours of series, told apart also when thin."""

MARKS = ("circle", "square", "triangle", "diamond", "cross")
"""Shapes of the points of series, which tell them apart where colours do not."""


class Axes(NamedTuple):
    """Drawn axes, where the plot lies between them, the height of letters and the width of lines."""

    pixels: Pixels
    elements: tuple[Element, ...]
    plot: Box
    glyph: int
    line: int

    def canvas(self) -> Canvas:
        """Return a drawing that begins with the axes."""
        canvas = Canvas(1, 1)
        canvas.pixels, canvas.elements = self.pixels.copy(), list(self.elements)
        return canvas

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the place in pixels of two shares of the axes."""
        left, top, right, bottom = self.plot
        return left + x * (right - left), bottom - y * (bottom - top)


@lru_cache(maxsize=128)
def axes(upwards: Sequence[str], along: Sequence[str], pixels: int, legend: bool, lined: bool, ticked: bool) -> Axes:
    """Draw axes.

    Args:
        upwards: labels of the ticks at the left, from the lowest.
        along: labels below, from the left.
        pixels: width and height of the picture.
        legend: whether room is left for one.
        lined: whether lines go across, and up, at the ticks.
        ticked: whether the labels below stand at ticks from end to end, not in the middles of equal columns.
    """
    canvas = Canvas(pixels, pixels)
    glyph, line = max(7, pixels // 32), max(1, pixels // 220)
    left = round(glyph * (1 + 0.75 * max(map(len, upwards)))) + 2 * line
    top, bottom = glyph * (3 if legend else 1), pixels - 2 * glyph
    right = pixels - round(0.4 * glyph * len(along[-1])) - line if ticked else pixels - 2 * line
    places = [
        left + (right - left) * (k / (len(along) - 1) if ticked else (k + 0.5) / len(along)) for k in range(len(along))
    ]
    for end in map(round, places if ticked else ()):
        canvas.rectangle((end - line, top if lined else bottom, end, bottom), "silver")
        canvas.rectangle((end - line, bottom, end, bottom + glyph // 3), "slate")
    for k, label in enumerate(upwards):
        y = bottom - round((bottom - top) * k / (len(upwards) - 1))
        canvas.rectangle((left, y, right if lined else left, y + line), "silver")
        canvas.rectangle((left - glyph // 3, y, left, y + line), "slate")
        middle = left - 0.6 * glyph - 0.36 * glyph * len(label)
        canvas.element(label, canvas.text(label, (middle, y), glyph), glyph=glyph)
    canvas.rectangle((left, bottom, right, bottom + line), "slate")
    canvas.rectangle((left - line, top, left, bottom + line), "slate")
    for x, label in zip(places, along, strict=True):
        canvas.element(label, canvas.text(label, (x, bottom + glyph), glyph), glyph=glyph)
    canvas.pixels.setflags(write=False)
    return Axes(canvas.pixels, tuple(canvas.elements), (left, top, right, bottom), glyph, line)


def entry(canvas: Canvas, name: str, fill: str, place: tuple[int, int], glyph: int, line: int, mark: str = "") -> None:
    """Draw an entry of a legend at its left top: a patch or a mark, whose box holds a line's width of ground, and a
    name."""
    x, y = place
    if mark:
        canvas.shape(mark, (x + glyph / 2, y + glyph / 2), glyph, fill)
    else:
        canvas.rectangle((x, y, x + glyph, y + glyph), fill)
    canvas.element(fill, (x - line, y - line, x + glyph, y + glyph))
    middle = (x + 1.5 * glyph + masks.text(name, glyph).width / 2, y + glyph / 2)
    canvas.element(name, canvas.text(name, middle, glyph), glyph=glyph)


def key(
    canvas: Canvas, drawn: Axes, names: Sequence[str], colours: Sequence[str], marks: Sequence[str] = ("",) * 8
) -> None:
    """Draw a legend above a plot, to the right."""
    glyph, right = drawn.glyph, drawn.plot[2]
    apart = min(round((3.4 + 0.72 * max(map(len, names))) * glyph), right // len(names))
    for k, (name, colour, mark) in enumerate(zip(names, colours, marks, strict=False)):
        entry(canvas, name, colour, (right - apart * (len(names) - k), glyph // 2), glyph, drawn.line, mark)


def polyline(canvas: Canvas, points: Sequence[tuple[float, float]], thickness: float, fill: str) -> None:
    """Draw straight lines from point to point, each further to the right, as soft as their distance says."""
    xs, ys = np.array(points, np.float32).T
    columns = np.arange(int(xs[0]), int(xs[-1]) + 1, dtype=np.float32) + 0.5
    piece = np.searchsorted(xs[1:-1], columns)
    slopes = np.diff(ys) / np.diff(xs)
    level = 1 / np.hypot(1, slopes)[piece]  # turns a distance upwards into one across the line
    top = int(ys.min() - thickness)
    rows = np.arange(top, int(ys.max() + thickness) + 2, dtype=np.float32)[:, None] + 0.5
    away = np.abs(rows - np.interp(columns, xs, ys).astype(np.float32)) * level
    coverage = ((thickness / 2 + 0.5 - away) * LEVELS + 0.5).clip(0, LEVELS).astype(np.uint8)
    canvas.stamp(masks.Mask.of(coverage), int(xs[0]), top, fill)
