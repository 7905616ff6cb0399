"""Every method by name: the same account of its picks, and its own rule shown on a planted answer."""

import numpy as np
import pytest
from drawn import best, index, pools, profile
from hypothesis import given
from hypothesis import strategies as st

from palaestra.core.errors import BadCandidates
from palaestra.core.profile import AbilityProfile
from palaestra.selection import METHODS
from palaestra.selection.aes import aes
from palaestra.selection.conflict import Gradients
from palaestra.selection.conflict_only import conflict_only
from palaestra.selection.coverage_only import coverage_only
from palaestra.selection.doge import doge
from palaestra.selection.facility_location import facility_location
from palaestra.selection.k_center import k_center_code, k_center_description
from palaestra.selection.local_search import local_search
from palaestra.selection.method import Evidence
from palaestra.selection.objective import objective
from palaestra.selection.terms import Terms
from palaestra.selection.tfidf import tfidf
from palaestra.selection.without_conflict import without_conflict

Pool = tuple[list[AbilityProfile], dict[tuple[str, str], float]]
FREE = {"aes", "local_search", "exact", "without_conflict", "coverage_only", "everything"}
"""Methods that decide themselves how many to take."""


def evidence(env_ids: list[str], seed: int = 0) -> Evidence:
    """Texts of random words and random gradients."""
    rng = np.random.default_rng(seed)
    texts = {env_id: " ".join(rng.choice(["lake", "maze", "walk", "count"], 3)) for env_id in sorted(env_ids)}
    pulls = rng.integers(-1, 2, (len(texts), 3)).astype(np.float32)
    return Evidence(texts, texts, Gradients([*texts], pulls))


@pytest.mark.parametrize("name", METHODS)
@given(pool=pools(), seed=st.integers(0, 3))
def test_every_method_accounts_for_its_picks_alike(name: str, pool: Pool, seed: int) -> None:
    if name == "exact":
        pytest.importorskip("scipy")
    k, known = len(pool[0]), evidence([own.env_id for own in pool[0]], seed)
    selection, terms = METHODS[name](*pool, k, seed, known), Terms.of(*pool)
    assert selection.method == name
    assert len(set(selection.env_ids)) == len(selection.picks) == k
    assert selection == METHODS[name](pool[0][::-1], pool[1], k, seed, known)
    assert sum(pick.coverage for pick in selection.picks) == pytest.approx(terms.covered(range(k)).sum())
    assert all(pick.gain == pick.coverage - pick.redundancy - pick.conflict for pick in selection.picks)


@pytest.mark.parametrize("name", sorted(METHODS.keys() - FREE))
def test_a_method_that_cannot_decide_how_many_says_so(name: str) -> None:
    with pytest.raises(BadCandidates, match=f"{name} cannot decide .* give k"):
        METHODS[name]([profile("a/a", "x")], {}, None, 0, evidence(["a/a"]))


@pytest.mark.parametrize("name", sorted(METHODS.keys() - {"everything"}))
@pytest.mark.parametrize("k", [0, 3])
def test_no_method_takes_more_than_there_are_or_none(name: str, k: int) -> None:
    if name == "exact":
        pytest.importorskip("scipy")
    with pytest.raises(BadCandidates, match=f"asked for {k} of 2"):
        METHODS[name]([profile("a/a", "x"), profile("b/b", "x")], {}, k, 0, evidence(["a/a", "b/b"]))


@given(pool=pools())
def test_without_conflict_picks_what_aes_picks_where_nothing_opposes(pool: Pool) -> None:
    k = len(pool[0])
    assert without_conflict(*pool, k).env_ids == aes(pool[0], {}, k).env_ids


def test_without_conflict_minds_likeness_and_nothing_else() -> None:
    profiles = [profile("a/a", "uvw"), profile("b/b", "vwx"), profile("c/c", "y")]
    against = {("a/a", "b/b"): 0.0, ("a/a", "c/c"): 1.0}
    second = {method: method(profiles, against, 2).env_ids[1] for method in (aes, coverage_only)}
    assert second == {aes: "b/b", coverage_only: "b/b"}
    assert without_conflict(profiles, against, 2).env_ids == ("a/a", "c/c")


def test_coverage_only_ignores_what_aes_minds() -> None:
    profiles = [profile("a/a", "uvw"), profile("b/b", "xy"), profile("c/c", "yz")]
    against = {("a/a", "b/b"): 0.5, ("a/a", "c/c"): 0.0}
    assert aes(profiles, against, 2).env_ids == ("a/a", "c/c")
    assert coverage_only(profiles, against, 2).env_ids == ("a/a", "b/b")
    assert coverage_only(profiles, against).env_ids == ("a/a", "b/b", "c/c")


def test_conflict_only_ignores_what_is_covered() -> None:
    profiles = [profile("a/a", "x"), profile("b/b", "uvwz"), profile("c/c", "x")]
    assert conflict_only(profiles, {("a/a", "b/b"): 0.1, ("a/a", "c/c"): 0.0}, 2).env_ids == ("a/a", "c/c")
    assert conflict_only(profiles, {("a/a", "b/b"): 0.1, ("a/a", "c/c"): 0.2}, 2).env_ids == ("a/a", "b/b")


