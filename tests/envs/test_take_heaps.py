"""Take heaps: who wins, what gives a win away, and that the last coin is a prize or a burden."""

from functools import reduce
from itertools import combinations_with_replacement
from operator import xor

import pytest

from palaestra.envs.board.take_heaps import Table
from palaestra.envs.board.take_heaps import environment as env


def table(*heaps: int, most: int = 3, misere: bool = False) -> Table:
    return Table(heaps, most, misere, highest=12)


def test_more_coins_than_a_heap_has_cannot_be_taken() -> None:
    state = table(1, 3)
    step = env.step(state, (1, 2))
    assert not step.legal
    assert step.state is state
    assert not env.step(table(0, 3), (1, 1)).legal


def test_who_takes_the_last_coin_wins() -> None:
    step = env.step(table(0, 2), (2, 2))
    assert (step.reward, step.done, step.success, step.events) == (1.0, True, True, ("win_kept", "task_completed"))
    assert env.solve(step.state) == ()


def test_who_takes_the_last_coin_loses_in_the_misere_game() -> None:
    step = env.step(table(0, 2, misere=True), (2, 2))
    assert (step.reward, step.done, step.success, step.events) == (0, True, False, ("win_given_away", "opponent_won"))
    left = env.step(table(0, 2, misere=True), (2, 1))
    assert (left.reward, left.success, left.events) == (1.0, True, ("win_kept", "task_completed"))
    assert env.solve(step.state) is None


def test_a_slip_gives_the_win_away_for_good() -> None:
    step = env.step(table(3, 2), (1, 2))
    assert step.events == ("win_given_away",)
    assert step.state.heaps == (1, 1)
    assert env.solve(step.state) is None
    assert env.step(step.state, (1, 1)).events == ("moved_level", "opponent_won")


def test_without_a_win_the_opponent_takes_all_it_may_of_the_largest_heap() -> None:
    assert env.step(table(6, 3, 4), (2, 1)).state.heaps == (3, 2, 4)


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("most", [2, 3, 5])
def test_the_search_agrees_with_the_theory_of_remainders(most: int, misere: bool) -> None:
    for heaps in combinations_with_replacement(range(1, 8), 3):
        remainders = [coins % (most + 1) for coins in heaps]
        lost = reduce(xor, remainders) == (misere and max(remainders) <= 1)
        assert (env.solve(table(*heaps, most=most, misere=misere)) is None) == lost


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_move_of_a_plan_keeps_the_win_and_the_turns_suffice(scale: int) -> None:
    for seed in range(10):
        state = env.reset(env.spec.instance(scale, seed))
        plan = env.solve(state)
        assert len(plan) <= env.horizon(state)
        for reply in plan:
            step = env.step(state, env.view(state, 0).answer.parse(reply).value)
            assert step.events[0] == "win_kept"
            state = step.state
        assert step.success


def test_the_picture_has_a_coin_more_where_a_heap_is_higher() -> None:
    view = env.view(table(1, 2, 0), 448)
    rgb = view.image.rgb()
    gold = {
        name: int((rgb[top:bottom, left:right] == (214, 164, 24)).all(2).sum())
        for name, _, (left, top, right, bottom), _ in view.scene
    }
    assert gold["heap of 0"] == 0
    assert gold["heap of 2"] == pytest.approx(2 * gold["heap of 1"], rel=0.02)


def test_the_order_of_the_heaps_makes_no_other_problem() -> None:
    assert env.problem(table(1, 2, 3)) == env.problem(table(3, 1, 2))
    others = (table(1, 2), table(1, 3), table(1, 2, most=4), table(1, 2, misere=True))
    assert len({env.problem(state) for state in others}) == 4
