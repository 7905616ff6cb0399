"""How the table is drawn: cards row by row in the order of play, each with a band that points to its pile."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from palaestra.envs.kit import masks
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.palette import colour

LOOKS = {  # rim and paper of what lies at a place
    "start": ("grey", "mist"),
    "left": ("slate", "sky"),
    "right": ("slate", "sand"),
    "next": ("gold", "white"),
    "down": ("slate", "slate"),
    "star": ("navy", "navy"),
}
SIGNS = {  # size of a card's signs, and where they stand from its middle, in shares of its tile
    "1": (0.54, [(0.0, 0.0)]),
    "2": (0.37, [(-0.15, -0.15), (0.15, 0.15)]),
    "3": (0.34, [(0.0, -0.16), (-0.17, 0.17), (0.17, 0.17)]),
}


def draw(names: Sequence[str], columns: int, pixels: int) -> Canvas:
    """Draw what lies on the table, one tile for each card."""
    size, rows = pixels // columns, -(-len(names) // columns)
    edge = _edge(size)
    canvas = Canvas(columns * size, rows * size, "mint")
    for k, name in enumerate(names):
        row, column = divmod(k, columns)
        box = (column * size + edge, row * size + edge, (column + 1) * size - edge, (row + 1) * size - edge)
        canvas.pixels[box[1] : box[3], box[0] : box[2]] = _card(name, size)
        canvas.element(name, box, (row, column))
    return canvas


def _edge(size: int) -> int:
    """Return how much of the table shows at each side of a card."""
    return max(1, size // 22)


@lru_cache(maxsize=1024)
def _card(name: str, size: int) -> Pixels:
    """Return a card's back, or its signs and, once it was put, the band."""
    place, *look = name.split("-")
    rim, paper = LOOKS[place]
    side, wide = size - 2 * _edge(size), size // 7
    canvas, middle, line = Canvas(side, side, rim), side / 2, max(1, size // 32) * (3 if place == "next" else 1)
    canvas.rectangle((line, line, side - line, side - line), paper)
    if not look:
        shape, fill = ("star", "gold") if place == "star" else ("diamond", "grey")
        canvas.shape(shape, (middle, middle), size // 2, fill)
        return canvas.pixels
    if place in ("left", "right"):
        band = Canvas(side, wide, rim)
        band.shape("arrow", (middle, wide / 2), round(0.84 * wide), "white")
        start, turns, aside = (0, 1, wide / 2) if place == "left" else (side - wide, -1, -wide / 2)
        canvas.pixels[:, start : start + wide] = np.rot90(band.pixels, turns)
        middle += aside
    number, filling, fill, shape = look
    share, places = SIGNS[number]
    for x, y in places:
        centre = (middle + x * size, side / 2 + y * size)
        _sign(canvas, (shape, filling, fill, paper), centre, round(share * size))
    return canvas.pixels


def _sign(canvas: Canvas, look: tuple[str, str, str, str], centre: tuple[float, float], size: int) -> None:
    """Draw a sign: its outline, filled with its colour, with stripes, or with the paper of its card."""
    shape, filling, fill, paper = look
    canvas.shape(shape, centre, size, fill)
    if filling != "solid":
        stroke, inside = max(1, size // 11), Canvas(size, size, paper).pixels
        if filling == "striped":
            inside[np.arange(size) // stroke % 2 == 0] = colour(fill)
        left, top = round(centre[0] - size / 2), round(centre[1] - size / 2)
        canvas.stamp(masks.shape(shape, size, stroke), left, top, paper, inside)
