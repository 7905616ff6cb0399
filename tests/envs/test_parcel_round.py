"""Parcel round: loading, closed streets, that plans are best, and that what the van holds and covers stays in sight."""

from dataclasses import replace

import pytest

from palaestra.envs.kit import grid
from palaestra.envs.planning.parcel_round import DONE, HELD, SIGNS, Round, Town
from palaestra.envs.planning.parcel_round import environment as env


def town(*rows: str, capacity: int = 1) -> Town:
    return Town(len(rows), len(rows[0]), bytes(map(SIGNS.index, "".join(rows))), capacity)


STREET = town("......A.B")


def played(state: Round, *moves: str) -> list[tuple[str, ...]]:
    events = []
    for move in moves:
        step = env.step(state, move)
        events.append(step.events)
        state = step.state
    return events


def test_a_full_van_drives_past_a_parcel_and_an_empty_one_takes_it() -> None:
    assert played(Round(STREET, 0, (2, 4)), "right", "right", "right", "left") == [
        ("cargo_taken", "moved_closer"),
        ("capacity_exceeded", "moved_closer"),
        ("cargo_delivered", "moved_closer"),
        ("cargo_taken", "moved_closer"),
    ]
    assert played(Round(STREET, 2, (4, HELD)), "left", "right") == [("moved_away",), ("moved_closer", "path_reversed")]


@pytest.mark.parametrize(("move", "event"), [("up", "edge_bumped"), ("right", "obstacle_bumped")])
def test_the_edge_and_a_closed_street_stop_the_van(move: str, event: str) -> None:
    closed = Round(town(".x.", ".#.", "..A"), 0, (HELD,))
    step = env.step(closed, move)
    assert (step.events, step.state) == ((event,), closed)


def test_the_round_is_won_when_the_last_parcel_is_home() -> None:
    step = env.step(Round(STREET, 4, (HELD, DONE)), "right")
    assert (step.reward, step.success, step.events) == (1.0, True, ("cargo_delivered", "task_completed"))
    assert env.solve(step.state) == ()


@pytest.mark.parametrize("scale", [0, 1, 2])
def test_no_plan_is_shorter_than_the_one_that_is_found(scale: int) -> None:
    for seed in range(3):
        start = env.reset(env.spec.instance(scale, seed))
        ring = {(start.at, start.parcels)}
        for _ in range(len(env.solve(start) or ()) - 1):
            steps = [
                env.step(replace(start, at=at, parcels=held), move) for at, held in ring for move in grid.DIRECTIONS
            ]
            assert not any(step.success for step in steps)
            ring |= {(step.state.at, step.state.parcels) for step in steps}


def test_the_task_tells_the_moves_and_what_the_van_holds() -> None:
    start = env.reset(env.spec.instance(2, 0))
    task = env.view(start, 0).task
    assert f"within {env.horizon(start)} moves. The van holds {start.town.capacity} at most." in task


def test_the_caption_tells_what_the_van_holds_and_where_it_stands() -> None:
    caption = env.view(Round(STREET, 8, (HELD, DONE)), 0).caption
    assert "@ van with parcel a at house b" in caption
    assert caption.endswith("......A.@")


def test_letters_and_turning_the_town_make_no_other_problem() -> None:
    state = Round(STREET, 0, (2, 4))
    turned = Round(town("B.A......"), 8, (6, 4))
    assert env.problem(Round(town("......B.A"), 0, (4, 2))) == env.problem(state)
    assert env.problem(turned) == env.problem(state)
    assert env.problem(replace(state, at=2, parcels=(0, 4))) != env.problem(state)
