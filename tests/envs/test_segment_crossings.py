"""Segment crossings: what counts as one, and that nothing is in doubt."""

import pytest

from palaestra.envs.geometry.segment_crossings import Sheet, _clear, _counts, _cross, _gap
from palaestra.envs.geometry.segment_crossings import environment as env
from palaestra.envs.kit.parts import Asked

# A runs across, B and C cross it, D stops short before it
SEGMENTS = (((10, 50), (90, 50)), ((20, 20), (30, 80)), ((50, 80), (60, 20)), ((80, 90), (80, 60)))
ASKED = Asked(Sheet(SEGMENTS, asked=(0, 1, 3)))


def test_right_counts_win() -> None:
    step = env.step(ASKED, (2, 1, 0))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("crossing_found", "crossing_found", "count_zero_ok", "parts_all_ok")


def test_a_near_miss_counted_is_a_false_alarm_and_a_low_count_misses_crossings() -> None:
    step = env.step(ASKED, (0, 1, 1))
    assert step.reward == pytest.approx(0.5 / 3)
    assert step.events == ("crossing_missed", "crossing_found", "false_alarm", "count_off_by_one", "parts_some_ok")


@pytest.mark.parametrize(
    ("other", "crosses", "clear"),
    [
        (((50, 20), (50, 80)), True, True),
        (((50, 20), (50, 44)), False, True),
        (((50, 20), (50, 47)), False, False),  # stops too close before it
        (((50, 20), (50, 52)), True, False),  # ends too close behind it
        (((20, 40), (80, 60)), True, False),  # crosses at too small an angle
        (((10, 55), (50, 90)), False, False),  # ends lie too close together
    ],
)
def test_only_plain_crossings_and_plain_misses_are_drawn(other, crosses: bool, clear: bool) -> None:
    assert _cross(SEGMENTS[0], other) == _cross(other, SEGMENTS[0]) == crosses
    assert _clear(SEGMENTS[0], other, margin=5) == clear


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_end_is_clear_of_other_segments_by_the_margin(scale: int) -> None:
    for seed in range(5):
        segments = env.reset(env.spec.instance(scale, seed)).question.segments
        for one in segments:
            gaps = [_gap(end, other) for other in segments if other != one for end in one]
            assert min(gaps) >= env.spec.scales[scale]["margin"]


def test_counts_of_all_segments_add_up_to_two_for_each_crossing() -> None:
    assert _counts(SEGMENTS) == (2, 1, 1, 0)
    assert "whole picture: 2." in env.view(ASKED.question, 0).state


def test_a_mirror_other_names_and_swapped_ends_make_no_other_problem() -> None:
    a, b, c, d = (tuple((100 - x, y) for x, y in segment) for segment in SEGMENTS)
    assert env.problem(Asked(Sheet((b, c, a, d[::-1]), asked=(0, 2, 3)))) == env.problem(ASKED)
    assert env.problem(Asked(Sheet(SEGMENTS, asked=(0, 1, 2)))) != env.problem(ASKED)


def test_both_ends_carry_the_letter() -> None:
    boxes = [element.box for element in env.view(ASKED.question, 400).scene if element.name == "D"]
    assert [((box[0] + box[2]) // 8, (box[1] + box[3]) // 8) for box in boxes] == [(80, 90), (80, 60)]


def test_lines_stay_dark_where_pictures_are_small() -> None:
    sheet = Sheet((((10, 20), (90, 80)),), (0,))
    image = env.view(sheet, 96).image
    assert image is not None
    assert image.rgb()[40:56, 40:56].sum(axis=2).min() < 350  # near the line's own colour
