"""Drawing of nodes that differ in shape and colour, with plain lines between them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from palaestra.envs.kit.canvas import Canvas

LIGHT = ("white", "gold")  # fillings on which names are written in ink


class Node(NamedTuple):
    """A node: its name, its place (x, y) in lattice units, and how it looks."""

    name: str
    place: tuple[float, float]
    shape: str
    fill: str


def draw(
    rows: int, columns: int, nodes: Mapping[int, Node], lines: Iterable[tuple[int, int]], pixels: int, ground: str
) -> Canvas:
    """Draw nodes by number on a lattice, and lines between pairs of them."""
    unit = pixels / max(rows, columns)
    canvas = Canvas(round(unit * columns), round(unit * rows), ground)
    at = {number: (x * unit, y * unit) for number, (_, (x, y), _, _) in nodes.items()}
    canvas.segments([(*at[a], *at[b]) for a, b in lines], max(1.0, unit / 30), "slate")
    glyph = max(7, round(unit * 0.17))
    rim = "ink" if glyph > 7 else ""  # around the smallest letters there is no room for one
    for number, (name, _, shape, fill) in nodes.items():
        ink = "ink" if fill in LIGHT else "white"
        box = canvas.shape(shape, at[number], round(unit * 0.48), fill, rim, name, glyph, ink)
        canvas.element(name, box, glyph=glyph)
    return canvas
