"""The cards, and every rule by which they may be sorted.

A card is a number from 0 to 80. A rule looks at a card and at the one before it, so it is a table of 81 x 81 answers;
rules that answer alike are one rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

FEATURES = (
    ("1", "2", "3"),
    ("open", "striped", "solid"),
    ("orange", "blue", "black"),  # told apart by their lightness too
    ("circle", "diamond", "triangle"),
)
CARDS = np.indices((3, 3, 3, 3)).reshape(4, 81)
"""The value of each feature of each card [features, cards]."""

KINDS = (
    "one feature",
    'two features joined by "and" or "or"',
    "exactly one of two features",
    "the same number, filling, colour or shape as the card before, or more or fewer signs",
    'such a comparison, "and" or "or", another one or a feature',
    "exactly one of such a comparison and another one or a feature",
)
"""What a rule of each level asks for."""

Bits = NDArray[np.bool_]


def card(look: str) -> int:
    """Return the card of a look.

    >>> card("1-open-orange-circle"), look(80)
    (0, '3-solid-black-triangle')
    """
    return int(np.ravel_multi_index([FEATURES[f].index(v) for f, v in enumerate(look.split("-"))], (3, 3, 3, 3)))


def look(card: int) -> str:
    """Return how a card looks."""
    return "-".join(values[k] for values, k in zip(FEATURES, CARDS[:, card].tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """All rules, level by level, each with its opposite.

    `left` tells whether a rule sends a card left, given the card before it [rules, cards before, cards], `cases` which
    of its conditions hold there (0 to 3); a level's rules are those from `ends[level]` to `ends[level + 1]`.
    """

    left: Bits
    cases: NDArray[np.uint8]
    ends: tuple[int, ...]


@lru_cache(maxsize=1)
def rules() -> Rules:
    """Return every rule once, at its lowest level; a rule that is always or never true is none."""
    nothing = np.zeros((81, 81), bool)
    features = [nothing | (CARDS[f] == value) for f in range(4) for value in range(3)]
    before = [CARDS[f][:, None] == CARDS[f] for f in range(4)]
    before += [CARDS[0][:, None] < CARDS[0], CARDS[0][:, None] > CARDS[0]]
    pairs = list(combinations(features, 2))
    mixed = [(a, b) for k, a in enumerate(before) for b in (*features, *before[k + 1 :])]
    levels = (
        [(a, a, a) for a in features],
        [(a, b, joined) for a, b in pairs for joined in (a & b, a | b)],
        [(a, b, a ^ b) for a, b in pairs],
        [(a, a, a) for a in before],
        [(a, b, joined) for a, b in mixed for joined in (a & b, a | b)],
        [(a, b, a ^ b) for a, b in mixed],
    )
    found: dict[bytes, tuple[Bits, NDArray[np.uint8]]] = {}
    ends = [0]
    for level in levels:
        for a, b, joined in level:
            if joined.any() and not joined.all():
                for left in (joined, ~joined):
                    found.setdefault(left.tobytes(), (left, a + np.uint8(2) * b))
        ends.append(len(found))
    lefts, cases = zip(*found.values(), strict=True)
    return Rules(np.stack(lefts), np.stack(cases), tuple(ends))


def deal(level: int, learn: int, exam: int, rng: np.random.Generator) -> tuple[int, tuple[int, ...]] | None:
    """Return a rule of a level and a deck, None where the deck does not teach the rule.

    Every combination of the rule's conditions is dealt as often. Cards that count go, under all the rules that fit what
    was learnt, to one pile.
    """
    every = rules()
    rule = int(rng.integers(every.ends[level], every.ends[level + 1]))
    fit = every.left[: every.ends[level + 1]]
    deck = [int(rng.integers(81))]
    unused = np.ones(81, bool)
    for turn in range(learn + exam):
        before = deck[-1]
        unused[before] = False
        votes = fit[:, before]
        usable = unused if turn < learn else unused & (votes == votes[0]).all(axis=0)
        cases = np.where(usable, every.cases[rule, before], 4)  # 4 is no case
        wanted = [case for case in rng.permutation(4).tolist() if (cases == case).any()]
        if not wanted:
            return None
        deck.append(int(rng.choice(np.flatnonzero(cases == wanted[0]))))
        if turn < learn:
            fit = fit[votes[:, deck[-1]] == every.left[rule, before, deck[-1]]]
    left = piles(rule, deck)
    taught = 0 < left[:learn].sum() < learn
    varied = exam // 3 <= left[learn:].sum() <= exam - exam // 3  # who always says the same shall not win
    return (rule, tuple(deck)) if taught and varied else None


def piles(rule: int, deck: Sequence[int]) -> Bits:
    """Return whether each card of a deck goes left, from the second one on."""
    left: Bits = rules().left[rule, deck[:-1], deck[1:]]
    return left


@lru_cache(maxsize=512)
def fitting(level: int, cards: tuple[int, ...], left: tuple[bool, ...]) -> NDArray[np.intp]:
    """Return the numbers of the rules, up to a level, that send cards to their piles, from the second card on."""
    every, turns = rules(), len(left)
    sent = every.left[: every.ends[level + 1], cards[:turns], cards[1 : turns + 1]]
    return np.flatnonzero((sent == np.array(left, bool)).all(axis=1))
