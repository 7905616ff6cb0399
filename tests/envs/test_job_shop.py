"""Job shop: the schedule that orders lead to, when it is late or never ends, and how long bars are drawn."""

from dataclasses import replace
from itertools import permutations, product

import pytest

from palaestra.envs.kit.parts import Asked
from palaestra.envs.planning.job_shop import Planned, Shop
from palaestra.envs.planning.job_shop import environment as env

JOBS = (((0, 2), (1, 4)), ((0, 3), (1, 1)), ((1, 2), (0, 2)))  # A red 2, blue 4; B red 3, blue 1; C blue 2, red 2
ORDERS = ((0, 1, 2), (2, 0, 1))
ASKED = Asked(Planned(Shop(JOBS, due=8), ORDERS))


def test_orders_that_bring_all_jobs_home_in_time_win() -> None:
    step = env.step(ASKED, (("A", "B", "C"), ("C", "A", "B")))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("constraint_kept",) * 2 + ("precedence_kept",) + ("deadline_kept",) * 3 + ("parts_all_ok",)


def test_a_late_job_is_told_and_earns_less_than_half() -> None:
    step = env.step(ASKED, (("B", "A", "C"), ("C", "A", "B")))
    assert (step.reward, step.success) == (pytest.approx(0.5 / 3), False)
    assert step.events[3:] == ("deadline_missed", "deadline_missed", "deadline_kept", "cost_near", "parts_some_ok")


def test_orders_that_wait_for_one_another_never_end() -> None:
    step = env.step(ASKED, (("C", "A", "B"), ("A", "B", "C")))
    assert (step.reward, step.done) == (0.0, True)
    assert step.events[2:] == ("precedence_broken", "cycle_closed", "parts_none_ok")


def test_a_job_that_stands_twice_leaves_no_schedule() -> None:
    step = env.step(ASKED, (("A", "A", "C"), ("C", "A", "B")))
    assert (step.reward, step.done, step.events) == (0.0, True, ("symbol_repeated", "constraint_kept", "parts_none_ok"))


def test_a_shop_is_made_from_orders_that_take_the_time_asked_for_without_slack() -> None:
    for seed in range(10):
        planned = env.reset(env.spec.instance(4, seed)).question
        tighter = Asked(replace(planned, shop=replace(planned.shop, due=planned.shop.due - 1)))
        (said,) = env.solve(Asked(planned))
        value = env.view(planned.shop, 0).answer.parse(said).value
        assert env.step(Asked(planned), value).success
        assert not env.step(tighter, value).success


def test_on_two_machines_hardly_any_orders_are_in_time() -> None:
    orders, wins = list(permutations("ABC")), 0
    for seed in range(10):
        asked = env.reset(env.spec.instance(0, seed))
        wins += sum(env.step(asked, pair).success for pair in product(orders, repeat=2))
    assert 10 <= wins <= 0.2 * 360


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_order_of_the_letters_is_always_too_late(scale: int) -> None:
    for seed in range(10):
        asked = env.reset(env.spec.instance(scale, seed))
        plain = tuple("ABCDEF"[: len(asked.question.orders[0])])
        assert not env.step(asked, (plain,) * len(asked.question.orders)).success


def test_names_of_jobs_and_machines_and_the_direction_of_time_make_no_other_problem() -> None:
    swapped = tuple(tuple((1 - machine, lasts) for machine, lasts in job) for job in JOBS[::-1])
    backwards = tuple(job[::-1] for job in JOBS)
    same = [Asked(Planned(Shop(jobs, 8), ())) for jobs in (swapped, backwards)]
    assert {env.problem(asked) for asked in same} == {env.problem(ASKED)}
    assert env.problem(Asked(Planned(Shop(JOBS, 9), ORDERS))) != env.problem(ASKED)


def test_bars_are_as_long_as_the_operations_last_and_the_caption_tells_them_all() -> None:
    view = env.view(ASKED.question.shop, 448)
    widths = [e.box[2] - e.box[0] for e in view.scene if e.name.isdigit()]
    unit = widths[1] / 4
    assert [round(width / unit) for width in widths] == [2, 4, 3, 1, 2, 2]
    assert view.caption == "Operations from the left: A: red 2, blue 4; B: red 3, blue 1; C: blue 2, red 2."
