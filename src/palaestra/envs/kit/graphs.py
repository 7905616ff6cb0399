"""Drawn graphs: nodes on a jittered lattice, edges between lattice neighbours, so that no two edges cross.

Nodes are counted from 0; their names leave out letters that are easily mistaken.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from palaestra.envs.kit import grid
from palaestra.envs.kit.canvas import Canvas

NAMES = "ABCDEFGHJKLMNPRSTUVWXYZ"
"""Node names in order: no I, O or Q."""


class Edge(NamedTuple):
    """An undirected edge between two nodes, the smaller first."""

    a: int
    b: int
    weight: int

    @property
    def label(self) -> str:
        """The edge as captions and scenes name it, such as "A-C 4"."""
        return f"{NAMES[self.a]}-{NAMES[self.b]} {self.weight}"


class Arc(NamedTuple):
    """A directed edge; a weight of 0 is none and not shown."""

    tail: int
    head: int
    weight: int = 0

    @property
    def label(self) -> str:
        """The arc as captions and scenes name it, such as "A>C 4", or "A>C" without a weight."""
        return f"{NAMES[self.tail]}>{NAMES[self.head]}" + (f" {self.weight}" if self.weight else "")


class Layout(NamedTuple):
    """Where nodes are drawn: lattice size, the lattice cell of each node, and its place (x, y) in lattice units."""

    rows: int
    columns: int
    cells: tuple[int, ...]
    places: tuple[tuple[float, float], ...]


def scatter(rows: int, columns: int, nodes: int, rng: np.random.Generator) -> Layout:
    """Return a layout of some nodes on different cells of a lattice, which grows when they do not fit, a little out of
    line."""
    while rows * columns < nodes:
        rows, columns = (rows + 1, columns) if rows < columns else (rows, columns + 1)
    cells = rng.permutation(rows * columns)[:nodes].tolist()
    offsets = (0.5 + 0.16 * (rng.random((nodes, 2)) - 0.5)).tolist()
    places = tuple((c % columns + x, c // columns + y) for c, (x, y) in zip(cells, offsets, strict=True))
    return Layout(rows, columns, tuple(cells), places)


def images(layout: Layout) -> list[list[int]]:
    """Return the cell of each node under every symmetry of the lattice: what is equal in one of them is one drawing."""
    orders = np.argsort(grid.symmetries(layout.rows, layout.columns), axis=1)
    cells: list[list[int]] = orders[:, list(layout.cells)].tolist()
    return cells


@lru_cache(maxsize=64)
def _lattice(rows: int, columns: int) -> tuple[tuple[int, int, int], ...]:
    """Return the pairs of neighbouring cells, with the number of the square that a diagonal crosses (-1: none)."""
    pairs = []
    for r in range(rows):
        for c in range(columns):
            here = r * columns + c
            if c + 1 < columns:
                pairs.append((here, here + 1, -1))
            if r + 1 < rows:
                pairs.append((here, here + columns, -1))
            if c + 1 < columns and r + 1 < rows:
                pairs += [(here, here + columns + 1, here), (here + 1, here + columns, here)]
    return tuple(pairs)


def connect(layout: Layout, share: float, heaviest: int, rng: np.random.Generator) -> tuple[Edge, ...]:
    """Return a share of the possible edges with weights 1 .. heaviest, one diagonal at most in each square."""
    node_at = {cell: node for node, cell in enumerate(layout.cells)}
    edges, crossed = [], set()
    pairs = _lattice(layout.rows, layout.columns)
    order = rng.permutation(len(pairs)).tolist()
    weights = rng.integers(1, heaviest + 1, len(pairs)).tolist()
    wanted = (rng.random(len(pairs)) < share).tolist()
    for k in order:
        first, second, square = pairs[k]
        if wanted[k] and first in node_at and second in node_at and square not in crossed:
            a, b = sorted((node_at[first], node_at[second]))
            edges.append(Edge(a, b, weights[k]))
            if square >= 0:
                crossed.add(square)
    return tuple(sorted(edges))


def adjacency(nodes: int, edges: Sequence[Edge]) -> list[dict[int, int]]:
    """Return for each node its neighbours with the weights."""
    near: list[dict[int, int]] = [{} for _ in range(nodes)]
    for a, b, weight in edges:
        near[a][b] = near[b][a] = weight
    return near


def costs(near: Sequence[dict[int, int]], start: int) -> list[int]:
    """Return the least cost from a node to every node (Dijkstra), -1 where there is no way."""
    least = [-1] * len(near)
    heap = [(0, start)]
    while heap:
        cost, node = heappop(heap)
        if least[node] < 0:
            least[node] = cost
            for other, weight in near[node].items():
                if least[other] < 0:
                    heappush(heap, (cost + weight, other))
    return least


def cheapest(near: Sequence[dict[int, int]], start: int, target: int) -> Iterator[tuple[int, ...]]:
    """Yield every cheapest path from start to target, as nodes, in a fixed order."""
    left = costs(near, target)

    def extend(path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if path[-1] == target:
            yield path
            return
        for other in sorted(near[path[-1]]):
            if left[other] >= 0 and left[other] == left[path[-1]] - near[path[-1]][other]:
                yield from extend((*path, other))

    if left[start] >= 0:
        yield from extend((start,))


def draw(layout: Layout, edges: Sequence[Edge | Arc], pixels: int, marked: Mapping[int, str]) -> Canvas:
    """Draw a graph with its edge weights, arcs with their heads, some nodes marked with a colour."""
    unit = pixels / max(layout.rows, layout.columns)
    canvas = Canvas(round(unit * layout.columns), round(unit * layout.rows))
    at = [(x * unit, y * unit) for x, y in layout.places]
    lines = [(*at[a], *at[b]) for a, b, _ in edges]
    heads = [stroke for edge, line in zip(edges, lines, strict=True) if isinstance(edge, Arc)
             for stroke in _head(line, 0.22 * unit, max(7, 0.15 * unit))]  # fmt: skip
    canvas.segments([*lines, *heads], max(1.0, unit / 40), "grey")
    glyph = max(7, round(unit * 0.16))
    for edge, (x0, y0, x1, y1) in zip(edges, lines, strict=True):
        if edge.weight:
            share = 0.42 if isinstance(edge, Arc) else 0.5  # of the way: beyond it there is room for a head
            middle = (x0 + share * (x1 - x0), y0 + share * (y1 - y0))
            box = canvas.shape("circle", middle, round(glyph * 1.8), "paper", label=str(edge.weight), height=glyph)
            canvas.element(edge.label, box, glyph=glyph)
    for node, place in enumerate(at):
        fill, ink = (marked[node], "white") if node in marked else ("white", "ink")
        box = canvas.shape("circle", place, round(unit * 0.42), fill, "ink", NAMES[node], glyph, ink)
        canvas.element(NAMES[node], box, glyph=glyph)
    return canvas


Line = tuple[float, float, float, float]


def _head(line: Line, short: float, length: float) -> Iterator[Line]:
    """Yield the strokes that fill an arrow head whose tip lies short of a line's end."""
    x0, y0, x1, y1 = line
    way = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    dx, dy = (x1 - x0) / way, (y1 - y0) / way
    tip = (x1 - short * dx, y1 - short * dy)
    for spread in (-0.45, -0.3, -0.15, 0, 0.15, 0.3, 0.45):
        yield (*tip, tip[0] - length * (dx + spread * dy), tip[1] - length * (dy - spread * dx))
