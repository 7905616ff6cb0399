"""Parcel round: drive a van from crossing to crossing, take up parcels and bring each to the house of its letter.

Loading and unloading happen by themselves, so a parcel on the way fills the van whether it is wanted now or not. The
fewer moves are spared over the best plan, the more the order of the stops decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import heappop, heappush

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import Picture, View
from palaestra.envs.kit import captions, grid, splits
from palaestra.envs.kit.canvas import Canvas, Pixels
from palaestra.envs.kit.palette import PALETTE

COLOURS = ("red", "blue", "purple", "brown", "teal")
MOST = len(COLOURS)  # parcels
ROAD, CLOSED, GARDEN, HOUSE = range(4)
PARCEL = HOUSE + MOST
VAN = PARCEL + MOST
SIGNS = ".x#ABCDEabcde@"
NAMES = ("road", "closed", "garden", *(f"{thing} {c}" for thing in ("house", "parcel") for c in "abcde"), "van")
HELD, DONE = -1, -2

ANSWER = Choice(grid.DIRECTIONS)
TASK = "Bring every parcel to the house of its letter within {} moves. The van holds {} at most."
RULES = "A move takes the van to the next crossing, never through a closed street. It loads and unloads by itself."
HINT = "Compare the orders of all stops by their whole way before setting off."


@dataclass(frozen=True, slots=True)
class Town:
    """What never moves: crossings at even rows and columns, streets between them; and what the van holds at most."""

    rows: int
    columns: int
    cells: bytes
    capacity: int


@dataclass(frozen=True, slots=True)
class Round:
    """Town and van: the cell of each parcel (or HELD, DONE), the turn limit, where the van came from to no end."""

    town: Town
    at: int
    parcels: tuple[int, ...]
    limit: int = 0
    came_from: int = -1


class ParcelRound:
    """The environment."""

    spec = EnvSpec(
        id="planning/parcel_round",
        version=1,
        title="Parcel round",
        horizon=120,
        scales=(
            {"rows": 3, "columns": 4, "parcels": 2, "capacity": 2, "closed": 0.1, "slack": 0.5},
            {"rows": 4, "columns": 4, "parcels": 3, "capacity": 2, "closed": 0.15, "slack": 0.4},
            {"rows": 4, "columns": 5, "parcels": 3, "capacity": 2, "closed": 0.2, "slack": 0.2},
            {"rows": 5, "columns": 5, "parcels": 4, "capacity": 2, "closed": 0.2, "slack": 0.15},
            {"rows": 5, "columns": 6, "parcels": 4, "capacity": 2, "closed": 0.25, "slack": 0.1},
            {"rows": 6, "columns": 6, "parcels": 5, "capacity": 2, "closed": 0.25, "slack": 0.05},
        ),
        knobs=(
            Knob("rows", 3, 6, "crossings from top to bottom"),
            Knob("columns", 3, 6, "crossings from left to right"),
            Knob("parcels", 1, 5, "parcels, each with its house; a small town has fewer"),
            Knob("capacity", 1, 2, "parcels that the van holds"),
            Knob("slack", 0.0, 0.5, "moves to spare, as a share of the best plan"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn"}),
    )

    def reset(self, instance: Instance) -> Round:
        settings = self.spec.settings(instance)
        rows, columns = 2 * int(settings["rows"]) - 1, 2 * int(settings["columns"]) - 1
        odd = [cell // columns % 2 + cell % columns % 2 for cell in range(rows * columns)]
        crossings, streets = ([cell for cell, each in enumerate(odd) if each == kind] for kind in (0, 1))
        count = min(int(settings["parcels"]), len(crossings) // 2 - 1)
        closed = round(float(settings["closed"]) * len(streets))

        def propose(rng: np.random.Generator) -> Round | None:
            cells = bytearray(GARDEN if each == 2 else ROAD for each in odd)
            for k in rng.permutation(len(streets))[:closed].tolist():
                cells[streets[k]] = CLOSED
            at, *places = (crossings[k] for k in rng.permutation(len(crossings))[: 2 * count + 1].tolist())
            for k, house in enumerate(places[:count]):
                cells[house] = HOUSE + k
            town = Town(rows, columns, bytes(cells), int(settings["capacity"]))
            if min(_ways(town, at)[stop] for stop in places) < 0:
                return None
            start = Round(town, at, tuple(places[count:]))
            return replace(start, limit=int(len(_plan(town, at, start.parcels)) * (1 + float(settings["slack"]))))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Round) -> int:
        return state.limit

    def public(self, state: Round) -> Round:
        return state

    def view(self, public: Round, pixels: int = 448) -> View:
        town, cells = public.town, _content(public)
        held = tuple(k for k, place in enumerate(public.parcels) if place == HELD)
        load = " and ".join(NAMES[PARCEL + k] for k in held)
        here, cells[public.at] = cells[public.at], VAN
        van = f"van{f' with {load}' if load else ''}{f' at {NAMES[here]}' if here else ''}"
        image, elements = None, grid.NOTHING
        if pixels:
            size = pixels // max(town.columns, town.rows)
            kinds = np.frombuffer(cells, np.uint8).astype(np.intp).reshape(town.rows, town.columns)
            drawn = grid.paint(kinds, _tiles(size)).pixels
            top, left = (size * place for place in divmod(public.at, town.columns))
            drawn[top : top + size, left : left + size] = _van(here, held, size)
            image = Picture(drawn, PALETTE)
            scene = [
                element._replace(glyph=_glyph(size)) if kind >= HOUSE else element
                for element, kind in zip(grid.scene(NAMES, cells, *kinds.shape, size), cells, strict=True)
            ]
            scene[public.at] = scene[public.at]._replace(name=van, glyph=_glyph(size) if held else 0)
            elements = tuple(scene)
        fetch = ", ".join(NAMES[PARCEL + k] for k, place in enumerate(public.parcels) if place >= 0)
        legend = {SIGNS[kind]: van if kind == VAN else NAMES[kind] for kind in sorted(set(cells))}
        return View(
            ANSWER,
            image,
            f"{TASK.format(public.limit, town.capacity)} {ANSWER.describe()}",
            RULES,
            HINT,
            f"To fetch: {fetch or 'nothing'}; room for {town.capacity - len(held)} more.",
            captions.board(legend, "".join([SIGNS[kind] for kind in cells]), town.columns),
            elements,
        )

    def step(self, state: Round, action: str) -> Step[Round]:
        town, around = state.town, grid.neighbours(state.town.rows, state.town.columns)
        heading = grid.DIRECTIONS.index(action)
        street = around[state.at][heading]
        if street < 0 or town.cells[street] == CLOSED:
            stays = replace(state, came_from=-1)
            return Step(stays, events=("edge_bumped" if street < 0 else "obstacle_bumped",))
        cell = around[street][heading]
        parcels = _arrived(town, cell, state.parcels)
        came_from = state.at if parcels == state.parcels else -1
        after = replace(state, at=cell, parcels=parcels, came_from=came_from)
        brought, taken = (parcels.count(mark) - state.parcels.count(mark) for mark in (DONE, HELD))
        events = ["cargo_delivered"] * brought + ["cargo_taken"] * (brought + taken)
        if parcels.count(DONE) == len(parcels):
            return Step(after, 1.0, done=True, success=True, events=(*events, "task_completed"))
        if cell in parcels:
            events.append("capacity_exceeded")
        room = state.parcels.count(HELD) < town.capacity
        stops = [town.cells.index(HOUSE + k) for k, place in enumerate(state.parcels) if place == HELD]
        stops += [place for place in state.parcels if place >= 0 and room]
        before, left = (min(_ways(town, stop)[at] for stop in stops) for at in (state.at, cell))
        events.append("moved_closer" if left < before else "moved_away" if left > before else "moved_level")
        if cell == state.came_from:
            events.append("path_reversed")
        return Step(after, events=tuple(events))

    def solve(self, state: Round) -> Sequence[str] | None:
        return _plan(state.town, state.at, state.parcels)

    def problem(self, state: Round) -> bytes:
        """Return the town up to its symmetries and to the letters of the parcels."""
        town, cells = state.town, _content(state)
        cells[state.at] = VAN
        board = np.frombuffer(cells, np.uint8)
        return bytes([town.capacity, state.limit]) + grid.canonical(town.rows, town.columns, board, _relettered)


def _relettered(content: bytes) -> bytes:
    """Return a town with its parcels lettered in the order in which their houses stand."""
    houses = bytes([kind for kind in content if HOUSE <= kind < PARCEL])
    old = houses + bytes([kind + MOST for kind in houses])
    new = bytes([first + k for first in (HOUSE, PARCEL) for k in range(len(houses))])
    return content.translate(bytes.maketrans(old, new))


def _content(state: Round) -> bytearray:
    """Return what lies at each cell without the van, places in NAMES."""
    cells = bytearray(state.town.cells)
    for k, place in enumerate(state.parcels):
        if place >= 0:
            cells[place] = PARCEL + k
    return cells


def _arrived(town: Town, cell: int, parcels: tuple[int, ...]) -> tuple[int, ...]:
    """Return the parcels after the van came to a crossing and unloaded or loaded there."""
    changed, k = list(parcels), town.cells[cell] - HOUSE
    if k >= 0 and parcels[k] == HELD:
        changed[k] = DONE
    elif cell in parcels and parcels.count(HELD) < town.capacity:
        changed[parcels.index(cell)] = HELD
    return tuple(changed)


@lru_cache(maxsize=2048)
def _ways(town: Town, start: int) -> list[int]:
    """Return the fewest steps between cells, two for each street, from a cell to all; -1 where there is no way."""
    return grid.distances(town.rows, town.columns, start, lambda cell: town.cells[cell] not in (CLOSED, GARDEN))


@lru_cache(maxsize=2048)
def _plan(town: Town, at: int, parcels: tuple[int, ...]) -> tuple[str, ...]:
    """Return a shortest plan, by A* from crossing to crossing."""
    streets = grid.neighbours(town.rows, town.columns)
    homes = [_ways(town, town.cells.index(HOUSE + k)) for k in range(len(parcels))]
    ways = {place: _ways(town, place) for place in parcels if place >= 0}

    def least(at: int, parcels: tuple[int, ...]) -> int:
        """Return the moves that the parcel needs alone which needs most."""
        pairs = zip(parcels, homes, strict=True)
        return max(home[at] if p == HELD else ways[p][at] + home[p] if p >= 0 else 0 for p, home in pairs) // 2

    heap: list[tuple[int, int, int, tuple[int, ...], tuple[str, ...]]] = [(0, 0, at, parcels, ())]
    best, pushed = {(at, parcels): 0}, 0
    while True:  # whatever is held can be brought home, so a plan is found before the heap is empty
        _, _, at, parcels, moves = heappop(heap)
        if parcels.count(DONE) == len(parcels):
            return moves
        cost = len(moves) + 1
        for heading, street in enumerate(streets[at]) if cost == best[at, parcels] + 1 else ():
            if street < 0 or town.cells[street] == CLOSED:
                continue
            cell = streets[street][heading]
            there = _arrived(town, cell, parcels)
            if cost < best.get((cell, there), cost + 1):
                best[cell, there] = cost
                pushed += 1
                onward = (*moves, grid.DIRECTIONS[heading])
                heappush(heap, (cost + least(cell, there), -pushed, cell, there, onward))


def _glyph(size: int) -> int:
    return max(6, round(size * 0.34))


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    """Return the tiles in the order of NAMES, the van's without a van."""
    return grid.stack(_tile(kind, size).pixels for kind in range(len(NAMES)))


