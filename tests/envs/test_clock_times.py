"""Clock times: how hands stand, what is read off them, and what wrong readings are called."""

from dataclasses import replace
from math import atan2, pi

import numpy as np
import pytest

from palaestra.envs.kit.palette import colour
from palaestra.envs.kit.parts import Asked
from palaestra.envs.perception.clock_times import Clock, Wall
from palaestra.envs.perception.clock_times import environment as env

WALL = Wall((Clock(11700, 0, "navy"), Clock(1500, 0, "teal")), (0, 1), numerals=True, turned=False, red=False)
ASKED = Asked(WALL)


def test_all_times_win_and_half_of_them_earn_a_quarter() -> None:
    assert env.step(ASKED, (3, 15, 12, 25)).success
    step = env.step(ASKED, (3, 15, 11, 25))
    assert (step.reward, step.done, step.success) == (0.25, True, False)
    assert step.events == ("value_ok", "value_off", "scale_misread", "parts_some_ok")


def test_the_time_of_another_clock_is_told_from_a_wrong_hour_and_from_nonsense() -> None:
    assert env.step(ASKED, (12, 25, 1, 1)).events == ("value_off", "series_confused", "value_off", "parts_none_ok")


def test_hands_move_evenly_and_turn_with_the_dial() -> None:
    assert Clock(11700, 0, "navy").hands == (16.25, 15, 0)
    assert Clock(11730, 4, "navy").hands == (36.29, 35.5, 50)
    assert Clock(11730, 4, "navy").time == (3, 15, 30)


def test_the_caption_says_where_the_marks_and_the_hands_are() -> None:
    wall = replace(WALL, clocks=(Clock(11730, 4, "navy"),), asked=(0,), numerals=False, turned=True, red=True)
    assert "no numerals, a mark at 12." in env.view(wall, 0).caption
    assert "Tell the time on A, whose 12 is at the orange mark." in env.view(wall, 0).task
    assert "A mark 20 short 36.29 long 35.5 red 50." in env.view(wall, 0).caption


@pytest.mark.parametrize("pixels", [448, 700])
def test_the_red_hand_and_the_mark_are_drawn_where_the_caption_says(pixels: int) -> None:
    for seed in range(5):
        wall = env.reset(env.spec.instance(5, seed)).question
        view = env.view(wall, pixels)
        assert view.image is not None
        for clock, element in zip(wall.clocks, view.scene, strict=True):
            left, top, right, bottom = element.box
            tile, middle = view.image.pixels[top:bottom, left:right], (right - left) / 2
            for name, nearest, place in (("red", 0.2, clock.hands[2]), ("orange", 0.35, 5 * clock.turn)):
                y, x = np.argwhere(tile == colour(name)).T - (middle - 0.5)
                far = np.hypot(x, y) > nearest * (right - left)  # beyond the hub and the tail of the hand
                off = (atan2(x[far].mean(), -y[far].mean()) * 30 / pi - place + 30) % 60 - 30
                assert abs(off) < 0.5


def test_the_first_scales_keep_to_five_minutes_and_only_the_last_has_seconds() -> None:
    for scale, step in ((0, 300), (1, 300), (2, 60), (3, 60), (4, 60)):
        for seed in range(10):
            assert not any(clock.seconds % step for clock in env.reset(env.spec.instance(scale, seed)).question.clocks)
    assert any(clock.seconds % 60 for clock in env.reset(env.spec.instance(5, 0)).question.clocks)


def test_places_and_colours_make_no_other_problem_but_a_turn_and_another_question_do() -> None:
    other = replace(WALL, clocks=(Clock(1500, 0, "wine"), Clock(11700, 0, "slate")))
    assert env.problem(Asked(other)) == env.problem(ASKED)
    assert env.problem(Asked(replace(WALL, asked=(0,)))) != env.problem(ASKED)
    assert env.problem(Asked(replace(WALL, clocks=(Clock(11700, 1, "navy"), WALL.clocks[1])))) != env.problem(ASKED)
