"""Faults of the picture: leaks, rows for columns, things too small, too pale, cut off or not named."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from time import thread_time

import numpy as np
from tests.envs.faults.planting import planted

from palaestra.core.observation import Picture, View
from palaestra.envs.graph.shortest_path import Net, ShortestPath
from palaestra.envs.grid.frozen_lake import GOAL, HOLE, ICE, LEGEND, FrozenLake
from palaestra.envs.kit import captions, graphs, grid
from palaestra.envs.kit.canvas import Canvas
from palaestra.envs.kit.parts import Asked as Counted
from palaestra.envs.memory.pair_recall import PairRecall
from palaestra.envs.perception.count_shapes import CountShapes


def redrawn(view: View, draw: Callable[[Canvas], object], caption: str = "") -> View:
    """Return a view with something drawn over its picture, and perhaps a line more in its caption."""
    said = f"{view.caption}\n{caption}" if caption else view.caption
    if view.image is None:
        return replace(view, caption=said)
    canvas = Canvas(view.image.width, view.image.height)
    canvas.pixels[...] = view.image.pixels
    canvas.elements = list(view.scene)
    draw(canvas)
    return replace(view, image=canvas.picture(), scene=tuple(canvas.elements), caption=said)


def written(canvas: Canvas, height: int, fill: str = "ink", where: tuple[float, float] | None = None) -> None:
    """Write and name a label; on the right edge of the picture's middle, where lattice graphs are empty."""
    rows, columns = canvas.pixels.shape
    canvas.element("NB", canvas.text("NB", where or (columns - 14, rows / 2), height, fill), glyph=height)


NAMED = "A label: NB."


# Leaks


@planted("picture", "two of 'ice' look different")
class WayMarkedOnIce(FrozenLake):
    """Every cell nearer to the goal is marked on the ice, in the colour of its joints."""

    def view(self, public, pixels=448):
        def draw(canvas):
            lake, size = public.lake, canvas.pixels.shape[1] // public.lake.columns
            far = grid.distances(lake.rows, lake.columns, lake.cells.index(GOAL), lambda cell: lake.cells[cell] == ICE)
            for cell, steps in enumerate(far):
                if 0 < steps < far[public.cell]:
                    row, column = divmod(cell, lake.columns)
                    canvas.shape("circle", ((column + 0.5) * size, (row + 0.5) * size), 4, "frost")

        return redrawn(super().view(public, pixels), draw)


def way(public: Net) -> tuple[int, ...]:
    """Return the nodes of a cheapest way."""
    near = graphs.adjacency(len(public.layout.cells), public.edges)
    return next(graphs.cheapest(near, public.start, public.target))


@planted("picture", "lines of a second colour")
class CheapestEdgesInRed(ShortestPath):
    """The edges of a cheapest way are red."""

    def view(self, public, pixels=448):
        def draw(canvas):
            unit = canvas.pixels.shape[1] / public.layout.columns
            at = [(x * unit, y * unit) for x, y in public.layout.places]
            canvas.segments([(*at[a], *at[b]) for a, b in pairwise(way(public))], 3, "red")

        return redrawn(super().view(public, pixels), draw)


@planted("picture", "is filled with yellow")
class CheapestNodesInYellow(ShortestPath):
    """A node of a cheapest way is filled with a colour of its own."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        if not pixels:
            return view
        marked = dict.fromkeys(way(public), "yellow") | {public.start: "green", public.target: "red"}
        return replace(view, image=graphs.draw(public.layout, public.edges, pixels, marked).picture())


@planted("picture", "pixels outside every element")
class CountsInTheCorner(CountShapes):
    """The counts stand in a corner of the picture."""

    def view(self, public, pixels=448):
        counts = "".join(c for c in self.solve(Counted(public))[0] if c.isdigit())
        return redrawn(super().view(public, pixels), lambda canvas: canvas.text(counts, (30, 9), 9))


@planted("picture", "'NB' is drawn but the caption does not name it")
class LabelIsUntold(ShortestPath):
    """A label is drawn and stands in the scene, but not in the caption."""

    def view(self, public, pixels=448):
        return redrawn(super().view(public, pixels), lambda canvas: written(canvas, 12))


# Rows and columns


@planted("picture", "caption and scene differ")
class CaptionSwapsRows(FrozenLake):
    """The caption is cut into rows as long as the board is high: right on square boards."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, caption=captions.board(LEGEND, "".join(view.caption.splitlines()[1:]), public.lake.rows))


@planted("picture", "look different")
class PictureSwapsRows(FrozenLake):
    """The board is painted column by column, on boards that are not square."""

    def view(self, public, pixels=448):
        lake = public.lake
        if lake.rows == lake.columns:
            return super().view(public, pixels)
        cells = np.frombuffer(lake.cells, np.uint8).reshape(lake.columns, lake.rows).T.tobytes()
        swapped = super().view(replace(public, lake=replace(lake, cells=cells)), pixels)
        return replace(super().view(public, pixels), image=swapped.image)


