"""Maximum flow: what flows at most, which cuts are as narrow, and what half an answer is paid."""

from dataclasses import replace

import pytest

from palaestra.envs.graph.max_flow import Network
from palaestra.envs.graph.max_flow import environment as env
from palaestra.envs.kit.graphs import Arc, Layout
from palaestra.envs.kit.parts import Asked

#   A -5-> B -2-> D -2-> F    Out of A go 9, into F 6; between B, C and D, E fit 2 + 1 only,
#   |4            ^1     ^4   and D passes on no more than 2.
#   C -1--------> E ------+
ARCS = (Arc(0, 1, 5), Arc(0, 2, 4), Arc(1, 3, 2), Arc(2, 4, 1), Arc(3, 5, 2), Arc(4, 3, 1), Arc(4, 5, 4))
PLACES = tuple((column + 0.5, row + 0.5) for row in range(2) for column in range(3))
NETWORK = Network(Layout(2, 3, (0, 1, 3, 2, 4, 5), PLACES), ARCS)
ASKED = Asked(NETWORK)


def greatest_flow(nodes: int, arcs: tuple[Arc, ...]) -> int:
    """The greatest flow by pushing one unit after the other along any way that is left."""
    left = {(a, b): 0 for tail, head, _ in arcs for a, b in ((tail, head), (head, tail))}
    left |= {(tail, head): capacity for tail, head, capacity in arcs}
    for flow in range(1000):
        came: dict[int, int] = {0: 0}
        for _ in range(nodes):
            came |= {b: a for (a, b), room in left.items() if room and a in came and b not in came}
        if nodes - 1 not in came:
            return flow
        node = nodes - 1
        while node:
            left[came[node], node] -= 1
            left[node, came[node]] += 1
            node = came[node]
    raise AssertionError


@pytest.mark.parametrize("side", ["ABC", "BC", "ABCD", "CBBA"])
def test_every_narrowest_cut_wins_with_the_greatest_flow(side: str) -> None:
    step = env.step(ASKED, (3, tuple(side)))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("value_ok", "capacity_kept", "cost_optimal", "parts_all_ok")
    assert env.solve(step.state) == ()


@pytest.mark.parametrize(
    ("flow", "side", "reward", "events"),
    [
        (4, "ABC", 0.25, ("value_off", "capacity_exceeded", "cost_optimal", "parts_some_ok")),
        (3, "A", 0.25, ("value_ok", "capacity_kept", "cost_excessive", "parts_some_ok")),
        (2, "ABCE", 0.0, ("value_off", "capacity_kept", "cost_excessive", "parts_none_ok")),
    ],
)
def test_half_an_answer_earns_a_quarter(flow: int, side: str, reward: float, events: tuple[str, ...]) -> None:
    step = env.step(ASKED, (flow, tuple(side)))
    assert (step.reward, step.done, step.success, step.events) == (reward, True, False, events)


def test_all_narrowest_cuts_are_found_and_no_other() -> None:
    assert [reply.splitlines() for (reply,) in env.solutions(ASKED)] == [
        ["flow: 3", "side: A, B, C"],
        ["flow: 3", "side: A, B, C, D"],
    ]


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_narrowest_cut_is_as_wide_as_the_greatest_flow_and_lies_inside_the_network(scale: int) -> None:
    for seed in range(10):
        state = env.reset(env.spec.instance(scale, seed))
        arcs, sink = state.question.arcs, state.question.sink
        (reply,) = env.solve(state)
        assert reply.startswith(f"flow: {greatest_flow(sink + 1, arcs)}\n")
        assert greatest_flow(sink + 1, arcs) < sum(arc.weight for arc in arcs if arc.tail == 0)
        assert greatest_flow(sink + 1, arcs) < sum(arc.weight for arc in arcs if arc.head == sink)


def test_the_caption_names_both_ends_and_every_arrow_with_its_capacity() -> None:
    caption = env.view(NETWORK, 0).caption
    assert caption == "A is green, F is red. Arrows: A>B 5, A>C 4, B>D 2, C>E 1, D>F 2, E>D 1, E>F 4."


def test_jitter_and_inner_names_make_no_other_problem_and_a_capacity_does() -> None:
    swap = [0, 2, 1, 3, 4, 5]  # B and C exchange their names
    renamed = Network(
        Layout(2, 3, tuple(NETWORK.layout.cells[node] for node in swap), PLACES),
        tuple(sorted(Arc(swap[tail], swap[head], capacity) for tail, head, capacity in ARCS)),
    )
    assert env.problem(Asked(renamed)) == env.problem(ASKED)
    assert env.problem(Asked(replace(NETWORK, arcs=(*ARCS[:-1], Arc(4, 5, 3))))) != env.problem(ASKED)
