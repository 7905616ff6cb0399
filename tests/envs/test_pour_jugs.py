"""Pour jugs: how far a pour goes, which pours are events, and that the fewest are found."""

from itertools import combinations

import numpy as np
import pytest

from palaestra.envs.puzzle.pour_jugs import ANY, Pouring, Table
from palaestra.envs.puzzle.pour_jugs import environment as env

SPLIT = Pouring(Table((8, 5, 3), (4, 4, ANY), (8, 0, 0)), (8, 0, 0))


def test_a_pour_ends_when_one_jug_is_empty_or_the_other_full() -> None:
    first = env.step(SPLIT, "A to B").state
    assert first.table.amounts == (3, 5, 0)
    second = env.step(first, "B to C").state
    assert second.table.amounts == (3, 2, 3)
    assert env.step(second, "B to A").state.table.amounts == (5, 0, 3)


@pytest.mark.parametrize("action", ["B to A", "C to B"])
def test_nothing_is_poured_from_an_empty_jug(action: str) -> None:
    step = env.step(SPLIT, action)
    assert not step.legal
    assert step.state is SPLIT


def test_nothing_is_poured_into_a_full_jug() -> None:
    assert not env.step(env.step(SPLIT, "A to B").state, "A to B").legal


def test_the_old_problem_of_halving_eight_takes_seven_pours() -> None:
    state, steps = SPLIT, []
    for action in env.solve(SPLIT):
        steps.append(env.step(state, action))
        state = steps[-1].state
    assert len(steps) == 7
    assert state.table.amounts == (4, 4, 0)
    assert steps[-1].events == ("moved_closer", "subgoal_reached", "task_completed")
    assert steps[-1].success
    assert not env.solve(state)


def test_pouring_back_is_said_and_an_amount_reached_can_be_undone() -> None:
    back = env.step(env.step(SPLIT, "A to B").state, "B to A")
    assert back.events == ("moved_away", "path_reversed")
    state = Pouring(Table((6, 4, 3), (3, 2, ANY), (3, 0, 3)), (3, 0, 3))
    assert env.step(state, "A to B").events == ("moved_level", "subgoal_undone")


def test_amounts_that_cannot_come_back_are_a_dead_end() -> None:
    state = Pouring(Table((4, 4, 4), (3, 1, ANY), (1, 2, 1)), (1, 2, 1))
    assert env.solve(state) == ("B to A", "C to B")
    lost = env.step(state, "A to C")
    assert lost.events == ("dead_end_entered",)
    assert env.solve(lost.state) is None


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_amounts_are_exactly_as_many_pours_away_as_the_scale_says(scale: int) -> None:
    for seed in range(8):
        state = env.reset(env.spec.instance(scale, seed))
        assert len(env.solve(state)) == env.spec.scales[scale]["pours"]


def test_pouring_on_and_never_back_is_no_recipe_where_four_jugs_stand() -> None:
    won = 0
    for seed in range(60):
        state, rng, seen = env.reset(env.spec.instance(2, seed)), np.random.default_rng(seed), set()
        for _ in range(env.horizon(state)):
            seen.add(state.table.amounts)
            steps = [env.step(state, action) for action in env.view(state.table, 0).answer.options]
            steps = [step for step in steps if step.legal]
            steps = [step for step in steps if step.state.table.amounts not in seen] or steps
            step = steps[int(rng.integers(len(steps)))]
            state, won = step.state, won + step.success
            if step.done:
                break
    assert won < 6


def test_the_order_of_the_jugs_is_no_part_of_the_problem() -> None:
    other = Pouring(Table((3, 8, 5), (ANY, 4, 4), (0, 8, 0)), (0, 8, 0))
    assert env.problem(SPLIT) == env.problem(other)
    assert env.problem(SPLIT) != env.problem(Pouring(Table((8, 5, 3), (4, ANY, ANY), (8, 0, 0)), (8, 0, 0)))


def test_water_is_drawn_up_to_the_amount_and_cards_can_be_told_apart() -> None:
    view = env.view(Table((10, 10, 10), (ANY, ANY, ANY), (0, 5, 10)), 448)
    blue = (view.image.rgb() == (42, 100, 214)).all(axis=2)
    areas = [blue[:, e.box[0] : e.box[2]].sum() for e in view.scene if e.cell and e.cell[0] == 0]
    assert areas[0] == 0
    assert 0.45 < areas[1] / areas[2] < 0.55
    for jugs in (3, 4, 5):
        cards = {}
        for amount in range(15):
            asked = env.view(Table((14,) * jugs, (amount,) + (ANY,) * (jugs - 1), (0,) * jugs), 448)
            left, top, right, bottom = next(e.box for e in asked.scene if e.cell == (1, 0))
            cards[amount] = asked.image.rgb()[top:bottom, left:right].astype(int)
        for one, other in combinations(cards.values(), 2):
            assert (np.abs(one - other).sum(axis=2) >= 60).mean() > 0.03
