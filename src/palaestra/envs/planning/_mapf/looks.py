"""How a lake with walkers looks and reads: tiles, the letter grid with its legend, coordinates.

Letters are those of the published benchmark: S, s, A, B, C for the walkers, G, g, a, b, c for their goals, F for free
and H for hole. A walker on a flag, or in a hole, has a letter of its own.

Source: the observation of LLM-as-Environment-Engineer. Departures: walkers have colours, as a picture has no numbers.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from string import ascii_letters

import numpy as np

from palaestra.core.errors import ConfigError
from palaestra.core.observation import Element, Picture
from palaestra.envs.kit import captions, grid, sprites
from palaestra.envs.planning._mapf.lake import HOLE, ICE, Lake

COLOURS = ("red", "blue", "green", "purple", "yellow")
STARTS, GOALS, FREE, HOLED = "SsABC", "Ggabc", "F", "H"

_MANY = len(COLOURS)
_FLAG = 2 + _MANY  # kinds of content: ice, hole, walkers, flags, walkers in a hole, walkers on each flag
_FALLEN = _FLAG + _MANY
_ON = _FALLEN + _MANY
NAMES = (
    *("free ice", "hole", *(f"{colour} walker" for colour in COLOURS), *(f"{colour} flag" for colour in COLOURS)),
    *(f"{colour} walker in a hole" for colour in COLOURS),
    *(f"{colour} walker on {flag} flag" for colour in COLOURS for flag in COLOURS),
)
SIGNS = FREE + HOLED + STARTS + GOALS
SIGNS += "".join(sign for sign in ascii_letters if sign not in SIGNS)[: len(NAMES) - len(SIGNS)]
LEGEND = dict(zip(SIGNS, NAMES, strict=True))


def content(lake: Lake, cells: Sequence[int]) -> bytes:
    """Return what is in each cell, as places in NAMES, when walkers stand at some cells."""
    shown = bytearray(lake.cells)
    for k, goal in enumerate(lake.goals):
        shown[goal] = _FLAG + k
    for k, cell in enumerate(cells):
        under = shown[cell]
        shown[cell] = 2 + k if under < HOLE else _FALLEN + k if under == HOLE else _ON + k * _MANY + under - _FLAG
    return bytes(shown)


def written(lake: Lake) -> str:
    """Return a board on one line: the rows of its letter grid with / between.

    >>> written(read("SFg/FHF/sFG"))
    'SFg/FHF/sFG'
    """
    signs, size = "".join(map(SIGNS.__getitem__, content(lake, lake.starts))), lake.size
    return "/".join(signs[row : row + size] for row in range(0, size * size, size))


def read(grid: str) -> Lake:
    """Return the board of a letter grid.

    Raises:
        ConfigError: it is none.
    """
    rows = grid.split("/")
    signs = "".join(rows)
    walkers = next((k for k, sign in enumerate(STARTS) if sign not in signs), _MANY)
    wanted = STARTS[:walkers] + GOALS[:walkers]
    whole = all(len(row) == len(rows) for row in rows) and set(signs) <= {FREE, HOLED, *wanted}
    if not walkers or not whole or any(signs.count(sign) != 1 for sign in wanted):
        raise ConfigError(
            f"{grid!r:.120} is no letter grid; write square rows of {FREE}, {HOLED}, and one of {STARTS} and {GOALS} "
            "for each walker in this order, with / between the rows"
        )
    cells = bytes(HOLE if sign == HOLED else ICE for sign in signs)
    return Lake(len(rows), cells, tuple(map(signs.index, wanted[:walkers])), tuple(map(signs.index, wanted[walkers:])))


def caption(lake: Lake, cells: Sequence[int]) -> str:
    """Return the letter grid with its legend, and where each walker is and must go, as row,column."""
    signs = "".join(map(SIGNS.__getitem__, content(lake, cells)))
    ways = [
        f"{colour} {coordinates(lake, cell)} to {coordinates(lake, goal)}"
        for colour, cell, goal in zip(COLOURS, cells, lake.goals, strict=False)
    ]
    return f"{captions.board(LEGEND, signs, lake.size, gap=' ')}\nRow,column of walker and flag: {'; '.join(ways)}."


def coordinates(lake: Lake, cell: int) -> str:
    """Return a cell as row,column from 0 at the top left."""
    return "{},{}".format(*divmod(cell, lake.size))


def drawn(lake: Lake, cells: Sequence[int], pixels: int) -> tuple[Picture | None, tuple[Element, ...]]:
    """Return the picture of a board, so many pixels wide at most, and its scene; 0 pixels draw nothing."""
    if not pixels:
        return None, grid.NOTHING
    size, shown = lake.size, content(lake, cells)
    kinds = np.frombuffer(shown, np.uint8).astype(np.intp).reshape(size, size)
    return grid.paint(kinds, _tiles(pixels // size)), grid.scene(NAMES, shown, size, size, pixels // size)


@lru_cache(maxsize=16)
def _tiles(size: int) -> grid.Tiles:
    """Return the tiles in the order of NAMES."""
    return grid.stack(_tile(name.split(), size) for name in NAMES)


def _tile(words: Iterable[str], size: int) -> grid.Tiles:
    canvas = sprites.ice(size)
    said = " ".join(words)
    if said.endswith("hole"):
        sprites.hole(canvas)
    if said.endswith("flag"):
        sprites.flag(canvas, said.split()[-2])
    if "walker" in said:
        sprites.walker(canvas, said.split()[0])
    return canvas.pixels
