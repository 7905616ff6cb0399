"""Task order: put tasks into an order in which none comes before a task whose arrow leads to it.

The arrows are drawn along a planted order, so there is no circle among them. Most drawings allow many orders, and every
one that respects all arrows is right.

Source: topological sorting (Kahn 1962).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import graphs, splits
from palaestra.envs.kit.parts import Asked, scored

RULES = "An arrow leads from a task to one that needs it done before. Every order that respects all arrows is right."
HINT = "Write a task down once every arrow that ends at it starts at a task already written, then look what it frees."


@dataclass(frozen=True, slots=True)
class Plan:
    """One question: tasks as drawn, and the arrows between them. There is nothing hidden in it."""

    layout: graphs.Layout
    arcs: tuple[graphs.Arc, ...]

    @property
    def needs(self) -> list[set[int]]:
        """The tasks that each task needs."""
        needs: list[set[int]] = [set() for _ in self.layout.cells]
        for tail, head, _ in self.arcs:
            needs[head].add(tail)
        return needs


class TaskOrder:
    """The environment."""

    spec = EnvSpec(
        id="graph/task_order",
        version=1,
        title="Task order",
        horizon=1,
        scales=(
            {"rows": 2, "columns": 3, "tasks": 6, "share": 0.85},
            {"rows": 3, "columns": 3, "tasks": 8, "share": 0.8},
            {"rows": 3, "columns": 4, "tasks": 10, "share": 0.8},
            {"rows": 4, "columns": 4, "tasks": 13, "share": 0.75},
            {"rows": 4, "columns": 5, "tasks": 16, "share": 0.75},
            {"rows": 4, "columns": 5, "tasks": 19, "share": 0.75},
            {"rows": 4, "columns": 6, "tasks": 22, "share": 0.75},
        ),
        knobs=(
            Knob("tasks", 6, 22, "tasks to put in order; the lattice grows when they do not fit"),
            Knob("share", 0.6, 1.0, "share of the possible arrows that exist"),
        ),
        embedded_scales=(0,),
        tags=frozenset({"single_turn", "many_right", "lines"}),
        source="topological sorting (Kahn 1962)",
    )

    def reset(self, instance: Instance) -> Asked[Plan]:
        settings = self.spec.settings(instance)
        rows, columns, tasks = (int(settings[name]) for name in ("rows", "columns", "tasks"))
        share = float(settings["share"])

        def propose(rng: np.random.Generator) -> Asked[Plan] | None:
            layout = graphs.scatter(rows, columns, tasks, rng)
            edges = graphs.connect(layout, share, 1, rng)
            if min(graphs.costs(graphs.adjacency(tasks, edges), 0)) < 0:
                return None
            rank = rng.permutation(tasks).tolist()
            arcs = [graphs.Arc(a, b) if rank[a] < rank[b] else graphs.Arc(b, a) for a, b, _ in edges]
            return Asked(Plan(layout, tuple(sorted(arcs))))

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Plan]) -> int:
        return 1

    def public(self, state: Asked[Plan]) -> Plan:
        return state.question

    def view(self, public: Plan, pixels: int = 448) -> View:
        kind = _answer(len(public.layout.cells))
        drawn = graphs.draw(public.layout, public.arcs, pixels, {}) if pixels else None
        ending = [f"{graphs.NAMES[task]} {len(needs)}" for task, needs in enumerate(public.needs)]
        return View(
            answer=kind,
            image=drawn.picture() if drawn else None,
            task=f"Put all tasks in order, so that arrows lead from earlier to later ones. {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Arrows that end at each task: {', '.join(ending)}.",
            caption=f"Arrows: {', '.join(arc.label for arc in public.arcs)}.",
            scene=tuple(drawn.elements) if drawn else (),
        )

    def step(self, state: Asked[Plan], action: tuple[str, ...]) -> Step[Asked[Plan]]:
        needs = state.question.needs
        before: set[int] = set()
        kept: list[bool] = []
        for task in map(graphs.NAMES.index, action):
            kept.append(needs[task] <= before and task not in before)
            before.add(task)
        events = ["precedence_kept" if ok else "precedence_broken" for ok in kept]
        events += ["node_repeated", "part_left_out"] if len(before) < len(needs) else []
        after = Asked(state.question, answered=True)
        return scored(after, sum(kept), len(kept), events)

    def solve(self, state: Asked[Plan]) -> Sequence[str] | None:
        return () if state.answered else next(self.solutions(state), None)

    def solutions(self, state: Asked[Plan]) -> Iterator[Sequence[str]]:
        kind = _answer(len(state.question.layout.cells))
        for order in _orders(state.question.needs, ()):
            yield [kind.format(tuple(graphs.NAMES[task] for task in order))]

    def problem(self, state: Asked[Plan]) -> bytes:
        """Return the arrows on the lattice, without names and jitter."""
        layout = state.question.layout
        images = [sorted((at[tail], at[head]) for tail, head, _ in state.question.arcs) for at in graphs.images(layout)]
        return repr((layout.rows, layout.columns, min(images))).encode()


def _orders(needs: Sequence[set[int]], begun: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield every order of all tasks that continues one begun and respects the arrows."""
    if len(begun) == len(needs):
        yield begun
    for task, needed in enumerate(needs):
        if task not in begun and needed.issubset(begun):
            yield from _orders(needs, (*begun, task))


@lru_cache(maxsize=32)
def _answer(tasks: int) -> answer.Sequence:
    return answer.Sequence(tuple(graphs.NAMES[:tasks]), shortest=tasks, longest=tasks)


environment = TaskOrder()
