"""What weighings tell of false coins: what may be the truth after some, and which weighing would tell most."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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

    def weighed(self, left: Sequence[int], right: Sequence[int]) -> Weighing:
        """Return what a weighing would show."""
        more = sum((coin in left) - (coin in right) for coin in self.coins)
        return Weighing(tuple(sorted(left)), tuple(sorted(right)), self.kind * ((more > 0) - (more < 0)))


@dataclass(frozen=True, slots=True)
class Record:
    """All that is known: how many coins there are, how many are false, the weighings made, and those left."""

    coins: int
    false: int
    weighings: tuple[Weighing, ...]
    left: int


def weighed(record: Record, truth: Case, left: Sequence[int], right: Sequence[int]) -> Record:
    """Return the record with one more weighing."""
    return replace(record, weighings=(*record.weighings, truth.weighed(left, right)), left=record.left - 1)


@lru_cache(maxsize=16)
def _cases(coins: int, false: int) -> tuple[Case, ...]:
    """Return what may be the truth before any weighing."""
    return tuple(Case(group, kind) for group in combinations(range(coins), false) for kind in KINDS)


@lru_cache(maxsize=16)
def signs(coins: int, false: int) -> NDArray[np.int8]:
    """Return how each coin differs in each case [cases, coins]: 1 heavier, -1 lighter."""
    return np.array(
        [[case.kind * (coin in case.coins) for coin in range(coins)] for case in _cases(coins, false)], np.int8
    )


def agree(cases: NDArray[np.int8], shown: Weighing) -> NDArray[np.bool_]:
    """Return which cases, given as `signs`, agree with a weighing."""
    lay = np.zeros(cases.shape[1], np.int8)
    lay[list(shown.left)], lay[list(shown.right)] = 1, -1
    return np.asarray(np.sign(cases @ lay) == shown.outcome, bool)


@lru_cache(maxsize=4096)
def _still(record: Record) -> NDArray[np.intp]:
    """Return the numbers of the cases that agree with all weighings."""
    cases = signs(record.coins, record.false)
    still = np.ones(len(cases), bool)
    for shown in record.weighings:
        still &= agree(cases, shown)
    return np.flatnonzero(still)


def possible(record: Record) -> tuple[Case, ...]:
    """Return what may be the truth after all weighings."""
    cases = _cases(record.coins, record.false)
    return tuple(cases[number] for number in _still(record))


@lru_cache(maxsize=16)
def _weighings(coins: int) -> NDArray[np.float32]:
    """Return all weighings [coins, weighings], 1 for coins on the left and -1 on the right; small ones first."""
    sides = (np.arange(1, (3**coins + 1) // 2) // 3 ** np.arange(coins)[:, None] + 1) % 3 - 1
    sides = sides[:, sides.sum(axis=0) == 0]
    return sides[:, np.argsort(np.abs(sides).sum(axis=0), kind="stable")].astype(np.float32)


@lru_cache(maxsize=4096)
def best(record: Record) -> tuple[list[int], list[int]]:
    """Return the pans of the weighing whose outcomes part what is possible most evenly."""
    weighings, cases = _weighings(record.coins), signs(record.coins, record.false)[_still(record)]
    tilts = cases.astype(np.float32) @ weighings
    down, up = (part.sum(axis=0, dtype=np.int16) for part in (tilts > 0, tilts < 0))
    level = len(cases) - down - up
    chosen = weighings[:, (down * down + level * level + up * up).argmin()]
    return np.flatnonzero(chosen > 0).tolist(), np.flatnonzero(chosen < 0).tolist()


@lru_cache(maxsize=4096)
def needed(record: Record) -> int:
    """Return how many weighings the guide makes at most until one case is left."""
    cases = possible(record)
    if len(cases) < 3:
        return len(cases) - 1
    pans = best(record)
    return 1 + max(needed(weighed(record, case, *pans)) for case in cases)
