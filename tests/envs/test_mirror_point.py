"""Mirroring and turning points: where they land, how near is near enough, and which slip explains a miss."""

from math import dist

import pytest

from palaestra.envs.geometry.mirror_point import Motion, Sheet, _path
from palaestra.envs.geometry.mirror_point import environment as env
from palaestra.envs.kit.parts import Asked

UPRIGHT = Motion("L", ((500, 70), (500, 930)))
ABOUT = Motion("O", ((400, 400),))
ASKED = Asked(Sheet(((300, 200), (800, 600)), (UPRIGHT, ABOUT), tolerance=50))
# mirrored: 700 200 and 200 600; turned: 600 700 and 200 200


def test_a_mirror_keeps_the_distance_from_the_line_and_crosses_it_squarely() -> None:
    assert _path((300, 200), [UPRIGHT])[-1] == (700, 200)
    assert _path((100, 300), [Motion("L", ((0, 0), (900, 900)))])[-1] == pytest.approx((300, 100))


def test_a_quarter_turn_goes_clockwise_as_drawn() -> None:
    assert _path((400, 300), [ABOUT])[-1] == (500, 400)


@pytest.mark.parametrize("said", [((600, 700), (200, 200)), ((630, 660), (200, 250))])
def test_landing_within_the_tolerance_wins(said) -> None:
    step = env.step(ASKED, said)
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("target_located", "target_located", "parts_all_ok")


@pytest.mark.parametrize(
    ("said", "events"),
    [
        ((600.0, 760.0), ("target_near",)),
        ((600.0, 300.0), ("target_missed", "mirror_mistaken")),  # turned only
        ((700.0, 200.0), ("target_missed", "rotation_mistaken")),  # mirrored only
        ((200.0, 100.0), ("target_missed", "rotation_mistaken")),  # turned the other way
        ((900.0, 900.0), ("target_missed",)),
    ],
)
def test_a_miss_is_told_with_the_slip_that_explains_it(said, events: tuple[str, ...]) -> None:
    step = env.step(ASKED, (said, (200.0, 200.0)))
    assert (step.events, step.reward) == ((*events, "target_located", "parts_some_ok"), 0.25)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_points_land_inside_and_no_motion_can_be_left_out(scale: int) -> None:
    for seed in range(10):
        sheet = env.reset(env.spec.instance(scale, seed)).question
        for place in sheet.points:
            path = _path(place, sheet.motions)
            assert all(0 < v < 1000 for step in path for v in step)
            for k in range(len(sheet.motions)):
                less = _path(place, sheet.motions[:k] + sheet.motions[k + 1 :])
                assert dist(less[-1], path[-1]) > sheet.tolerance


def test_a_turned_picture_is_no_other_problem_and_a_mirrored_one_only_where_something_turns() -> None:
    upright = Asked(Sheet(((300, 200),), (UPRIGHT,), 50))
    level = Asked(Sheet(((800, 300),), (Motion("L", ((70, 500), (930, 500))),), 50))
    across = Asked(Sheet(((700, 200),), (UPRIGHT,), 50))
    assert env.problem(upright) == env.problem(level) == env.problem(across)
    about = Motion("O", ((600, 400),))
    mirrored = Asked(Sheet(((700, 200), (200, 600)), (UPRIGHT, about), 50))
    assert env.problem(mirrored) != env.problem(ASKED)


def test_the_caption_names_all_that_is_drawn() -> None:
    assert env.view(ASKED.question, 0).caption == (
        "Drawn (right, down): blue point A 300 200; blue point B 800 600; line L 500 70 to 500 930; "
        "orange centre O 400 400."
    )


def test_the_paper_has_squares_as_wide_as_the_rules_say() -> None:
    image = env.view(ASKED.question, 500).image
    assert image is not None
    lines = [x for x in range(500) if (image.rgb()[:, x] != image.rgb()[1, 1]).any(axis=1).all()]
    assert lines == list(range(50, 500, 50))
    assert "a square of its paper 100" in env.view(ASKED.question, 0).rules


def test_the_task_alone_tells_which_way_coordinates_go() -> None:
    assert "x to the right, y down" in env.view(ASKED.question, 0).task