def _tile(kind: int, size: int) -> Canvas:
    canvas = Canvas(size, size, "grass" if kind == GARDEN else "silver")
    middle, colour = (size / 2, size / 2), COLOURS[(kind - HOUSE) % MOST]
    if kind == GARDEN:
        canvas.shape("circle", middle, round(size * 0.7), "green")
    elif kind == CLOSED:
        _boxes(canvas, (0.08, 0.3, 0.92, 0.7, "red"), (0.26, 0.3, 0.4, 0.7, "white"), (0.62, 0.3, 0.76, 0.7, "white"))
    elif HOUSE <= kind < PARCEL:
        canvas.shape("triangle", middle, size, colour)
        _boxes(canvas, (0, 0.56, 1, 1, "silver"), (0.16, 0.56, 0.84, 0.98, "white"))
        canvas.text(SIGNS[kind], (size / 2, size * 0.76), _glyph(size))
    elif PARCEL <= kind < VAN:
        canvas.shape("square", middle, round(size * 0.8), colour, edge="ink")
        canvas.text(SIGNS[kind], middle, _glyph(size), "white")
    return canvas


def _boxes(canvas: Canvas, *boxes: tuple[float, float, float, float, str]) -> None:
    """Fill boxes given in shares of a tile."""
    size = canvas.pixels.shape[0]
    for left, top, right, bottom, fill in boxes:
        canvas.rectangle((round(size * left), round(size * top), round(size * right), round(size * bottom)), fill)


@lru_cache(maxsize=256)
def _van(here: int, held: tuple[int, ...], size: int) -> Pixels:
    """Return the tile of the van at a kind of place, with the letters that it holds on its side."""
    canvas = _tile(here, size)
    _boxes(canvas, (0.04, 0.34, 0.96, 0.84, "ink"), (0.08, 0.38, 0.66, 0.8, "yellow"))
    _boxes(canvas, (0.7, 0.56, 0.92, 0.8, "yellow"), (0.7, 0.4, 0.92, 0.52, "sky"))
    for x in (0.27, 0.76):
        canvas.shape("circle", (size * x, size * 0.86), round(size * 0.24), "ink")
    if held:
        canvas.text("".join(SIGNS[PARCEL + k] for k in held), (size * 0.37, size * 0.58), _glyph(size))
    return canvas.pixels


environment = ParcelRound()
