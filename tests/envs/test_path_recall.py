"""Path recall: where the stones lead, what is shown when, and how mirror and direction turn the walk."""

from dataclasses import replace

import pytest

from palaestra.core.environment import turn
from palaestra.envs.kit import grid
from palaestra.envs.memory.path_recall import Pond, Walk
from palaestra.envs.memory.path_recall import environment as env

# S o ^
# . o G
POND = Pond(2, 3, rocks=(2,), stones=4, glimpse=4, mirrored=False, backwards=False)
WALK = Walk(POND, (0, 1, 4, 5))


def after(state: Walk, *replies: str) -> Walk:
    for reply in replies:
        state = env.step(state, reply).state
    return state


def test_every_stone_pays_and_the_last_one_wins() -> None:
    begun = after(WALK, "next")
    steps = [env.step(begun, "right"), env.step(after(begun, "right"), "down")]
    assert [step.reward for step in steps] == pytest.approx([1 / 6, 1 / 6])
    last = env.step(after(begun, "right", "down"), "right")
    assert (last.success, last.events) == (True, ("memory_used", "goal_reached"))
    assert env.solve(last.state) == ()


def test_water_ends_the_walk_and_so_does_the_stone_just_left() -> None:
    for replies, wrong in ((("next",), "down"), (("next", "right"), "left")):
        step = env.step(after(WALK, *replies), wrong)
        assert (step.done, step.success, step.events) == (True, False, ("hazard_entered", "memory_missed"))
        assert env.solve(step.state) is None


def test_rocks_and_the_edge_stop_a_step_and_cost_a_turn_only() -> None:
    begun = after(WALK, "next")
    assert env.step(begun, "up") == replace(env.step(begun, "up"), state=begun, done=False)
    assert env.step(begun, "up").events[0] == "edge_bumped"
    assert env.step(after(begun, "right"), "right").events[0] == "obstacle_bumped"


def test_a_path_may_be_walked_from_the_goal_back_to_the_start() -> None:
    state = Walk(replace(POND, backwards=True), WALK.stones)
    assert env.solve(state) == ("next", "left", "up", "left")
    assert "from the goal G to the start S" in env.view(env.public(state), 0).task


def test_in_a_mirror_the_columns_of_stones_and_rocks_are_exchanged_until_one_walks() -> None:
    state = Walk(replace(POND, mirrored=True), WALK.stones)
    assert env.view(env.public(state), 0).caption.endswith("^oS\nGo.")
    assert env.view(env.public(after(state, "next")), 0).caption.endswith("@.^\n...")
    assert env.solve(state) == env.solve(WALK)


def test_a_glimpse_shows_its_own_stones_only_and_nobody_walks_before_the_last_one() -> None:
    state = Walk(replace(POND, glimpse=3), WALK.stones)
    assert env.view(env.public(state), 0).caption.endswith("So^\n.o.")
    second = after(state, "next")
    assert env.view(env.public(second), 0).caption.endswith("..^\n..G")
    assert turn(env, second, env.view(env.public(second), 0), "right")[1].legal is False
    assert env.view(env.public(after(second, "next")), 0).caption.endswith("@.^\n...")


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_no_two_stones_touch_but_neighbours_on_the_path(scale: int) -> None:
    for seed in range(30):
        walk = env.reset(env.spec.instance(scale, seed))
        around = grid.neighbours(walk.pond.rows, walk.pond.columns)
        for k, cell in enumerate(walk.stones):
            touching = {other for other in range(len(walk.stones)) if walk.stones[other] in around[cell]}
            assert touching == {k - 1, k + 1} & {*range(len(walk.stones))}
        assert not {*walk.stones} & {*walk.pond.rocks}


def test_how_a_path_is_shown_makes_no_other_problem_but_its_direction_and_rocks_do() -> None:
    shown = Walk(replace(POND, mirrored=True, glimpse=2), WALK.stones)
    turned = Walk(replace(POND, backwards=True), WALK.stones[::-1])
    assert env.problem(shown) == env.problem(turned) == env.problem(WALK)
    assert env.problem(Walk(POND, WALK.stones[::-1])) != env.problem(WALK)
    assert env.problem(Walk(replace(POND, rocks=(3,)), WALK.stones)) != env.problem(WALK)


def test_there_is_another_way_on_wherever_the_path_may_go_on_otherwise() -> None:
    state = env.reset(env.spec.instance(5, 2))
    assert len({env.reseal(state, seed).stones for seed in range(30)}) > 15


def test_start_and_goal_are_told_by_their_letters_too() -> None:
    view = env.view(env.public(WALK), 448)
    assert "from the start S to the goal G" in view.task
    start, goal = (next(e.box for e in view.scene if e.name == name) for name in ("start", "goal"))
    dark = [(view.image.rgb()[t:b, left:right].sum(axis=2) < 500) for left, t, right, b in (start, goal)]
    assert (dark[0] != dark[1]).mean() > 0.02
