"""The random projection: each coordinate is added, with a random sign, to one of K numbers.

Bucket and sign come from a hash of the seed, the block's name and the index within the block: no matrix is kept, no
state is shared, and two processes that never met project alike. Dot products of sketches are unbiased, with variance
(|x|^2 |y|^2 + (x.y)^2) / K.

Source: Charikar, Chen and Farach-Colton, CountSketch (2002); the mixing function of SplitMix64. Departures: none.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from palaestra.core.gradient import Block

CHUNK = 1 << 18
"""Coordinates hashed at a time, so that the buffers stay at a few megabytes whatever the block."""

_GAMMA = 0x9E3779B97F4A7C15
_ROUNDS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))


@dataclass(frozen=True, slots=True)
class CountSketch:
    """A projection to `k` numbers; environments are comparable when they share one.

    >>> blocks = [("layer.weight", np.ones((3, 4))), ("layer.bias", np.ones(3))]
    >>> CountSketch(k=64)(blocks).shape, float(abs(CountSketch(k=64)(blocks)).sum()) <= 15
    ((64,), True)
    """

    seed: int = 0
    k: int = 8192

    def __str__(self) -> str:
        return f"count sketch, k {self.k}, seed {self.seed}"

    def __call__(self, blocks: Iterable[Block]) -> NDArray[np.float64]:
        """Return the sketch of a quantity that comes block by block."""
        sketch_K = np.zeros(self.k)
        for name, block in blocks:
            flat = np.asarray(block).reshape(-1)
            for start in range(0, flat.size, CHUNK):
                chunk = flat[start : start + CHUNK].astype(np.float64)
                bucket, sign = self._places(name, start, chunk.size)
                sketch_K += np.bincount(bucket, weights=chunk * sign, minlength=self.k)
        return sketch_K

    def _places(self, name: str, start: int, size: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return bucket and sign of each coordinate from `start` on."""
        key = int.from_bytes(sha256(f"{self.seed}:{name}".encode()).digest()[:8], "little")
        mixed = np.arange(start, start + size, dtype=np.uint64) * np.uint64(_GAMMA) + np.uint64(key)
        for shift, factor in _ROUNDS:
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        bucket = ((mixed >> np.uint64(32)) * np.uint64(self.k)) >> np.uint64(32)
        return bucket.astype(np.intp), 1.0 - 2.0 * (mixed & np.uint64(1)).astype(np.float64)
