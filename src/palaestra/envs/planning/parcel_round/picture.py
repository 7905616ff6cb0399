"""The picture of a parcel round."""

from functools import lru_cache

import numpy as np

from palaestra.core.observation import Element, Picture
from palaestra.envs.kit import grid
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.palette import PALETTE
from palaestra.envs.planning.parcel_round.rules import (
    CLOSED,
    GARDEN,
    HELD,
    HOUSE,
    MOST,
    NAMES,
    PARCEL,
    PUMP,
    SIGNS,
    VAN,
    Round,
)

COLOURS = ("red", "blue", "purple", "brown", "teal")


def drawn(state: Round, content: bytes, van: str, here: int, pixels: int) -> tuple[Picture, tuple[Element, ...]]:
    """Draw town and van and, below them, what is in the tank."""
    town = state.town
    size = pixels // max(town.columns, town.rows + (town.tank > 0))
    kinds = np.frombuffer(content, np.uint8).astype(np.intp).reshape(town.rows, town.columns)
    pixels_HW = grid.paint(kinds, _tiles(size)).pixels
    top, left = (size * place for place in divmod(state.at, town.columns))
    held = tuple(k for k, place in enumerate(state.parcels) if place == HELD)
    pixels_HW[top : top + size, left : left + size] = _van(here, held, size)
    scene = [
        element._replace(glyph=_glyph(size)) if kind >= HOUSE else element
        for element, kind in zip(grid.scene(NAMES, content, town.rows, town.columns, size), content, strict=True)
    ]
    scene[state.at] = scene[state.at]._replace(name=van, glyph=_glyph(size) if held else 0)
    if town.tank:
        said, box = f"fuel {state.fuel}", (0, town.rows * size, town.columns * size, (town.rows + 1) * size)
        pixels_HW = np.concatenate([pixels_HW, _gauge(said, state.fuel / town.tank, box[2], size)])
        scene.append(Element(said, None, box, _glyph(size)))
    return Picture(pixels_HW, PALETTE), tuple(scene)


def _glyph(size: int) -> int:
    return max(6, round(size * 0.34))


@lru_cache(maxsize=256)
def _gauge(said: str, share: float, width: int, size: int) -> Pixels:
    canvas = Canvas(width, size, "white")
    left, right, top, bottom = round(size * 2.4), width - size // 3, size // 3, size - size // 3
    canvas.text(said, (size * 1.2, size / 2), _glyph(size))
    canvas.rectangle((left, top, right, bottom), "silver")
    canvas.rectangle((left, top, left + round((right - left) * share), bottom), "green" if share > 1 / 3 else "red")
    return canvas.pixels


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    """Return the tiles in the order of NAMES, the van's without a van."""
    return grid.stack(_tile(kind, size).pixels for kind in range(len(NAMES)))


def _tile(kind: int, size: int) -> Canvas:
    canvas = Canvas(size, size, "grass" if kind == GARDEN else "silver")

    def box(left: float, top: float, right: float, bottom: float, fill: str) -> None:
        canvas.rectangle((round(size * left), round(size * top), round(size * right), round(size * bottom)), fill)

    middle, thing = (size / 2, size / 2), (kind - HOUSE) // MOST
    colour, letter = COLOURS[(kind - HOUSE) % MOST], SIGNS[kind]
    if kind == GARDEN:
        canvas.shape("circle", middle, round(size * 0.7), "green")
        canvas.shape("circle", (size * 0.42, size * 0.42), round(size * 0.24), "grass")
    elif kind == CLOSED:
        box(0.08, 0.3, 0.92, 0.7, "red")
        box(0.26, 0.3, 0.4, 0.7, "white")
        box(0.62, 0.3, 0.76, 0.7, "white")
    elif kind == PUMP:
        box(0.2, 0.12, 0.66, 0.9, "green")
        box(0.28, 0.2, 0.58, 0.42, "white")
        box(0.66, 0.64, 0.86, 0.72, "ink")
        box(0.78, 0.22, 0.86, 0.72, "ink")
    elif kind < HOUSE or kind == VAN:
        pass
    elif thing == 0:
        canvas.shape("triangle", (size / 2, size * 0.5), size, colour)
        box(0, 0.56, 1, 1, "silver")
        box(0.16, 0.56, 0.84, 0.98, "white")
        canvas.text(letter, (size / 2, size * 0.76), _glyph(size))
    else:
        canvas.shape("square", middle, round(size * 0.8), colour, edge="ink")
        canvas.text(letter, middle, _glyph(size), "white")
    return canvas


@lru_cache(maxsize=256)
def _van(here: int, held: tuple[int, ...], size: int) -> Pixels:
    """Return the tile of the van at a kind of place, with the letters that it holds on its side."""
    canvas = _tile(here, size)
    for shares, fill in (
        ((0.04, 0.34, 0.96, 0.84), "ink"),
        ((0.08, 0.38, 0.66, 0.8), "yellow"),
        ((0.7, 0.56, 0.92, 0.8), "yellow"),
        ((0.7, 0.4, 0.92, 0.52), "sky"),
    ):
        left, top, right, bottom = (round(size * share) for share in shares)
        canvas.rectangle((left, top, right, bottom), fill)
    for x in (0.27, 0.76):
        canvas.shape("circle", (size * x, size * 0.86), round(size * 0.24), "ink")
    if held:
        canvas.text(" ".join(SIGNS[PARCEL + k] for k in held), (size * 0.37, size * 0.58), _glyph(size))
    return canvas.pixels
