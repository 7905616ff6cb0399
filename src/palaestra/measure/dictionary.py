"""The names of abilities: normalised, synonyms merged by a fixed rule, kept as a dictionary with a version.

Two names are one ability when their words and the instances that show them are alike, unless they stand side by side
in the same trajectories: whoever writes both tells them apart. Merging is complete: all names of one ability fit one
another, so no chain of likenesses joins what is unlike.

Source: Ability-aware Environment Selection merges synonymous abilities; how is not known. Departures: no model is
asked, so the same names give the same dictionary. On 112 pairs written by hand, half of them synonyms
(``tests/measure/named_pairs.py``; both thresholds were chosen on them), it merges by words 16 pairs that are shown by
the same instances, all of them rightly, and 14 that are not; by MiniLM 38, of which 33 rightly, and 21, of which 20.
One word of two in common is no likeness: half of such pairs are two abilities.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

Similarity = Callable[[Sequence[str]], Array]
"""How alike N names are, as [N, N] from 0 to 1 with ones on the diagonal."""

ALIKE = 0.7
"""From this likeness on two names may be one ability, by `words_alike`."""

CONTEXT = 0.5
"""How much it counts that two names are shown by the same instances: in whole, all names of one world became one."""

TOGETHER = 0.1
"""Names that share more than this part of the rarer one's trajectories are two abilities."""

_IDLE = frozenset({"a", "an", "the"})
_ENDINGS = re.compile(r"(?<=\w{3})(ings?|ed|es|s|e)$")


def normalised(name: str) -> str:
    """Return a name as snake_case words without articles; "" when nothing is left.

    >>> normalised("Count the Objects!"), normalised("avoidHazard"), normalised("??")
    ('count_objects', 'avoid_hazard', '')
    """
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower())
    return "_".join(word for word in words if word not in _IDLE)


def words_alike(names: Sequence[str]) -> Array:
    """Return the cosine of each pair's words, without endings; it needs no model.

    >>> words_alike(["counting_things", "count_thing", "count_stars"]).round(2).tolist()
    [[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]]
    """
    stems = [frozenset(_ENDINGS.sub("", word) for word in name.split("_")) for name in names]
    return np.array([[len(a & b) / (len(a) * len(b)) ** 0.5 for b in stems] for a in stems])


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Abilities with their aliases; `version` grows with each extension that changes it."""

    abilities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    version: int = 0

    def ability(self, name: str) -> str | None:
        """Return the ability that a name stands for, however it is written; None for a stranger.

        >>> Dictionary({"count_things": ("count_objects",)}).ability("Count objects")
        'count_things'
        """
        plain = normalised(name)
        return (
            plain if plain in self.abilities else next((a for a, also in self.abilities.items() if plain in also), None)
        )

    def extended(
        self,
        labelled: Sequence[Sequence[Sequence[str]]],
        alike: Similarity = words_alike,
        threshold: float = ALIKE,
        least: int = 1,
    ) -> "Dictionary":
        """Return a dictionary that also knows the names in labels; what it knew keeps its name and its aliases.

        Args:
            labelled: the names that each trajectory shows, instance by instance.
            alike: how alike names are by themselves.
            threshold: from which likeness on names may be merged.
            least: how many trajectories show a new ability at least, by any of its names; a rarer one is left out.
        """
        shown = [[frozenset(filter(None, map(normalised, labels))) for labels in members] for members in labelled]
        known = {alias for also in self.abilities.values() for alias in also}
        counts = Counter(name for members in shown for names in members for name in names)
        names = sorted({*self.abilities, *counts} - known)
        group = {name: [name] for name in names}
        likeness_NN = _likeness(names, shown, alike)
        at = {name: n for n, name in enumerate(names)}
        for one, other in sorted(
            combinations(names, 2), key=lambda pair: (-likeness_NN[at[pair[0]], at[pair[1]]], pair)
        ):
            left, right = group[one], group[other]
            fixed = sum(name in self.abilities for name in (*left, *right))
            if left is right or fixed > 1 or any(likeness_NN[at[a], at[b]] < threshold for a in left for b in right):
                continue
            left += right
            group.update(dict.fromkeys(right, left))
        abilities = {name: list(also) for name, also in self.abilities.items()}
        for members in {id(own): own for own in group.values()}.values():
            first = min(members, key=lambda name: (name not in self.abilities, -counts[name], name))
            if first in self.abilities or sum(counts[name] for name in members) >= least:
                abilities.setdefault(first, []).extend(name for name in members if name != first)
        found = {name: tuple(sorted(also)) for name, also in sorted(abilities.items())}
        return Dictionary(found, self.version + (found != self.abilities))


def _likeness(names: Sequence[str], shown: Sequence[Sequence[frozenset[str]]], alike: Similarity) -> Array:
    """Return how alike names are [N, N]: likeness by itself, raised by shared instances, none where told apart."""
    if not names:
        return np.zeros((0, 0))
    shown_TN = np.array([[n in labels for n in names] for members in shown for labels in members], float)
    shown_TN = shown_TN.reshape(-1, len(names))
    counts_IN = np.array([[sum(n in labels for labels in members) for n in names] for members in shown], float)
    counts_IN = counts_IN.reshape(-1, len(names))
    length_N = np.maximum(np.sqrt((counts_IN**2).sum(0)), 1.0)
    contexts_NN = counts_IN.T @ counts_IN / np.outer(length_N, length_N)
    own_NN = alike(names)
    both_NN, count_N = shown_TN.T @ shown_TN, shown_TN.sum(0)
    apart_NN = both_NN > TOGETHER * np.minimum.outer(count_N, count_N)
    likeness_NN: Array = np.where(apart_NN, 0.0, own_NN + CONTEXT * (1 - own_NN) * own_NN * contexts_NN)
    return likeness_NN
