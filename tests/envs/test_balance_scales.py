"""Balance scales: equations with one solution, and what a right and a wrong weight do to the balances."""

from dataclasses import replace
from itertools import product

import pytest

from palaestra.envs.arithmetic.balance_scales import Balance, Scales, _weights
from palaestra.envs.arithmetic.balance_scales import environment as env
from palaestra.envs.kit.parts import Asked

SCALES = Scales(("red star", "blue circle"), (Balance((2, 0), 6), Balance((1, -2), -5)), 9, 4)  # 3 and 4
ASKED = Asked(SCALES)


def test_the_right_weights_keep_all_balances_and_win() -> None:
    step = env.step(ASKED, (3, 4))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("constraint_kept", "constraint_kept", "value_ok", "value_ok", "parts_all_ok")


def test_a_wrong_weight_breaks_the_balances_it_lies_on_and_earns_less_than_half() -> None:
    step = env.step(ASKED, (3, 5))
    assert (step.reward, step.success) == (0.25, False)
    assert step.events == ("constraint_kept", "constraint_broken", "value_ok", "value_off", "parts_some_ok")


def test_other_weights_may_keep_one_balance_and_win_nothing() -> None:
    step = env.step(ASKED, (1, 3))
    assert (step.reward, step.success) == (0.0, False)
    assert step.events[:2] == ("constraint_broken", "constraint_kept")


@pytest.mark.parametrize("scale", [0, 1, 2])
def test_exactly_one_set_of_weights_keeps_every_balance(scale: int) -> None:
    for seed in range(10):
        scales = env.reset(env.spec.instance(scale, seed)).question
        level = [
            weights
            for weights in product(range(1, scales.heaviest + 1), repeat=len(scales.kinds))
            if all(sum(c * w for c, w in zip(b.counts, weights, strict=True)) == b.known for b in scales.balances)
        ]
        assert level == [_weights(scales.balances)]


def test_balances_that_say_the_same_leave_the_weights_open() -> None:
    assert _weights((Balance((1, -2), -5), Balance((2, -4), -10))) is None


def test_the_caption_and_the_picture_show_what_lies_on_each_pan() -> None:
    view = env.view(SCALES, 448)
    assert view.caption == "A: 2 red star = weight 6; B: 1 red star + weight 5 = 2 blue circle."
    left = [element.name for element in view.scene if element.box[2] < 224 - 20]
    assert left == ["red star", "red star", "red star", "weight 5"]


def test_the_order_of_balances_their_sides_and_the_looks_make_no_other_problem() -> None:
    other = Scales(("teal cross", "pink hexagon"), (Balance((2, -1), 5), Balance((0, -2), -6)), 9, 4)
    assert env.problem(Asked(other)) == env.problem(ASKED)
    changed = replace(SCALES, balances=(Balance((2, 0), 8), Balance((1, -2), -4)))
    assert env.problem(Asked(changed)) != env.problem(ASKED)
