"""The random key of a stochastic world: chance as a pure function of a key in the state and the turn.

Source: SplitMix64 (Steele, Lea, Flood 2014), here one mixing of key and turn.
"""

from palaestra.core.instance import Instance

_MASK = (1 << 64) - 1


def key(instance: Instance, stream: str = "chance") -> int:
    """Return the 64-bit key of an instance's chance; it never tells two problems apart."""
    return int(instance.rng(stream).integers(1 << 64, dtype="uint64"))


def uniform(key: int, turn: int) -> float:
    """Return the number in [0, 1) that a key holds for a turn.

    >>> uniform(7, 0) == uniform(7, 0), uniform(7, 0) == uniform(7, 1)
    (True, False)
    """
    z = (key + (turn + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((z ^ (z >> 31)) >> 11) / (1 << 53)
