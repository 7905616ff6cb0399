"""Multi-agent frozen lake: which plans are valid, what spoils the others, what is best, and which boards there are."""

import re

import numpy as np
import pytest
from tests.envs.lakes import earliest, lake, plan

from palaestra.core.errors import BadInstance, ConfigError
from palaestra.core.instance import knobs
from palaestra.envs.kit.parts import Asked
from palaestra.envs.planning._mapf import looks, making, pairs, ways
from palaestra.envs.planning._mapf.lake import Lake, outcome
from palaestra.envs.planning.mapf_frozen_lake import Puzzle
from palaestra.envs.planning.mapf_frozen_lake import environment as env

CROSSING = lake("FsF SFG FgF")


def asked(board: Lake, credit: float = 0.5) -> Asked[Puzzle]:
    return Asked(Puzzle(board, credit))


def drawn(scale: int, seed: int, **settings: float) -> Lake:
    return env.reset(env.spec.instance(scale, seed, knobs=knobs(settings))).question.lake


def random_lakes(count: int, walkers: int, sizes: tuple[int, int]) -> list[Lake]:
    rng = np.random.default_rng(0)
    wishes = (making.Wish(walkers, int(rng.integers(*sizes)), int(rng.integers(0, 5))) for _ in range(count))
    return [board for wish in wishes if (board := wish.proposed(rng)) is not None]


def test_both_at_their_flags_without_meeting_wins_and_the_earliest_is_best() -> None:
    step = env.step(asked(CROSSING), plan("rr", "wdd"))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("turn_waited", "goal_reached", "goal_reached", "cost_optimal")
    assert env.solve(step.state) == ()


@pytest.mark.parametrize(
    ("red", "blue", "event"),
    [("wrr", "dd", "cost_optimal"), ("wwrr", "dd", "cost_excessive"), ("rrww", "wddw", "cost_optimal")],
)
def test_later_plans_win_too_and_waits_at_the_flag_do_not_count(red: str, blue: str, event: str) -> None:
    step = env.step(asked(CROSSING), plan(red, blue))
    assert step.success
    assert step.events[-1] == event


@pytest.mark.parametrize(
    ("red", "blue", "reward", "events"),
    [
        ("rr", "dd", 0.5, ("agents_collided", "goal_reached", "goal_reached")),
        ("r", "wdd", 0.25, ("agents_collided", "turn_waited", "goal_missed", "goal_reached")),
        ("rr", "d", 0.25, ("agents_collided", "goal_reached", "goal_missed")),
        ("lrr", "dd", 0.25, ("edge_bumped", "goal_reached", "goal_reached")),
        ("d", "u", 0.0, ("edge_bumped", "goal_missed", "goal_missed")),
    ],
)
def test_what_spoils_a_plan_is_named(red: str, blue: str, reward: float, events: tuple[str, ...]) -> None:
    step = env.step(asked(CROSSING), plan(red, blue))
    assert (step.reward, step.success, step.events) == (reward, False, events)


def test_credit_is_what_a_failed_plan_earns_and_never_touches_success() -> None:
    failed, won = plan("rr", "dd"), plan("rr", "wdd")
    assert [env.step(asked(CROSSING, credit), failed).reward for credit in (0.0, 0.2)] == [0.0, 0.2]
    assert env.step(asked(CROSSING, 0.0), won).reward == 1.0


@pytest.mark.parametrize(
    ("rows", "walks", "fault"),
    [
        ("SFG FFF sFg", ("lrr", "rr"), ("illegal_move", 1, (0,), 0)),
        ("SHG FFF sFg", ("rr", "rr"), ("hole", 1, (0,), 1)),
        ("FsF SFG FgF", ("rr", "dd"), ("vertex_conflict", 1, (0, 1), 4)),
        ("gSs GFF FFF", ("rdll", "ll"), ("swap_conflict", 1, (0, 1), 2)),
        ("SFG FFF sFg", ("r", "rr"), ("goal_missed", 1, (0,), 1)),
    ],
)
def test_the_first_fault_says_what_when_who_and_where(rows: str, walks: tuple[str, str], fault: object) -> None:
    assert tuple(outcome(lake(rows), plan(*walks)).faults[0]) == fault


def test_following_is_no_conflict_and_who_stands_at_a_flag_is_in_the_way() -> None:
    ring = lake("SsF FHF GgF")
    assert not [f for f in outcome(ring, plan("rrddl", "rddll")).faults if f.kind != "goal_missed"]
    assert outcome(lake("SGg sFF FFF"), plan("r", "urr")).faults[0][:3] == ("vertex_conflict", 2, (0, 1))


