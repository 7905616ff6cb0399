"""The forms in which a caption names things at cells, and the reader that holds captions against scenes.

A *board* is a legend and rows of one sign a cell; *rows* have one word a cell; a *listing* names each thing with its
row and column. Rows and columns count from 0 at the top left.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

Cell = tuple[int, int]

_LEGEND = re.compile(r"^Map \((.+)\):$")
_ROWS = re.compile(r"^Rows: (.+)\.$")
_ENTRY = re.compile(r"([a-z][a-z0-9 ]*?) at (\d+),(\d+)")


def board(legend: Mapping[str, str], signs: str, columns: int, gap: str = "") -> str:
    """Return a board: `legend` maps one sign to a name, `signs` hold one for each cell, row by row; `gap` lies between.

    >>> print(board({".": "ice", "@": "you"}, "@...", columns=2))
    Map (. ice, @ you):
    @.
    ..
    """
    meaning = ", ".join([f"{sign} {name}" for sign, name in legend.items() if sign in signs])
    rows = [gap.join(signs[start : start + columns]) for start in range(0, len(signs), columns)]
    return "\n".join([f"Map ({meaning}):", *rows])


def rows(words: Sequence[str], columns: int) -> str:
    """Return rows of one word a cell, for boards whose things are told apart by what is written on them.

    >>> rows(["2", "3", "1", "gap"], columns=2)
    'Rows: 2 3; 1 gap.'
    """
    return f"Rows: {'; '.join(' '.join(words[k : k + columns]) for k in range(0, len(words), columns))}."


def listing(things: Iterable[tuple[str, Cell]]) -> str:
    """Return a listing of lower-case names with their cells.

    >>> listing([("red circle", (0, 2)), ("blue square", (1, 0))])
    'red circle at 0,2; blue square at 1,0'
    """
    return "; ".join(f"{name} at {row},{column}" for name, (row, column) in things)


def read(caption: str) -> Counter[tuple[str, Cell]]:
    """Return how often a caption names each thing at each cell, in any form.

    >>> sorted(read("Map (. ice, @ you):\\n@.").elements())
    [('ice', (0, 1)), ('you', (0, 0))]
    """
    found: Counter[tuple[str, Cell]] = Counter()
    legend: dict[str, str] = {}
    row = 0
    for line in caption.splitlines():
        if match := _LEGEND.match(line):
            legend = {part[0]: part[2:] for part in match[1].split(", ")}
            row = 0
        elif legend and line and set(line) <= {" ", *legend}:
            signs = line if " " in legend else line.replace(" ", "")
            found.update((legend[sign], (row, column)) for column, sign in enumerate(signs))
            row += 1
        elif match := _ROWS.match(line):
            lines = [words.split() for words in match[1].split("; ")]
            found.update((word, (row, column)) for row, words in enumerate(lines) for column, word in enumerate(words))
        else:
            found.update((name, (int(r), int(c))) for name, r, c in _ENTRY.findall(line))
    return found
