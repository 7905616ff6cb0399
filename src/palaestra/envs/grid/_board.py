"""What several worlds of this family share: a board given as one kind for each cell, told, drawn, its
floor and its hut, and what a move is called."""

from collections.abc import Callable, Sequence

import numpy as np

from palaestra.core.observation import Element, Picture
from palaestra.envs.kit import captions, grid
from palaestra.envs.kit.canvas import Canvas


def moved(nearer: int) -> str:
    """Return the event of a move that shortens the way by so much."""
    return "moved_closer" if nearer > 0 else "moved_away" if nearer < 0 else "moved_level"


def told(names: Sequence[str], signs: str, content: bytes, columns: int) -> str:
    """Return the caption of a board: what each kind is called, and its sign."""
    legend = {signs[kind]: names[kind] for kind in sorted(set(content))}
    return captions.board(legend, "".join([signs[kind] for kind in content]), columns)


def drawn(
    names: tuple[str, ...], tiles: Callable[[int], grid.Tiles], content: bytes, columns: int, pixels: int
) -> tuple[Picture | None, tuple[Element, ...]]:
    """Return the picture of a board and its scene; nothing when it may take no pixels."""
    if not pixels:
        return None, grid.NOTHING
    rows = len(content) // columns
    size = pixels // max(rows, columns)
    kinds = np.frombuffer(content, np.uint8).astype(np.intp).reshape(rows, columns)
    return grid.paint(kinds, tiles(size)), grid.scene(names, content, rows, columns, size)


def floor(size: int, line: str, fill: str) -> Canvas:
    """Return a tile of one colour with its share of the line between tiles."""
    canvas, width = Canvas(size, size, line), max(1, size // 40)
    canvas.rectangle((width, width, size - width, size - width), fill)
    return canvas


def hut(canvas: Canvas) -> None:
    """Draw a wooden hut that fills most of a tile."""
    size = canvas.pixels.shape[0]
    near, low = round(size * 0.12), round(size * 0.94)
    canvas.rectangle((near, size // 2, size - near, low), "brown")
    canvas.shape("triangle", (size * 0.5, size * 0.3), round(size * 0.94), "teal")
    canvas.rectangle((round(size * 0.42), round(size * 0.6), round(size * 0.58), low), "sand")
