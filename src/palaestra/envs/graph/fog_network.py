"""Fog network: walk through a network of which only nodes visited and their neighbours show, until the goal is found.

The colour of a node visited tells its distance from the goal up to threes, so two neighbours tell which one is nearer,
and along the way walked everything is known but how far it still is: the goal looks like any other node. The turn limit
is too short for who looks everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from palaestra.core.answer import Choice
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.graph._nodes import Node, draw
from palaestra.envs.kit import graphs, splits
from palaestra.envs.kit.canvas import Canvas

COLOURS = ("blue", "gold", "red")  # of nodes whose distance leaves 0, 1, 2 when divided by three

TASK = (
    "Walk to the hidden goal, where the task ends: name the node to go to next. One step nearer to the goal red turns "
    "to gold, gold to blue, blue to red."
)
RULES = (
    "You walk along lines. Nodes visited are coloured, others white; the goal looks like any other. Neighbours of "
    "equal colours are equally far from it."
)
HINT = (
    "Turn back if a step led no nearer. A white node differs by one step at most from every node that it is joined to."
)


@dataclass(frozen=True, slots=True)
class Net:
    """What never changes, and mostly lies in the fog: the drawn graph, and which node is the goal."""

    layout: graphs.Layout
    edges: tuple[graphs.Edge, ...]
    goal: int


@dataclass(frozen=True, slots=True)
class Walk:
    """The network and the nodes walked, from the start to where the walker stands."""

    net: Net
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """All that was seen: nodes with their places, the lines at nodes visited, the path walked and the colours along it,
    and whether it ends at the goal."""

    rows: int
    columns: int
    places: tuple[tuple[int, float, float], ...]
    lines: tuple[tuple[int, int], ...]
    path: tuple[int, ...]
    colours: tuple[int, ...]
    found: bool

    @property
    def near(self) -> list[dict[int, int]]:
        """The neighbours that each node is known to have."""
        return graphs.adjacency(len(graphs.NAMES), [graphs.Edge(a, b, 1) for a, b in self.lines])

    @property
    def fills(self) -> dict[int, str]:
        """The colour of each node seen."""
        told = dict(zip(self.path, (COLOURS[colour] for colour in self.colours), strict=True))
        return {node: told.get(node, "white") for node, _, _ in self.places}

    @property
    def levels(self) -> dict[int, int]:
        """How much farther than the start each node visited is from the goal, as the colours along the path tell."""
        levels = {self.path[0]: 0}
        for (a, b), (before, now) in zip(pairwise(self.path), pairwise(self.colours), strict=True):
            levels[b] = levels[a] + (now - before + 1) % 3 - 1
        return levels


class FogNetwork:
    """The environment."""

    spec = EnvSpec(
        id="graph/fog_network",
        version=1,
        title="Fog network",
        horizon=14,
        scales=(
            {"rows": 3, "columns": 4, "nodes": 10, "share": 0.65, "reach": 3},
            {"rows": 3, "columns": 4, "nodes": 12, "share": 0.65, "reach": 4},
            {"rows": 4, "columns": 4, "nodes": 14, "share": 0.65, "reach": 4},
            {"rows": 4, "columns": 4, "nodes": 16, "share": 0.65, "reach": 5},
            {"rows": 4, "columns": 5, "nodes": 19, "share": 0.7, "reach": 6},
            {"rows": 4, "columns": 6, "nodes": 23, "share": 0.7, "reach": 7},
        ),
        knobs=(
            Knob("nodes", 8, 23, "nodes of the network; the lattice grows when they do not fit"),
            Knob("share", 0.55, 0.9, "share of the possible lines that exist"),
        ),
        clairvoyant=True,
        embedded_scales=(0,),
        tags=frozenset({"multi_turn", "hidden", "lines"}),
    )

    def reset(self, instance: Instance) -> Walk:
        settings = self.spec.settings(instance)
        rows, columns, nodes = (int(settings[name]) for name in ("rows", "columns", "nodes"))
        share, reach = float(settings["share"]), int(settings["reach"])

        def propose(rng: np.random.Generator) -> Walk | None:
            layout = graphs.scatter(rows, columns, nodes, rng)
            edges = graphs.connect(layout, share, 1, rng)
            net = Net(layout, edges, int(rng.integers(nodes)))
            steps = _steps(net)
            least = min(reach, nodes // 2, max(2, *steps))
            far = [node for node, step in enumerate(steps) if least <= step <= nodes // 2]
            return Walk(net, (far[int(rng.integers(len(far)))],)) if min(steps) >= 0 and far else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Walk) -> int:
        return len(state.net.layout.cells) // 2 + 3

    def public(self, state: Walk) -> Known:
        net, layout, steps = state.net, state.net.layout, _steps(state.net)
        lines = tuple((a, b) for a, b, _ in net.edges if a in state.path or b in state.path)
        seen = sorted({node for line in lines for node in line})
        return Known(
            layout.rows,
            layout.columns,
            places=tuple((node, *layout.places[node]) for node in seen),
            lines=lines,
            path=state.path,
            colours=tuple(steps[node] % 3 for node in state.path),
            found=state.path[-1] == net.goal,
        )

    def view(self, public: Known, pixels: int = 448) -> View:
        here, near, levels, fills = public.path[-1], public.near, public.levels, public.fills
        kind = _answer(tuple(node for node in fills if node != here))
        drawn = _draw(public, pixels) if pixels else None
        nearer = levels[public.path[0]] - levels[here]
        told = [f"{graphs.NAMES[node]} is {fill}" for node, fill in fills.items()]
        lines = [
            f"{graphs.NAMES[node]} to {' '.join(graphs.NAMES[other] for other in sorted(near[node]))}"
            for node in sorted(levels)
        ]
        return View(
            answer=kind,
            image=drawn.picture() if drawn else None,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"Steps walked: {len(public.path) - 1}. You are "
            f"{abs(nearer)} {'farther from' if nearer < 0 else 'nearer to'} the goal than at the start.",
            caption=f"You stand at {graphs.NAMES[here]}, the square. {', '.join(told)}. Lines: {'; '.join(lines)}.",
            scene=tuple(drawn.elements) if drawn else (),
        )

    def step(self, state: Walk, action: str) -> Step[Walk]:
        net, here, node = state.net, state.path[-1], graphs.NAMES.index(action)
        if node not in graphs.adjacency(len(net.layout.cells), net.edges)[here]:
            return Step(state, legal=False, events=("action_illegal",))
        after, steps = Walk(net, (*state.path, node)), _steps(net)
        if node == net.goal:
            return Step(after, 1.0, done=True, success=True, events=("unseen_explored", "goal_reached"))
        nearer = steps[here] - steps[node]
        events = ["moved_closer" if nearer > 0 else "moved_away" if nearer < 0 else "moved_level"]
        events.append("seen_revisited" if node in state.path else "unseen_explored")
        events += ["path_reversed"] if state.path[-2:-1] == (node,) else []
        return Step(after, events=tuple(events))

    def solve(self, state: Walk) -> Sequence[str] | None:
        net = state.net
        path = next(graphs.cheapest(graphs.adjacency(len(net.layout.cells), net.edges), state.path[-1], net.goal))
        return [graphs.NAMES[node] for node in path[1:]]

    def guide(self, public: Known) -> str | None:
        """Return the step towards the white node that promises the shortest way to the goal."""
        here, near, levels = public.path[-1], public.near, public.levels
        if public.found:
            return None
        walk = graphs.costs(near, here)
        promise = {
            node: walk[node] + max(levels[other] for other in near[node] if other in levels)
            for node in public.fills
            if node not in levels
        }
        target = min(promise, key=promise.__getitem__)
        return graphs.NAMES[next(graphs.cheapest(near, here, target))[1]]

    def reseal(self, state: Walk, seed: int) -> Walk:
        """Return the walk with the goal at a node in the fog that agrees with all colours seen, if there is another."""
        known = self.public(state)
        goals = [replace(state, net=replace(state.net, goal=goal)) for goal in range(len(state.net.layout.cells))]
        fitting = [other for other in goals if self.public(other) == known]
        return fitting[np.random.default_rng(seed).integers(len(fitting))]

    def problem(self, state: Walk) -> bytes:
        """Return the lattice with start and goal, without names and jitter."""
        net, layout = state.net, state.net.layout
        images = [
            (at[state.path[0]], at[net.goal], sorted(sorted((at[a], at[b])) for a, b, _ in net.edges))
            for at in graphs.images(layout)
        ]
        return repr((layout.rows, layout.columns, min(images))).encode()


@lru_cache(maxsize=256)
def _steps(net: Net) -> list[int]:
    """Return the steps from every node to the goal, -1 where there is no way."""
    return graphs.costs(graphs.adjacency(len(net.layout.cells), net.edges), net.goal)


def _draw(known: Known, pixels: int) -> Canvas:
    """Draw what is known: nodes as circles, the one where the walker stands as a square."""
    fills, here = known.fills, known.path[-1]
    nodes = {
        node: Node(graphs.NAMES[node], (x, y), "square" if node == here else "circle", fills[node])
        for node, x, y in known.places
    }
    return draw(known.rows, known.columns, nodes, known.lines, pixels, "mist")


@lru_cache(maxsize=256)
def _answer(nodes: tuple[int, ...]) -> Choice:
    return Choice(tuple(graphs.NAMES[node] for node in nodes))


environment = FogNetwork()
