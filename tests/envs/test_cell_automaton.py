"""Cell automaton: the rule at edges and corners, what counts as foretold, and boards worth asking about."""

from dataclasses import replace

import pytest

from palaestra.envs.arithmetic.cell_automaton import Automaton, _boards
from palaestra.envs.arithmetic.cell_automaton import environment as env
from palaestra.envs.kit.parts import Asked

BLINKER = Automaton(3, 3, bytes((0, 1, 0, 0, 1, 0, 0, 1, 0)), (3,), (2, 3), 1)
LYING = (("0", "0", "0"), ("1", "1", "1"), ("0", "0", "0"))
UPRIGHT = (("0", "1", "0"), ("0", "1", "0"), ("0", "1", "0"))


def test_three_in_a_line_turn_under_the_rule_of_life() -> None:
    step = env.step(Asked(BLINKER), LYING)
    assert (step.reward, step.done, step.success) == (1.0, True, True)
    assert step.events == ("simulation_ok", "value_ok", "value_ok", "value_ok", "parts_all_ok")


def test_the_board_after_too_few_steps_is_told_from_a_wrong_one() -> None:
    seeds = replace(BLINKER, born=(2,), stay=(2, 3), steps=2)
    first = tuple(tuple(str(cell) for cell in _boards(seeds)[1][k : k + 3]) for k in (0, 3, 6))
    assert env.step(Asked(seeds), first).events[0] == "simulation_early_ok"
    assert env.step(Asked(seeds), UPRIGHT).events[0] == "simulation_off"


def test_a_right_row_earns_its_share_of_a_half() -> None:
    step = env.step(Asked(BLINKER), (LYING[0], UPRIGHT[0], UPRIGHT[0]))
    assert step.reward == pytest.approx(1 / 6)
    assert step.events == ("simulation_off", "value_ok", "value_off", "value_off", "parts_some_ok")


def test_nothing_lives_beyond_the_edge_and_a_corner_has_three_neighbours() -> None:
    full = Automaton(3, 4, bytes([1] * 12), (3,), (3,), 1)
    assert _boards(full)[1] == bytes((1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1))


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_every_step_changes_the_board_and_the_last_is_neither_empty_nor_full(scale: int) -> None:
    for seed in range(20):
        boards = _boards(env.reset(env.spec.instance(scale, seed)).question)
        assert len(set(boards)) == env.spec.scales[scale]["steps"] + 1
        assert 0.2 <= sum(boards[-1]) / len(boards[-1]) <= 0.65


def test_board_and_rule_are_drawn_as_the_caption_tells_them() -> None:
    view = env.view(BLINKER, 448)
    assert view.caption.endswith(".#.\n.#.\n.#.\nRule: born at 3; lasts at 2 3.")
    assert [e.cell for e in view.scene if e.name == "live"] == [(0, 1), (1, 1), (2, 1)]
    assert [e.name for e in view.scene if e.glyph] == ["born at 3", "lasts at 2 3"]


def test_a_turned_board_is_no_other_problem_and_another_rule_is() -> None:
    turned = replace(BLINKER, cells=bytes((0, 0, 0, 1, 1, 1, 0, 0, 0)))
    assert env.problem(Asked(turned)) == env.problem(Asked(BLINKER))
    assert env.problem(Asked(replace(BLINKER, stay=(2,)))) != env.problem(Asked(BLINKER))
    assert env.problem(Asked(replace(BLINKER, steps=2))) != env.problem(Asked(BLINKER))
