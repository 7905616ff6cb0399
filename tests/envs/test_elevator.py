"""Elevator: who gets in and out, what is wasted, and that no plan is shorter than the best one."""

from dataclasses import replace
from itertools import product

import pytest

from palaestra.envs.planning.elevator import House, Lift
from palaestra.envs.planning.elevator import environment as env

FULL = House(Lift(1, (0, 2), ((), (0,), (), ())), capacity=2, hall=2, left=9, limit=9)
EMPTY = House(Lift(1, (), ((), (3, 0, 2), (), ())), capacity=2, hall=3, left=9, limit=9)


def test_who_waits_first_gets_in_first_and_the_others_stay() -> None:
    step = env.step(EMPTY, "open")
    assert step.events == ("cargo_taken", "cargo_taken", "capacity_exceeded")
    assert step.state.lift == Lift(1, (0, 3), ((), (2,), (), ()))


def test_riders_get_out_before_others_get_in() -> None:
    house = replace(FULL, lift=Lift(1, (1, 2), ((), (0,), (), ())))
    step = env.step(house, "open")
    assert step.events == ("cargo_delivered", "cargo_taken", "capacity_kept")
    assert step.state.lift.riders == (0, 2)


def test_opening_a_full_lift_for_others_does_nothing_but_cost_a_move() -> None:
    step = env.step(FULL, "open")
    assert step.events == ("capacity_exceeded",)
    assert (step.state.lift, step.state.left) == (FULL.lift, 8)
    assert env.step(replace(FULL, lift=replace(FULL.lift, at=3)), "open").events == ("resource_wasted",)


@pytest.mark.parametrize(
    ("at", "moves", "events"),
    [
        (1, ("up",), ("moved_closer",)),
        (2, ("up",), ("moved_away",)),
        (3, ("up",), ("edge_bumped",)),
        (1, ("up", "down"), ("moved_closer", "path_reversed")),
    ],
)
def test_a_move_goes_towards_a_stop_or_away_or_against_the_end(at: int, moves, events) -> None:
    house = replace(FULL, lift=replace(FULL.lift, at=at))
    for move in moves:
        step = env.step(house, move)
        house = step.state
    assert step.events == events


def test_the_last_one_out_wins_and_the_last_move_loses() -> None:
    house = replace(FULL, lift=Lift(2, (2,), ((), (), (), ())), left=1)
    assert env.step(house, "open").success
    step = env.step(house, "up")
    assert (step.done, step.success, step.events[-1]) == (True, False, "deadline_missed")
    assert env.solve(replace(house, lift=replace(house.lift, at=0))) is None


def test_no_plan_is_shorter_than_the_one_that_is_found() -> None:
    for seed in range(6):
        house = env.reset(env.spec.instance(0, seed))
        shorter = {house.lift}
        for _ in range(len(env.solve(house) or ()) - 1):
            steps = [
                env.step(replace(house, lift=lift), move) for lift, move in product(shorter, ("up", "down", "open"))
            ]
            assert not any(step.success for step in steps)
            shorter = {step.state.lift for step in steps}


def test_a_house_upside_down_is_no_other_problem() -> None:
    assert env.problem(replace(EMPTY, lift=Lift(2, (), ((), (), (0, 3, 1), ())))) == env.problem(EMPTY)
    assert env.problem(replace(EMPTY, lift=Lift(1, (), ((), (0, 3, 2), (), ())))) != env.problem(EMPTY)


def test_the_caption_has_a_row_for_each_floor_from_the_top() -> None:
    assert env.view(FULL, 0).caption.endswith("Rows: 4: - - _ _; 3: - - _ _; 2: [1] [3] 1 _; 1: - - _ _.")


def test_going_up_and_down_and_opening_everywhere_seldom_does() -> None:
    wins = 0
    for seed in range(80):
        house = env.reset(env.spec.instance(0, seed))
        for turn in range(house.limit):
            move = "open" if turn % 2 == 0 else ("up", "down")[turn // 2 // len(house.lift.queues) % 2]
            step = env.step(house, move)
            house, wins = step.state, wins + step.success
            if step.done:
                break
    assert wins <= 8


def test_the_places_of_the_lift_are_seen_when_they_are_empty() -> None:
    view = env.view(replace(FULL, lift=replace(FULL.lift, riders=())), 448)
    left, top, right, bottom = next(e.box for e in view.scene if e.name == "[]")
    tile = view.image.rgb()[top:bottom, left:right]
    assert (tile[tile.shape[0] * 2 // 3, tile.shape[1] // 2] != tile[tile.shape[0] * 2 // 3, 1]).any()
