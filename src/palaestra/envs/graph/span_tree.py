"""Spanning tree: choose the edges that join all nodes at the least total weight.

All weights differ, so exactly one tree is cheapest; the answer is verified as a tree, and by its weight. The lightest
edges alone never make it: at least one of them closes a circle.

Source: the minimum spanning tree, found by Kruskal's algorithm (1956).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import graphs, splits
from palaestra.envs.kit.parts import Asked

RULES = "From every node there must be a way to every other over chosen edges, and their weights must sum to the least."
HINT = "Take the edges from light to heavy, and leave out those whose ends are joined already."


@dataclass(frozen=True, slots=True)
class Net:
    """One question: a drawn graph whose weights all differ. There is nothing hidden in it."""

    layout: graphs.Layout
    edges: tuple[graphs.Edge, ...]


class SpanTree:
    """The environment."""

    spec = EnvSpec(
        id="graph/span_tree",
        version=1,
        title="Spanning tree",
        horizon=1,
        scales=(
            {"rows": 2, "columns": 3, "nodes": 5, "share": 0.95},
            {"rows": 2, "columns": 4, "nodes": 7, "share": 0.95},
            {"rows": 3, "columns": 3, "nodes": 9, "share": 0.9},
            {"rows": 3, "columns": 4, "nodes": 11, "share": 0.85},
            {"rows": 4, "columns": 4, "nodes": 14, "share": 0.8},
            {"rows": 4, "columns": 5, "nodes": 17, "share": 0.8},
            {"rows": 4, "columns": 5, "nodes": 20, "share": 0.75},
        ),
        knobs=(
            Knob("nodes", 5, 20, "nodes of the graph; the lattice grows when they do not fit"),
            Knob("share", 0.7, 1.0, "share of the possible edges that exist"),
        ),
        embedded_scales=(0,),
        tags=frozenset({"single_turn", "lines"}),
        source="minimum spanning tree (Kruskal 1956)",
    )

    def reset(self, instance: Instance) -> Asked[Net]:
        settings = self.spec.settings(instance)
        rows, columns, nodes = (int(settings[name]) for name in ("rows", "columns", "nodes"))
        share = float(settings["share"])

        def propose(rng: np.random.Generator) -> Asked[Net] | None:
            layout = graphs.scatter(rows, columns, nodes, rng)
            drawn = graphs.connect(layout, share, 1, rng)
            weights = (1 + rng.permutation(len(drawn))).tolist()
            edges = tuple(edge._replace(weight=weight) for edge, weight in zip(drawn, weights, strict=True))
            tree = _forest(sorted(edges, key=lambda edge: edge.weight))
            heaviest = max((edge.weight for edge in tree), default=0)
            return Asked(Net(layout, edges)) if heaviest > len(tree) == nodes - 1 else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Net]) -> int:
        return 1

    def public(self, state: Asked[Net]) -> Net:
        return state.question

    def view(self, public: Net, pixels: int = 448) -> View:
        nodes = len(public.layout.cells)
        kind = _answer(public.edges)
        drawn = (
            graphs.draw(public.layout, public.edges, pixels, dict.fromkeys(range(nodes), "deep")) if pixels else None
        )
        near = graphs.adjacency(nodes, public.edges)
        lightest = [f"{graphs.NAMES[node]} {min(around.values())}" for node, around in enumerate(near)]
        return View(
            answer=kind,
            image=drawn.picture() if drawn else None,
            task=f"Join all nodes by the edges of a spanning tree of least weight. {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"The tree has {nodes - 1} edges. Lightest weight at each node: {', '.join(lightest)}.",
            caption=f"Edges with weights: {'; '.join(edge.label for edge in public.edges)}.",
            scene=tuple(drawn.elements) if drawn else (),
        )

    def step(self, state: Asked[Net], action: tuple[str, ...]) -> Step[Asked[Net]]:
        edges = state.question.edges
        least = _forest(sorted(edges, key=lambda edge: edge.weight))
        named = {_name(edge): edge for edge in edges}
        chosen = [named[name] for name in action]
        joined = _forest(chosen)
        events = ["cycle_closed"] if len(joined) < len(chosen) else []
        events += ["part_left_out"] if len(joined) < len(least) else []
        events += ["part_superfluous"] if set(chosen) - set(least) else []
        after = Asked(state.question, answered=True)
        if len(joined) == len(chosen) == len(least):
            cost, lowest = (sum(edge.weight for edge in tree) for tree in (chosen, least))
            if cost == lowest:
                return Step(after, 1.0, done=True, success=True, events=("cost_optimal",))
            events.append("cost_near" if cost <= 1.25 * lowest else "cost_excessive")
        right = len(set(chosen) & set(least)) / max(len(least), len(chosen))
        return Step(after, 0.5 * right, done=True, events=tuple(events))

    def solve(self, state: Asked[Net]) -> Sequence[str] | None:
        if state.answered:
            return ()
        edges = state.question.edges
        tree = _forest(sorted(edges, key=lambda edge: edge.weight))
        return [_answer(edges).format(tuple(map(_name, tree)))]

    def problem(self, state: Asked[Net]) -> bytes:
        """Return the weighted lattice, without names and jitter."""
        layout, edges = state.question.layout, state.question.edges
        images = [sorted((*sorted((at[a], at[b])), weight) for a, b, weight in edges) for at in graphs.images(layout)]
        return repr((layout.rows, layout.columns, min(images))).encode()


def _name(edge: graphs.Edge) -> str:
    return f"{graphs.NAMES[edge.a]}-{graphs.NAMES[edge.b]}"


def _forest(edges: Iterable[graphs.Edge]) -> list[graphs.Edge]:
    """Return those edges, one after the other, that join two parts which the ones before have left apart."""
    part: dict[int, int] = {}

    def root(node: int) -> int:
        while node in part:
            node = part[node]
        return node

    taken = []
    for edge in edges:
        a, b = root(edge.a), root(edge.b)
        if a != b:
            part[a] = b
            taken.append(edge)
    return taken


@lru_cache(maxsize=128)
def _answer(edges: tuple[graphs.Edge, ...]) -> answer.Sequence:
    return answer.Sequence(tuple(map(_name, edges)), longest=len(edges))


environment = SpanTree()
