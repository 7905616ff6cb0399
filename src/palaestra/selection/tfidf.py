"""Texts as vectors: hashed tf-idf, without a vocabulary and without a model.

A word, in code a part of a name, falls by its hash into one of some thousand places; it counts by the logarithm of how
often it stands there and of how few texts have it. Rows have length 1.

Source: Salton and Buckley (1988); Weinberger and others, feature hashing (2009). Departures: words are hashed without a
sign.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

SIZE = 4096
"""How many places there are."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


def tfidf(texts: Sequence[str], size: int = SIZE) -> NDArray[np.float32]:
    """Return the vectors [N, size] of some texts; that of an empty one is zero.

    >>> lake, ice, count = tfidf(["cross the frozen lake", "a frozen lake", "count the apples"])
    >>> bool(lake @ ice > lake @ count > 0)
    True
    """
    found_ND = np.zeros((len(texts), size), np.float32)
    for n, text in enumerate(texts):
        for place, times in Counter(_place(word.lower(), size) for word in _WORD.findall(text)).items():
            found_ND[n, place] = 1 + np.log(times)
    found_ND *= 1 + np.log((1 + len(texts)) / (1 + (found_ND > 0).sum(axis=0)))
    norm_N = np.linalg.norm(found_ND, axis=1, keepdims=True)
    found_ND /= np.where(norm_N > 0, norm_N, 1)
    return found_ND


@lru_cache(maxsize=1 << 16)
def _place(word: str, size: int) -> int:
    return int.from_bytes(sha256(word.encode()).digest()[:8], "big") % size
