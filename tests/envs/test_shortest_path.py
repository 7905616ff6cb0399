"""Shortest path: what is right, what is nearly right, and what is paid for it."""

import pytest

from palaestra.envs.graph.shortest_path import Net
from palaestra.envs.graph.shortest_path import environment as env
from palaestra.envs.kit.graphs import NAMES, Edge, Layout
from palaestra.envs.kit.parts import Asked

#   A -1- B -2- C      A to F: A B E F and A D E F cost 4, A B C F costs 5.
#   |1    |1    |2
#   D -1- E -2- F
EDGES = (Edge(0, 1, 1), Edge(0, 3, 1), Edge(1, 2, 2), Edge(1, 4, 1), Edge(2, 5, 2), Edge(3, 4, 1), Edge(4, 5, 2))
PLACES = tuple((column + 0.5, row + 0.5) for row in range(2) for column in range(3))
ASKED = Asked(Net(Layout(2, 3, tuple(range(6)), PLACES), EDGES, 0, 5))


def answered(path: str):
    """The step that answers with a path of one letter a node."""
    return env.step(ASKED, tuple(path))


@pytest.mark.parametrize("path", ["ABEF", "ADEF"])
def test_every_cheapest_way_wins(path: str) -> None:
    step = answered(path)
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("start_right", "end_right", "steps_connected", "cost_optimal")
    assert env.solve(step.state) == ()


def test_all_cheapest_ways_are_found_and_no_other() -> None:
    assert list(env.solutions(ASKED)) == [["A, B, E, F"], ["A, D, E, F"]]


@pytest.mark.parametrize(
    ("path", "reward", "event"),
    [
        ("ABCF", 0.5 * 4 / 5, "cost_near"),
        ("ADEBCF", 0.5 * 4 / 7, "cost_excessive"),
        ("ABABEF", 0.5 * 4 / 6, "cost_excessive"),
    ],
)
def test_a_dearer_way_earns_less_than_half_and_no_success(path: str, reward: float, event: str) -> None:
    step = answered(path)
    assert step.reward == pytest.approx(reward)
    assert step.reward < 0.5
    assert (step.done, step.success) == (True, False)
    assert event in step.events
    assert ("node_repeated" in step.events) == (len(set(path)) < len(path))


@pytest.mark.parametrize(
    ("path", "events"),
    [
        ("AF", ("start_right", "end_right", "step_disconnected")),
        ("ABF", ("start_right", "end_right", "step_disconnected")),
        ("ABE", ("start_right", "steps_connected")),
        ("FEBA", ("steps_connected",)),
        ("AAEF", ("start_right", "end_right", "step_disconnected", "node_repeated")),
    ],
)
def test_what_is_no_way_from_start_to_end_earns_nothing(path: str, events: tuple[str, ...]) -> None:
    step = answered(path)
    assert (step.reward, step.done, step.success, step.events) == (0.0, True, False, events)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_cheapest_way_of_a_drawn_graph_wins(scale: int) -> None:
    for seed in range(20):
        state = env.reset(env.spec.instance(scale, seed))
        for (reply,) in env.solutions(state):
            assert env.step(state, tuple(reply.split(", "))).success


def test_the_caption_says_all_edges_and_which_nodes_are_the_ends() -> None:
    view = env.view(ASKED.question, 0)
    assert all(edge.label in view.caption for edge in EDGES)
    assert "green" in view.caption
    assert NAMES[5] in view.caption


def test_names_and_jitter_make_no_other_problem_and_a_weight_does() -> None:
    net = ASKED.question
    jittered = net.layout._replace(places=tuple((x + 0.05, y) for x, y in PLACES))
    dearer = (*EDGES[:-1], Edge(4, 5, 3))
    assert env.problem(Asked(Net(jittered, EDGES, 5, 0))) == env.problem(ASKED)
    assert env.problem(Asked(Net(net.layout, dearer, 0, 5))) != env.problem(ASKED)
