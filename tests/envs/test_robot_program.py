"""Robot program: how loops run, what stops the robot, what reaches all marks, and that loops are needed."""

import pytest

from palaestra.envs.kit.parts import Asked
from palaestra.envs.planning.robot_program import LONGEST, Hall, Written, unrolled
from palaestra.envs.planning.robot_program import environment as env

STAIRS = Hall(3, bytes([0, 1, 1, 0, 1, 2, 0, 0, 2]), start=7, heading=0, limit=8)  # up, up, right


@pytest.mark.parametrize(
    ("program", "commands"),
    [
        (("repeat 2", "forward", "end", "left"), ["forward", "forward", "left"]),
        (("repeat 2", "left", "repeat 2", "forward", "end", "end"), ["left", "forward", "forward"] * 2),
        (("repeat 2", "end"), []),
        (("forward", "end"), None),
        (("repeat 2", "forward"), None),
    ],
)
def test_what_stands_in_a_loop_is_done_again_and_loops_must_close(program, commands) -> None:
    assert unrolled(program) == commands


def test_a_program_without_end_in_sight_is_stopped() -> None:
    assert unrolled(("repeat 4",) * 5 + ("forward",) + ("end",) * 5) == ["forward"] * LONGEST


@pytest.mark.parametrize(
    ("program", "events"),
    [
        (("forward", "forward", "right", "forward"), ("precedence_kept",)),
        (("repeat 2", "forward", "end", "right", "forward"), ("precedence_kept",)),
        (("repeat 4", "forward", "end", "right", "forward"), ("precedence_kept", "edge_bumped", "carried_on")),
        (
            ("right", "forward", "left", "forward", "forward", "right", "forward"),
            ("precedence_kept", "obstacle_bumped"),
        ),
    ],
)
def test_every_way_over_all_marks_wins(program: tuple[str, ...], events: tuple[str, ...]) -> None:
    step = env.step(Asked(Written(STAIRS, ())), program)
    assert (step.reward, step.success) == (1.0, True)
    assert step.events == (*events, "goal_reached", "simulation_ok", "parts_all_ok")


def test_marks_left_out_earn_less_than_half_and_tiles_without_a_mark_are_told() -> None:
    step = env.step(Asked(Written(STAIRS, ())), ("forward", "left", "forward"))
    assert (step.reward, step.done, step.success) == (pytest.approx(0.5 / 3), True, False)
    assert step.events[:2] == ("precedence_kept", "part_superfluous")
    assert step.events[2:] == ("part_left_out", "goal_missed", "simulation_off", "parts_some_ok")


def test_a_loop_that_does_not_close_moves_nothing() -> None:
    step = env.step(Asked(Written(STAIRS, ())), ("repeat 2", "forward"))
    assert (step.reward, step.events) == (0.0, ("precedence_broken", "goal_missed", "parts_none_ok"))


@pytest.mark.parametrize("scale", [2, 3, 4, 5])
def test_there_are_more_marks_than_commands_where_there_are_loops(scale: int) -> None:
    for seed in range(10):
        hall = env.reset(env.spec.instance(scale, seed)).question.hall
        assert hall.cells.count(1) > hall.limit


def test_turned_and_mirrored_halls_are_no_other_problem() -> None:
    turned = Hall(3, bytes([0, 0, 0, 0, 1, 1, 2, 2, 1]), start=3, heading=1, limit=8)
    mirrored = Hall(3, bytes([1, 1, 0, 2, 1, 0, 2, 0, 0]), start=7, heading=0, limit=8)
    same = {env.problem(Asked(Written(hall, ()))) for hall in (STAIRS, turned, mirrored)}
    assert len(same) == 1
    assert env.problem(Asked(Written(Hall(3, STAIRS.cells, 7, 1, 8), ()))) not in same


def test_the_caption_shows_where_the_robot_faces() -> None:
    assert env.view(STAIRS, 0).caption.endswith("^ robot facing up):\n.oo\n.o#\n.^#")


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_who_keeps_to_the_marks_is_not_told_to_have_left_them_on_coming_back_to_the_start(scale: int) -> None:
    for seed in range(40):
        asked = env.reset(env.spec.instance(scale, seed))
        assert "part_superfluous" not in env.step(asked, asked.question.program).events


@pytest.mark.parametrize("scale", [0, 1])
@pytest.mark.parametrize("loops", [1, 2])
def test_loops_may_be_asked_for_on_every_scale(scale: int, loops: int) -> None:
    asked = env.reset(env.spec.instance(scale, 0, knobs=(("loops", loops),)))
    assert sum(command.startswith("repeat") for command in asked.question.program) == loops


def test_no_program_that_was_right_elsewhere_is_right_too_often() -> None:
    halls = [env.reset(env.spec.instance(2, seed)) for seed in range(100)]
    programs = {env.reset(env.spec.instance(2, seed)).question.program for seed in range(1000, 1200)}
    assert max(sum(env.step(hall, program).success for hall in halls) for program in programs) <= 9
