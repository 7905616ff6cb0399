"""Gauge reading: what is near enough, what misreadings are called, and that needles stand where they should."""

from dataclasses import replace

import numpy as np
import pytest

from palaestra.envs.kit.palette import colour
from palaestra.envs.kit.parts import Asked
from palaestra.envs.perception.gauge_reading import COLOURS, LEFT, LINE, RIGHT, Dial, Gauge, Panel
from palaestra.envs.perception.gauge_reading import environment as env

ROUND = Gauge(Dial(False, 20, 10, 4, 5, False), 47)
STRAIGHT = Gauge(Dial(True, -50, 50, 4, 2, True), 100)
PANEL = Panel((ROUND, STRAIGHT), (0, 1), 0.2)
ASKED = Asked(PANEL)


@pytest.mark.parametrize("said", [(47, 100), (45, 110), (49, 90)])
def test_every_reading_within_its_tolerance_wins(said: tuple[int, int]) -> None:
    step = env.step(ASKED, said)
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("value_ok", "value_ok", "parts_all_ok")


@pytest.mark.parametrize(
    ("said", "events"),
    [
        ((44, 100), ("value_off", "value_near", "value_ok")),
        ((57, 100), ("value_off", "scale_misread", "value_ok")),
        ((30, 100), ("value_off", "value_ok")),
        ((47, 0), ("value_ok", "value_off", "scale_misread")),  # read as if the scale ran from left to right
    ],
)
def test_a_reading_that_is_off_earns_half_its_share_and_says_by_how_much(
    said: tuple[int, int], events: tuple[str, ...]
) -> None:
    step = env.step(ASKED, said)
    assert (step.reward, step.success) == (0.25, False)
    assert step.events == (*events, "parts_some_ok")


def test_the_caption_gives_numbers_as_they_stand_and_the_needle_in_steps_from_the_left() -> None:
    caption = env.view(PANEL, 0).caption
    assert "A round 20 30 40 50 60, needle 2.70; B straight 150 100 50 0 -50, needle 1.00." in caption


def test_the_arrow_of_a_straight_gauge_points_at_its_value() -> None:
    for seed in range(10):
        panel = env.reset(env.spec.instance(5, seed)).question
        view = env.view(panel, 700)
        assert view.image is not None
        for gauge, fill, element in zip(panel.gauges, COLOURS, view.scene, strict=False):
            left, top, right, bottom = element.box
            height = bottom - top
            low = view.image.pixels[top + round((LINE + 0.06) * height) : bottom, left:right]
            if gauge.dial.straight:
                x = np.argwhere(low == colour(fill))[:, 1].mean() / height
                ticks = (x - LEFT) / (RIGHT - LEFT) * gauge.dial.steps
                assert abs(ticks - gauge.ticks) < 0.05


def test_harder_scales_start_anywhere_and_may_be_reversed() -> None:
    spec = env.spec
    dials = [[g.dial for seed in range(20) for g in env.reset(spec.instance(k, seed)).question.gauges] for k in (0, 5)]
    assert not any(dial.low or dial.reversed for dial in dials[0])
    assert {dial.reversed for dial in dials[1]} == {False, True}
    assert min(dial.low for dial in dials[1]) < 0 < max(dial.low for dial in dials[1])


def test_the_answer_asked_for_tells_nothing_of_the_scales() -> None:
    first = {env.view(env.reset(env.spec.instance(scale, 3)).question, 0).answer for scale in (4, 5)}
    told = env.view(env.reset(env.spec.instance(5, 3)).question, 0).task
    assert told.count("from -300 to 1100") == 1
    assert len(first) == 2
    for seed in range(40):
        panel = env.reset(env.spec.instance(5, seed)).question
        assert all(-300 <= gauge.dial.low < gauge.dial.high <= 1100 for gauge in panel.gauges)


def test_needles_of_the_first_scale_stand_at_numbers() -> None:
    for seed in range(20):
        assert all(gauge.ticks.is_integer() for gauge in env.reset(env.spec.instance(0, seed)).question.gauges)


def test_the_order_of_gauges_makes_no_other_problem_but_another_scale_does() -> None:
    assert env.problem(Asked(replace(PANEL, gauges=(STRAIGHT, ROUND)))) == env.problem(ASKED)
    assert env.problem(Asked(replace(PANEL, asked=(0,)))) != env.problem(ASKED)
    other = Gauge(ROUND.dial._replace(low=10), 47)
    assert env.problem(Asked(replace(PANEL, gauges=(other, STRAIGHT)))) != env.problem(ASKED)
