"""Pair recall: what a perfect memory can do, and what may not be chosen."""

from collections import Counter
from dataclasses import replace

import pytest

from palaestra.core.instance import knobs
from palaestra.envs.kit import captions
from palaestra.envs.memory.pair_recall import LOOKS, UNKNOWN, Layout, Table
from palaestra.envs.memory.pair_recall import environment as env


def table(looks: str, columns: int) -> Layout:
    """A table whose cards are written out, one letter for each look."""
    faces = tuple("abcdef".index(letter) for letter in looks)
    unseen = (UNKNOWN,) * len(faces)
    return Layout(Table(len(faces) // columns, columns, (0,) * len(faces), unseen, frozenset()), faces, 1)


def guided(state: Layout, memory: int = 99) -> tuple[bool, int]:
    """Whether the guide wins when it knows no more than the last observations showed, and in how many turns."""
    shown: list[tuple[int, ...]] = []
    for turn in range(1, env.horizon(state) + 1):
        public = env.public(state)
        shown.append(public.up)
        known = {cell for up in shown[-memory:] for cell in up} | public.taken
        seen = tuple(look if cell in known else UNKNOWN for cell, look in enumerate(public.seen))
        labels = tuple(env.guide(replace(public, seen=seen)).split(", "))
        step = env.step(state, labels)
        assert step.legal
        state = step.state
        if step.done:
            return step.success, turn
    return False, turn


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
@pytest.mark.parametrize("slack", [None, 0])
def test_a_perfect_memory_always_wins_within_the_limit(scale: int, slack: int | None) -> None:
    chosen = () if slack is None else knobs({"slack": slack})
    for seed in range(200):
        won, _ = guided(env.reset(env.spec.instance(scale, seed, knobs=chosen)))
        assert won


@pytest.mark.parametrize("scale", range(len(env.spec.scales)))
def test_a_player_who_sees_as_many_observations_as_are_declared_always_wins(scale: int) -> None:
    for seed in range(200):
        won, _ = guided(env.reset(env.spec.instance(scale, seed, knobs=knobs({"slack": 0}))), env.spec.memory)
        assert won


def test_equal_cards_have_equal_backs_and_at_most_six_share_one() -> None:
    for scale in range(len(env.spec.scales)):
        for seed in range(40):
            state = env.reset(env.spec.instance(scale, seed))
            backs = dict(zip(state.looks, state.table.backs, strict=True))
            assert all(backs[look] == back for look, back in zip(state.looks, state.table.backs, strict=True))
            assert max(Counter(state.table.backs).values()) <= 6


@pytest.mark.parametrize("looks", ["abcabc", "abccba", "abcbca", "aabbcc", "abcacb"])
def test_two_turns_a_pair_suffice_whatever_the_layout(looks: str) -> None:
    won, turns = guided(table(looks, 3))
    assert won
    assert turns <= 6


def test_a_taken_card_and_the_same_card_twice_are_illegal_and_change_nothing() -> None:
    state = env.step(table("aabb", 2), ("A1", "A2")).state
    for labels in (("A1", "B1"), ("B1", "A2"), ("B1", "B1")):
        step = env.step(state, labels)
        assert not step.legal
        assert step.state is state
        assert step.events == ("action_illegal",)


def test_a_pair_is_half_of_its_share_and_the_last_pays_the_rest() -> None:
    first = env.step(table("aabb", 2), ("A1", "A2"))
    last = env.step(first.state, ("B2", "B1"))
    assert (first.reward, first.done, first.success) == (0.25, False, False)
    assert (last.reward, last.done, last.success) == (0.75, True, True)
    assert env.solve(last.state) == ()
    assert last.events == ("unseen_explored", "pair_matched", "task_completed")


def test_what_is_turned_over_is_shown_once_and_then_only_remembered() -> None:
    start = table("abab", 2)
    once = env.step(start, ("A1", "A2")).state
    assert env.view(once.table, 0).caption.count(LOOKS[0]) == 1
    twice = env.step(once, ("B1", "B2")).state
    view = env.view(twice.table, 0)
    assert captions.read(view.caption) == Counter(
        {("blue back", (0, 0)): 1, ("blue back", (0, 1)): 1, (LOOKS[0], (1, 0)): 1, (LOOKS[1], (1, 1)): 1}
    )
    assert f"A1 {LOOKS[0]}; A2 {LOOKS[1]}; B1 {LOOKS[0]}; B2 {LOOKS[1]}" in view.state
    assert env.guide(twice.table) == "A1, B1"


def test_events_tell_memory_that_was_used_from_memory_that_was_not() -> None:
    seen = env.step(env.step(table("abab", 2), ("A1", "A2")).state, ("B1", "B2")).state
    assert env.step(seen, ("A1", "B1")).events == ("seen_revisited", "pair_matched", "memory_used")
    assert env.step(seen, ("A1", "A2")).events == ("seen_revisited", "pair_mismatched", "memory_missed")


def test_colours_symmetries_and_the_turn_limit_make_no_other_problem() -> None:
    assert env.problem(table("aabbcc", 3)) == env.problem(table("ccaabb", 3)) == env.problem(table("baaccb", 3))
    assert env.problem(table("aabbcc", 3)) != env.problem(table("abcabc", 3))
    loose = Layout(table("aabbcc", 3).table, table("aabbcc", 3).looks, 2)
    assert env.problem(table("aabbcc", 3)) == env.problem(loose)


def test_which_cards_share_a_back_is_part_of_the_problem() -> None:
    plain = table("aabbcc", 3)
    backed = replace(plain, table=replace(plain.table, backs=(0, 0, 1, 1, 1, 1)))
    other = replace(plain, table=replace(plain.table, backs=(4, 4, 2, 2, 2, 2)))
    assert env.problem(plain) != env.problem(backed) == env.problem(other)


def test_the_middle_of_an_odd_table_is_free() -> None:
    state = env.reset(env.spec.instance(0, 0, knobs=knobs({"rows": 3, "columns": 5})))
    assert state.table.taken == {7}
    assert not env.step(state, ("B3", "A1")).legal
