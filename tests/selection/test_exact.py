"""The integer program against trying all sets."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest
from drawn import best, index, pools, profile
from hypothesis import given, settings
from hypothesis import strategies as st

from palaestra.core.errors import BadCandidates, ExtraMissing
from palaestra.core.profile import AbilityProfile
from palaestra.selection.aes import aes
from palaestra.selection.exact import LIMIT, best_set, exact
from palaestra.selection.objective import objective
from palaestra.selection.terms import Terms

solved = pytest.mark.skipif(not find_spec("scipy"), reason="needs SciPy, of the extra `run`")
Pool = tuple[list[AbilityProfile], dict[tuple[str, str], float]]


@solved
@settings(max_examples=40)
@given(pools(most=8), st.one_of(st.none(), st.integers(1, 8)))
def test_it_finds_the_best_of_all_sets_and_proves_it(pool: Pool, k: int | None) -> None:
    terms, k = Terms.of(*pool), None if k is None else min(k, len(pool[0]))
    members, bound = best_set(terms, k)
    assert k in (None, len(members))
    assert objective(terms, members) == pytest.approx(best(terms, k)[1], abs=1e-6)
    assert bound == pytest.approx(best(terms, k)[1], abs=1e-5)


@solved
def test_it_beats_greed_where_the_best_pair_is_no_greedy_one() -> None:
    profiles = [profile("a/a", "uvx"), profile("b/b", "uvw"), profile("c/c", "xyz")]
    pool = (profiles, {("a/a", "b/b"): 1.0, ("a/a", "c/c"): 1.0, ("b/b", "c/c"): 0.0})
    found, greedy, terms = exact(*pool, 2), aes(*pool, 2), Terms.of(*pool)
    assert (found.env_ids, found.bound) == (("b/b", "c/c"), pytest.approx(6.0))
    assert objective(terms, index(terms, greedy.env_ids)) < 6 - 1


@solved
def test_without_time_there_is_still_a_set_and_a_bound_that_holds() -> None:
    rng = np.random.default_rng(0)
    profiles = [profile(f"e/{e:02}", "".join(rng.choice([*"abcdefghijkl"], 4, replace=False))) for e in range(40)]
    pool = (profiles, {(f"e/{i:02}", f"e/{j:02}"): float(rng.random()) for j in range(40) for i in range(j)})
    hurried, terms = exact(*pool, 8, seconds=0.0), Terms.of(*pool)
    assert len(hurried.picks) == 8
    assert hurried.bound is not None
    assert 12.0 >= hurried.bound >= objective(terms, index(terms, hurried.env_ids))  # there are twelve abilities
    assert objective(terms, index(terms, hurried.env_ids)) >= objective(terms, index(terms, aes(*pool, 8).env_ids))


def test_a_large_pool_is_refused() -> None:
    with pytest.raises(BadCandidates, match="among 61 environments; it takes 60 at most: try local_search"):
        exact([profile(f"e/{e:02}", "x") for e in range(LIMIT + 1)], {})


def test_without_scipy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(ExtraMissing, match=r"pip install 'palaestra\[run\]'"):
        exact([profile("a/a", "x"), profile("b/b", "y")], {}, 1)
