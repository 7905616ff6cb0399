"""Fog network: what is seen, what a step tells, and that the guide and the fog know no more than that."""

from dataclasses import replace

import numpy as np
import pytest

from palaestra.envs.graph.fog_network import Known, Net, Walk
from palaestra.envs.graph.fog_network import environment as env
from palaestra.envs.kit.graphs import NAMES, Edge, Layout, cheapest, costs

#   A - B - C - D    The goal is at F. From A it is 4 steps, from G 5.
#   |       |   |
#   G       E   F
EDGES = (Edge(0, 1, 1), Edge(0, 6, 1), Edge(1, 2, 1), Edge(2, 3, 1), Edge(2, 4, 1), Edge(3, 5, 1))
CELLS = (0, 1, 2, 3, 6, 7, 4)
LAYOUT = Layout(2, 4, CELLS, tuple((cell % 4 + 0.5, cell // 4 + 0.5) for cell in CELLS))
START = Walk(Net(LAYOUT, EDGES, 5), (0,))


def walked(names: str) -> tuple[Walk, tuple[str, ...]]:
    """The walk over some nodes, and the events of its last step."""
    state, events = START, ()
    for name in names:
        step = env.step(state, name)
        assert step.legal
        state, events = step.state, step.events
    return state, events


@pytest.mark.parametrize(
    ("names", "events"),
    [
        ("B", ("moved_closer", "unseen_explored")),
        ("G", ("moved_away", "unseen_explored")),
        ("GA", ("moved_closer", "seen_revisited", "path_reversed")),
        ("BCE", ("moved_away", "unseen_explored")),
        ("BCDF", ("unseen_explored", "goal_reached")),
    ],
)
def test_a_step_tells_whether_it_led_nearer_and_to_something_new(names: str, events: tuple[str, ...]) -> None:
    assert walked(names)[1] == events


def test_the_goal_ends_the_walk_with_success_and_nothing_else_pays() -> None:
    before, _ = walked("BCD")
    last = env.step(before, "F")
    assert (last.reward, last.done, last.success) == (1.0, True, True)
    assert not env.solve(last.state)
    assert env.guide(env.public(last.state)) is None
    assert env.step(START, "B").reward == 0


@pytest.mark.parametrize("name", ["C", "F", "A"])
def test_who_is_no_neighbour_cannot_be_walked_to(name: str) -> None:
    step = env.step(START, name)
    assert (step.state, step.legal, step.events) == (START, False, ("action_illegal",))


def test_only_nodes_visited_and_their_neighbours_show() -> None:
    for names, seen in (("", "ABG"), ("B", "ABCG"), ("BC", "ABCDEG"), ("BCD", "ABCDEFG")):
        view = env.view(env.public(walked(names)[0]), 448)
        assert "".join(sorted(element.name for element in view.scene)) == seen


def test_the_caption_tells_colours_lines_and_place_but_no_line_between_white_nodes() -> None:
    first, later = (env.view(env.public(walked(names)[0]), 0).caption for names in ("", "BCD"))
    assert first == "You stand at A, the square. A is gold, B is white, G is white. Lines: A to B G."
    assert "A is gold, B is blue, C is red, D is gold, E is white, F is white" in later


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_colours_along_a_walk_tell_exactly_how_much_nearer_every_node_is(scale: int) -> None:
    for seed in range(10):
        state = start = env.reset(env.spec.instance(scale, seed))
        while (reply := env.guide(env.public(state))) is not None:
            state = env.step(state, reply).state
            levels = env.public(state).levels
            far = {node: len(env.solve(replace(start, path=(node,)))) for node in levels}
            assert levels == {node: far[node] - far[start.path[0]] for node in far}


def test_the_turn_limit_is_long_enough_for_who_reads_colours_rather_than_for_who_looks_everywhere() -> None:
    wins = {"guide": 0, "looking": 0}
    for seed in range(60):
        start = env.reset(env.spec.instance(5, seed))
        assert len(env.solve(start) or ()) <= env.horizon(start)
        for player in wins:
            state, rng = start, np.random.default_rng(seed)
            for _ in range(env.horizon(start)):
                reply = env.guide(env.public(state)) if player == "guide" else looking(env.public(state), rng)
                step = env.step(state, reply)
                state = step.state
                wins[player] += step.success
                if step.done:
                    break
    assert wins["guide"] >= 45
    assert wins["looking"] <= wins["guide"] - 12


def looking(known: Known, rng: np.random.Generator) -> str:
    """The step of who goes to any node not visited before, blind to colours."""
    here, near = known.path[-1], known.near
    if new := [node for node in near[here] if node not in known.path]:
        return NAMES[new[rng.integers(len(new))]]
    walk = costs(near, here)
    nearest = min((node for node, _, _ in known.places if node not in known.path), key=walk.__getitem__)
    return NAMES[next(cheapest(near, here, nearest))[1]]


def test_start_and_flag_make_another_problem_and_jitter_does_not() -> None:
    moved = LAYOUT._replace(places=tuple((x, y + 0.05) for x, y in LAYOUT.places))
    assert env.problem(Walk(Net(moved, EDGES, 5), (0,))) == env.problem(START)
    assert env.problem(Walk(Net(LAYOUT, EDGES, 4), (0,))) != env.problem(START)
    assert env.problem(Walk(Net(LAYOUT, EDGES, 5), (6,))) != env.problem(START)
