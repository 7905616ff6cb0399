"""Scatter trend: what is the odd point, what is near enough, and that points are drawn where they are said to be."""

from dataclasses import replace

import pytest

from palaestra.envs.charts.scatter_trend import HIGHEST, Plot, Point, height
from palaestra.envs.charts.scatter_trend import environment as env
from palaestra.envs.kit.graphs import NAMES
from palaestra.envs.kit.parts import Asked

RISING = [Point(10, 15, 0), Point(30, 25, 0), Point(50, 75, 0), Point(70, 45, 0), Point(90, 55, 0)]
FALLING = [Point(20, 90, 1), Point(40, 80, 1), Point(60, 70, 1), Point(80, 60, 1)]
PLOT = Plot(tuple(sorted(RISING + FALLING)), 4, ("blue", "red"), 120, 5)
ASKED = Asked(PLOT)


def test_the_odd_point_and_both_lines_without_it_win() -> None:
    assert PLOT.points[PLOT.odd] == Point(50, 75, 0)
    for said in (("E", 70, 40), ("E", 65, 45)):
        step = env.step(ASKED, said)
        assert (step.reward, step.done, step.success) == (1.0, True, True)
        assert step.events == ("difference_found", "simulation_ok", "simulation_ok", "parts_all_ok")


@pytest.mark.parametrize(
    ("said", "events"),
    [
        (("A", 70, 40), {"difference_missed", "simulation_ok", "parts_some_ok"}),
        (("E", 76, 40), {"difference_found", "value_off", "value_near", "simulation_ok", "parts_some_ok"}),
        (("E", 40, 40), {"difference_found", "value_off", "series_confused", "simulation_ok", "parts_some_ok"}),
        (("A", 0, 0), {"difference_missed", "value_off", "parts_none_ok"}),
    ],
)
def test_each_wrong_part_says_how_it_is_wrong(said: tuple[str, int, int], events: set[str]) -> None:
    step = env.step(ASKED, said)
    assert set(step.events) == events
    assert step.reward < 0.5
    assert not step.success


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_leaving_the_odd_point_out_fits_far_better_than_leaving_out_any_other(scale: int) -> None:
    for seed in range(20):
        plot = env.reset(env.spec.instance(scale, seed)).question
        group = [p for p in plot.points if p.group == plot.points[plot.odd].group]
        worst = {}
        for left_out in group:
            rest = [p for p in group if p is not left_out]
            worst[left_out] = sum((p.y - height(rest, p.x)) ** 2 for p in rest)
        best, second = sorted(worst, key=worst.__getitem__)[:2]
        assert best == plot.points[plot.odd]
        assert worst[second] > 2 * worst[best]


@pytest.mark.parametrize("pixels", [448, 700])
def test_a_point_is_drawn_where_the_caption_says(pixels: int) -> None:
    view = env.view(PLOT, pixels)
    middles = {e.name: ((e.box[0] + e.box[2]) / 2, (e.box[1] + e.box[3]) / 2) for e in view.scene}
    ticks = [((e.box[0] + e.box[2]) / 2, (e.box[1] + e.box[3]) / 2) for e in view.scene[:8]]
    (zero, top), (left, right) = (ticks[0][1], ticks[4][1]), (ticks[5][0], ticks[7][0])
    for letter, (x, y, group) in zip(NAMES, PLOT.points, strict=False):
        assert abs((middles[letter][0] - left) / (right - left) * HIGHEST - x) < 1
        assert abs((zero - middles[letter][1]) / (zero - top) * HIGHEST - y) < 1
        assert f"{letter} {PLOT.colours[group]} {x} {y}" in view.caption


def test_colours_and_turning_upside_down_make_no_other_problem() -> None:
    turned = tuple(Point(x, HIGHEST - y, 1 - group) for x, y, group in PLOT.points)
    assert env.problem(Asked(replace(PLOT, points=turned, colours=("green", "teal")))) == env.problem(ASKED)
    assert env.problem(Asked(replace(PLOT, x=125))) != env.problem(ASKED)
    assert env.problem(Asked(replace(PLOT, tolerance=4))) != env.problem(ASKED)