def test_a_letter_grid_reads_back_and_a_damaged_one_is_refused() -> None:
    assert looks.written(CROSSING) == "FsF/SFG/FgF"
    for broken in ("", "SFG/FF", "SFF/FFF/FFF", "SFG/SFF/FFF", "FFF/FFF/FFF", "S?G/FFF/sFg"):
        with pytest.raises(ConfigError):
            looks.read(broken)


def test_a_corridor_that_is_too_narrow_for_two_has_no_plan() -> None:
    assert pairs.best(lake("SgGs HHHH HHHH HHHH")) is None


def test_the_joint_search_for_two_is_as_early_as_trying_everything_and_knows_when_to_wait() -> None:
    needed = solved = 0
    for board in random_lakes(160, 2, (3, 4)):
        best, least = pairs.best(board), earliest(board)
        assert (None if best is None else max(map(len, best))) == least
        if best is not None and least is not None:
            assert outcome(board, best).faults == ()
            without = earliest(board, waits=False)
            assert pairs.needs_wait(board) == (without is None or without > least)
            needed, solved = needed + pairs.needs_wait(board), solved + 1
    assert needed >= 3
    assert solved > 100


@pytest.mark.parametrize("walkers", [2, 3, 5])
def test_every_plan_that_is_found_for_many_is_valid(walkers: int) -> None:
    boards = random_lakes(60, walkers, (5, 9))
    found = [(board, witness) for board in boards if (witness := ways.witness(board))]
    assert all(outcome(board, witness).faults == () for board, witness in found)
    assert sum(map(ways.solvable, boards)) == len(found) > 0.8 * len(boards)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_planning_one_after_the_other_gives_plans_that_win(scale: int) -> None:
    for seed in range(10):
        state = env.reset(env.spec.instance(scale, seed))
        for (reply,) in env.solutions(state):
            assert env.step(state, env.view(state.question, 0).answer.parse(reply).value).success


@pytest.mark.parametrize(("share", "wanted"), [(0.0, False), (1.0, True)])
def test_the_share_of_boards_that_need_a_wait_is_what_the_knob_says(share: float, wanted: bool) -> None:
    assert {pairs.needs_wait(drawn(1, seed, wait=share)) for seed in range(10)} == {wanted}


@pytest.mark.parametrize(("share", "wanted"), [(0.0, False), (1.0, True)])
def test_the_share_of_boards_with_conflicts_is_what_the_knob_says(share: float, wanted: bool) -> None:
    assert {ways.collide(drawn(2, seed, conflicts=share)) for seed in range(10)} == {wanted}
    assert {ways.collide(drawn(2, seed, conflicts=share, agents=4)) for seed in range(5)} == {wanted}


def test_flags_are_as_far_as_reach_says() -> None:
    for seed in range(10):
        board = drawn(3, seed, reach=0.9, agents=3)
        for start, goal in zip(board.starts, board.goals, strict=True):
            (row, column), (r, c) = divmod(start, 6), divmod(goal, 6)
            assert abs(row - r) + abs(column - c) >= 5


def test_holes_are_as_many_as_asked_for_as_far_as_there_is_room() -> None:
    assert drawn(2, 0, holes=0.5, size=10).cells.count(1) == 50
    assert making.holes_of(3, 3, 0.5) == 3


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"agents": 5, "size": 4}, "5 agents on a board of size 4"),
        ({"agents": 3, "wait": 0.5}, "pip install 'palaestra[mapf]'"),
        ({"wait": 0.9, "conflicts": 0.5}, "ask for no less"),
    ],
)
def test_knobs_that_cannot_be_served_are_refused_in_one_line(settings: dict[str, float], words: str) -> None:
    with pytest.raises(BadInstance, match=re.escape(words)):
        drawn(3, 0, **settings)


def test_of_more_than_two_nothing_is_said_of_the_best_without_an_oracle() -> None:
    board = drawn(2, 0, agents=3)
    (reply,) = env.solve(asked(board))
    step = env.step(asked(board), env.view(Puzzle(board), 0).answer.parse(reply).value)
    assert step.success
    assert not any(event.startswith("cost") for event in step.events)
    assert "together" not in env.view(Puzzle(board), 0).state


def test_turned_boards_and_exchanged_colours_make_the_same_problem() -> None:
    assert making.problem(lake("FSF sFg FGF")) == making.problem(CROSSING)
    assert making.problem(lake("FgF SFG FsF")) == making.problem(CROSSING)
    assert making.problem(lake("sFF SFG FgF")) != making.problem(CROSSING)
