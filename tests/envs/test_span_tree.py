"""Spanning tree: which edges make the cheapest one, and what other choices are paid."""

from dataclasses import replace
from itertools import combinations

import pytest

from palaestra.envs.graph.span_tree import Net
from palaestra.envs.graph.span_tree import environment as env
from palaestra.envs.kit.graphs import Edge, Layout
from palaestra.envs.kit.parts import Asked

#   A -1- B    The three lightest edges close a circle; D hangs by 4 or by 5.
#   | 3 / |
#   2  /  5
#   | /   |
#   C -4- D
EDGES = (Edge(0, 1, 1), Edge(0, 2, 2), Edge(1, 2, 3), Edge(1, 3, 5), Edge(2, 3, 4))
LAYOUT = Layout(2, 2, (0, 1, 2, 3), ((0.5, 0.5), (1.5, 0.5), (0.5, 1.5), (1.5, 1.5)))
ASKED = Asked(Net(LAYOUT, EDGES))


@pytest.mark.parametrize("said", [("A-B", "A-C", "C-D"), ("C-D", "A-B", "A-C")])
def test_the_cheapest_tree_wins_in_any_order(said: tuple[str, ...]) -> None:
    step = env.step(ASKED, said)
    assert (step.reward, step.done, step.success, step.events) == (1.0, True, True, ("cost_optimal",))
    assert env.solve(step.state) == ()


@pytest.mark.parametrize(
    ("said", "reward", "events"),
    [
        (("A-B", "A-C", "B-D"), 1 / 3, ("part_superfluous", "cost_near")),
        (("A-C", "B-C", "B-D"), 1 / 6, ("part_superfluous", "cost_excessive")),
        (("A-B", "A-C", "B-C"), 1 / 3, ("cycle_closed", "part_left_out", "part_superfluous")),
        (("A-B", "A-C", "C-D", "B-D"), 3 / 8, ("cycle_closed", "part_superfluous")),
        (("A-B", "A-C"), 1 / 3, ("part_left_out",)),
        (("A-B", "A-C", "C-D", "C-D"), 3 / 8, ("cycle_closed",)),
    ],
)
def test_other_edges_earn_less_than_half(said: tuple[str, ...], reward: float, events: tuple[str, ...]) -> None:
    step = env.step(ASKED, said)
    assert step.reward == pytest.approx(reward)
    assert (step.done, step.success, step.events) == (True, False, events)


def test_exactly_one_choice_of_edges_wins() -> None:
    for seed in range(5):
        state = env.reset(env.spec.instance(0, seed))
        names = [edge.label.split()[0] for edge in state.question.edges]
        nodes = len(state.question.layout.cells)
        wins = [said for said in combinations(names, nodes - 1) if env.step(state, said).success]
        assert [sorted(win) for win in wins] == [sorted(env.solve(state)[0].split(", "))]


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_weights_differ_and_the_lightest_edges_are_no_tree(scale: int) -> None:
    for seed in range(20):
        state = env.reset(env.spec.instance(scale, seed))
        lightest = sorted(state.question.edges, key=lambda edge: edge.weight)[: len(state.question.layout.cells) - 1]
        assert len({edge.weight for edge in state.question.edges}) == len(state.question.edges)
        assert "cycle_closed" in env.step(state, tuple(edge.label.split()[0] for edge in lightest)).events


def test_the_caption_names_every_edge_with_its_weight() -> None:
    assert env.view(ASKED.question, 0).caption == "Edges with weights: A-B 1; A-C 2; B-C 3; B-D 5; C-D 4."


def test_jitter_and_a_mirror_make_no_other_problem_and_a_weight_does() -> None:
    moved = LAYOUT._replace(places=tuple((x, y - 0.05) for x, y in LAYOUT.places))
    mirrored = LAYOUT._replace(cells=(2, 3, 0, 1))
    assert env.problem(Asked(replace(ASKED.question, layout=moved))) == env.problem(ASKED)
    assert env.problem(Asked(replace(ASKED.question, layout=mirrored))) == env.problem(ASKED)
    assert env.problem(Asked(replace(ASKED.question, edges=(*EDGES[:-1], Edge(2, 3, 6))))) != env.problem(ASKED)
