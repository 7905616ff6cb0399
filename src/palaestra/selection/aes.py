"""Ability-aware Environment Selection: new coverage, little redundancy, little conflict, one environment at a time.

Source: the greedy rule of the paper with its weights, all 1; it stops when every core ability is covered, which in its
pool of 200 happens at K = 30. Departures: conflict may be anything better than the bare cosine of mean gradients; an
unmeasured pair is charged the mean of the measured ones (`conflict`), and its environment is named. With `k` given
exactly so many are picked; once coverage is complete no further gain is positive, and each pick shows its own.
"""

from collections.abc import Sequence

from palaestra.core.errors import BadCandidates
from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Selection
from palaestra.selection.balance import Balance
from palaestra.selection.conflict import Conflict
from palaestra.selection.greedy import lazy
from palaestra.selection.margins import Margins
from palaestra.selection.method import NOTHING, Evidence
from palaestra.selection.terms import Terms


def aes(
    profiles: Sequence[AbilityProfile],
    conflict: Conflict,
    k: int | None = None,
    seed: int = 0,
    evidence: Evidence = NOTHING,
    *,
    balance: Balance | None = None,
) -> Selection:
    """Return the environments that AES picks; nothing is left to chance, the seed changes nothing.

    The cost names the rollouts behind the profiles; who measured the gradients adds theirs.

    Raises:
        BadCandidates: the profiles, the conflicts or `k` make no choice.

    >>> lake, maze, count = (
    ...     AbilityProfile(name, dict.fromkeys(core, 1.0), {}, {}, {"": 20})
    ...     for name, core in [("a/lake", ["plan", "avoid"]), ("a/maze", ["plan"]), ("b/count", ["count"])]
    ... )
    >>> selection = aes([lake, maze, count], {("a/lake", "b/count"): 0.1})
    >>> selection.env_ids, selection.picks[1].gain, sorted(selection.unmeasured)
    (('a/lake', 'b/count'), 0.9, ['a/maze'])
    """
    terms = Terms.of(profiles, conflict, balance)
    return terms.selection(picked(terms, k), "aes", {"rollouts": float(terms.rollouts)})


def picked(terms: Terms, k: int | None) -> list[int]:
    """Return what the greedy rule picks, by index and in order: `k` of them, or until every core ability is covered.

    Raises:
        BadCandidates: `k` is out of range, or None where no ability is core.
    """
    if k is None and not terms.core_A.any():
        raise BadCandidates(
            "aes stops when every core ability is covered, and no profile has one; give k, or play more"
        )
    n = 0 if k is None else terms.count(k)
    return lazy(Margins(terms), stop=lambda chosen: len(chosen) == n if n else terms.complete(chosen))
