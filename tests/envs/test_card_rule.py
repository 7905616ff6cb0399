"""Card rule: rules sort as they say, what counts is certain, and nothing that is hidden shows."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from palaestra.envs.kit.palette import PALETTE, colour, luminance
from palaestra.envs.logic.card_rule import Game, Table
from palaestra.envs.logic.card_rule import environment as env
from palaestra.envs.logic.card_rule.rules import CARDS, FEATURES, card, piles, rules

LOOKS = (
    "1-open-orange-circle",
    "2-solid-orange-circle",
    "1-solid-blue-diamond",
    "3-solid-orange-diamond",
    "2-open-blue-circle",
)
DECK = tuple(map(card, LOOKS))


def numbered(left: np.ndarray) -> int:
    """Return the number of the rule that sends cards [before, cards] left so."""
    return int(np.flatnonzero((rules().left == left).all(axis=(1, 2)))[0])


ORANGE = numbered(np.ones((81, 1), bool) & (CARDS[2] == 0))
MORE = numbered(CARDS[0][:, None] < CARDS[0])


def game(learn: int, rule: int = ORANGE) -> Game:
    """Return a game of four turns, the last of which count."""
    return Game(Table(level=0, learn=learn, exam=4 - learn, cards=DECK[:2]), DECK, rule)


def test_rules_ask_for_features_or_compare_with_the_card_before() -> None:
    assert piles(ORANGE, DECK).tolist() == [True, False, True, False]
    assert piles(MORE, DECK).tolist() == [True, False, True, False]
    assert piles(MORE, (DECK[2], DECK[2])).tolist() == [False]


def test_every_rule_is_there_once_with_its_opposite_and_decides_something() -> None:
    tables = {left.tobytes() for left in rules().left}
    assert len(tables) == len(rules().left) == rules().ends[-1]
    assert all((~left).tobytes() in tables and left.any() for left in rules().left)


def test_a_mistake_while_learning_costs_nothing_and_one_that_counts_ends_the_game() -> None:
    step = env.step(game(learn=3), "right")
    assert (step.reward, step.done, step.state.table.left) == (0.0, False, (True,))
    step = env.step(game(learn=0), "right")
    assert (step.reward, step.done, step.success) == (0.0, True, False)
    assert "rule_missed" in step.events
    assert (env.solve(step.state), env.guide(env.public(step.state))) == (None, None)


def test_cards_that_count_pay_half_in_all_until_the_last_one() -> None:
    state, steps = game(learn=2), []
    for reply in ("right", "left", "left", "right"):
        steps.append(env.step(state, reply))
        state = steps[-1].state
    assert [step.reward for step in steps] == [0.0, 0.0, 0.25, 0.75]
    assert [step.success for step in steps] == [False, False, False, True]
    assert steps[-1].events[1:] == ("rule_found", "task_completed")
    assert env.solve(state) == ()


def test_events_tell_what_is_certain_from_guesses_and_from_contradictions() -> None:
    assert env.step(game(learn=4), "right").events == ("guess_consistent",)
    # orange went left and blue right, all else being equal: the rule asks for orange, or for anything but blue
    twins = tuple(
        map(card, ("1-open-orange-circle", "1-open-orange-circle", "1-open-blue-circle", "1-open-orange-diamond"))
    )
    known = Game(Table(0, 3, 1, twins[:4], (True, False)), (*twins, twins[0]), ORANGE)
    assert env.step(known, "left").events == ("certain_step_taken",)
    assert env.step(known, "right").events == ("guess_contradicted",)


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_whatever_counts_is_certain_for_who_learnt_and_both_piles_are_needed(scale: int) -> None:
    for seed in range(8):
        state = env.reset(env.spec.instance(scale, seed))
        assert {*piles(state.rule, state.deck)[state.table.learn :].tolist()} == {True, False}
        while (reply := env.guide(env.public(state))) is not None:
            counts = len(state.table.left) >= state.table.learn
            step = env.step(state, reply)
            assert not counts or {"certain_step_taken", "rule_found"} <= set(step.events)
            state = step.state
        assert env.solve(state) == ()


def test_names_of_looks_and_piles_make_no_other_problem() -> None:
    values = CARDS.copy()
    values[1:3] = values[
        [2, 1]
    ]  # fillings and colours change places, so the rule asks for a filling, and its opposite swaps the piles
    deck = tuple(int(np.ravel_multi_index(values[:, k], (3, 3, 3, 3))) for k in DECK)
    closed = numbered(np.ones((81, 1), bool) & (CARDS[1] != 0))
    assert env.problem(Game(game(2).table, deck, closed)) == env.problem(game(2))
    assert env.problem(replace(game(2), deck=(*DECK[:4], DECK[3]))) != env.problem(game(2))


def test_the_picture_shows_every_card_so_far_with_its_pile_and_no_later_one() -> None:
    state = env.step(game(learn=2), "left").state
    names = [element.name for element in env.view(env.public(state)).scene]
    assert names == [f"start-{LOOKS[0]}", f"left-{LOOKS[1]}", f"next-{LOOKS[2]}", "star", "star"]


def test_the_colours_of_signs_differ_in_lightness_for_who_confuses_red_and_green() -> None:
    light = sorted(float(luminance(PALETTE[colour(name)][None])[0]) + 0.05 for name in FEATURES[2])
    assert all(b > 1.5 * a for a, b in pairwise(light))
