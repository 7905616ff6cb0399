"""Pools on a coarse grid of weights and conflicts, so that gains often tie, and the best set of a small one."""

from itertools import combinations

from hypothesis import strategies as st

from palaestra.core.profile import AbilityProfile
from palaestra.selection.objective import objective
from palaestra.selection.terms import Terms


def profile(env_id: str, core: str, soft: str = "", rollouts: int = 20) -> AbilityProfile:
    """A profile whose abilities are single letters."""
    return AbilityProfile(env_id, dict.fromkeys(core, 0.8), dict.fromkeys(soft, 0.2), {}, {"": rollouts})


@st.composite
def pools(draw: st.DrawFn, most: int = 9) -> tuple[list[AbilityProfile], dict[tuple[str, str], float]]:
    n = draw(st.integers(1, most))
    grades = st.lists(st.sampled_from(["core", "soft", ""]), min_size=6, max_size=6)
    profiles = []
    for e in draw(st.permutations(range(n))):
        graded = dict(zip("abcdef", draw(grades), strict=True))
        profiles.append(profile(f"e/{e}", *("".join(a for a in graded if graded[a] == g) for g in ("core", "soft"))))
    conflicts = st.sampled_from([None, 0.0, 0.5, 1.0])
    drawn = {pair: draw(conflicts) for pair in combinations(sorted(p.env_id for p in profiles), 2)}
    return profiles, {pair: penalty for pair, penalty in drawn.items() if penalty is not None}


def index(terms: Terms, env_ids: tuple[str, ...]) -> list[int]:
    return [terms.env_ids.index(env_id) for env_id in env_ids]


def best(terms: Terms, k: int | None = None) -> tuple[tuple[int, ...], float]:
    """The set with the greatest F by trying all, and its value."""
    sizes = range(len(terms.env_ids) + 1) if k is None else [k]
    sets = (chosen for size in sizes for chosen in combinations(range(len(terms.env_ids)), size))
    found = max(sets, key=lambda chosen: objective(terms, chosen))
    return found, objective(terms, found)
