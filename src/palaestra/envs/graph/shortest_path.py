"""Shortest path: name the nodes of a cheapest way from the green node to the red one.

Weights are small on purpose: often several ways cost equally little, and every one of them is right. The answer is
verified edge by edge, never compared with a stored path.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import graphs, splits
from palaestra.envs.kit.parts import Asked

RULES = "A way follows edges and costs the sum of their weights. Every cheapest way is right."
HINT = "Work outwards from green and keep the least cost known for each node, however many edges it takes."


@dataclass(frozen=True, slots=True)
class Net:
    """One question: a drawn graph, where the way starts and where it ends. There is nothing hidden in it."""

    layout: graphs.Layout
    edges: tuple[graphs.Edge, ...]
    start: int
    target: int


class ShortestPath:
    """The environment."""

    spec = EnvSpec(
        id="graph/shortest_path",
        version=1,
        title="Shortest path",
        horizon=1,
        scales=(
            {"rows": 2, "columns": 3, "nodes": 6, "share": 0.8, "heaviest": 4, "hops": 2},
            {"rows": 3, "columns": 3, "nodes": 7, "share": 0.8, "heaviest": 4, "hops": 2},
            {"rows": 3, "columns": 3, "nodes": 9, "share": 0.8, "heaviest": 5, "hops": 3},
            {"rows": 3, "columns": 4, "nodes": 11, "share": 0.7, "heaviest": 6, "hops": 3},
            {"rows": 4, "columns": 4, "nodes": 15, "share": 0.65, "heaviest": 7, "hops": 4},
            {"rows": 4, "columns": 5, "nodes": 19, "share": 0.6, "heaviest": 9, "hops": 5},
            {"rows": 4, "columns": 6, "nodes": 22, "share": 0.6, "heaviest": 9, "hops": 6},
        ),
        knobs=(
            Knob("nodes", 6, 22, "nodes of the graph; the lattice grows when they do not fit"),
            Knob("share", 0.5, 1.0, "share of the possible edges that exist"),
            Knob("heaviest", 1, 9, "largest weight of an edge"),
        ),
        embedded_scales=(0,),
        tags=frozenset({"single_turn", "many_right", "lines"}),
    )

    def reset(self, instance: Instance) -> Asked[Net]:
        settings = self.spec.settings(instance)
        rows, columns, nodes = (int(settings[name]) for name in ("rows", "columns", "nodes"))
        share, heaviest, hops = float(settings["share"]), int(settings["heaviest"]), int(settings["hops"])

        def propose(rng: np.random.Generator) -> Asked[Net] | None:
            layout = graphs.scatter(rows, columns, nodes, rng)
            edges = graphs.connect(layout, share, heaviest, rng)
            near = graphs.adjacency(nodes, edges)
            start = int(rng.integers(nodes))
            steps = graphs.costs([dict.fromkeys(around, 1) for around in near], start)
            if min(steps) < 0:
                return None
            far = [node for node, step in enumerate(steps) if step >= min(hops, max(steps))]
            return Asked(Net(layout, edges, start, far[int(rng.integers(len(far)))])) if max(steps) > 1 else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Net]) -> int:
        return 1

    def public(self, state: Asked[Net]) -> Net:
        return state.question

    def view(self, public: Net, pixels: int = 448) -> View:
        nodes = len(public.layout.cells)
        kind = _answer(nodes)
        start, target = graphs.NAMES[public.start], graphs.NAMES[public.target]
        marked = {public.start: "green", public.target: "red"}
        drawn = graphs.draw(public.layout, public.edges, pixels, marked) if pixels else None
        near = graphs.adjacency(nodes, public.edges)
        fewest = graphs.costs([dict.fromkeys(around, 1) for around in near], public.start)[public.target]
        return View(
            answer=kind,
            image=drawn.picture() if drawn else None,
            task=f"Name the nodes of a cheapest way from green to red. {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Every way has {fewest} edges or more. Edges at {start}: {len(near[public.start])}, "
            f"at {target}: {len(near[public.target])}.",
            caption=f"{start} is green, {target} is red. Edges: {'; '.join(edge.label for edge in public.edges)}.",
            scene=tuple(drawn.elements) if drawn else (),
        )

    def step(self, state: Asked[Net], action: tuple[str, ...]) -> Step[Asked[Net]]:
        net = state.question
        path = [graphs.NAMES.index(name) for name in action]
        near = graphs.adjacency(len(net.layout.cells), net.edges)
        events = ["start_right"] if path[0] == net.start else []
        events += ["end_right"] if path[-1] == net.target else []
        connected = all(b in near[a] for a, b in itertools.pairwise(path))
        events.append("steps_connected" if connected else "step_disconnected")
        events += ["node_repeated"] if len(set(path)) < len(path) else []
        after = Asked(net, answered=True)
        if not connected or path[0] != net.start or path[-1] != net.target:
            return Step(after, done=True, events=tuple(events))
        cost = sum(near[a][b] for a, b in itertools.pairwise(path))
        least = graphs.costs(near, net.start)[net.target]
        events.append("cost_optimal" if cost == least else "cost_near" if cost <= 1.25 * least else "cost_excessive")
        if cost == least:
            return Step(after, 1.0, done=True, success=True, events=tuple(events))
        return Step(after, 0.5 * least / cost, done=True, events=tuple(events))

    def solve(self, state: Asked[Net]) -> Sequence[str] | None:
        return () if state.answered else next(self.solutions(state), None)

    def solutions(self, state: Asked[Net]) -> Iterator[Sequence[str]]:
        net = state.question
        kind = _answer(len(net.layout.cells))
        near = graphs.adjacency(len(net.layout.cells), net.edges)
        for path in graphs.cheapest(near, net.start, net.target):
            yield [kind.format(tuple(graphs.NAMES[node] for node in path))]

    def problem(self, state: Asked[Net]) -> bytes:
        """Return the weighted lattice with both ends, whichever is the start, without names and jitter."""
        layout, edges, *ends = state.question.layout, state.question.edges, state.question.start, state.question.target
        images = []
        for at in graphs.images(layout):
            links = sorted((*sorted((at[a], at[b])), weight) for a, b, weight in edges)
            images.append((sorted(at[end] for end in ends), links))
        return repr((layout.rows, layout.columns, min(images))).encode()


@lru_cache(maxsize=32)
def _answer(nodes: int) -> answer.Sequence:
    return answer.Sequence(tuple(graphs.NAMES[:nodes]), shortest=2, longest=nodes)


environment = ShortestPath()
