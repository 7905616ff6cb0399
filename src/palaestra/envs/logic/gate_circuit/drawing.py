"""How a circuit is drawn: gates in columns, between them channels of wires.

In a channel every signal climbs in a column of its own, and no two leave or arrive at one height: wires cross, where
one hops over the other, but never lie on one another.
"""

from collections.abc import Sequence
from functools import cmp_to_key, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.graphs import NAMES
from palaestra.envs.kit.masks import Mask
from palaestra.envs.logic.gate_circuit.rules import Circuit

RIMS = {"AND": "blue", "OR": "green", "XOR": "purple", "NOT": "red"}
MIDDLES = {"AND": 0.46, "OR": 0.5, "XOR": 0.58, "NOT": 0.28}  # of the letters inside, as shares of the width
MARGIN = 1.25  # what inputs and the stubs of outputs take, in widths of a gate
FINE = 4  # subpixels of an outline in each direction


class Net(NamedTuple):
    """The wires of one signal in a channel: the height where it comes from, those where it is taken."""

    start: int
    ends: tuple[int, ...]

    @property
    def climb(self) -> range:
        """The heights strictly between its highest and its lowest point."""
        return range(min(self.start, *self.ends) + 1, max(self.start, *self.ends))

    def crossings(self, other: "Net") -> int:
        """Return how often their wires cross when this one climbs to the left of the other."""
        return sum(y in other.climb for y in self.ends) + (other.start in self.climb)


