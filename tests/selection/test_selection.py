"""Methods of selection: their identities, their order, their accounts."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from drawn import best, pools, profile
from hypothesis import given
from hypothesis import strategies as st

from palaestra.core.errors import BadCandidates
from palaestra.core.profile import AbilityProfile
from palaestra.selection.aes import aes
from palaestra.selection.balance import Balance
from palaestra.selection.everything import everything
from palaestra.selection.greedy import lazy, plain
from palaestra.selection.margins import Margins
from palaestra.selection.objective import objective, saturation
from palaestra.selection.random_k import random_k
from palaestra.selection.terms import Terms

Pool = tuple[list[AbilityProfile], dict[tuple[str, str], float]]
COVER = Balance(redundancy=0.0, conflict=0.0)


@given(pools(), st.integers(1, 9))
def test_lazy_greedy_equals_plain_greedy_with_ties(pool: Pool, k: int) -> None:
    terms = Terms.of(*pool)
    orders = [way(Margins(terms), lambda chosen: len(chosen) == k) for way in (lazy, plain)]
    assert orders[0] == orders[1]
    assert len(orders[0]) == min(k, len(pool[0]))


@given(pools(), st.integers(1, 9))
def test_without_redundancy_and_conflict_aes_is_greedy_maximum_coverage(pool: Pool, k: int) -> None:
    profiles = [profile(each.env_id, "".join(each.core)) for each in pool[0]]
    sets = {each.env_id: set(each.core) for each in profiles}
    k, covered, order = min(k, len(sets)), set[str](), []
    for _ in range(k):
        best = max(sorted(sets.keys() - set(order)), key=lambda env_id: len(sets[env_id] - covered))
        order.append(best)
        covered |= sets[best]
    selection = aes(profiles, pool[1], k, balance=COVER)
    assert list(selection.env_ids) == order
    assert selection.covered == covered


@given(pools())
def test_greedy_coverage_keeps_its_bound_against_the_best_set(pool: Pool) -> None:
    terms = Terms.of(*pool, COVER)
    k = (len(pool[0]) + 1) // 2
    greedy = objective(terms, lazy(Margins(terms), lambda chosen: len(chosen) == k))
    assert (1 - 1 / np.e) * best(terms, k)[1] <= greedy + 1e-9 <= best(terms, k)[1] + 2e-9


@given(pools(), st.data())
def test_the_objective_of_a_set_is_coverage_less_every_pair(pool: Pool, data: st.DataObject) -> None:
    terms = Terms.of(*pool)
    chosen = data.draw(st.lists(st.integers(0, len(pool[0]) - 1), unique=True))
    ids = [terms.env_ids[e] for e in chosen]
    mean = sum(pool[1].values()) / max(len(pool[1]), 1)  # what a pair that is not measured is charged
    off = sum(pool[1].get((min(pair), max(pair)), mean) for pair in combinations(ids, 2))
    off += sum(float(terms.similarity(np.array([i]), np.array([j]))[0, 0]) for i, j in combinations(chosen, 2))
    assert objective(terms, chosen) == pytest.approx(terms.covered(chosen).sum() - off)


@given(pools(), st.randoms(use_true_random=False))
def test_the_objective_does_not_depend_on_the_order_of_the_set(pool: Pool, random: object) -> None:
    terms = Terms.of(*pool)
    order = list(range(len(terms.env_ids)))
    assert objective(terms, order) == objective(terms, order[::-1]) == objective(terms, tuple(order))


@given(pools())
def test_gains_never_rise_and_none_is_positive_once_everything_is_covered(pool: Pool) -> None:
    selection = aes(*pool, k=len(pool[0]))
    gains = [pick.gain for pick in selection.picks]
    assert all(later <= earlier for earlier, later in pairwise(gains))
    assert all(gain <= 0 for gain in gains[saturation(selection) :])


@given(pools())
def test_aes_stops_as_soon_as_every_core_ability_is_covered_as_core(pool: Pool) -> None:
    profiles, conflict = pool
    core = {ability for each in profiles for ability in each.core}
    if core:
        chosen = {each.env_id: each for each in profiles}
        picked = [set(chosen[env_id].core) for env_id in aes(profiles, conflict).env_ids]
        assert set().union(*picked) == core
        assert set().union(*picked[:-1]) < core


@given(pools())
def test_everything_covers_everything_and_takes_it_once(pool: Pool) -> None:
    selection = everything(*pool)
    assert sorted(selection.env_ids) == sorted(each.env_id for each in pool[0])
    assert selection.covered == {ability for each in pool[0] for ability in (*each.core, *each.soft)}


def test_the_terms_of_a_pick_are_as_by_hand() -> None:
    profiles = [profile("a/a", "xy"), profile("b/b", "x", "z"), profile("c/c", "z", "xw")]
    selection = aes(profiles, {("a/a", "c/c"): 0.25, ("b/b", "c/c"): 0.5}, k=3)
    assert selection.env_ids == ("a/a", "c/c", "b/b")
    second, third = selection.picks[1:]
    assert second.coverage == 1.3  # z as core, w as soft; x is covered already
    assert second.redundancy == pytest.approx(0.3 / (2 * 1.18) ** 0.5)
    assert second.conflict == 0.25
    assert third.coverage == 0  # its z is soft, and covered as core
    assert third.conflict == 0.5
    assert selection.cost == {"rollouts": 60.0}


def test_an_ability_covered_as_soft_is_still_worth_what_core_adds() -> None:
    selection = aes([profile("a/a", "xy", "z"), profile("b/b", "z")], {}, balance=COVER)
    assert [pick.coverage for pick in selection.picks] == [2.3, 0.7]


def test_conflict_turns_a_choice_and_an_unmeasured_pair_costs_as_much_as_the_mean_of_the_others() -> None:
    profiles = [profile("a/a", "xy"), profile("b/b", "z"), profile("c/c", "z")]
    assert aes(profiles, {}).env_ids == ("a/a", "b/b")
    profiles.append(profile("d/d", ""))
    turned = aes(profiles, {("a/a", "b/b"): 0.2, ("a/a", "d/d"): 0.0})
    assert turned.env_ids == ("a/a", "c/c")
    assert turned.picks[1].conflict == 0.1
    assert turned.unmeasured == {"c/c"}


def test_similarity_is_the_users_to_choose() -> None:
    profiles = [profile("a/a", "xy"), profile("b/b", "xz"), profile("c/c", "z")]
    assert aes(profiles, {}).env_ids == ("a/a", "c/c")
    assert aes(profiles, {}, balance=Balance(similarity=lambda one, other: np.zeros(1))).env_ids == ("a/a", "b/b")


def test_random_subsets_follow_the_seed_and_spread_evenly() -> None:
    profiles = [profile(f"e/{e}", "x") for e in range(5)]
    assert random_k(profiles, {}, 2, seed=3) == random_k(profiles[::-1], {}, 2, seed=3)
    times = [env_id for seed in range(500) for env_id in random_k(profiles, {}, 2, seed).env_ids]
    assert all(150 < times.count(f"e/{e}") < 250 for e in range(5))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: aes([], {}), "0 profiles"),
        (lambda: aes([profile("a/a", "x")] * 2, {}), "2 profiles of 1 environments"),
        (lambda: aes([profile("a/a", "x")], {("a/a", "b/b"): 0.1}), "two profiled ids"),
        (lambda: aes([profile("a/a", "x"), profile("b/b", "x")], {("b/b", "a/a"): 0.1}), "in order"),
        (lambda: aes([profile("a/a", "x"), profile("b/b", "x")], {("a/a", "b/b"): float("nan")}), "conflict nan"),
        (lambda: aes([profile("a/a", "x")], {}, 2), "asked for 2 of 1"),
        (lambda: aes([profile("a/a", "x")], {}, 0), "asked for 0 of 1"),
        (lambda: aes([profile("a/a", "", "x")], {}), "no profile has one"),
        (lambda: random_k([profile("a/a", "x")], {}), "give k"),
        (lambda: everything([profile("a/a", "x"), profile("b/b", "x")], {}, 1), "takes all 2"),
        (lambda: Balance(conflict=-1.0), "not negative"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused(wrong: object, says: str) -> None:
    with pytest.raises(BadCandidates, match=says):
        wrong()  # type: ignore[operator]