def test_facility_location_takes_the_middle_of_the_largest_crowd_first_and_then_the_next_crowd() -> None:
    crowd = [profile("a/a", "xy"), profile("a/b", "xyz"), profile("a/c", "xz"), profile("a/d", "yz")]
    pair = [profile("b/a", "uv"), profile("b/b", "u")]
    assert facility_location([*crowd, *pair], {}, 2).env_ids == ("a/b", "b/a")


@given(pools(), st.integers(1, 9))
def test_facility_location_is_the_greedy_maximum_of_its_sum(pool: Pool, k: int) -> None:
    terms, k = Terms.of(*pool), min(k, len(pool[0]))
    similarity_EE, chosen = terms.similarity(slice(None), slice(None)), list[int]()
    value = 0.0
    for e in index(terms, facility_location(*pool, k).env_ids):
        values = [similarity_EE[[*chosen, c]].max(axis=0).sum() for c in range(len(terms.env_ids)) if c not in chosen]
        chosen.append(e)
        assert similarity_EE[chosen].max(axis=0).sum() == pytest.approx(max(values))
        value = max(values)
    assert value == pytest.approx(similarity_EE[chosen].max(axis=0).sum())


def test_k_center_reads_words_or_code_and_leaves_out_near_copies() -> None:
    ids = ["a/lake", "a/pond", "b/count", "c/tune"]
    profiles = [profile(env_id, "x") for env_id in ids]
    told = ["walk the lake to the goal", "walk the pond to the goal", "count the red apples", "play a tune"]
    code = ["def play(tune)", "def step(cell)", "def step(cells)", "def step(cell)"]
    known = Evidence(dict(zip(ids, told, strict=True)), dict(zip(ids, code, strict=True)))
    assert not {"a/lake", "a/pond"} <= set(k_center_description(profiles, {}, 3, 0, known).env_ids)
    assert k_center_code(profiles, {}, 2, 0, known).env_ids == ("a/pond", "a/lake")  # the usual one, the odd one
    assert len(k_center_code(profiles, {}, 4, 0, known).env_ids) == 4
    with pytest.raises(BadCandidates, match="d/new has none"):
        k_center_code([*profiles, profile("d/new", "x")], {}, 2, 0, known)


def test_rare_words_tell_more_than_common_ones_and_names_in_code_fall_apart() -> None:
    unit = tfidf(["odd red", "odd blue", "usual pink", "usual green", "usual grey", "usual brown"])
    assert unit[0] @ unit[1] > unit[2] @ unit[3] > 0
    assert np.allclose(np.linalg.norm(unit, axis=1), 1)
    frozen, spelt, other = tfidf(["FrozenLake frozen_lake", "frozen lake lake frozen", "no"])
    assert frozen @ spelt == pytest.approx(1)
    assert frozen @ other == 0
    assert not tfidf(["", "..."]).any()


def test_doge_takes_what_the_sum_of_all_gradients_points_along_and_the_unmeasured_last() -> None:
    profiles = [profile(name, "x") for name in ("a/a", "b/b", "c/c", "d/d", "e/e")]
    pulls = np.array([[-1, 0], [2, 0], [1, 1], [0, 0]], np.float32)  # their sum is (2, 1)
    known = Evidence(gradients=Gradients(["a/a", "b/b", "c/c", "d/d"], pulls))
    assert doge(profiles, {}, 5, 0, known).env_ids == ("b/b", "c/c", "a/a", "d/d", "e/e")
    with pytest.raises(BadCandidates, match="measure with a checkpoint"):
        doge(profiles, {}, 2)


@given(pools(), st.integers(1, 9))
def test_local_search_is_never_worse_than_aes_nor_better_than_the_best(pool: Pool, k: int) -> None:
    terms, k = Terms.of(*pool), min(k, len(pool[0]))
    value, greedy = (objective(terms, index(terms, way(*pool, k).env_ids)) for way in (local_search, aes))
    assert greedy - 1e-9 <= value <= best(terms, k)[1] + 1e-9


@given(pools(), st.integers(1, 9))
def test_no_single_exchange_improves_what_local_search_returns(pool: Pool, k: int) -> None:
    terms, k = Terms.of(*pool), min(k, len(pool[0]))
    found = set(index(terms, local_search(*pool, k).env_ids))
    others = set(range(len(terms.env_ids))) - found
    swapped = [objective(terms, [*(found - {out}), new]) for out in found for new in others]
    assert max(swapped, default=-np.inf) <= objective(terms, [*found]) + 2e-9


@given(pools())
def test_with_the_number_left_open_local_search_adds_and_drops_too(pool: Pool) -> None:
    terms = Terms.of(*pool)
    if terms.core_A.any():
        found = set(index(terms, local_search(*pool).env_ids))
        every = set(range(len(terms.env_ids)))
        moved = [found - {e} for e in found] + [found | {e} for e in every - found]
        assert max(objective(terms, [*own]) for own in moved) <= objective(terms, [*found]) + 2e-9


def test_an_exchange_finds_what_greed_cannot() -> None:
    profiles = [profile("a/a", "uvx"), profile("b/b", "uvw"), profile("c/c", "xyz")]
    pool = (profiles, {("a/a", "b/b"): 1.0, ("a/a", "c/c"): 1.0})
    assert aes(*pool, 2).env_ids[0] == "a/a"
    assert local_search(*pool, 2).env_ids == ("b/b", "c/c")
