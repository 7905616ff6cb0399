"""Where a picture is made: pixels and scene together, native at the asked size.

Whatever is drawn to be seen is also named with `element`, so that tests can check overlap, clipping, contrast and the
smallest letter, and hold the scene against the caption.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from palaestra.core.errors import EnvironmentFailed
from palaestra.core.observation import Element, Picture
from palaestra.envs.kit import masks
from palaestra.envs.kit.palette import PALETTE, blend, colour

Box = tuple[int, int, int, int]


_SMALLEST_RIMMED = 4  # pixels

Pixels = NDArray[np.uint8]
"""Palette indices [height, width]."""


class Canvas:
    """A drawing in progress: `pixels` [height, width] of palette indices, and the elements named so far."""

    def __init__(self, width: int, height: int, ground: str = "paper") -> None:
        if width < 1 or height < 1:
            raise EnvironmentFailed(f"a picture of {width} x {height} pixels cannot be drawn; ask for a larger one")
        self.pixels: Pixels = np.full((height, width), colour(ground), np.uint8)
        self.elements: list[Element] = []

    def element(self, name: str, box: Box, cell: tuple[int, int] | None = None, glyph: int = 0) -> None:
        """Name something that was drawn in a box (left, top, right, bottom)."""
        self.elements.append(Element(name, cell, box, glyph))

    def rectangle(self, box: Box, fill: str) -> None:
        """Fill a box with one colour."""
        left, top, right, bottom = (max(0, v) for v in box)
        self.pixels[top:bottom, left:right] = colour(fill)

    def stamp(self, mask: masks.Mask, left: int, top: int, fill: str, inside: Pixels | None = None) -> Box:
        """Lay a colour over the ground wherever a mask covers it; return the box of the whole mask.

        `inside` [height, width] are the pixels to lay where the mask covers whole pixels, instead of the one colour.
        """
        height, width = self.pixels.shape
        box = (left, top, left + mask.width, top + mask.height)
        if left < 0 or top < 0 or box[2] > width or box[3] > height:
            part = (max(0, -left), max(0, -top), max(0, width - left), max(0, height - top))
            mask = mask.cut(*part)
            inside = None if inside is None else inside[part[1] : part[3], part[0] : part[2]]
        ground = self.pixels[max(0, top) : max(0, box[3]), max(0, left) : max(0, box[2])]
        soft = mask.rows, mask.columns
        ground[soft] = blend(fill)[mask.levels, ground[soft]]
        np.copyto(ground, colour(fill) if inside is None else inside, where=mask.full)
        return box

    def shape(
        self,
        name: str,
        centre: tuple[float, float],
        size: int,
        fill: str,
        edge: str = "",
        label: str = "",
        height: int = 0,
        ink: str = "ink",
    ) -> Box:
        """Draw a named shape of a size in pixels around a centre (x, y).

        It gets a rim when `edge` is a colour and there is room, and a label with capitals of a height in pixels.
        """
        edge = edge if size > _SMALLEST_RIMMED else ""
        left, top = round(centre[0] - size / 2), round(centre[1] - size / 2)
        inside = _inside(name, size, fill, edge, label, height, ink) if edge or label else None
        return self.stamp(masks.shape(name, size), left, top, edge or fill, inside)

    def text(self, label: str, centre: tuple[float, float], height: int, fill: str = "ink") -> Box:
        """Write a label with capitals of a height in pixels around a centre (x, y)."""
        mask = masks.text(label, height)
        return self.stamp(mask, round(centre[0] - mask.width / 2), round(centre[1] - mask.height / 2), fill)

    def segments(self, lines: Sequence[tuple[float, float, float, float]], thickness: float, fill: str) -> None:
        """Draw straight lines (x0, y0, x1, y1) of one thickness and colour."""
        height, width = self.pixels.shape
        self.stamp(masks.segments(width, height, lines, thickness), 0, 0, fill)

    def picture(self) -> Picture:
        """Return what was drawn; it can be drawn on no more."""
        self.pixels.setflags(write=False)
        return Picture(self.pixels, PALETTE)


@lru_cache(maxsize=4096)
def _inside(name: str, size: int, fill: str, edge: str, label: str, height: int, ink: str) -> Pixels:
    """Return what a shape shows inside its outline, so that rim, filling and label are laid at once."""
    canvas = Canvas(size, size, edge or fill)
    if edge:
        canvas.stamp(masks.shape(name, size, max(1, size // 18)), 0, 0, fill)
    if label:
        canvas.text(label, (size / 2, size / 2), height, ink)
    return canvas.pixels
