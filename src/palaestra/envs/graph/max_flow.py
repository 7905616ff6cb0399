"""Maximum flow: how much can run from the green node to the red one, and where is the bottleneck that allows no more?

The bottleneck is a cut whose capacity is the flow itself. It is neither the arrows at green nor those at red, so the
answer lies inside the network. There may be several cuts as narrow; every one of them is right.

Source: the theorem that the greatest flow equals the least cut (Ford, Fulkerson 1956); every cut is tried, no flow is
pushed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from palaestra.core import answer
from palaestra.core.environment import EnvSpec, Knob, Step
from palaestra.core.instance import Instance
from palaestra.core.observation import View
from palaestra.envs.kit import graphs, splits
from palaestra.envs.kit.parts import Asked, scored

TASK = "How much can flow from green to red along the arrows, and which nodes are on green's side of a narrowest cut?"
RULES = (
    "An arrow carries at most its number; nodes between green and red pass on what they get. A cut parts all nodes "
    "into green's side and red's; it is as wide as all arrows from the former to the latter."
)
HINT = "The greatest flow is as large as a narrowest cut is wide. Fill way after way, then see where green still gets."


@dataclass(frozen=True, slots=True)
class Network:
    """One question: a network that leads from its first node to its last. There is nothing hidden in it."""

    layout: graphs.Layout
    arcs: tuple[graphs.Arc, ...]

    @property
    def sink(self) -> int:
        """The last node; the first is the source."""
        return len(self.layout.cells) - 1


class MaxFlow:
    """The environment."""

    spec = EnvSpec(
        id="graph/max_flow",
        version=1,
        title="Maximum flow",
        horizon=1,
        scales=(
            {"rows": 2, "columns": 3, "nodes": 6, "share": 1.0, "heaviest": 6},
            {"rows": 3, "columns": 3, "nodes": 7, "share": 0.95, "heaviest": 7},
            {"rows": 3, "columns": 3, "nodes": 9, "share": 0.9, "heaviest": 8},
            {"rows": 3, "columns": 4, "nodes": 11, "share": 0.9, "heaviest": 9},
            {"rows": 3, "columns": 4, "nodes": 12, "share": 0.9, "heaviest": 9},
            {"rows": 4, "columns": 4, "nodes": 14, "share": 0.9, "heaviest": 9},
        ),
        knobs=(
            Knob("nodes", 6, 14, "nodes of the network; the lattice grows when they do not fit"),
            Knob("share", 0.8, 1.0, "share of the possible arrows that exist"),
            Knob("heaviest", 4, 9, "largest capacity of an arrow"),
        ),
        tags=frozenset({"single_turn", "many_right", "lines"}),
        source="Ford, Fulkerson 1956",
    )

    def reset(self, instance: Instance) -> Asked[Network]:
        settings = self.spec.settings(instance)
        rows, columns, nodes = (int(settings[name]) for name in ("rows", "columns", "nodes"))
        share, heaviest = float(settings["share"]), int(settings["heaviest"])

        def propose(rng: np.random.Generator) -> Asked[Network] | None:
            layout = graphs.scatter(rows, columns, nodes, rng)
            arcs = _directed(nodes, graphs.connect(layout, share, heaviest, rng), rng)
            if not arcs:
                return None
            cuts = _cuts(nodes, tuple(arcs))
            return Asked(Network(layout, tuple(arcs))) if cuts.min() < min(cuts[0], cuts[-1]) else None

        return splits.draw(instance, propose, self.problem)

    def horizon(self, state: Asked[Network]) -> int:
        return 1

    def public(self, state: Asked[Network]) -> Network:
        return state.question

    def view(self, public: Network, pixels: int = 448) -> View:
        first, last = graphs.NAMES[0], graphs.NAMES[public.sink]
        kind = _answer(public)
        marked = {0: "green", public.sink: "red"}
        drawn = graphs.draw(public.layout, public.arcs, pixels, marked) if pixels else None
        around, before = (_capacity(public.arcs, side) for side in ({0}, set(range(public.sink))))
        return View(
            answer=kind,
            image=drawn.picture() if drawn else None,
            task=f"{TASK} {kind.describe()}",
            rules=RULES,
            hint=HINT,
            state=f"The arrows out of {first} carry {around}, those into {last} {before}; neither is a narrowest cut.",
            caption=f"{first} is green, {last} is red. Arrows: {', '.join(arc.label for arc in public.arcs)}.",
            scene=tuple(drawn.elements) if drawn else (),
        )

    def step(self, state: Asked[Network], action: tuple[int, tuple[str, ...]]) -> Step[Asked[Network]]:
        network = state.question
        flow, side = action
        least = int(_cuts(network.sink + 1, network.arcs).min())
        cut = _capacity(network.arcs, {0, *map(graphs.NAMES.index, side)})
        events = (
            "value_ok" if flow == least else "value_off",
            "capacity_kept" if flow <= least else "capacity_exceeded",
            "cost_optimal" if cut == least else "cost_near" if cut <= 1.25 * least else "cost_excessive",
        )
        right = (flow == least) + (cut == least)
        return scored(Asked(network, answered=True), right, 2, events)

    def solve(self, state: Asked[Network]) -> Sequence[str] | None:
        return () if state.answered else next(self.solutions(state), None)

    def solutions(self, state: Asked[Network]) -> Iterator[Sequence[str]]:
        network = state.question
        cuts = _cuts(network.sink + 1, network.arcs)
        for number in np.flatnonzero(cuts == cuts.min()):
            side = np.flatnonzero(_sides(network.sink + 1)[number])
            yield [_answer(network).format((int(cuts.min()), tuple(graphs.NAMES[node] for node in side)))]

    def problem(self, state: Asked[Network]) -> bytes:
        """Return the network on the lattice, without names and jitter."""
        layout, arcs, sink = state.question.layout, state.question.arcs, state.question.sink
        images = [(at[0], at[sink], sorted((at[a], at[b], c) for a, b, c in arcs)) for at in graphs.images(layout)]
        return repr((layout.rows, layout.columns, min(images))).encode()


def _directed(nodes: int, edges: Sequence[graphs.Edge], rng: np.random.Generator) -> list[graphs.Arc]:
    """Return edges as arcs along which a current would run from the first node to the last.

    Every other node then has a way in and a way out; where one has not, or both ends are neighbours, there are no arcs.
    """
    steps = graphs.costs([dict.fromkeys(around, 1) for around in graphs.adjacency(nodes, edges)], 0)
    if min(steps) < 0 or steps[-1] < 2:
        return []
    balance = np.zeros((nodes, nodes))
    for (a, b, _), conductance in zip(edges, 0.2 + rng.random(len(edges)), strict=True):
        balance[[a, b], [b, a]] -= conductance
        balance[[a, b], [a, b]] += conductance
    balance[[0, -1]] = np.eye(nodes)[[0, -1]]
    tension = np.linalg.solve(balance, np.eye(nodes)[-1]).tolist()
    arcs = [graphs.Arc(a, b, c) if tension[a] < tension[b] else graphs.Arc(b, a, c) for a, b, c in edges]
    through = {arc.tail for arc in arcs} & {arc.head for arc in arcs}
    return sorted(arcs) if len(through) == nodes - 2 else []


def _capacity(arcs: Sequence[graphs.Arc], side: set[int]) -> int:
    return sum(capacity for tail, head, capacity in arcs if tail in side and head not in side)


@lru_cache(maxsize=16)
def _sides(nodes: int) -> NDArray[np.float64]:
    """Return which nodes [sides, nodes] are on green's side: every set with the first node and without the last."""
    numbers = np.arange(1 << (nodes - 2))[:, None]
    inner = (numbers >> np.arange(nodes - 2) & 1).astype(float)
    return np.hstack([np.ones_like(inner[:, :1]), inner, np.zeros_like(inner[:, :1])])


@lru_cache(maxsize=64)
def _cuts(nodes: int, arcs: tuple[graphs.Arc, ...]) -> NDArray[np.int64]:
    """Return the capacity of every cut, in the order of their sides."""
    capacities, sides = np.zeros((nodes, nodes)), _sides(nodes)
    for tail, head, capacity in arcs:
        capacities[tail, head] = capacity
    return np.asarray(((sides @ capacities) * (1 - sides)).sum(axis=1), np.int64)


@lru_cache(maxsize=64)
def _answer(network: Network) -> answer.Record:
    nodes = graphs.NAMES[: network.sink]
    return answer.Record((
        ("flow", answer.Integer(0, _capacity(network.arcs, {0}))),
        ("side", answer.Sequence(tuple(nodes), longest=len(nodes))),
    ))  # fmt: skip


environment = MaxFlow()
