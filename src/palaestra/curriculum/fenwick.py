"""A Fenwick tree over integer weights: change one, or find where a cumulative sum falls, in logarithmic time.

Integers add up exactly, so a tree that was changed a million times draws as one that is built anew.

Source: Fenwick 1994, "A new data structure for cumulative frequency tables".
"""

from collections.abc import Iterable


class Fenwick:
    """A growing list of weights, none negative.

    >>> tree = Fenwick([3, 0, 5])
    >>> tree.total, [tree.find(point) for point in range(8)]
    (8, [0, 0, 0, 2, 2, 2, 2, 2])
    """

    __slots__ = ("_sums", "_weights", "total")

    def __init__(self, weights: Iterable[int] = ()) -> None:
        self._weights = list(weights)
        self._sums = [0, *self._weights]  # _sums[i] covers the last (i & -i) weights up to the i-th
        self.total = sum(self._weights)
        for i in range(1, len(self._sums)):
            if (above := i + (i & -i)) < len(self._sums):
                self._sums[above] += self._sums[i]

    def __len__(self) -> int:
        return len(self._weights)

    def __getitem__(self, index: int) -> int:
        return self._weights[index]

    def __setitem__(self, index: int, weight: int) -> None:
        difference, self._weights[index] = weight - self._weights[index], weight
        self.total += difference
        i = index + 1
        while i < len(self._sums):
            self._sums[i] += difference
            i += i & -i

    def append(self, weight: int) -> None:
        """Add one weight at the end."""
        i, covered, step = len(self._sums), weight, 1
        while step < (i & -i):
            covered += self._sums[i - step]
            step *= 2
        self._sums.append(covered)
        self._weights.append(weight)
        self.total += weight

    def find(self, point: int) -> int:
        """Return the first index at which the weights up to and with it sum to more than a point of [0, total)."""
        sums = self._sums
        size = len(sums)
        index, step = 0, 1 << (size - 1).bit_length()
        while step := step >> 1:
            ahead = index + step
            if ahead < size and sums[ahead] <= point:
                index = ahead
                point -= sums[ahead]
        return index
