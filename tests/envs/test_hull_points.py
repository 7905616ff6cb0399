"""Hull points: every way round counts, and no point is in doubt."""

from math import dist

import pytest

from palaestra.envs.geometry.hull_points import Place, Sheet, _hull
from palaestra.envs.geometry.hull_points import environment as env
from palaestra.envs.kit.parts import Asked

# a square A C D B with E inside, close to the side from A to C
ASKED = Asked(Sheet(((10, 10), (10, 90), (90, 10), (90, 90), (50, 15))))


@pytest.mark.parametrize("said", ["ACDB", "DBAC", "BDCA"])
def test_every_start_and_both_directions_win(said: str) -> None:
    step = env.step(ASKED, tuple(said))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("order_right", "parts_all_ok")


@pytest.mark.parametrize(
    ("said", "reward", "events"),
    [
        ("ADCB", 0.25, ("order_wrong", "parts_some_ok")),
        ("ACD", 0.25, ("part_left_out", "parts_some_ok")),
        ("AECDB", 0.3, ("part_superfluous", "parts_some_ok")),
        ("ACDBA", 0.4, ("node_repeated", "parts_some_ok")),
        ("AED", 0.0, ("part_left_out", "part_left_out", "part_superfluous", "parts_none_ok")),
    ],
)
def test_sides_named_earn_part_of_half_and_each_fault_is_told(
    said: str, reward: float, events: tuple[str, ...]
) -> None:
    step = env.step(ASKED, tuple(said))
    assert step.reward == pytest.approx(reward)
    assert (step.events, step.success) == (events, False)


def _from_line(a: Place, b: Place, place: Place) -> float:
    return ((b[0] - a[0]) * (place[1] - a[1]) - (b[1] - a[1]) * (place[0] - a[0])) / dist(a, b)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_point_is_clear_of_the_band_by_the_margin(scale: int) -> None:
    margin = env.spec.scales[scale]["margin"]
    for seed in range(10):
        points = env.reset(env.spec.instance(scale, seed)).question.points
        ring = [points[k] for k in _hull(points)]
        sides = list(zip(ring, ring[1:] + ring[:1], strict=True))
        assert len(ring) == env.spec.scales[scale]["corners"]
        assert all(_from_line(*side, place) >= margin for place in points if place not in ring for side in sides)
        assert all(-_from_line(ring[k - 2], ring[k], ring[k - 1]) >= margin for k in range(len(ring)))


def test_names_turns_and_mirrors_make_no_other_problem() -> None:
    places = ((10, 20), (60, 10), (30, 80), (35, 30))
    other = tuple((100 - y, x) for x, y in reversed(places))
    mirrored = tuple((100 - x, y) for x, y in places)
    assert env.problem(Asked(Sheet(places))) == env.problem(Asked(Sheet(other))) == env.problem(Asked(Sheet(mirrored)))
    assert env.problem(Asked(Sheet((*places[:3], (36, 30))))) != env.problem(Asked(Sheet(places)))


def test_every_point_is_drawn_around_its_place() -> None:
    for element, (x, y) in zip(env.view(ASKED.question, 400).scene, ASKED.question.points, strict=True):
        left, top, right, bottom = element.box
        assert ((left + right) / 8, (top + bottom) / 8) == pytest.approx((x, y), abs=0.3)
