"""Why this one, and how surely."""

import pytest
from drawn import pools, profile
from hypothesis import given

from palaestra.core.profile import AbilityProfile
from palaestra.selection.aes import aes
from palaestra.selection.everything import everything
from palaestra.selection.inclusion import inclusion
from palaestra.selection.terms import Terms
from palaestra.selection.why import reasons

Pool = tuple[list[AbilityProfile], dict[tuple[str, str], float]]
POOL = [profile("a/a", "uvwxy"), profile("b/b", "z", "x"), profile("c/c", "uv"), profile("d/d", "z")]


def test_picks_and_rejections_say_what_they_add_and_who_stands_in_the_way() -> None:
    terms = Terms.of(POOL, {("a/a", "c/c"): 0.25, ("a/a", "b/b"): 0.0})
    picked, rejected = reasons(terms, [0, 1])
    assert [own.why for own in picked] == [
        "covers u, v, w and 2 more (5.00)",
        "covers z (1.00), is like a/a (0.13)",
    ]
    assert [(own.pick.env_id, own.why) for own in rejected] == [
        ("c/c", "covers nothing new, is like a/a (0.63), opposes a/a (0.25)"),
        ("d/d", "covers nothing new, is like b/b (0.96), conflict unmeasured, charged the mean of the pool (0.12)"),
    ]


def test_who_was_not_measured_is_not_said_to_oppose_anyone() -> None:
    picked, _ = reasons(Terms.of(POOL, {("a/a", "c/c"): 0.25}), [1, 0])
    assert picked[0].why == "covers z, x (1.30), conflict unmeasured"
    assert picked[1].why.endswith(
        "is like b/b (0.13), conflict with b/b unmeasured, charged the mean of the pool (0.25)"
    )


def test_where_nothing_was_measured_no_word_is_lost_on_it() -> None:
    picked, rejected = reasons(Terms.of(POOL, {}), [0])
    assert not any("conflict" in own.why for own in [*picked, *rejected])


@given(pools())
def test_every_environment_has_one_reason_and_those_that_came_closest_stand_first(pool: Pool) -> None:
    terms, selection = Terms.of(*pool), aes(*pool, k=(len(pool[0]) + 1) // 2)
    picked, rejected = reasons(terms, [terms.env_ids.index(env_id) for env_id in selection.env_ids])
    assert tuple(own.pick for own in picked) == selection.picks
    order = [terms.env_ids.index(own.pick.env_id) for own in picked]
    assert all(own.pick == terms.pick(terms.env_ids.index(own.pick.env_id), order) for own in rejected)
    assert sorted(own.pick.env_id for own in [*picked, *rejected]) == sorted(own.env_id for own in pool[0])
    gains = [own.pick.gain for own in rejected]
    assert gains == sorted(gains, reverse=True)
    assert max(gains, default=-9) <= picked[-1].pick.gain  # or it had been picked


def test_inclusion_is_the_share_of_redrawn_pools_in_which_a_method_picks_each() -> None:
    first, second = [profile("a/a", "xy"), profile("b/b", "x")], [profile("a/a", "x"), profile("b/b", "xy")]
    empty = [profile("a/a", "", "x"), profile("b/b", "", "x")]  # nothing is core: nothing can be chosen
    assert inclusion(aes, [first, first, first, second, empty], {}) == {"a/a": 0.6, "b/b": 0.2}
    assert inclusion(everything, [first, second], {}) == {"a/a": 1.0, "b/b": 1.0}
    assert inclusion(aes, [], {}) == {}


def test_inclusion_sees_conflict() -> None:
    pool, against = [profile("a/a", "xy"), profile("b/b", "z"), profile("c/c", "z")], {("a/a", "b/b"): 0.5}
    found = inclusion(aes, [pool], {**against, ("a/a", "c/c"): 0.0})
    assert found == pytest.approx({"a/a": 1.0, "b/b": 0.0, "c/c": 1.0})
