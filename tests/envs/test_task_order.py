"""Task order: which orders respect all arrows, and what a broken one is paid."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from palaestra.envs.graph.task_order import Plan
from palaestra.envs.graph.task_order import environment as env
from palaestra.envs.kit.graphs import Arc, Layout
from palaestra.envs.kit.parts import Asked

#   A -> B    C and D both need B; nothing needs them.
#   |  / |
#   v v  v    A leads to C as well.
#   C    D
ARCS = (Arc(0, 1), Arc(0, 2), Arc(1, 2), Arc(1, 3))
LAYOUT = Layout(2, 2, (0, 1, 2, 3), ((0.5, 0.5), (1.5, 0.5), (0.5, 1.5), (1.5, 1.5)))
PLAN = Plan(LAYOUT, ARCS)
ASKED = Asked(PLAN)


@pytest.mark.parametrize("order", ["ABCD", "ABDC"])
def test_every_order_that_respects_all_arrows_wins(order: str) -> None:
    step = env.step(ASKED, tuple(order))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("precedence_kept",) * 4 + ("parts_all_ok",)
    assert env.solve(step.state) == ()


@pytest.mark.parametrize(
    ("order", "reward", "events"),
    [
        ("BACD", 0.375, ("precedence_broken", *["precedence_kept"] * 3, "parts_some_ok")),
        ("DCBA", 0.125, (*["precedence_broken"] * 3, "precedence_kept", "parts_some_ok")),
        ("DDDD", 0.0, (*["precedence_broken"] * 4, "node_repeated", "part_left_out", "parts_none_ok")),
        ("AABC", 0.375, ("precedence_kept", "precedence_broken", *["precedence_kept"] * 2, "node_repeated",
                         "part_left_out", "parts_some_ok")),
    ],
)  # fmt: skip
def test_a_task_before_what_it_needs_or_named_twice_earns_nothing(order: str, reward: float, events) -> None:
    step = env.step(ASKED, tuple(order))
    assert (step.reward, step.done, step.success, step.events) == (reward, True, False, events)


def test_exactly_the_orders_that_win_are_found() -> None:
    found = {tuple(reply.split(", ")) for (reply,) in env.solutions(ASKED)}
    assert found == {order for order in permutations("ABCD") if env.step(ASKED, order).success}


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_task_of_a_drawing_is_joined_to_the_others(scale: int) -> None:
    for seed in range(20):
        arcs = env.reset(env.spec.instance(scale, seed)).question.arcs
        reached = {0}
        for _ in range(env.spec.scales[scale]["tasks"]):
            reached |= {node for tail, head, _ in arcs if {tail, head} & reached for node in (tail, head)}
        assert len(reached) == env.spec.scales[scale]["tasks"]


def test_an_arrow_has_its_head_where_it_ends() -> None:
    pixels = env.view(Plan(LAYOUT, (Arc(0, 1),)), 448).image.pixels
    drawn = pixels != pixels[0, 0]
    assert np.count_nonzero(drawn[:, 224:280]) > 1.5 * np.count_nonzero(drawn[:, 168:224])


def test_the_caption_names_every_arrow() -> None:
    assert env.view(PLAN, 0).caption == "Arrows: A>B, A>C, B>C, B>D."


def test_names_jitter_and_a_mirror_make_no_other_problem_and_a_turned_arrow_does() -> None:
    moved = LAYOUT._replace(places=tuple((x + 0.05, y) for x, y in LAYOUT.places))
    mirrored = LAYOUT._replace(cells=(1, 0, 3, 2))
    assert env.problem(Asked(replace(PLAN, layout=moved))) == env.problem(ASKED)
    assert env.problem(Asked(replace(PLAN, layout=mirrored))) == env.problem(ASKED)
    assert env.problem(Asked(Plan(LAYOUT, (*ARCS[:-1], Arc(3, 1))))) != env.problem(ASKED)
