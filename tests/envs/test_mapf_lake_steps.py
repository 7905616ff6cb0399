"""The lake in steps: what one joint step does, what it pays, and what the guide knows."""

from dataclasses import replace

import pytest
from tests.envs.lakes import WORDS, lake

from palaestra.core.instance import knobs
from palaestra.envs.planning.mapf_lake_steps import Play, Position
from palaestra.envs.planning.mapf_lake_steps import environment as env


def play(rows: str, *, slip: float = 0.0, credit: float = 0.5) -> Play:
    board = lake(rows)
    return Play(Position(board, slip, credit, board.starts), key=7)


def moved(state: Play, letters: str):
    return env.step(state, tuple(WORDS[letter] for letter in letters))


def test_arriving_is_paid_leaving_is_taken_back_and_success_makes_it_one() -> None:
    first = moved(play("SGF FFF gFs"), "rw")
    assert (first.reward, first.done) == (0.25, False)
    assert "subgoal_reached" in first.events
    back = moved(first.state, "lw")
    assert back.reward == -0.25
    assert "subgoal_undone" in back.events
    last = moved(moved(first.state, "wl").state, "wl")
    assert last.success
    assert first.reward + last.reward == 1.0
    assert "goal_reached" in last.events


@pytest.mark.parametrize(
    ("rows", "letters", "event"),
    [
        ("SHG FFF sFg", "rr", "hazard_entered"),
        ("FsF SFG FgF", "rd", "agents_collided"),
        ("gSs GFF FFF", "rl", "agents_swapped"),
    ],
)
def test_a_hole_a_shared_cell_and_an_exchange_end_the_episode(rows: str, letters: str, event: str) -> None:
    step = moved(play(rows), letters)
    assert (step.done, step.success, step.reward) == (True, False, 0.0)
    assert event in step.events
    assert env.solve(step.state) is None


def test_the_edge_stops_a_walker_and_the_other_goes_on() -> None:
    step = moved(play("SFG FFF sFg"), "ur")
    assert step.state.position.cells == (0, 7)
    assert "edge_bumped" in step.events
    assert not step.done


def test_slips_turn_moves_aside_as_often_as_said_and_nobody_slips_who_waits() -> None:
    state = play("FFFF FSsF FFFF GFFg", slip=0.3)
    turned = 0
    for key in range(400):
        step = moved(replace(state, key=key), "uw")
        assert step.state.position.cells[1] == state.position.cells[1] or step.done
        turned += step.state.position.cells[0] != 1
    assert 0.2 < turned / 400 < 0.4


def test_the_oracle_aims_at_the_slips_that_come_and_the_guide_mostly_wins_without_knowing_them() -> None:
    wins = 0
    for seed in range(20):
        instance = env.spec.instance(3, seed, knobs=knobs({"slip": 0.1}))
        for insider in ("solve", "guide"):
            state = env.reset(instance)
            for _ in range(env.horizon(state)):
                reply = env.guide(env.public(state)) if insider == "guide" else env.solve(state)[0]
                if reply is None:
                    break
                step = env.step(state, env.view(state.position, 0).answer.parse(reply).value)
                state = step.state
                if step.done:
                    break
            assert step.success or insider == "guide"
            wins += step.success and insider == "guide"
    assert wins >= 8


def test_three_walkers_are_led_along_their_first_plan_to_its_end() -> None:
    for seed in range(5):
        state = env.reset(env.spec.instance(2, seed, knobs=knobs({"agents": 4})))
        plan = env.solve(state)
        for left in range(len(plan), 0, -1):
            assert len(env.solve(state)) == left
            state = env.step(state, env.view(state.position, 0).answer.parse(env.solve(state)[0]).value).state
        assert len(env.solve(state)) == 0
