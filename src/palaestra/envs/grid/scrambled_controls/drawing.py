"""The picture of a room with its buttons below, each with the move that it was seen to make."""

from collections.abc import Sequence
from functools import lru_cache

from palaestra.core.observation import Element, Picture
from palaestra.envs.grid import _board
from palaestra.envs.grid.scrambled_controls.rules import STEPS, shift
from palaestra.envs.kit import grid, sprites
from palaestra.envs.kit.canvas import Canvas, Pixels

NAMES = ("floor", "crate", "goal", "you", "you at the goal")


def draw(content: bytes, columns: int, names: Sequence[str], pixels: int) -> tuple[Picture, tuple[Element, ...]]:
    """Return the picture of the board with the buttons below it, and its scene."""
    rows, strip = len(content) // columns, pixels // 5
    size = min(pixels // columns, (pixels - strip) // rows)
    board, elements = _board.drawn(NAMES, _tiles, content, columns, size * max(rows, columns))
    canvas = Canvas(size * columns, size * rows + strip)
    if board:
        canvas.pixels[: size * rows] = board.pixels
    share = size * columns // len(names)
    side = min(strip * 9 // 10, share * 9 // 10)
    for k, name in enumerate(names):
        left, top = k * share + (share - side) // 2, size * rows + (strip - side) // 2
        canvas.pixels[top : top + side, left : left + side] = _button(name, side)
        canvas.element(name, (left, top, left + side, top + side))
    return canvas.picture(), (*elements, *canvas.elements)


@lru_cache(maxsize=512)
def _button(name: str, side: int) -> Pixels:
    """Return a button with the arrow of its move, or a question mark."""
    colour, _, *words = name.split()
    canvas, ink = Canvas(side, side), "ink" if colour == "yellow" else "white"
    canvas.shape("square", (side / 2, side / 2), side, colour, edge="ink")
    if words == ["unknown"]:
        canvas.text("?", (side / 2, side / 2), round(side * 0.5), ink)
        return canvas.pixels
    unit, head = (side * share for share in ((0.48, 0.16), (0.26, 0.16), (0.25, 0.11))[len(words) - 1])
    down, right = shift(" ".join(words))
    x, y = (side - right * unit) / 2, (side - down * unit) / 2
    lines = []
    for number, word in enumerate(words, 1):
        down, right = STEPS[word]
        lines.append((x, y, x + right * unit, y + down * unit))
        x, y = x + right * unit, y + down * unit
        if number == len(words) or len(words) == 2:
            lines.append((x, y, x - head * (right + down), y - head * (down + right)))
            lines.append((x, y, x - head * (right - down), y - head * (down - right)))
    canvas.segments(lines, max(2, side * 0.08), ink)
    return canvas.pixels


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    return grid.stack(_tile(name, size) for name in NAMES)


def _tile(name: str, size: int) -> Pixels:
    line = max(1, size // 40)
    canvas = Canvas(size, size, "mist")
    canvas.rectangle((line, line, size - line, size - line), "paper")
    if name == "crate":
        canvas.shape("square", (size / 2, size / 2), round(size * 0.98), "sand", edge="brown")
        low, high = size * 0.2, size * 0.8
        canvas.segments([(low, low, high, high), (low, high, high, low)], max(1, size * 0.1), "brown")
    elif name.endswith("goal"):
        sprites.flag(canvas, "purple")
    if name.startswith("you"):
        sprites.walker(canvas, "teal", "deep")
    return canvas.pixels
