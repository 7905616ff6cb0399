"""Multi-agent frozen lake, step by step: each reply moves all walkers once, until all stand at their flags at one time.

The board, its rules and its dials are those of `planning/mapf_frozen_lake`; here one sees what a step has done before
the next, and at some scales the ice is slippery: a move is then turned aside, to its left or to its right, with the
probability `slip`, and whoever waits stays. Which moves slip is fixed by a key inside the state; only the oracle knows
it. A hole, two in one cell or two that change places end the episode; the edge only stops.

Source: MAPF-FrozenLake of LLM-as-Environment-Engineer, played in steps; slips as in Gymnasium's FrozenLake.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import chance
from palaestra.envs.planning._mapf import looks, making, pairs, sets, ways
from palaestra.envs.planning._mapf.lake import (
    HOLE,
    MOVES,
    SWAP,
    WAIT,
    JointOracle,
    Lake,
    Plan,
    meetings,
    onward,
    standing,
)

TASK = "Move all walkers one step, until all stand at the flags of their colours."
RULES = "All step at once; holes end it, and so does sharing a cell or changing places; the edge stops a walker."
SLIPPERY = "The ice is slippery: {:.3g} % of the moves are turned aside to either hand; who waits stays."
HINT = "Let the one with the longest way go on; another may have to wait or to step aside."


@dataclass(frozen=True, slots=True)
class Position:
    """All that a player sees: the board, where each walker stands, the steps made, and whether all is lost."""

    lake: Lake
    slip: float
    credit: float
    cells: tuple[int, ...]
    time: int = 0
    lost: bool = False

    @property
    def arrived(self) -> int:
        """How many walkers stand at their flags."""
        return sum(cell == goal for cell, goal in zip(self.cells, self.lake.goals, strict=True))


@dataclass(frozen=True, slots=True)
class Play:
    """The position, and the key that decides which moves slip."""

    position: Position
    key: int


@dataclass(frozen=True, slots=True)
class MapfLakeSteps:
    """The environment, with a joint oracle for more than two walkers or without."""

    oracle: JointOracle | None = None

    spec = EnvSpec(
        id="planning/mapf_lake_steps",
        version=1,
        title="Multi-agent frozen lake, step by step",
        horizon=120,
        scales=(
            making.scale(4, 0.1, 0.0, slip=0.0),
            making.scale(5, 0.2, 0.2, slip=0.0),
            making.scale(6, 0.25, 0.3, slip=0.0),
            making.scale(7, 0.25, 0.3, slip=0.05),
            making.scale(7, 0.3, 0.4, slip=0.1),
            making.scale(8, 0.25, 0.5, slip=0.1),
        ),
        knobs=(*making.KNOBS, Knob("slip", 0.0, 0.3, "probability that a move is turned aside")),
        clairvoyant=True,
        embedded_scales=(0, 1),
        tags=frozenset({"multi_turn", "stochastic"}),
        source="multi-agent path finding",
    )

    def equipped(self, oracle: JointOracle) -> "MapfLakeSteps":
        """Return this environment with a joint oracle."""
        return replace(self, oracle=oracle)

    def reset(self, instance: Instance) -> Play:
        settings = self.spec.settings(instance)
        lake = making.drawn(self.spec, instance, settings, self.oracle, sets.reserved)
        return Play(
            Position(lake, float(settings["slip"]), float(settings["credit"]), lake.starts), chance.key(instance)
        )

    def horizon(self, state: Play) -> int:
        return state.position.lake.longest * (2 if state.position.slip else 1)

    def public(self, state: Play) -> Position:
        return state.position

    def view(self, public: Position, pixels: int = 448) -> View:
        lake, kind = public.lake, _answer(len(public.cells))
        image, elements = looks.drawn(lake, public.cells, pixels)
        steps = [f"{colour} {left}" for colour, left in zip(looks.COLOURS, _left(public), strict=False)]
        slippery = f" {SLIPPERY.format(100 * public.slip)}" if public.slip else ""
        earns = f" Each walker at its flag earns up to {public.credit:.2g} by its share." if public.credit else ""
        return View(
            answer=kind,
            image=image,
            task=f"{TASK} {kind.describe()}",
            rules=f"{RULES}{slippery}{earns}",
            hint=HINT,
            state=f"Steps left alone: {', '.join(steps)}. Steps made: {public.time}.",
            caption=looks.caption(lake, public.cells),
            scene=elements,
        )

    def step(self, state: Play, action: tuple[str, ...]) -> Step[Play]:
        here, lake = state.position, state.position.lake
        around, events, cells = onward(lake.size), list[str](), list[int]()
        for k, (cell, move) in enumerate(zip(here.cells, action, strict=True)):
            onto = around[cell][_turned(move, _aside(here.slip, state.key, here.time, k))]
            events += ["turn_waited"] if move == WAIT else ["edge_bumped"] if onto < 0 else []
            cells.append(cell if onto < 0 else onto)
        after = replace(here, cells=tuple(cells), time=here.time + 1)
        met = list(meetings(list(zip(here.cells, cells, strict=True))))
        if met:  # nobody is drawn upon another: they stay as they were before
            after = replace(after, cells=here.cells, lost=True)
            events += ["agents_swapped" if fault.kind == SWAP else "agents_collided" for fault in met]
        elif any(lake.cells[cell] == HOLE for cell in cells):
            after = replace(after, lost=True)
            events.append("hazard_entered")
        won = not after.lost and after.arrived == len(cells)
        gained = after.arrived - here.arrived
        events += ["subgoal_reached"] if gained > 0 else ["subgoal_undone"] if gained < 0 else []
        nearer = sum(_left(here)) - sum(_left(after)) if not after.lost else 0
        events += ["moved_closer"] if nearer > 0 else ["moved_away"] if nearer < 0 else ["moved_level"]
        paid = here.credit / len(cells)
        if won:
            return Step(Play(after, state.key), 1 - paid * here.arrived, True, True, events=(*events, "goal_reached"))
        reward = 0.0 if after.lost else paid * gained
        return Step(Play(after, state.key), reward, done=after.lost, events=tuple(events))

    def solve(self, state: Play) -> Sequence[str] | None:
        """Return a plan in which each move is aimed so that the slip that will come carries it there."""
        here = state.position
        plan = self._plan(here)
        if plan is None:
            return None
        kind, size = _answer(len(plan)), len(plan)
        return [
            kind.format(
                tuple(
                    MOVES[_turned(move, -_aside(here.slip, state.key, here.time + ahead, k))]
                    for k, move in enumerate(_at(plan, ahead))
                )
            )
            for ahead in range(max(map(len, plan)) if size else 0)
        ]

    def guide(self, public: Position) -> str | None:
        """Return the first step of a plan from here that heeds no slips."""
        plan = self._plan(public)
        return _answer(len(plan)).format(_at(plan, 0)) if plan and max(map(len, plan)) else None

    def reseal(self, state: Play, seed: int) -> Play:
        return replace(state, key=seed)

    def problem(self, state: Play) -> bytes:
        """Return the board up to its symmetries and to the colours of the walkers; it is one, however slippery."""
        return making.problem(state.position.lake)

    def _plan(self, here: Position) -> Plan | None:
        """Return a plan from a position: the rest of the one from the start while on its way, else a new one."""
        lake = here.lake
        if here.lost:
            return None
        if (first := self._known(lake)) is not None:
            around = onward(lake.size)
            walks = []
            for start, moves in zip(lake.starts, first, strict=True):
                walk = [start]
                for move in moves:
                    walk.append(around[walk[-1]][MOVES.index(move)])
                walks.append(walk)
            if here.cells == tuple(standing(walk, here.time) for walk in walks):
                return tuple(moves[here.time :] for moves in first)
        return self._known(replace(lake, starts=here.cells))

    def _known(self, lake: Lake) -> Plan | None:
        """Return a plan: the earliest where one is known, else any."""
        if len(lake.starts) == 2:
            return pairs.best(lake)
        best = None if self.oracle is None else ways.soonest(lake) or self.oracle.best(lake)
        return best or ways.witness(lake)


def _at(plan: Plan, time: int) -> tuple[str, ...]:
    return tuple(moves[time] if time < len(moves) else WAIT for moves in plan)


def _turned(move: str, aside: int) -> int:
    """Return the place in MOVES of a move that is turned by so many quarters; waiting is never."""
    return MOVES.index(move) if move == WAIT else (MOVES.index(move) + aside) % 4


def _aside(slip: float, key: int, time: int, walker: int) -> int:
    """Return by how many quarter turns a move is turned aside: 0, 1 or -1."""
    if not slip:
        return 0
    luck = chance.uniform(key, time * making.MOST + walker)
    return 0 if luck >= slip else 1 if luck < slip / 2 else -1


def _left(here: Position) -> list[int]:
    """Return how many steps each walker needs from where it stands, heeding nobody; -1 where there is no way."""
    return ways.alone(replace(here.lake, starts=here.cells))[1]


@lru_cache(maxsize=8)
def _answer(walkers: int) -> answer.Record:
    return answer.Record(tuple((colour, answer.Choice(MOVES)) for colour in looks.COLOURS[:walkers]))


environment = MapfLakeSteps()
