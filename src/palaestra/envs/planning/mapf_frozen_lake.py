"""Multi-agent frozen lake: one reply plans the walks of all at once, so that nobody falls in or runs into another.

All move at the same time, one cell a step. Two may neither be in one cell nor change places; to follow is allowed, and
who has arrived stays as a standing obstacle. A plan is best when the last walker arrives as early as possible (its
makespan): for two walkers that is decided here, for more by a joint oracle, if one is handed in; without one nothing is
said of it.

Source: MAPF-FrozenLake of LLM-as-Environment-Engineer. Departures: `_mapf` tells them, file by file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit.parts import Asked
from palaestra.envs.planning._mapf import looks, making, pairs, sets, ways
from palaestra.envs.planning._mapf.lake import (
    FELL,
    ILLEGAL,
    MOVES,
    SWAP,
    VERTEX,
    WAIT,
    JointOracle,
    Lake,
    Plan,
    outcome,
    told,
)

TASK = "Plan all walks, each to the flag of its colour."
RULES = "All step at once, on ice only; who has no moves left stands. No two may share a cell or change places."
HINT = "Plan the longest way first; let the other go round or wait."
EVENTS = {ILLEGAL: "edge_bumped", FELL: "hazard_entered", VERTEX: "agents_collided", SWAP: "agents_swapped"}


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A board, and what a failed plan for it earns at most."""

    lake: Lake
    credit: float = 0.5


@dataclass(frozen=True, slots=True)
class MapfFrozenLake:
    """The environment, with a joint oracle for more than two walkers or without."""

    oracle: JointOracle | None = None

    spec = EnvSpec(
        id="planning/mapf_frozen_lake",
        version=2,
        title="Multi-agent frozen lake",
        horizon=1,
        scales=(
            making.scale(4, 0.1, 0.0),
            making.scale(4, 0.2, 0.2),
            making.scale(5, 0.2, 0.3),
            making.scale(6, 0.25, 0.4),
            making.scale(7, 0.3, 0.5),
            making.scale(8, 0.3, 0.6),
        ),
        knobs=making.KNOBS,
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "many_right"}),
        source="multi-agent path finding",
    )

    def equipped(self, oracle: JointOracle) -> "MapfFrozenLake":
        """Return this environment with a joint oracle."""
        return replace(self, oracle=oracle)

    def reset(self, instance: Instance) -> Asked[Puzzle]:
        settings = self.spec.settings(instance)
        lake = making.drawn(self.spec, instance, settings, self.oracle, sets.reserved)
        return Asked(Puzzle(lake, float(settings["credit"])))

    def horizon(self, state: Asked[Puzzle]) -> int:
        return 1

    def public(self, state: Asked[Puzzle]) -> Puzzle:
        return state.question

    def view(self, public: Puzzle, pixels: int = 448) -> View:
        lake = public.lake
        kind = _answer(len(lake.starts), lake.longest)
        image, elements = looks.drawn(lake, lake.starts, pixels)
        steps = [f"{colour} {fewest}" for colour, fewest in zip(looks.COLOURS, ways.alone(lake)[1], strict=False)]
        together = f"; together: {pairs.makespan(lake)}" if len(lake.starts) == 2 else ""
        earns = f"earns up to {public.credit:.2g}, by its sound walks" if public.credit else "earns nothing"
        return View(
            answer=kind,
            image=image,
            task=f"{TASK} {kind.describe()}",
            rules=f"{RULES} A plan that fails {earns}.",
            hint=HINT,
            state=f"Steps needed alone: {', '.join(steps)}{together}.",
            caption=looks.caption(lake, lake.starts),
            scene=elements,
        )

    def step(self, state: Asked[Puzzle], action: Plan) -> Step[Asked[Puzzle]]:
        lake = state.question.lake
        found = outcome(lake, action)
        kinds = [fault.kind for fault in found.faults]
        at_goal = [walk[-1] == goal for walk, goal in zip(found.walks, lake.goals, strict=True)]
        events = [event for kind, event in EVENTS.items() if kind in kinds]
        events += ["turn_waited"] if any(WAIT in moves for moves in action) else []
        events += ["goal_reached" if there else "goal_missed" for there in at_goal]
        after = replace(state, answered=True)
        if kinds:
            bumped = {fault.walkers[0] for fault in found.faults if fault.kind == ILLEGAL}
            sound = sum(there and k not in bumped for k, there in enumerate(at_goal))
            return Step(after, state.question.credit * sound / len(at_goal), done=True, events=tuple(events))
        if (best := self.best(lake)) is not None:
            least = max(map(len, best))
            near = "cost_near" if found.makespan <= 1.25 * least else "cost_excessive"
            events.append("cost_optimal" if found.makespan == least else near)
        return Step(after, 1.0, done=True, success=True, events=tuple(events))

    def solve(self, state: Asked[Puzzle]) -> Sequence[str] | None:
        if state.answered:
            return ()
        lake = state.question.lake
        plan = self.best(lake) or ways.witness(lake)
        return None if plan is None else [_answer(len(plan), lake.longest).format(plan)]

    def solutions(self, state: Asked[Puzzle]) -> Iterator[Sequence[str]]:
        """Yield the plans of letting one walker after the other plan around those before it, in every order."""
        lake = state.question.lake
        orders = permutations(range(len(lake.starts)))
        plans = [told(walks, lake.size) for order in orders if (walks := ways.one_by_one(lake, order))]
        for plan in dict.fromkeys(plans):
            yield [_answer(len(plan), lake.longest).format(plan)]

    def problem(self, state: Asked[Puzzle]) -> bytes:
        """Return the board up to its symmetries and to the colours of the walkers."""
        return making.problem(state.question.lake)

    def best(self, lake: Lake) -> Plan | None:
        """Return a plan of the least makespan, None where there is none or nobody here knows one."""
        if len(lake.starts) == 2:
            return pairs.best(lake)
        return None if self.oracle is None else ways.soonest(lake) or self.oracle.best(lake)


@lru_cache(maxsize=64)
def _answer(walkers: int, longest: int) -> answer.Record:
    return answer.Record(tuple((colour, answer.Sequence(MOVES, 1, longest)) for colour in looks.COLOURS[:walkers]))


environment = MapfFrozenLake()
