"""A success rate with its count and interval: no rate is ever printed without them."""

from dataclasses import dataclass
from math import comb, fsum, sqrt

Z = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""


@dataclass(frozen=True, slots=True)
class Rate:
    """`hits` out of `n`, with the Wilson 95 % interval.

    >>> rate = Rate(3, 20)
    >>> rate.value, round(rate.low, 3), round(rate.high, 3)
    (0.15, 0.052, 0.36)
    >>> print(rate)
    0.150 [0.052, 0.360], n = 20
    """

    hits: int
    n: int

    @property
    def value(self) -> float:
        """The share of hits; 0 when nothing was counted."""
        return self.hits / self.n if self.n else 0.0

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return max(0.0, self._centre - self._half) if self.hits else 0.0

    @property
    def high(self) -> float:
        """Upper end of the interval; 1 when nothing was counted."""
        return min(1.0, self._centre + self._half) if self.hits < self.n else 1.0

    @property
    def _centre(self) -> float:
        return (self.hits + Z * Z / 2) / (self.n + Z * Z)

    @property
    def _half(self) -> float:
        return Z / (self.n + Z * Z) * sqrt(self.hits * (self.n - self.hits) / self.n + Z * Z / 4) if self.n else 1.0

    def above(self, share: float) -> float:
        """Return how likely the true rate lies above a share, all rates being alike beforehand.

        >>> round(Rate(4, 40).above(0.1), 2), round(Rate(8, 40).above(0.1), 2)  # a tenth, and twice that
        (0.61, 0.98)
        """
        m = self.n + 1
        return fsum(comb(m, k) * share**k * (1 - share) ** (m - k) for k in range(self.hits + 1))

    def json(self) -> dict[str, float]:
        """Return value, interval and count as JSON data."""
        return {"value": self.value, "low": self.low, "high": self.high, "n": self.n}

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}], n = {self.n}"
