"""The house's colours. Every picture is an array of indices into one fixed palette, so drawing and encoding stay cheap.

The first entries are named colours; the rest is a 6 x 6 x 6 cube, to which the soft edges of shapes and letters round.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from palaestra.core.errors import EnvironmentFailed

LEVELS = 4
"""Coverage is counted in quarters of a pixel: 0 leaves the ground, 4 covers it."""

_NAMED = {
    "paper": (250, 248, 243), "ink": (31, 35, 43), "white": (255, 255, 255), "black": (0, 0, 0),
    "mist": (226, 228, 232), "silver": (190, 195, 203), "grey": (128, 134, 145), "slate": (78, 86, 101),
    "red": (214, 54, 56), "orange": (240, 136, 32), "yellow": (246, 200, 44), "green": (46, 150, 82),
    "teal": (22, 150, 160), "blue": (42, 100, 214), "purple": (134, 70, 186), "pink": (236, 112, 170),
    "brown": (140, 88, 50), "ice": (205, 230, 246), "frost": (182, 213, 236), "deep": (20, 52, 94),
    "grass": (206, 228, 186), "sand": (238, 222, 184), "rose": (250, 218, 216), "sky": (214, 226, 252),
    "gold": (214, 164, 24), "navy": (30, 50, 110), "wine": (120, 24, 50), "mint": (204, 238, 222),
}  # fmt: skip

_CUBE = [(r, g, b) for r in range(0, 256, 51) for g in range(0, 256, 51) for b in range(0, 256, 51)]

PALETTE: NDArray[np.uint8] = np.zeros((256, 3), np.uint8)
PALETTE[: len(_NAMED)] = list(_NAMED.values())
PALETTE[len(_NAMED) : len(_NAMED) + len(_CUBE)] = _CUBE
PALETTE.setflags(write=False)

_INDEX = {name: index for index, name in enumerate(_NAMED)}


def colour(name: str) -> int:
    """Return the palette index of a named colour.

    >>> PALETTE[colour("white")].tolist()
    [255, 255, 255]
    """
    if name not in _INDEX:
        raise EnvironmentFailed(f"colour {name!r} is not in the palette; known: {', '.join(_INDEX)}")
    return _INDEX[name]


@lru_cache(maxsize=len(_NAMED))
def blend(name: str) -> NDArray[np.uint8]:
    """Return the table [coverage, ground] -> palette index of a named colour laid over every ground."""
    over = PALETTE[colour(name)].astype(np.float32)
    share = np.arange(LEVELS + 1, dtype=np.float32)[:, None, None] / LEVELS
    wanted = (share * over + (1 - share) * PALETTE.astype(np.float32)).reshape(-1, 3)
    known = PALETTE[: len(_NAMED) + len(_CUBE)].astype(np.float32)
    distance = (known**2).sum(1) - 2 * wanted @ known.T  # the squared distance, up to a term equal in every column
    table: NDArray[np.uint8] = distance.argmin(1).astype(np.uint8).reshape(LEVELS + 1, 256)
    table[0], table[LEVELS] = np.arange(256), colour(name)
    table.setflags(write=False)
    return table


def nearest_name(rgb: Sequence[int]) -> str:
    """Return the named colour closest to an RGB triple.

    >>> nearest_name((250, 200, 50))
    'yellow'
    """
    return min(_NAMED, key=lambda name: sum((int(a) - b) ** 2 for a, b in zip(rgb, _NAMED[name], strict=True)))


def luminance(rgb: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the relative luminance [...] in 0 .. 1 of RGB bytes [..., 3] (WCAG 2 definition)."""
    linear = np.where(rgb <= 10, rgb / 3294.6, ((rgb / 255 + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))
