"""Elevator: run a small lift so that everybody gets to the floor on their shirt before the moves run out.

To open is all or nothing: whoever waits gets in while there is room, also those who then ride the wrong way. So the
order of the stops decides, and the fewer moves are spared over the best plan, the more it does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import heappop, heappush

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, splits, sprites
from palaestra.envs.kit.canvas import Canvas

SHIRTS = ("red", "blue", "green", "purple", "brown", "teal", "wine", "navy")
PLAIN = ("-", "_", "[]")
NAMES = (*PLAIN, *(form.format(floor + 1) for form in ("{}", "[{}]", "{}:") for floor in range(len(SHIRTS))))
SHAFT, HALL, CABIN = range(len(PLAIN))
WAITS, RIDES, STOREY = (len(PLAIN) + part * len(SHIRTS) for part in range(3))

ANSWER = Choice(("up", "down", "open"))
TASK = "Take all to the floors on their shirts within {} moves."
RULES = (
    "Up and down go one floor. Opening lets out who has arrived, then in who waits, from the left, while there is room."
)
HINT = "Before opening ask who gets in, and whether that room is needed sooner for others."
CAPTION = "Each row: floor, shaft - or lift [ ] with riders, hall _ with those who wait; numbers are floors wanted."

Queues = tuple[tuple[int, ...], ...]
"""For each floor from the ground the floors wanted by those who wait there, first who gets in first."""


@dataclass(frozen=True, slots=True)
class Lift:
    """Where the lift is, the floors that its riders want in order, and who waits."""

    at: int
    riders: tuple[int, ...]
    queues: Queues


@dataclass(frozen=True, slots=True)
class House:
    """All there is to see: the lift, the riders it holds, the length of the halls, the moves left, the last move."""

    lift: Lift
    capacity: int
    hall: int
    left: int
    limit: int
    last: str = ""


class Elevator:
    """The environment."""

    spec = EnvSpec(
        id="planning/elevator",
        version=1,
        title="Elevator",
        horizon=70,
        scales=(
            {"floors": 5, "persons": 3, "capacity": 2, "slack": 0.4},
            {"floors": 5, "persons": 4, "capacity": 2, "slack": 0.35},
            {"floors": 6, "persons": 5, "capacity": 2, "slack": 0.25},
            {"floors": 6, "persons": 6, "capacity": 2, "slack": 0.15},
            {"floors": 7, "persons": 7, "capacity": 2, "slack": 0.1},
            {"floors": 8, "persons": 8, "capacity": 3, "slack": 0.05},
        ),
        knobs=(
            Knob("floors", 4, 8, "floors of the house"),
            Knob("persons", 3, 8, "persons who wait"),
            Knob("capacity", 1, 3, "riders that the lift holds"),
            Knob("slack", 0.0, 1.0, "moves to spare, as a share of the best plan"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn"}),
    )

    def reset(self, instance: Instance) -> House:
        settings = self.spec.settings(instance)
        floors, persons, capacity = (int(settings[name]) for name in ("floors", "persons", "capacity"))
        slack, hall = float(settings["slack"]), 2 if persons < floors else 3

        def propose(rng: np.random.Generator) -> House | None:
            starts = rng.integers(floors, size=persons).tolist()
            wanted = [
                (a + way) % floors for a, way in zip(starts, rng.integers(1, floors, persons).tolist(), strict=True)
            ]
            if max(map(starts.count, starts)) > hall:
                return None
            queues = tuple(tuple(b for a, b in zip(starts, wanted, strict=True) if a == f) for f in range(floors))
            lift = Lift(int(rng.integers(floors)), (), queues)
            limit = int(len(_plan(lift, capacity)) * (1 + slack))
            return House(lift, capacity, hall, limit, limit)

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: House) -> int:
        return state.limit

    def public(self, state: House) -> House:
        return state

    def view(self, public: House, pixels: int = 448) -> View:
        lift, content = public.lift, _content(public)
        rows, columns = len(lift.queues), 1 + public.capacity + public.hall
        image, elements = None, grid.NOTHING
        if pixels:
            size = pixels // max(rows, columns)
            image = grid.paint(np.array(content, np.intp).reshape(rows, columns), _tiles(size))
            scene = grid.scene(NAMES, content, rows, columns, size)
            elements = tuple(
                e._replace(glyph=_glyph(size) if k >= WAITS else 0) for e, k in zip(scene, content, strict=True)
            )
        waiting = sum(map(len, lift.queues))
        return View(
            ANSWER,
            image,
            f"{TASK.format(public.limit)} {ANSWER.describe()}",
            RULES,
            HINT,
            f"Lift at floor {lift.at + 1}, room for {public.capacity - len(lift.riders)} more; waiting: {waiting}; "
            f"moves left: {public.left}.",
            f"{CAPTION}\n{captions.rows([NAMES[kind] for kind in content], columns)}",
            elements,
        )

    def step(self, state: House, action: str) -> Step[House]:
        lift = state.lift
        if action == "open":
            after, out, inside = _opened(lift, state.capacity)
            events = (
                ["cargo_delivered"] * out
                + ["cargo_taken"] * inside
                + ["capacity_exceeded" if after.queues[lift.at] else "capacity_kept"] * bool(lift.queues[lift.at])
            )
            events = events or ["resource_wasted"]
        else:
            way = 1 if action == "up" else -1
            after = replace(lift, at=min(max(lift.at + way, 0), len(lift.queues) - 1))
            ahead = any((floor - lift.at) * way > 0 for floor in _stops(lift, state.capacity))
            events = ["edge_bumped" if after == lift else "moved_closer" if ahead else "moved_away"]
            if {action, state.last} == {"up", "down"}:
                events.append("path_reversed")
        house = replace(state, lift=after, left=state.left - 1, last=action)
        if not after.riders and not any(after.queues):
            return Step(house, 1.0, done=True, success=True, events=(*events, "task_completed"))
        if not house.left:
            return Step(house, done=True, events=(*events, "deadline_missed"))
        return Step(house, events=tuple(events))

    def solve(self, state: House) -> Sequence[str] | None:
        """Return a best plan, None when it comes too late."""
        plan = _plan(state.lift, state.capacity)
        return plan if len(plan) <= state.left else None

    def problem(self, state: House) -> bytes:
        """Return the house, or the one turned upside down, whichever is less."""
        lift, top = state.lift, len(state.lift.queues) - 1
        turned = top - lift.at, tuple(tuple(top - wanted for wanted in queue) for queue in reversed(lift.queues))
        return repr((state.capacity, state.limit, min((lift.at, lift.queues), turned))).encode()


def _opened(lift: Lift, capacity: int) -> tuple[Lift, int, int]:
    """Return the lift after its doors were open, how many got out, and how many got in."""
    stay = [wanted for wanted in lift.riders if wanted != lift.at]
    queue = lift.queues[lift.at]
    room = capacity - len(stay)
    queues = (*lift.queues[: lift.at], queue[room:], *lift.queues[lift.at + 1 :])
    return Lift(lift.at, tuple(sorted([*stay, *queue[:room]])), queues), len(lift.riders) - len(stay), len(queue[:room])


def _stops(lift: Lift, capacity: int) -> set[int]:
    """Return the floors where to open does something."""
    stops = set(lift.riders)
    if len(lift.riders) < capacity:
        stops.update(floor for floor, queue in enumerate(lift.queues) if queue)
    return stops


def _least(lift: Lift) -> int:
    """Return a lower bound of the moves left: the way over all floors where one must open, and opening there."""
    stops = {floor for floor, queue in enumerate(lift.queues) if queue}.union(lift.riders, *lift.queues)
    if not stops:
        return 0
    low, high = min(*stops, lift.at), max(*stops, lift.at)
    return high - low + min(lift.at - low, high - lift.at) + len(stops)


@lru_cache(maxsize=4096)
def _plan(lift: Lift, capacity: int) -> tuple[str, ...]:
    """Return a shortest plan, by A* from stop to stop."""
    heap: list[tuple[int, int, int, Lift, tuple[int, ...]]] = [(_least(lift), 0, 0, lift, ())]
    best, pushed = {lift: 0}, 0
    while True:  # every rider can be let out, so a plan is found before the heap is empty
        _, spent, _, here, stops = heappop(heap)  # `spent` counts downwards: of equals, the furthest comes first
        if not here.riders and not any(here.queues):
            return _told(lift.at, stops)
        for floor in sorted(_stops(here, capacity)) if -spent == best[here] else ():
            after, _, _ = _opened(Lift(floor, here.riders, here.queues), capacity)
            cost = abs(floor - here.at) + 1 - spent
            if cost < best.get(after, cost + 1):
                best[after] = cost
                pushed += 1
                heappush(heap, (cost + _least(after), -cost, pushed, after, (*stops, floor)))


def _told(at: int, stops: Sequence[int]) -> tuple[str, ...]:
    """Return the moves that open at these floors in turn."""
    moves: list[str] = []
    for floor in stops:
        moves += ["up" if floor > at else "down"] * abs(floor - at) + ["open"]
        at = floor
    return tuple(moves)


def _content(house: House) -> list[int]:
    """Return what lies at each cell from the top floor down, places in NAMES."""
    content: list[int] = []
    for floor, queue in reversed(list(enumerate(house.lift.queues))):
        content.append(STOREY + floor)
        inside = [RIDES + wanted for wanted in house.lift.riders]
        content += (
            [*inside, *[CABIN] * house.capacity][: house.capacity]
            if floor == house.lift.at
            else [SHAFT] * house.capacity
        )
        content += [*(WAITS + wanted for wanted in queue), *[HALL] * house.hall][: house.hall]
    return content


def _glyph(size: int) -> int:
    return max(6, round(size * 0.32))


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    """Return the tiles in the order of NAMES."""
    return grid.stack(_tile(kind, size).pixels for kind in range(len(NAMES)))


def _tile(kind: int, size: int) -> Canvas:
    part, floor = divmod(kind - len(PLAIN), len(SHIRTS))
    canvas = Canvas(size, size, "slate")
    line = max(1, size // 24)
    if kind == SHAFT:
        canvas.rectangle((size // 2, 0, size // 2 + line, size), "silver")
    elif kind == CABIN or part == 1:
        canvas.rectangle((0, 0, size, size), "gold")
        canvas.rectangle((0, 2 * line, size, size - 2 * line), "sand")
        canvas.shape("circle", (size * 0.5, size * 0.64), round(size * 0.58), "paper")  # one place: so room is seen
    else:
        canvas.rectangle((0, 0, size, size - line), "paper")
    if kind >= STOREY:
        sprites.bricks(canvas, "brown", "sand")
        canvas.shape("circle", (size / 2, size / 2), round(size * 0.7), SHIRTS[floor], edge="white")
        canvas.text(str(floor + 1), (size / 2, size / 2), _glyph(size), "white")
    elif kind >= WAITS:
        canvas.shape("circle", (size * 0.5, size * 0.64), round(size * 0.58), SHIRTS[floor], edge="ink")
        canvas.shape("circle", (size * 0.5, size * 0.23), round(size * 0.3), "sand", edge="ink")
        canvas.text(str(floor + 1), (size * 0.5, size * 0.66), _glyph(size), "white")
    return canvas


environment = Elevator()
