"""Conflict of the pairs that are asked for: the naive cosine of mean gradients, or numbers by pair."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from drawn import pools, profile
from hypothesis import given
from hypothesis import strategies as st

from palaestra.core.errors import BadCandidates
from palaestra.core.profile import AbilityProfile
from palaestra.selection.aes import aes
from palaestra.selection.conflict import Array, Gradients, Places
from palaestra.selection.greedy import FIRST, lazy, plain
from palaestra.selection.margins import Margins
from palaestra.selection.terms import Terms

IDS = ("a/a", "b/b", "c/c", "d/d")
PAIRS = {("a/a", "b/b"): 0.5**0.5, ("a/a", "d/d"): 0.0, ("b/b", "d/d"): 0.0}
PULLS = np.array([[2, 0], [-1, 1], [0, 0], [0, 3]], np.float32)


def test_the_penalty_is_the_negative_part_of_the_cosine_and_a_zero_gradient_is_unmeasured() -> None:
    terms = Terms.of([profile(env_id, "x") for env_id in IDS[::-1]], Gradients(IDS[::-1], PULLS[::-1]))
    found = terms.conflict(slice(None), slice(None))
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = 0.5**0.5
    np.fill_diagonal(found, 0.0)
    assert found == pytest.approx(expected)
    assert terms.selection([], "none", {}).unmeasured == {"c/c"}


def test_gradients_and_the_numbers_of_their_pairs_choose_alike() -> None:
    profiles = [profile("a/a", "xyz"), profile("b/b", "uv"), profile("d/d", "vw")]
    live = [0, 1, 3]
    by_gradient = aes(profiles, Gradients([IDS[e] for e in live], PULLS[live]), 3)
    by_pair = aes(profiles, PAIRS, 3)
    assert by_gradient.env_ids == by_pair.env_ids
    assert by_gradient.unmeasured == by_pair.unmeasured == frozenset()
    assert [pick.conflict for pick in by_gradient.picks] == pytest.approx([pick.conflict for pick in by_pair.picks])


def test_an_unmeasured_pair_is_charged_the_mean_of_the_measured_ones_and_nothing_where_none_is() -> None:
    profiles = [profile(env_id, "x") for env_id in IDS]
    terms = Terms.of(profiles, PAIRS)
    found = terms.conflict(slice(None), slice(None))
    mean = 0.5**0.5 / 3
    assert found[2] == pytest.approx([mean, mean, 0.0, mean])
    assert found[:, 2] == pytest.approx(found[2])
    assert (found[0, 1], found[0, 3]) == (0.5**0.5, 0.0)
    assert terms.selection([], "none", {}).unmeasured == {"c/c"}
    assert not Terms.of(profiles, {}).conflict(slice(None), slice(None)).any()


def test_a_dead_gradient_is_no_reason_to_be_picked() -> None:
    profiles = [profile("a/a", "xyz"), profile("b/b", "uv"), profile("c/c", "uv"), profile("d/d", "w")]
    known = {("a/a", "b/b"): 0.1, ("a/a", "d/d"): 0.3, ("b/b", "d/d"): 0.2}
    assert aes(profiles, known, 2).env_ids == ("a/a", "b/b")  # c/c, which covers the same, is charged 0.2
    assert aes(profiles, known | {("a/a", "b/b"): 0.5}, 2).env_ids == ("a/a", "c/c")


def large(seed: int, size: int = 40 * FIRST) -> tuple[list[AbilityProfile], Gradients]:
    """A pool in which every environment has a twin, so that gains tie to the last bit."""
    rng = np.random.default_rng(seed)
    letters = [rng.choice([*"abcdefghijklmnop"], 3, replace=False) for _ in range(size // 2)]
    mean_EK = rng.standard_normal((size // 2, 33)).astype(np.float32)
    profiles = [profile(f"e/{e:03}", "".join(letters[e // 2][:2]), letters[e // 2][2]) for e in range(size)]
    return profiles, Gradients([own.env_id for own in profiles], mean_EK.repeat(2, axis=0))


@pytest.mark.parametrize("seed", range(5))
def test_lazy_greedy_equals_plain_greedy_to_the_last_bit_in_a_large_pool_of_twins(seed: int) -> None:
    terms = Terms.of(*large(seed))
    orders = [way(Margins(terms), lambda chosen: len(chosen) == 60) for way in (lazy, plain)]
    assert orders[0] == orders[1]
    picked = terms.selection(orders[0], "aes", {}).picks
    assert all(before.gain >= after.gain for before, after in pairwise(picked))


class Counting(Margins):
    """Margins that count whom they are asked about."""

    asked = 0

    def gains(self, rows: Places) -> Array:
        self.asked += len(np.arange(self.size)[rows])
        return super().gains(rows)


def test_lazy_greedy_asks_for_a_fraction_of_the_gains() -> None:
    terms = Terms.of(*large(0))
    lazily, plainly = Counting(terms), Counting(terms)
    assert lazy(lazily, lambda chosen: len(chosen) == 8) == plain(plainly, lambda chosen: len(chosen) == 8)
    assert plainly.asked == 8 * len(terms.env_ids)
    assert len(terms.env_ids) <= lazily.asked < plainly.asked / 2


@given(pools(), st.data())
def test_only_some_may_be_picked_and_among_them_the_rule_is_the_same(
    pool: tuple[list[AbilityProfile], dict[tuple[str, str], float]], data: st.DataObject
) -> None:
    members = data.draw(st.lists(st.sampled_from(sorted(own.env_id for own in pool[0])), unique=True, min_size=1))
    every = combinations(sorted(own.env_id for own in pool[0]), 2)
    measured = {pair: pool[1].get(pair, 0.0) for pair in every}
    terms = Terms.of(pool[0], measured)
    found = lazy(Margins(terms), lambda chosen: False, among=[terms.env_ids.index(env_id) for env_id in members])
    kept = [own for own in pool[0] if own.env_id in members]
    alone = Terms.of(kept, {pair: off for pair, off in measured.items() if {*pair} <= {*members}})
    assert [terms.env_ids[e] for e in found] == [alone.env_ids[e] for e in plain(Margins(alone), lambda chosen: False)]


@pytest.mark.parametrize(
    ("ids", "pulls", "says"),
    [
        (("a/a", "z/z"), PULLS[:2], "2 gradients of 2 environments"),
        (("a/a", "a/a"), PULLS[:2], "2 gradients of 1 environments"),
        (("a/a",), PULLS[:2], "2 gradients of 1 environments"),
        (("a/a", "b/b"), PULLS[:2] * np.float32("nan"), "of a/a is not finite"),
    ],
)
def test_gradients_that_do_not_belong_to_the_pool_are_refused(ids: tuple[str, ...], pulls: object, says: str) -> None:
    with pytest.raises(BadCandidates, match=says):
        aes([profile(env_id, "x") for env_id in IDS], Gradients(ids, pulls))  # type: ignore[arg-type]
