"""Parcel round: loading, the tank, closed streets, and that what the van holds and covers stays in sight."""

from dataclasses import replace

import pytest

from palaestra.envs.planning.parcel_round import environment as env
from palaestra.envs.planning.parcel_round.rules import DONE, HELD, SIGNS, Round, Town, plan


def town(*rows: str, capacity: int = 1, tank: int = 0) -> Town:
    return Town(len(rows), len(rows[0]), bytes(map(SIGNS.index, "".join(rows))), capacity, tank)


STREET = town("......A.B", capacity=1)
SQUARE = town("..A", ".#x", "..P", tank=3)


def played(state: Round, *moves: str) -> list[tuple[str, ...]]:
    events = []
    for move in moves:
        step = env.step(state, move)
        events.append(step.events)
        state = step.state
    return events


def test_a_full_van_drives_past_a_parcel_and_an_empty_one_takes_it() -> None:
    assert played(Round(STREET, 0, (2, 4), 0), "right", "right", "right", "left") == [
        ("cargo_taken", "moved_closer"),
        ("capacity_exceeded", "moved_closer"),
        ("cargo_delivered", "moved_closer"),
        ("cargo_taken", "moved_closer", "path_reversed"),
    ]
    assert played(Round(STREET, 2, (4, HELD), 0), "left") == [("moved_away",)]


@pytest.mark.parametrize(("move", "event"), [("up", "edge_bumped"), ("right", "obstacle_bumped")])
def test_the_edge_and_a_closed_street_stop_the_van_and_cost_no_fuel(move: str, event: str) -> None:
    closed = Round(town(".x.", ".#.", "..A", tank=2), 0, (HELD,), 2)
    step = env.step(closed, move)
    assert step.events == (event,)
    assert step.state == closed


def test_an_empty_tank_ends_the_round_unless_it_is_at_a_pump() -> None:
    step = env.step(Round(SQUARE, 0, (HELD,), 1), "down")
    assert (step.done, step.success, step.events) == (True, False, ("dead_end_entered",))
    filled = env.step(Round(SQUARE, 6, (HELD,), 1), "right")
    assert (filled.done, filled.state.fuel) == (False, 3)


def test_the_last_parcel_may_be_brought_with_the_last_fuel() -> None:
    step = env.step(Round(SQUARE, 0, (HELD,), 1), "right")
    assert (step.success, step.events) == (True, ("cargo_delivered", "task_completed"))


def test_a_plan_goes_to_the_pump_where_the_fuel_would_not_last() -> None:
    street = town("P...........A", tank=6)
    assert plan(street, 2, (HELD,), 4) == ("left", *["right"] * 6)
    assert plan(street, 4, (HELD,), 1) is None


def test_the_caption_tells_what_the_van_holds_and_where_it_stands() -> None:
    caption = env.view(Round(STREET, 8, (HELD, DONE), 0), 0).caption
    assert "@ van with parcel a at house b" in caption
    assert caption.endswith("......A.@")


def test_letters_and_turning_the_town_make_no_other_problem() -> None:
    state = Round(STREET, 0, (2, 4), 0)
    turned = Round(town("B.A......", capacity=1), 8, (6, 4), 0)
    assert env.problem(Round(town("......B.A", capacity=1), 0, (4, 2), 0)) == env.problem(state)
    assert env.problem(turned) == env.problem(state)
    assert env.problem(replace(state, at=2, parcels=(0, 4))) != env.problem(state)


@pytest.mark.parametrize("scale", [3, 4, 5])
def test_a_town_with_a_pump_cannot_be_served_with_one_tank(scale: int) -> None:
    for seed in range(5):
        state = env.reset(env.spec.instance(scale, seed))
        found = env.solve(state)
        assert found is not None
        assert len(found) > state.town.tank
