"""Parcel round: drive a van from crossing to crossing, take up parcels and bring each to the house of its letter.

Loading and unloading happen by themselves, so a full van and a detour decide. At some scales the tank does not last
for the round, and a pump fills it. The plan goes from stop to stop by shortest ways, and is good rather than best.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, splits
from palaestra.envs.planning.parcel_round.picture import drawn
from palaestra.envs.planning.parcel_round.rules import (
    CLOSED,
    DONE,
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
    Town,
    arrived,
    content,
    plan,
    stops,
    ways,
)

ANSWER = Choice(grid.DIRECTIONS)
TASK = "Bring every parcel to the house of its letter."
RULES = "A move takes the van to the next crossing, never through a closed street. It loads and unloads by itself"
HINT = "Compare the orders of all stops by their whole way before setting off."


class ParcelRound:
    """The environment."""

    spec = EnvSpec(
        id="planning/parcel_round",
        version=1,
        title="Parcel round",
        horizon=96,
        scales=(
            {"rows": 3, "columns": 4, "parcels": 2, "capacity": 2, "closed": 0.1, "pump": 0},
            {"rows": 4, "columns": 4, "parcels": 2, "capacity": 1, "closed": 0.15, "pump": 0},
            {"rows": 4, "columns": 5, "parcels": 3, "capacity": 2, "closed": 0.2, "pump": 0},
            {"rows": 5, "columns": 5, "parcels": 3, "capacity": 1, "closed": 0.2, "pump": 1},
            {"rows": 5, "columns": 6, "parcels": 4, "capacity": 2, "closed": 0.2, "pump": 1},
            {"rows": 6, "columns": 6, "parcels": 5, "capacity": 2, "closed": 0.25, "pump": 1},
        ),
        knobs=(
            Knob("rows", 3, 6, "crossings from top to bottom"),
            Knob("columns", 3, 6, "crossings from left to right"),
            Knob("parcels", 1, 5, "parcels, each with its house; a small town has fewer"),
            Knob("pump", 0, 1, "whether the tank is so small that a pump must be used"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn"}),
    )

    def reset(self, instance: Instance) -> Round:
        settings = self.spec.settings(instance)
        rows, columns = 2 * int(settings["rows"]) - 1, 2 * int(settings["columns"]) - 1
        count, capacity, pump = (int(settings[name]) for name in ("parcels", "capacity", "pump"))
        tank = (rows + columns) // 2 + count if pump else 0
        crossings, streets, gardens = _plots(rows, columns)
        count = min(count, len(crossings) // 2 - 1)
        closed = round(float(settings["closed"]) * len(streets))

        def propose(rng: np.random.Generator) -> Round | None:
            cells = bytearray(rows * columns)
            for plot in gardens:
                cells[plot] = GARDEN
            for k in rng.permutation(len(streets))[:closed].tolist():
                cells[streets[k]] = CLOSED
            at, station, *places = (crossings[k] for k in rng.permutation(len(crossings))[: 2 * count + 2].tolist())
            if pump:
                cells[station] = PUMP
            for k, house in enumerate(places[:count]):
                cells[house] = HOUSE + k
            town = Town(rows, columns, bytes(cells), capacity, tank)
            if min(ways(town, at)[stop] for stop in (station, *places)) < 0:
                return None
            start = Round(town, at, tuple(places[count:]), tank)
            found = plan(town, at, start.parcels, tank)
            if found is None or (pump and len(found) <= tank):
                return None
            return replace(start, limit=len(found) * 3 // 2 + 2)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Round) -> int:
        return state.limit

    def public(self, state: Round) -> Round:
        return state

    def view(self, public: Round, pixels: int = 448) -> View:
        town, cells = public.town, content(public)
        held = [NAMES[PARCEL + k] for k, place in enumerate(public.parcels) if place == HELD]
        here = cells[public.at]
        van = f"van{' with ' * bool(held)}{' and '.join(held)}{f' at {NAMES[here]}' if here else ''}"
        cells[public.at] = VAN
        image, elements = drawn(public, bytes(cells), van, here, pixels) if pixels else (None, grid.NOTHING)
        legend = {SIGNS[kind]: van if kind == VAN else NAMES[kind] for kind in sorted(set(cells))}
        gauge = f"In the tank: fuel {public.fuel}.\n" if town.tank else ""
        todo = [
            f"{'abcde'[k]} is {'with you' if place == HELD else 'to fetch'}"
            for k, place in enumerate(public.parcels)
            if place > DONE
        ]
        tank = f"; a move takes 1 fuel, the pump fills the tank to {town.tank}" if town.tank else ""
        return View(
            ANSWER,
            image,
            f"{TASK} {ANSWER.describe()}",
            f"{RULES} and holds {town.capacity} at most{tank}.",
            HINT,
            f"Van at row {public.at // town.columns}, column {public.at % town.columns}; "
            f"parcels: {', '.join(todo) or 'none'}.",
            gauge + captions.board(legend, "".join([SIGNS[kind] for kind in cells]), town.columns),
            elements,
        )

    def step(self, state: Round, action: str) -> Step[Round]:
        around, heading = grid.neighbours(state.town.rows, state.town.columns), grid.DIRECTIONS.index(action)
        street = around[state.at][heading]
        if street < 0 or state.town.cells[street] == CLOSED:
            stays = replace(state, came_from=-1)
            return Step(stays, events=("edge_bumped" if street < 0 else "obstacle_bumped",))
        town, cell = state.town, around[street][heading]
        parcels, fuel = arrived(town, cell, state.parcels, state.fuel)
        after = Round(town, cell, parcels, fuel, state.limit, came_from=state.at)
        brought, taken = (parcels.count(mark) - state.parcels.count(mark) for mark in (DONE, HELD))
        events = ["cargo_delivered"] * brought + ["cargo_taken"] * (brought + taken)
        if parcels.count(DONE) == len(parcels):
            return Step(after, 1.0, done=True, success=True, events=(*events, "task_completed"))
        if town.tank and not fuel:
            return Step(after, done=True, events=(*events, "dead_end_entered"))
        if cell in parcels:
            events.append("capacity_exceeded")
        aims = stops(town, state.parcels)
        if state.fuel < town.tank / 2:
            aims.append(town.cells.index(PUMP))
        before, left = (min(ways(town, aim)[at] for aim in aims) for at in (state.at, cell))
        events.append("moved_closer" if left < before else "moved_away" if left > before else "moved_level")
        if cell == state.came_from:
            events.append("path_reversed")
        return Step(after, events=tuple(events))

    def solve(self, state: Round) -> Sequence[str] | None:
        return plan(state.town, state.at, state.parcels, state.fuel)

    def problem(self, state: Round) -> bytes:
        """Return the town up to its symmetries and to the letters of the parcels."""
        town, cells = state.town, content(state)
        cells[state.at] = VAN
        board = np.frombuffer(cells, np.uint8)
        return bytes([town.capacity, town.tank]) + grid.canonical(town.rows, town.columns, board, _relettered)


def _relettered(content: bytes) -> bytes:
    """Return a town with its parcels lettered in the order in which their houses stand."""
    houses = bytes([kind for kind in content if HOUSE <= kind < PARCEL])
    old = houses + bytes([kind + MOST for kind in houses])
    new = bytes([HOUSE + k for k in range(len(houses))]) + bytes([PARCEL + k for k in range(len(houses))])
    return content.translate(bytes.maketrans(old, new))


@lru_cache(maxsize=64)
def _plots(rows: int, columns: int) -> tuple[list[int], list[int], list[int]]:
    """Return the cells of crossings, of streets, and of the gardens between."""
    odd = [cell // columns % 2 + cell % columns % 2 for cell in range(rows * columns)]
    crossings, streets, gardens = ([cell for cell, of in enumerate(odd) if of == kind] for kind in range(3))
    return crossings, streets, gardens


environment = ParcelRound()
