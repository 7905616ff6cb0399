"""Draughts capture: how men and kings jump, what may not be jumped, and that the longest capture is asked for."""

import pytest

from palaestra.envs.board.draughts_capture import LEGEND, Position
from palaestra.envs.board.draughts_capture import environment as env
from palaestra.envs.kit.parts import Asked


def asked(rows: str) -> Asked[Position]:
    signs = "".join(LEGEND)
    return Asked(Position(len(rows.split()), bytes(signs.index(sign) for sign in rows.replace(" ", ""))))


def events(state: Asked[Position], path: str) -> tuple[str, ...]:
    return env.step(state, tuple(path.split())).events


TWO = asked("_._._. ._._._ _b_b_. w_._._ _._._. ._._._")


def test_a_man_jumps_on_and_the_longest_capture_wins() -> None:
    step = env.step(TWO, ("a3", "c5", "e3"))
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("start_right", "steps_connected", "capture_made", "largest_found", "cost_optimal")
    assert list(env.solutions(TWO)) == [["a3, c5, e3"]]


def test_a_capture_that_stops_early_earns_a_part() -> None:
    step = env.step(TWO, ("a3", "c5"))
    assert (step.reward, step.success) == (0.25, False)
    assert step.events[-2:] == ("largest_missed", "cost_excessive")


@pytest.mark.parametrize("path", ["a3 b4", "a3 e3", "c5 e3", "b4 d6", "a3 c5 a3"])
def test_no_step_no_skipped_landing_no_other_piece_and_no_second_jump(path: str) -> None:
    assert events(TWO, path)[-2:] == ("step_disconnected", "largest_missed")


def test_a_man_neither_flies_nor_jumps_its_own_kind_nor_two_in_a_row() -> None:
    for row in ("_._._. ._._._ _._._. ._b_._ _._._. w_._._", "_._._. ._._._ _._._. ._._._ _w_._. w_._._"):
        assert events(asked(row), "a1 d4")[-2] == "step_disconnected"
        assert events(asked(row), "a1 c3")[-2] == "step_disconnected"
    assert events(asked("_._._. ._._._ _._._. ._b_._ _b_._. w_._._"), "a1 c3")[-2] == "step_disconnected"


def test_a_king_jumps_from_afar_and_lands_on_any_free_square_behind() -> None:
    state = asked("_._._. ._._._ _._._. ._b_._ _._._. K_._._")
    assert {plan[0] for plan in env.solutions(state)} == {"a1, d4", "a1, e5", "a1, f6"}


def test_what_was_jumped_stays_in_the_way() -> None:
    ring = asked("_._._. ._._._ _b_b_. w_._._ _b_b_. ._._._")
    plans = {plan[0] for plan in env.solutions(ring)}
    assert plans == {"a3, c5, e3, c1, a3", "a3, c1, e3, c5, a3"}
    assert events(ring, "a3 c5 e3 c1 a3 c5")[-2] == "step_disconnected"


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_longest_capture_has_the_jumps_of_its_scale(scale: int) -> None:
    for seed in range(10):
        state = env.reset(env.spec.instance(scale, seed))
        for plan in env.solutions(state):
            assert plan[0].count(",") == env.spec.scales[scale]["jumps"]


def test_a_turned_board_is_no_other_problem() -> None:
    turned = asked("_._._. ._._._ _._._w ._b_b_ _._._. ._._._")
    assert env.problem(turned) == env.problem(TWO)
    assert env.problem(asked("_._._. ._._._ _b_b_. K_._._ _._._. ._._._")) != env.problem(TWO)


def test_the_task_alone_says_what_men_and_kings_may() -> None:
    assert "men jump backwards too." in env.view(env.public(env.reset(env.spec.instance(0, 0))), 0).task
    assert "kings (with a star) from afar" in env.view(env.public(env.reset(env.spec.instance(5, 0))), 0).task