@planted("picture", "caption and scene differ")
class SceneSwapsRows(FrozenLake):
    """The scene says columns for rows, on boards that are not square."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        if public.lake.rows == public.lake.columns:
            return view
        return replace(view, scene=tuple(e._replace(cell=e.cell[::-1]) for e in view.scene))


@planted("picture", "boxes do not follow the rows")
class CaptionAndSceneSwapRows(CountShapes):
    """Caption and scene agree, and both say columns for rows."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        cells = [divmod(piece.cell, public.side)[::-1] for piece in public.pieces]
        caption = captions.listing((p.kind, cell) for p, cell in zip(public.pieces, cells, strict=True))
        scene = tuple(e._replace(cell=cell) for e, cell in zip(view.scene, cells, strict=True)) if pixels else ()
        return replace(view, caption=caption, scene=scene)


@planted("picture", "look different")
class MirrorImage(FrozenLake):
    """The picture is the mirror image of what the caption says."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, image=Picture(view.image.pixels[:, ::-1].copy(), view.image.palette)) if pixels else view


# What a player could not see


@planted("picture", "look alike")
class HolesLookLikeIce(FrozenLake):
    """Holes are drawn as ice."""

    def view(self, public, pixels=448):
        cells = public.lake.cells.replace(bytes([HOLE]), bytes([ICE]))
        drawn = super().view(replace(public, lake=replace(public.lake, cells=cells)), pixels)
        return replace(super().view(public, pixels), image=drawn.image)


@planted("picture", "'you'")
class PlayerVanishes(FrozenLake):
    """The picture is that of the goal's cell being visited, wherever the player stands."""

    def view(self, public, pixels=448):
        away = replace(public, cell=public.lake.cells.index(GOAL))
        return replace(super().view(public, pixels), image=super().view(away, pixels).image)


@planted("picture", "only drawn")
class CaptionForgets(CountShapes):
    """The caption leaves the last shape out."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, caption="; ".join(view.caption.split("; ")[:-1]))


@planted("picture", "the caption does not say so")
class CaptionForgetsTheEnds(ShortestPath):
    """The caption does not say where the way starts and ends, which the picture shows by colour."""

    def view(self, public, pixels=448):
        view = super().view(public, pixels)
        return replace(view, caption=view.caption.partition(". ")[2])


@planted("picture", "the letters of 'NB' are 5 pixels high")
class TinyLetters(ShortestPath):
    """A label of five pixels."""

    def view(self, public, pixels=448):
        return redrawn(super().view(public, pixels), lambda canvas: written(canvas, 5), NAMED)


@planted("picture", "'NB' claims letters of 12 pixels")
class TinyLettersDenied(ShortestPath):
    """A label of five pixels that claims to have twelve."""

    def view(self, public, pixels=448):
        def draw(canvas):
            written(canvas, 5)
            canvas.elements.append(canvas.elements.pop()._replace(glyph=12))

        return redrawn(super().view(public, pixels), draw, NAMED)


@planted("picture", "too little contrast")
class PaleLetters(ShortestPath):
    """A label the colour of sand on paper."""

    def view(self, public, pixels=448):
        return redrawn(super().view(public, pixels), lambda canvas: written(canvas, 12, "sand"), NAMED)


@planted("picture", "is cut by the picture's edge")
class LabelIsCut(ShortestPath):
    """A label runs over the edge of the picture."""

    def view(self, public, pixels=448):
        return redrawn(super().view(public, pixels), lambda canvas: written(canvas, 12, where=(4, 40)), NAMED)


@planted("picture", "lie over one another")
class LabelCovers(ShortestPath):
    """A label lies over a node."""

    def view(self, public, pixels=448):
        def draw(canvas):
            left, top, right, bottom = canvas.elements[-1].box
            written(canvas, 12, where=((left + right) / 2, (top + bottom) / 2))

        return redrawn(super().view(public, pixels), draw, NAMED)


@planted("picture", "draw natively at the asked size")
class HalfSize(FrozenLake):
    """The picture is half as wide as asked."""

    def view(self, public, pixels=448):
        return super().view(public, pixels // 2)


@planted("picture", "draw natively at the asked size")
class OneSizeOnly(FrozenLake):
    """The picture is 448 pixels wide whatever is asked."""

    def view(self, public, pixels=448):
        return super().view(public, pixels and 448)


@planted("picture", "no picture")
class NoPicture(FrozenLake):
    """There is no picture."""

    def view(self, public, pixels=448):
        return super().view(public, 0)


@planted("picture", "the scene names nothing")
class NoScene(FrozenLake):
    """The picture does not say what it shows."""

    def view(self, public, pixels=448):
        return replace(super().view(public, pixels), scene=())


@planted("speed", "reset and view take")
class SlowReset(PairRecall):
    """A reset keeps a processor busy for a fortieth of a second."""

    def reset(self, instance):
        due = thread_time() + 0.025
        while thread_time() < due:
            pass
        return super().reset(instance)
