"""Multi-agent frozen lake: which plans are valid, what spoils the others, and what is best."""

from itertools import product

import pytest

from palaestra.core.instance import knobs
from palaestra.envs.kit.parts import Asked
from palaestra.envs.planning._joint import Lake, best_plan, conflicts, makespan, needs_wait
from palaestra.envs.planning.mapf_frozen_lake import environment as env


def lake(rows: str, walkers: str = "rb") -> Asked:
    """The board whose rows are written as in captions, O for a hole."""
    signs = rows.replace(" ", "")
    cells = bytes(sign == "O" for sign in signs)
    starts, goals = (tuple(map(signs.index, names)) for names in (walkers, walkers.upper()))
    return Asked(Lake(len(rows.split()), cells, starts, goals))


def answered(state: Asked, *plan: str):
    """The step that answers with moves by their first letters."""
    words = {"u": "up", "r": "right", "d": "down", "l": "left", "w": "wait"}
    return env.step(state, tuple(tuple(words[letter] for letter in moves) for moves in plan))


CROSSING = lake(".b. r.R .B.")


def test_both_at_their_flags_without_meeting_wins_and_the_earliest_is_best() -> None:
    step = answered(CROSSING, "rr", "wdd")
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("turn_waited", "goal_reached", "goal_reached", "cost_optimal")
    assert env.solve(step.state) == ()


@pytest.mark.parametrize(
    ("red", "blue", "event"),
    [("wrr", "dd", "cost_optimal"), ("wwrr", "dd", "cost_excessive"), ("rrww", "wddw", "cost_optimal")],
)
def test_later_plans_win_too_and_waits_at_the_flag_do_not_count(red: str, blue: str, event: str) -> None:
    step = answered(CROSSING, red, blue)
    assert step.success
    assert step.events[-1] == event


@pytest.mark.parametrize(
    ("red", "blue", "reward", "events"),
    [
        ("rr", "dd", 0.5, ("agents_collided", "goal_reached", "goal_reached")),
        ("r", "wdd", 0.25, ("turn_waited", "agents_collided", "goal_missed", "goal_reached")),
        ("rr", "d", 0.25, ("agents_collided", "goal_reached", "goal_missed")),
        ("lrr", "dd", 0.25, ("edge_bumped", "goal_reached", "goal_reached")),
        ("d", "u", 0.0, ("edge_bumped", "goal_missed", "goal_missed")),
    ],
)
def test_what_spoils_a_plan_is_named(red: str, blue: str, reward: float, events: tuple[str, ...]) -> None:
    step = answered(CROSSING, red, blue)
    assert (step.reward, step.success, step.events) == (reward, False, events)


def test_a_hole_ends_a_walk_there() -> None:
    step = answered(lake("rOR ... bB."), "rr", "r")
    assert step.events == ("hazard_entered", "goal_missed", "goal_reached")


def test_changing_places_is_a_conflict_and_following_is_none() -> None:
    assert conflicts([(0, 1), (1, 0)]) == ["agents_swapped"]
    assert conflicts([(0, 1), (1, 2)]) == []
    assert conflicts([(0, 1), (2, 1)]) == ["agents_collided"]
    assert conflicts([(0,), (1, 0)]) == ["agents_collided"]


def test_a_corridor_that_is_too_narrow_for_two_has_no_plan() -> None:
    narrow = Lake(4, bytes([0, 0, 0, 0, *[1] * 12]), (0, 3), (2, 1))
    assert best_plan(narrow) is None


def test_a_board_needs_a_wait_when_waiting_alone_is_best() -> None:
    assert needs_wait(CROSSING.question)
    assert not needs_wait(lake("rR. ... bB.").question)


@pytest.mark.parametrize(("share", "wanted"), [(0.0, False), (1.0, True)])
def test_the_share_of_boards_that_need_a_wait_is_what_the_knob_says(share: float, wanted: bool) -> None:
    for seed in range(10):
        state = env.reset(env.spec.instance(1, seed, knobs=knobs({"wait": share})))
        assert needs_wait(state.question) == wanted


def test_the_best_plan_is_as_early_as_trying_all_joint_moves() -> None:
    for seed in range(20):
        state = env.reset(env.spec.instance(1, seed))
        assert makespan(best_plan(state.question)) == earliest(state.question)


def earliest(board: Lake) -> int:
    """The fewest steps until all stand at their goals, by breadth-first search over both positions."""
    reached, time = {board.starts}, 0
    while board.goals not in reached:
        following = set()
        for here in reached:
            for there in product(*(steps(board, cell) for cell in here)):
                if there[0] != there[1] and there != here[::-1]:
                    following.add(there)
        reached, time = following, time + 1
    return time


def steps(board: Lake, cell: int) -> list[int]:
    """The cells of ice within one step of a cell."""
    row, column = divmod(cell, board.size)
    places = [(row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    inside = [r * board.size + c for r, c in places if 0 <= r < board.size and 0 <= c < board.size]
    return [place for place in inside if not board.cells[place]]


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_planning_one_after_the_other_gives_plans_that_win(scale: int) -> None:
    for seed in range(20):
        state = env.reset(env.spec.instance(scale, seed))
        for (reply,) in env.solutions(state):
            assert env.step(state, env.view(state.question, 0).answer.parse(reply).value).success


def test_turned_boards_and_exchanged_colours_make_the_same_problem() -> None:
    assert env.problem(lake(".r. b.B .R.")) == env.problem(CROSSING)
    assert env.problem(lake(".B. r.R .b.")) == env.problem(CROSSING)
    assert env.problem(lake("b.. r.R .B.")) != env.problem(CROSSING)


def test_three_walkers_are_planned_for_as_well() -> None:
    state = lake("r..g .... .... bRGB", "rbg")
    assert env.step(state, best_plan(state.question)).success
