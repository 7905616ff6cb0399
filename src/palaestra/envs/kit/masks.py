"""Shapes and text as coverage masks in quarters of a pixel, rasterised once and cached: single labels, never whole
boards."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from palaestra.core.errors import EnvironmentFailed
from palaestra.envs.kit.palette import LEVELS

Points = Sequence[tuple[float, float]]

_FINE = 2  # supersampling of lines in each direction: 2 x 2 subpixels are the four quarters exactly
_FINEST = 8  # of cached shapes: the rounding of corners then stays below what an eye or a test of symmetry sees
_FULL = 32 * LEVELS  # drawn with this value, an average of subpixels shifted right by 5 is the coverage


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """What a shape covers: `full` [height, width] where it covers whole pixels, and its soft pixels one by one."""

    full: NDArray[np.bool_]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    levels: NDArray[np.uint8]

    @staticmethod
    def of(coverage: NDArray[np.uint8]) -> "Mask":
        """Return the mask of a coverage array [height, width] of 0 .. 4."""
        full = coverage >= LEVELS
        soft = np.flatnonzero((coverage > 0) & ~full)  # several times faster than a nonzero in two dimensions
        rows, columns = np.divmod(soft, full.shape[1])
        return Mask(full, rows, columns, coverage.ravel()[soft])

    @property
    def height(self) -> int:
        """Rows of pixels."""
        return int(self.full.shape[0])

    @property
    def width(self) -> int:
        """Columns of pixels."""
        return int(self.full.shape[1])

    def cut(self, left: int, top: int, right: int, bottom: int) -> "Mask":
        """Return the part of the mask inside a box in its own pixels."""
        inside = (self.rows >= top) & (self.rows < bottom) & (self.columns >= left) & (self.columns < right)
        return Mask(
            self.full[top:bottom, left:right], self.rows[inside] - top, self.columns[inside] - left, self.levels[inside]
        )


def _polygon(corners: int, radius: float = 1.0, turn: float = -0.25, inner: float | None = None) -> Points:
    """Return a regular polygon, or a star when an inner radius is given, in the square -1 .. 1."""
    count = corners * (1 if inner is None else 2)
    radii = [radius if inner is None or k % 2 == 0 else inner for k in range(count)]
    angles = [2 * pi * (k / count + turn) for k in range(count)]
    return [(r * cos(a), r * sin(a)) for r, a in zip(radii, angles, strict=True)]


_SHAPES: dict[str, Points | None] = {
    "circle": None,
    "square": [(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)],
    "triangle": [(0, -0.95), (0.98, 0.85), (-0.98, 0.85)],
    "diamond": [(0, -1), (0.8, 0), (0, 1), (-0.8, 0)],
    "star": _polygon(5, 1.0, inner=0.42),
    "hexagon": _polygon(6, 1.0, turn=0.0),
    "cross": [(-0.35, -1), (0.35, -1), (0.35, -0.35), (1, -0.35), (1, 0.35), (0.35, 0.35),
              (0.35, 1), (-0.35, 1), (-0.35, 0.35), (-1, 0.35), (-1, -0.35), (-0.35, -0.35)],
    "arrow": [(0, -1), (0.85, -0.1), (0.32, -0.1), (0.32, 1), (-0.32, 1), (-0.32, -0.1), (-0.85, -0.1)],
    "flag": [(-0.55, -0.95), (0.8, -0.5), (-0.35, -0.05), (-0.35, 0.95), (-0.55, 0.95)],
}  # fmt: skip
SHAPES = tuple(_SHAPES)


@lru_cache(maxsize=1024)
def shape(name: str, size: int, rim: int = 0) -> Mask:
    """Return the mask [size, size] of a named shape, without a rim of some pixels along its outline."""
    if name not in _SHAPES:
        raise EnvironmentFailed(f"shape {name!r} is unknown; known: {', '.join(SHAPES)}")
    if size <= 2 * rim:
        raise EnvironmentFailed(f"a {name} of {size} pixels cannot be drawn; ask for a larger picture")
    points = _SHAPES[name]
    middle = (_FINEST * size - 1) / 2  # coordinates name the middles of subpixels

    def draw(pen: ImageDraw.ImageDraw) -> None:
        if points is None:
            first, last = _FINEST * rim, _FINEST * (size - rim) - 1
            pen.ellipse((first, first, last, last), fill=_FULL)
            return
        corners = [(round(middle + x * middle), round(middle + y * middle)) for x, y in points]
        pen.polygon(corners, fill=_FULL)
        if rim:
            pen.line([*corners, *corners[:2]], fill=0, width=2 * _FINEST * rim - 1, joint="curve")

    return _rasterise(size, size, draw, _FINEST)


def segments(width: int, height: int, lines: Sequence[tuple[float, float, float, float]], thickness: float) -> Mask:
    """Return the mask [height, width] of straight lines (x0, y0, x1, y1) of one thickness, in pixels."""
    stroke = max(1, round(_FINE * thickness))

    def draw(pen: ImageDraw.ImageDraw) -> None:
        for x0, y0, x1, y1 in lines:
            pen.line((_FINE * x0, _FINE * y0, _FINE * x1, _FINE * y1), fill=_FULL, width=stroke)

    return _rasterise(width, height, draw, _FINE)


@lru_cache(maxsize=4096)
def text(label: str, height: int) -> Mask:
    """Return the mask of a label whose capitals are `height` pixels high, cropped to its ink."""
    font = _font(height)
    left, top, right, bottom = font.getbbox(label)
    image = Image.new("L", (max(1, int(right - left) + 2), max(1, int(bottom - top) + 2)))
    ImageDraw.Draw(image).text((1 - left, 1 - top), label, fill=_FULL, font=font)
    coverage = (np.asarray(image) + np.uint8(16)) >> np.uint8(5)
    rows, columns = np.flatnonzero(coverage.any(1)), np.flatnonzero(coverage.any(0))
    if not rows.size:
        return Mask.of(coverage)
    return Mask.of(coverage[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])


@lru_cache(maxsize=64)
def _font(height: int) -> ImageFont.FreeTypeFont:
    """Return Pillow's own font, which travels with it, at the size whose capitals have this height."""
    probe = ImageFont.load_default(100)
    box = probe.getbbox("H")
    font = ImageFont.load_default(max(4.0, 100 * height / (box[3] - box[1])))
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise EnvironmentFailed(
            "Pillow was built without FreeType, so it has no scalable font; install the wheel from PyPI"
        )
    return font


def _rasterise(width: int, height: int, draw: Callable[[ImageDraw.ImageDraw], object], fine: int) -> Mask:
    image = Image.new("L", (fine * width, fine * height))
    draw(ImageDraw.Draw(image))
    return Mask.of((np.asarray(image.reduce(fine)) + np.uint8(16)) >> np.uint8(5))
