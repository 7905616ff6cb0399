"""Block stack: which moves the rules allow, what is settled, and that the picture shows both halves."""

import pytest

from palaestra.envs.kit import captions
from palaestra.envs.planning.block_stack import Building, Table
from palaestra.envs.planning.block_stack import environment as env


def building(towers: tuple[bytes, ...], goal: tuple[bytes, ...], *witness: tuple[int, int]) -> Building:
    return Building(Table(towers, goal, 2), witness, 10)


START = building((b"\0\1", b"\2", b"", b""), (b"\0", b"\1\2", b"", b""), (1, 2), (0, 1), (2, 1))


def played(state: Building, *moves: str) -> list[tuple[str, ...]]:
    events = []
    for move in moves:
        step = env.step(state, move)
        events.append(step.events)
        state = step.state
    return events


@pytest.mark.parametrize("move", ["3 to 1", "2 to 1"])
def test_nothing_leaves_an_empty_stack_and_nothing_comes_onto_a_full_one(move: str) -> None:
    step = env.step(START, move)
    assert not step.legal
    assert step.state is START


def test_blocks_settle_from_the_bottom_and_the_last_one_wins() -> None:
    assert played(START, "2 to 3", "1 to 2", "3 to 2") == [
        ("moved_level",),
        ("subgoal_reached",),
        ("subgoal_reached", "task_completed"),
    ]


def test_a_right_block_on_a_wrong_one_is_not_settled() -> None:
    assert played(building((b"\0\1", b"", b"", b""), (b"\2\1", b"\0", b"", b"")), "1 to 3", "1 to 4", "3 to 1") == [
        ("moved_level",),
        ("moved_level",),
        ("piece_misplaced",),
    ]


def test_taking_a_settled_block_away_and_moving_a_block_twice_running_are_told() -> None:
    assert played(START, "2 to 3", "1 to 2", "2 to 4") == [
        ("moved_level",),
        ("subgoal_reached",),
        ("subgoal_undone", "resource_wasted"),
    ]


def test_a_move_beside_the_plan_is_taken_back_first() -> None:
    astray = env.step(START, "1 to 4").state
    assert env.solve(astray) == ("4 to 1", "2 to 3", "1 to 2", "3 to 2")


def test_names_of_blocks_and_the_order_of_stacks_make_no_other_problem() -> None:
    other = building((b"", b"\1", b"\2\0", b""), (b"", b"\0\1", b"\2", b""))
    assert env.problem(other) == env.problem(START)
    assert env.problem(building(START.table.towers, (b"\0", b"", b"\1\2", b""))) != env.problem(START)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_picture_shows_every_block_now_and_in_the_goal_at_its_level(scale: int) -> None:
    table = env.reset(env.spec.instance(scale, 1)).table
    said = captions.read(env.view(table, 0).caption)
    for half, towers in ((0, table.towers), (len(table.goal) + 1, table.goal)):
        for stack, tower in enumerate(towers):
            for level, block in enumerate(tower):
                assert said["ABCDEFGHJK"[block], (table.height - 1 - level, half + stack)] == 1


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_the_most_blocks_and_moves_still_make_a_problem(scale: int) -> None:
    for seed in range(3):
        building = env.reset(env.spec.instance(scale, seed, knobs=(("blocks", 10), ("moves", 16))))
        assert env.solve(building)
