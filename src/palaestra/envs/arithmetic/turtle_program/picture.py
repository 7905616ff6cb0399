"""How the floor and the program beside it are drawn."""

from functools import lru_cache

import numpy as np

from palaestra.envs.arithmetic.turtle_program.program import Program
from palaestra.envs.kit import grid, headings, masks
from palaestra.envs.kit.canvas import Canvas, Pixels

COLOURS = ("red", "blue", "yellow")
TURTLES = tuple(f"turtle {heading}" for heading in grid.DIRECTIONS)
NAMES = ("floor", *(f"{colour} tile" for colour in COLOURS), *TURTLES)


def draw(rows: int, columns: int, kinds: bytes, program: Program, pixels: int) -> Canvas:
    """Draw the floor with its headings and the program to its right; `kinds` are places in `NAMES`, row by row."""
    wide = round(pixels * 0.62)
    board = np.frombuffer(kinds, np.uint8).astype(np.intp).reshape(rows, columns)
    picture, elements = headings.draw([NAMES[kind] for kind in kinds], board, _tiles, wide, "paper")
    glyph = max(6, pixels // 28)
    distance = min(glyph * 2.2, pixels / (len(program) + 1))
    canvas = Canvas(pixels, max(picture.height, round(distance * (len(program) + 1))))
    canvas.pixels[: picture.height, : picture.width] = picture.pixels
    canvas.elements += elements
    for k, line in enumerate(program):
        left = wide + glyph * (0.5 + line.depth)
        place = (left + masks.text(line.text, glyph).width / 2, distance * (k + 1))
        canvas.element(line.text, canvas.text(line.text, place, glyph), glyph=glyph)
    return canvas


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(name, size) for name in NAMES)


def _tile(name: str, size: int) -> Pixels:
    """Return a tile of the floor, plain, coloured, or with the turtle on it."""
    canvas = Canvas(size, size, "silver")
    line = max(1, size // 40)
    canvas.rectangle((line, line, size - line, size - line), "mist")
    colour = name.removesuffix(" tile")
    if colour in COLOURS:
        canvas.shape("square", (size / 2, size / 2), round(size * 0.86), colour)
    if name in TURTLES:
        canvas.pixels = np.rot90(_turtle(canvas, size), -TURTLES.index(name))
    return canvas.pixels


def _turtle(canvas: Canvas, size: int) -> Pixels:
    """Return a tile with a turtle from above that looks up: feet, head, shell."""
    for x, y in ((0.22, 0.42), (0.78, 0.42), (0.24, 0.84), (0.76, 0.84)):
        canvas.shape("circle", (size * x, size * y), round(size * 0.24), "brown")
    canvas.shape("circle", (size * 0.5, size * 0.22), round(size * 0.4), "brown")
    canvas.shape("circle", (size * 0.5, size * 0.63), round(size * 0.66), "green", edge="ink")
    canvas.shape("hexagon", (size * 0.5, size * 0.63), round(size * 0.34), "grass")
    return canvas.pixels
