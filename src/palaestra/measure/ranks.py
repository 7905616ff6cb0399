"""Spearman's rank correlation: whether two measurements put pairs in one order, whatever their scales."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def rank_correlation(one: ArrayLike, other: ArrayLike) -> float | None:
    """Return the correlation of the ranks of paired numbers, ties at their mean rank; None where there is no order.

    >>> rank_correlation([1, 2, 3, 3], [10, 200, 3000, 3000])
    1.0
    >>> rank_correlation([1, 2], [1, 2]) is rank_correlation([1, 1, 1], [1, 2, 3]) is None
    True
    """
    first, second = (_ranks(np.asarray(values, np.float64)) for values in (one, other))
    if len(first) < 3 or first.min() == first.max() or second.min() == second.max():
        return None
    return round(float(np.corrcoef(first, second)[0, 1]), 6)


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    found: NDArray[np.float64] = (np.cumsum(count) - (count - 1) / 2)[place]
    return found