def draw(circuit: Circuit, pixels: int) -> Canvas:
    """Draw the inputs at the left, then for each layer a channel and a column of gates."""
    width, layers = len(circuit.inputs), len(circuit.lanes) - 1
    size = int(min(pixels / (MARGIN + layers * (1.24 + 0.22 * width)), 0.54 * pixels / width))
    row, channel = min(pixels / width, 1.85 * size), (pixels - (MARGIN + layers) * size) / layers
    canvas = Canvas(pixels, round(width * row))
    heights = [round((slot + 0.6) * row) for slot in range(width)]
    rights = [round(1.1 * size + layer * (size + channel)) for layer in range(layers + 1)]
    line = max(1, round(size / 20))
    for layer in range(1, layers + 1):
        nets = nets_into(circuit, layer, heights, round(0.22 * size))
        _wire(canvas, nets, (rights[layer - 1], rights[layer] - size), size // 4, line)
    for y, signal in zip(heights, circuit.lanes[0], strict=True):
        _input(canvas, circuit.told(signal), y, size)
    for right, before, after in zip(rights[1:], circuit.lanes[:-1], circuit.lanes[1:], strict=True):
        stub = size // 7 if right == rights[-1] else 0
        for y, signal in zip(heights, after, strict=True):
            left = right - (size if signal in before else size // 4)
            canvas.rectangle((left, y - line // 2, right + stub, y - line // 2 + line), "slate")
            if signal not in before:
                _gate(canvas, circuit.gate(signal).kind, NAMES[signal], (right - size, y), size)
    return canvas


def nets_into(circuit: Circuit, layer: int, heights: Sequence[int], apart: int) -> list[Net]:
    """Return the net of each lane that leads into a layer; gates take two signals a little above and below."""
    before, after = circuit.lanes[layer - 1], circuit.lanes[layer]
    ends: list[list[int]] = [[] for _ in before]
    for height, signal in zip(heights, after, strict=True):
        sources = (signal,) if signal in before else circuit.gate(signal).sources
        for source, aside in zip(sources, (-apart, apart) if len(sources) > 1 else (0,), strict=True):
            ends[before.index(source)].append(height + aside)
    return [Net(start, tuple(taken)) for start, taken in zip(heights, ends, strict=True)]


def _saved(a: Net, b: Net) -> int:
    """Return how many crossings it saves that b climbs to the left of a: not transitive, so a sort is only good."""
    return a.crossings(b) - b.crossings(a)


def _wire(canvas: Canvas, nets: Sequence[Net], channel: tuple[int, int], reach: int, line: int) -> None:
    """Draw the wires of a channel, and a little way on under the gates at both sides."""
    left, right = channel
    climbing = sorted((net for net in nets if net.ends != (net.start,)), key=cmp_to_key(_saved))
    gap = (right - left) / (len(climbing) + 1)
    columns = {net: round(left + (k + 1) * gap) - line // 2 for k, net in enumerate(climbing)}
    radius = max(line + 1, min(round(0.45 * gap), reach // 2))
    for net in nets:
        turn = columns.get(net, right)
        for start, end, y in [(left - reach, turn, net.start), *((turn, right + reach, end) for end in net.ends)]:
            top = y - line // 2
            canvas.rectangle((start, top, end, top + line), "slate")
            for other, x in columns.items():
                if other is not net and start < x < end and y in other.climb:
                    canvas.rectangle((x + line - radius, top, x + radius, top + line), "paper")
                    canvas.stamp(_hop(radius, line), x + line // 2 - radius, top + line - radius, "slate")
    for net, x in columns.items():
        canvas.rectangle((x, net.climb.start - 1 - line // 2, x + line, net.climb.stop - line // 2 + line), "slate")
        for y in {net.start, *net.ends}:
            if (y == net.start) + (y in net.ends) + (y >= net.climb.start) + (y < net.climb.stop) > 2:
                canvas.shape("circle", (x + line / 2, y - line // 2 + line / 2), 3 * line + 1, "slate")


def _input(canvas: Canvas, told: str, y: int, size: int) -> None:
    """Draw a plate that tells the value of an input."""
    glyph, rim = max(6, round(0.27 * size)), max(1, size // 20)
    box = (max(1, size // 16), y - round(0.29 * size), round(1.1 * size), y + round(0.29 * size))
    canvas.rectangle(box, "ink")
    canvas.rectangle((box[0] + rim, box[1] + rim, box[2] - rim, box[3] - rim), "white")
    canvas.text(told, ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), glyph)
    canvas.element(told, box, glyph=glyph)


def _gate(canvas: Canvas, kind: str, name: str, place: tuple[int, int], size: int) -> None:
    """Draw a gate with its name inside and its kind above, from its left side and middle height."""
    glyph, above = max(6, round(0.28 * size)), max(6, round(0.27 * size))
    mask, inside = _body(kind, name, size, glyph)
    left, top = place[0], place[1] - mask.height // 2
    canvas.element(name, canvas.stamp(mask, left, top, RIMS[kind], inside), glyph=glyph)
    box = canvas.text(kind, (left + size / 2, top - 0.75 * above), above)
    canvas.element(kind, box, glyph=min(above, box[3] - box[1]))


@lru_cache(maxsize=512)
def _body(kind: str, name: str, size: int, glyph: int) -> tuple[Mask, Pixels]:
    """Return the outline of a gate, and what it shows inside."""
    outline, core = _shape(kind, size)
    canvas = Canvas(outline.width, outline.height, RIMS[kind])
    canvas.stamp(core, 0, 0, "paper")
    canvas.text(name, (MIDDLES[kind] * size, outline.height / 2), glyph)
    return outline, canvas.pixels


@lru_cache(maxsize=64)
def _shape(kind: str, size: int) -> tuple[Mask, Mask]:
    """Return the masks of a gate with and without its rim."""
    outline = _outline(kind, FINE * size, FINE * round(0.84 * size))
    core = Image.fromarray(np.pad(outline, 1).astype(np.uint8))
    for _ in range(FINE * max(1, round(size / 17))):
        core = core.filter(ImageFilter.MinFilter(3))
    return _mask(outline), _mask(np.asarray(core, bool)[1:-1, 1:-1])


def _outline(kind: str, width: int, height: int) -> NDArray[np.bool_]:
    """Return where a gate is, in subpixels: the distinctive shapes of ANSI Y32.14."""
    x: NDArray[np.float64] = ((np.arange(width) + 0.5) / width)[None, :]
    y: NDArray[np.float64] = np.abs(2 * (np.arange(height) + 0.5) / height - 1)[:, None]  # from the middle to the rim
    if kind == "AND":
        return (x < 0.5) | ((2 * x - 1) ** 2 + y**2 < 1)
    if kind == "NOT":
        return (y < 1 - x / 0.82) | ((x - 0.87) ** 2 + (y * height / width / 2) ** 2 < 0.016)
    back, front = x - 0.18 * (1 - y**2), 1 - y > np.maximum((x - 0.3) / 0.7, 0) ** 2
    return front & (back > 0) if kind == "OR" else front & ((back > 0.15) | ((back > 0) & (back < 0.06)))


@lru_cache(maxsize=64)
def _hop(radius: int, line: int) -> Mask:
    """Return the half ring in which a wire hops over another."""
    side = np.arange(FINE * 2 * radius) + 0.5 - FINE * radius
    away = np.hypot(side[None, :], side[: FINE * radius, None])
    return _mask((away < FINE * radius) & (away > FINE * (radius - line)))


def _mask(fine: NDArray[np.bool_]) -> Mask:
    height, width = fine.shape
    shares = fine.reshape(height // FINE, FINE, width // FINE, FINE).mean(axis=(1, 3))
    return Mask.of(np.rint(4 * shares).astype(np.uint8))
