"""Multi-agent frozen lake: one reply plans the walks of all at once, so that nobody falls in or runs into another.

All move at the same time, one cell a step. Two may neither be in one cell nor change places; to follow is allowed, and
who has arrived stays as a standing obstacle. A plan is best when the last walker arrives as early as possible (its
makespan) and, among such plans, with the fewest moves and waits in all. It *needs a wait* when no plan without waiting
is as good in both.

Source: the rules of multi-agent path finding (Stern et al. 2019). Departures: starts and goals are all different cells.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import captions, grid, splits, sprites
from palaestra.envs.kit.parts import Asked
from palaestra.envs.planning._joint import (
    HOLE,
    MOVES,
    Lake,
    Plan,
    alone,
    arrival,
    best_plan,
    conflicts,
    makespan,
    needs_wait,
    one_by_one,
    walked,
)

COLOURS = ("red", "blue", "green", "purple", "yellow")
LEGEND = {".": "ice", "O": "hole"} | {
    sign: f"{colour} {thing}"
    for colour in COLOURS
    for sign, thing in ((colour[0], "walker"), (colour[0].upper(), "flag"))
}
NAMES, SIGNS = tuple(LEGEND.values()), "".join(LEGEND)

TASK = "Plan all walks, each to the flag of its colour."
RULES = "All step at once, on ice only; who has no moves left stands. No two may share a cell or change places."
HINT = "Plan the longest way first; let the other go round or wait."


class MapfFrozenLake:
    """The environment."""

    spec = EnvSpec(
        id="planning/mapf_frozen_lake",
        version=1,
        title="Multi-agent frozen lake",
        horizon=1,
        scales=(
            {"agents": 2, "size": 4, "holes": 0.1, "wait": 0.0},
            {"agents": 2, "size": 4, "holes": 0.2, "wait": 0.2},
            {"agents": 2, "size": 5, "holes": 0.2, "wait": 0.3},
            {"agents": 2, "size": 6, "holes": 0.25, "wait": 0.4},
            {"agents": 2, "size": 7, "holes": 0.3, "wait": 0.5},
            {"agents": 2, "size": 8, "holes": 0.3, "wait": 0.6},
        ),
        knobs=(
            Knob("size", 3, 10, "rows and columns"),
            Knob("holes", 0.0, 0.4, "share of cells that are holes"),
            Knob("wait", 0.0, 1.0, "share of boards whose best plan needs a wait"),
        ),
        embedded_scales=(0, 1),
        tags=frozenset({"single_turn", "many_right"}),
        source="multi-agent path finding",
    )

    def reset(self, instance: Instance) -> Asked[Lake]:
        settings = self.spec.settings(instance)
        agents, size = int(settings["agents"]), int(settings["size"])
        holes = round(float(settings["holes"]) * size * size)
        waits = bool(instance.rng("wait").random() < float(settings["wait"]))

        def propose(rng: np.random.Generator) -> Asked[Lake] | None:
            order = rng.permutation(size * size).tolist()
            cells = bytearray(size * size)
            for cell in order[2 * agents : 2 * agents + holes]:
                cells[cell] = HOLE
            lake = Lake(size, bytes(cells), tuple(order[:agents]), tuple(order[agents : 2 * agents]))
            steps = alone(lake)
            if min(steps) < 0 or max(steps) < size - 1:
                return None
            best = best_plan(lake)
            return Asked(lake) if best and makespan(best) <= lake.longest and needs_wait(lake) == waits else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Lake]) -> int:
        return 1

    def public(self, state: Asked[Lake]) -> Lake:
        return state.question

    def view(self, public: Lake, pixels: int = 448) -> View:
        size, content, kind = public.size, _content(public), _answer(len(public.starts), public.longest)
        image, elements = None, grid.NOTHING
        if pixels:
            kinds = content.astype(np.intp).reshape(size, size)
            image = grid.paint(kinds, _tiles(pixels // size, len(public.starts)))
            elements = grid.scene(NAMES, content.tolist(), size, size, pixels // size)
        steps = [f"{colour} {fewest}" for colour, fewest in zip(COLOURS, alone(public), strict=False)]
        best = best_plan(public)
        return View(
            answer=kind,
            image=image,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Steps needed alone: {', '.join(steps)}; together: {makespan(best) if best else 'unknown'}.",
            caption=captions.board(LEGEND, "".join(SIGNS[code] for code in content), size),
            scene=elements,
        )

    def step(self, state: Asked[Lake], action: Plan) -> Step[Asked[Lake]]:
        lake = state.question
        walks = [walked(lake, start, moves) for start, moves in zip(lake.starts, action, strict=True)]
        events = ["edge_bumped"] if any(walk.bumped for walk in walks) else []
        events += ["turn_waited"] if any("wait" in moves for moves in action) else []
        events += ["hazard_entered"] if any(lake.cells[walk.cells[-1]] == HOLE for walk in walks) else []
        met = conflicts([walk.cells for walk in walks])
        at_goal = [walk.cells[-1] == goal for walk, goal in zip(walks, lake.goals, strict=True)]
        events += [*met, *("goal_reached" if there else "goal_missed" for there in at_goal)]
        after = Asked(lake, answered=True)
        sound = [there and not walk.bumped for there, walk in zip(at_goal, walks, strict=True)]
        if met or not all(sound):
            return Step(after, 0.5 * sum(sound) / len(sound), done=True, events=tuple(events))
        took = max(arrival(walk.cells) for walk in walks)
        best = best_plan(lake)
        least = makespan(best) if best else took
        events.append("cost_optimal" if took == least else "cost_near" if took <= 1.25 * least else "cost_excessive")
        return Step(after, 1.0, done=True, success=True, events=tuple(events))

    def solve(self, state: Asked[Lake]) -> Sequence[str] | None:
        best = None if state.answered else best_plan(state.question)
        if best is None:
            return () if state.answered else None
        return [_answer(len(best), state.question.longest).format(best)]

    def solutions(self, state: Asked[Lake]) -> Iterator[Sequence[str]]:
        """Yield the plans of letting one walker after the other plan around those before it, in every order."""
        lake = state.question
        plans = [one_by_one(lake, order) for order in permutations(range(len(lake.starts)))]
        for plan in dict.fromkeys(plan for plan in plans if plan is not None):
            yield [_answer(len(plan), lake.longest).format(plan)]

    def problem(self, state: Asked[Lake]) -> bytes:
        """Return the board up to its symmetries and to the colours of the walkers."""
        return grid.canonical(state.question.size, state.question.size, _content(state.question), _uncoloured)


@lru_cache(maxsize=1024)
def _content(lake: Lake) -> NDArray[np.uint8]:
    """Return the board with walkers and flags on it: places in LEGEND, row by row."""
    content = np.frombuffer(lake.cells, np.uint8).copy()
    for k, (start, goal) in enumerate(zip(lake.starts, lake.goals, strict=True)):
        content[start], content[goal] = 2 * k + 2, 2 * k + 3
    content.setflags(write=False)
    return content


def _uncoloured(content: bytes) -> bytes:
    """Return a board with its walkers counted in the order in which they stand on it."""
    starts = [code for code in content if code > HOLE and code % 2 == 0]
    names = {code + end: 2 * k + 2 + end for k, code in enumerate(starts) for end in (0, 1)}
    return bytes(names.get(code, code) for code in content)


@lru_cache(maxsize=16)
def _tiles(size: int, walkers: int) -> grid.Tiles:
    """Return the tiles in the order of LEGEND."""
    canvases = [sprites.ice(size) for _ in range(2 * walkers + 2)]
    sprites.hole(canvases[HOLE])
    for colour, start, goal in zip(COLOURS, canvases[2::2], canvases[3::2], strict=False):
        sprites.walker(start, colour)
        sprites.flag(goal, colour)
    return grid.stack(canvas.pixels for canvas in canvases)


@lru_cache(maxsize=32)
def _answer(walkers: int, longest: int) -> answer.Record:
    return answer.Record(tuple((colour, answer.Sequence(MOVES, 1, longest)) for colour in COLOURS[:walkers]))


environment = MapfFrozenLake()
