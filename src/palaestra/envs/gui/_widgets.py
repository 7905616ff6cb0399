"""Windows: widgets in a frame of 1000 x 1000 units, drawn, told as a tree, and hit by clicks.

A caption has one line for each widget, as ``button [Save] at (500, 950)``: what is written on it, its mark if it has
one, and where to click.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from palaestra.core.answer import Point
from palaestra.core.environment import Step
from palaestra.core.observation import Element, Picture
from palaestra.envs.gui import _looks
from palaestra.envs.kit import grid
from palaestra.envs.kit.canvas import Box
from palaestra.envs.kit.palette import PALETTE, colour

S = TypeVar("S")

FRAME = 1000
CLICK = Point(FRAME, FRAME)
PASSIVE = frozenset({"window", "text", "label", "head", "view"})
"""The kinds that no click reaches."""


class Widget(NamedTuple):
    """A control or a text; `box` is (left, top, right, bottom) in the frame, `mark` what state it is in."""

    kind: str
    text: str
    box: Box
    mark: str = ""
    depth: int = 1

    @property
    def name(self) -> str:
        """What it is called in a caption."""
        name = _looks.STYLES[self.kind].form.format(self.text)
        return f"{name}: {self.mark}" if self.mark else name

    @property
    def centre(self) -> str:
        """The reply that clicks its middle."""
        left, top, right, bottom = self.box
        return f"({(left + right) // 2}, {(top + bottom) // 2})"


def line(rows: int, row: int, left: int = 40, right: int = 960) -> Box:
    """Return the box of a widget in one of so many equal rows of a window."""
    gap = FRAME // rows // 12
    return left, FRAME * row // rows + gap, right, FRAME * (row + 1) // rows - gap


def split(box: Box, parts: int, part: int, gap: int = 12) -> Box:
    """Return one of the equal parts of a box, side by side."""
    left, top, right, bottom = box
    wide = (right - left + gap) / parts
    return round(left + part * wide), top, round(left + (part + 1) * wide) - gap, bottom


def window(title: str, rows: int) -> Widget:
    """Return the title bar of a window of so many rows."""
    return Widget("window", title, (0, 0, FRAME, FRAME // rows), depth=0)


def hit(widgets: Iterable[Widget], place: tuple[float, float]) -> Widget | None:
    """Return the control that a click meets."""
    x, y = place
    for widget in widgets:
        left, top, right, bottom = widget.box
        if left <= x < right and top <= y < bottom and widget.kind not in PASSIVE:
            return widget
    return None


def committed(after: S, ready: bool) -> Step[S]:
    """Return the step of a click on the button that ends the task, right or wrong."""
    if not ready:
        return Step(after, done=True, events=("committed_early",))
    return Step(after, 1.0, done=True, success=True, events=("committed_ready", "task_completed"))


def tree(widgets: Iterable[Widget]) -> str:
    """Return the caption: each widget on a line, what belongs to another indented below it."""
    return "\n".join(f"{'  ' * widget.depth}{widget.name}{_whereabouts(widget)}" for widget in widgets)


def _whereabouts(widget: Widget) -> str:
    """Return where to click: on a slider, how far is what counts."""
    if widget.kind == "slider":
        left, top, right, bottom = widget.box
        return f" from ({left}, {(top + bottom) // 2}) to ({right}, {(top + bottom) // 2})"
    return "" if widget.kind in PASSIVE else f" at {widget.centre}"


def draw(widgets: Sequence[Widget], pixels: int) -> tuple[Picture | None, tuple[Element, ...]]:
    """Return the picture of a window and its scene, nothing at 0 pixels."""
    if not pixels:
        return None, grid.NOTHING
    image = np.full((pixels, pixels), colour("white"), np.uint8)
    scene = []
    for widget in widgets:
        left, top, right, bottom = (side * pixels // FRAME for side in widget.box)
        indent = widget.depth - 1 if widget.kind in ("folder", "file") else 0
        look = (widget.kind, widget.text, widget.mark, right - left, bottom - top, max(6, pixels // 30), indent)
        tile, glyph = _looks.tile(*look)
        image[top:bottom, left:right] = tile
        scene.append(Element(widget.name, None, (left, top, right, bottom), glyph))
    return Picture(image, PALETTE), tuple(scene)
