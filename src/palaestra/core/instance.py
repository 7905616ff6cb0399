"""One problem, by name: the same instance gives the same bytes in every process, on every machine."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

import numpy as np

from palaestra.core.errors import BadInstance

SEEDS = 2**63
"""Seeds are below this, so that every file format can hold them."""


def seed_from(*words: object) -> int:
    """Return the seed of an instance that some words name; names that differ anywhere share none, however close.

    >>> seed_from("suite", 0, "grid/frozen_lake", 3) == seed_from("suite", 1, "grid/frozen_lake", 3)
    False
    """
    return int.from_bytes(sha256(repr(words).encode()).digest()[:6], "big")


Setting = bool | int | float | str
"""A value that a knob or a scale may give a parameter of an environment."""

Knobs = tuple[tuple[str, Setting], ...]
"""Explicitly set parameters as sorted pairs: hashable, and an explicit knob wins over the scale."""


def knobs(settings: Mapping[str, Setting]) -> Knobs:
    """Return the settings as the sorted pairs that an `Instance` or a `Cell` carries.

    >>> knobs({"rows": 3, "columns": 7})
    (('columns', 7), ('rows', 3))
    """
    return tuple(sorted(settings.items()))


class Split(StrEnum):
    """To which part of the evaluation protocol a problem belongs; 8:1:1 by the digest of the problem itself.

    >>> [str(split) for split in Split]
    ['train', 'valid', 'test']
    """

    TRAIN = "train"
    VALID = "valid"
    TEST = "test"


_TENTHS = (*(8 * [Split.TRAIN]), Split.VALID, Split.TEST)


def split_of(env_id: str, problem: bytes) -> Split:
    """Return the split that a problem (`Environment.problem`) belongs to.

    >>> split_of("grid/frozen_lake", b"a problem")
    <Split.TRAIN: 'train'>
    """
    digest = sha256(env_id.encode() + b"\0" + problem).digest()
    return _TENTHS[int.from_bytes(digest[:8], "little") % 10]


@dataclass(frozen=True, slots=True)
class Instance:
    """One problem of one environment, by name.

    >>> Instance("grid/frozen_lake", 1, 2, 7).key()
    'grid/frozen_lake.v1@2#7:train'
    """

    env_id: str
    version: int
    scale: int
    seed: int
    split: Split = Split.TRAIN
    knobs: Knobs = ()

    def __post_init__(self) -> None:
        if self.scale < 0 or not 0 <= self.seed < SEEDS:
            raise BadInstance(
                f"instance of {self.env_id}: scale {self.scale}, seed {self.seed}; both start at 0, seeds end at 2**63"
            )
        if self.knobs and self.knobs != tuple(sorted(dict(self.knobs).items())):
            raise BadInstance(
                f"instance of {self.env_id}: knobs {self.knobs} are not sorted or repeat a name; use knobs()"
            )

    def rng(self, stream: str = "reset") -> np.random.Generator:
        """Return a fresh generator for one named stream of this instance's randomness.

        Seeded by a SHA-256 of every field and the stream's name: neighbouring seeds share nothing, and no two streams
        of one instance do.
        """
        return np.random.Generator(np.random.PCG64(np.frombuffer(self._digest(stream)[:16], "<u4")))

    def key(self) -> str:
        """Return the name of this problem, with a digest of the knobs when any is set."""
        suffix = f"+{sha256(json.dumps(self.knobs).encode()).hexdigest()[:12]}" if self.knobs else ""
        return f"{self.env_id}.v{self.version}@{self.scale}#{self.seed}:{self.split}{suffix}"

    def _digest(self, stream: str) -> bytes:
        fields = [self.env_id, self.version, self.scale, self.seed, self.split, self.knobs, stream]
        return sha256(json.dumps(fields).encode()).digest()
