"""Turtle program: loops, what is crossed, where a wrong end lies, and programs that keep to the floor."""

from dataclasses import replace
from itertools import pairwise

import pytest

from palaestra.envs.arithmetic.turtle_program import Floor, Line, _run, _told, _walked
from palaestra.envs.arithmetic.turtle_program import environment as env
from palaestra.envs.kit.parts import Asked

# repeat 2 (go 1, right), go 2: up, right, then down 2 on a floor of 3 x 4, from B1
PROGRAM = (Line(0, "repeat", 2), Line(1, "go", 1), Line(1, "right"), Line(0, "go", 2))
FLOOR = Floor(3, 4, bytes((1, 1, 2, 0, 0, 0, 1, 0, 0, 1, 0, 0)), 4, 0, PROGRAM, 2)
ASKED = Asked(FLOOR)


def test_what_a_program_leads_to_wins() -> None:
    step = env.step(ASKED, ("C", 2, "down", 3, 0))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("simulation_ok", "object_tracked", "turn_right", "count_ok", "count_zero_ok", "parts_all_ok")


@pytest.mark.parametrize(
    ("end", "event"),
    [
        (("A", 2, "right"), "simulation_early_ok"),
        (("A", 2, "left"), "simulation_off"),
        (("B", 4, "up"), "simulation_off"),
    ],
)
def test_a_place_on_the_way_is_told_from_one_that_was_never_held(end: tuple[str, int, str], event: str) -> None:
    step = env.step(ASKED, (*end, 2, 1))
    assert step.events[:5] == (event, "object_lost", "turn_wrong", "count_under", "count_over")
    assert not step.success


def test_the_last_tile_and_the_last_heading_are_told_apart() -> None:
    assert env.step(ASKED, ("C", 2, "up", 3, 0)).events[:3] == ("simulation_off", "object_tracked", "turn_wrong")
    assert env.step(ASKED, ("C", 3, "down", 3, 0)).events[:3] == ("simulation_off", "object_lost", "turn_right")


def test_right_parts_earn_their_share_of_a_half() -> None:
    assert env.step(ASKED, ("C", 1, "down", 3, 1)).reward == pytest.approx(0.5 * 3 / 5)


def test_loops_run_again_what_is_indented_under_them() -> None:
    nested = (Line(0, "repeat", 2), Line(1, "repeat", 3), Line(2, "go", 1), Line(1, "left"))
    assert [moved for *_, moved in _walked(nested, 0)] == [True, True, True, False] * 2
    assert _told(nested) == "repeat 2 (repeat 3 (go 1), left)"


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_turtle_never_leaves_the_floor_and_the_program_has_its_lines(scale: int) -> None:
    for seed in range(20):
        floor = env.reset(env.spec.instance(scale, seed)).question
        assert all(0 <= row < floor.rows and 0 <= column < floor.columns for row, column, _, _ in _run(floor))
        assert len(floor.program) == env.spec.scales[scale]["lines"]
        assert sum(line.word == "repeat" for line in floor.program) == env.spec.scales[scale]["loops"]


def test_the_picture_shows_the_lines_in_order_with_loops_indented() -> None:
    view = env.view(FLOOR, 448)
    lines = [element for element in view.scene if element.name in {line.text for line in PROGRAM}]
    assert [element.name for element in lines] == ["repeat 2", "go 1", "right", "go 2"]
    assert lines[1].box[0] > lines[0].box[0] == lines[3].box[0]
    assert view.caption.endswith("rrb.\n^.r.\n.r..\nProgram: repeat 2 (go 1, right), go 2.")


def test_a_turned_or_mirrored_floor_is_no_other_problem() -> None:
    turned = replace(FLOOR, rows=4, columns=3, tiles=bytes((0, 0, 1, 1, 0, 1, 0, 1, 2, 0, 0, 0)), start=1, heading=1)
    assert env.problem(Asked(turned)) == env.problem(ASKED)
    left = tuple(line._replace(word="left") if line.word == "right" else line for line in PROGRAM)
    mirrored = replace(FLOOR, tiles=bytes((0, 2, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0)), start=7, program=left)
    assert env.problem(Asked(mirrored)) == env.problem(ASKED)
    assert env.problem(Asked(replace(FLOOR, program=left))) != env.problem(ASKED)
    assert env.problem(Asked(replace(FLOOR, heading=1))) != env.problem(ASKED)


@pytest.mark.parametrize(("scale", "pixels"), [(0, 96), (1, 96), *((scale, 448) for scale in range(6))])
def test_the_program_stands_beside_the_floor_within_the_picture(scale: int, pixels: int) -> None:
    view = env.view(env.reset(env.spec.instance(scale, 0)).question, pixels)
    floor = max(element.box[2] for element in view.scene if element.cell)
    lines = [element.box for element in view.scene if element.name.startswith(("go", "left", "right", "repeat"))]
    assert pixels * 0.55 < floor <= min(box[0] for box in lines)
    assert max(box[2] for box in lines) <= pixels
    assert all(below[1] > above[3] for above, below in pairwise(lines))
