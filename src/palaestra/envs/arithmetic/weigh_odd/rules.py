"""Weighings of coins: what they show, what they leave possible, which to make next, and how a reply is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LETTERS = "ABCDEFGHJKLM"
VERSUS = "vs"
KINDS = {1: "heavy", -1: "light"}


class Weighing(NamedTuple):
    """Which coins lay on either pan, and which pan was heavier: the left (1), the right (-1) or neither (0)."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    outcome: int


class Case(NamedTuple):
    """What may be the truth: the false coins in order, and whether they are heavy (1) or light (-1)."""

    coins: tuple[int, ...]
    kind: int

    def outcome(self, left: Sequence[int], right: Sequence[int]) -> int:
        """Return what a weighing would show."""
        more = sum(coin in left for coin in self.coins) - sum(coin in right for coin in self.coins)
        return self.kind * ((more > 0) - (more < 0))


@dataclass(frozen=True, slots=True)
class Record:
    """All that is known: how many coins there are, how many are false, the weighings made, and those left."""

    coins: int
    false: int
    weighings: tuple[Weighing, ...]
    left: int


@lru_cache(maxsize=4096)
def possible(record: Record) -> tuple[Case, ...]:
    """Return what may be the truth after all weighings."""
    if not record.weighings:
        return tuple(Case(coins, kind) for coins in combinations(range(record.coins), record.false) for kind in KINDS)
    *_, (left, right, outcome) = record.weighings
    earlier = possible(Record(record.coins, record.false, record.weighings[:-1], 0))
    return tuple(case for case in earlier if case.outcome(left, right) == outcome)


@lru_cache(maxsize=16)
def _weighings(coins: int) -> NDArray[np.int8]:
    """Return all weighings [weighings, coins], 1 for coins on the left and -1 on the right; small ones first."""
    sides = (np.arange(1, (3**coins + 1) // 2)[:, None] // 3 ** np.arange(coins) + 1) % 3 - 1
    sides = sides[sides.sum(axis=1) == 0]
    order = np.argsort(np.abs(sides).sum(axis=1), kind="stable")
    return np.asarray(sides[order], np.int8)


@lru_cache(maxsize=512)
def best(record: Record) -> tuple[list[int], list[int]]:
    """Return the pans of the weighing whose outcomes part what is possible most evenly."""
    weighings, cases = _weighings(record.coins), possible(record)
    signs = np.zeros((record.coins, len(cases)), np.int8)
    for number, case in enumerate(cases):
        signs[list(case.coins), number] = case.kind
    tilts = weighings @ signs
    heavier, lighter = (tilts > 0).sum(axis=1), (tilts < 0).sum(axis=1)
    level = len(cases) - heavier - lighter
    chosen = weighings[np.argmin(heavier**2 + lighter**2 + level**2)]
    return np.flatnonzero(chosen > 0).tolist(), np.flatnonzero(chosen < 0).tolist()


def read(action: tuple[str, ...]) -> Weighing | Case | None:
    """Return the weighing or the name that a reply says, None when it is neither."""
    kind = next((sign for sign, word in KINDS.items() if word == action[-1]), 0)
    if kind:
        coins = _coins(action[:-1])
        return Case(tuple(sorted(coins)), kind) if len(set(coins)) == len(action) - 1 else None
    at = action.index(VERSUS) if VERSUS in action else 0
    left, right = _coins(action[:at]), _coins(action[at + 1 :])
    if not len(left) == len(right) == len({*left, *right}) / 2 == (len(action) - 1) / 2:
        return None
    return Weighing(tuple(sorted(left)), tuple(sorted(right)), 0)


def _coins(items: Sequence[str]) -> list[int]:
    return [LETTERS.index(item) for item in items if item in LETTERS]


@lru_cache(maxsize=8)
def images(weighings: int) -> NDArray[np.int16]:
    """Return what weighings count for in a coin's code [images, weighings]: in any order, pans exchanged or not."""
    orders, flips = permutations(3**k for k in range(weighings)), tuple(product((-1, 1), repeat=weighings))
    return np.array([np.multiply(order, flip) for order in orders for flip in flips], np.int16)
