"""A matrix with named rows and columns, on a sheet that is as large as its labels and cells need."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from palaestra.evaluation.figures.sheet import INK, LINE, MUTED, SMALL, TEXT, Axes, Sheet, label, sheet, widest

WIDEST, NARROWEST, ROOM = 30.0, 11.0, 620.0
"""How wide a column may be, how narrow, and how much all of them take before they shrink [pixels]."""

MARK = "\N{BLACK CIRCLE} "
"""Stands before the name of an environment that was picked."""

UNMEASURED = {"facecolor": MUTED, "alpha": 0.28}
"""How a cell looks of which nothing is known; an empty one is known to be nothing."""

GAP = 8.0


@contextmanager
def matrix(
    rows: Sequence[str], columns: Sequence[str], marked: frozenset[str], head: float, narrowest: float = 0.0
) -> Iterator[tuple[Sheet, Axes, float]]:
    """Give a sheet, axes on which cell (row, column) has its centre at (column, row), and the width of a cell [pixels].

    Args:
        rows: their names, from the top.
        columns: their names, from the left; they stand upright above.
        marked: the names that are set off.
        head: the height that is kept free for a legend [pixels].
        narrowest: the width that the legend needs [pixels].
    """
    cell = min(WIDEST, max(NARROWEST, ROOM / max(1, len(columns))))
    height = min(cell, 22.0) if len(rows) <= 60 else 14.0
    row_names, column_names = ([_named(name, marked) for name in names] for names in (rows, columns))
    size = min(TEXT, cell - 2)
    left, top = widest(row_names, min(TEXT, height), "bold") + GAP, head + widest(column_names, size, "bold") + GAP
    width, tall = cell * len(columns), height * len(rows)
    with sheet(max(left + width + 2, narrowest), top + tall + 2) as paper:
        axes = paper.panel(left, top, width, tall)
        axes.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5))
        axes.set_yticks(range(len(rows)), row_names, fontsize=min(TEXT, height))
        lines = [row + 0.5 for row in range(len(rows) - 1)]
        axes.hlines(lines, -0.5, len(columns) - 0.5, color=LINE, linewidth=0.4, zorder=0)
        axes.xaxis.tick_top()
        upright = {"rotation": 90, "rotation_mode": "anchor", "ha": "left", "va": "center"}
        axes.set_xticks(range(len(columns)), column_names, fontsize=size, **upright)
        for names, ticks in ((rows, axes.get_yticklabels()), (columns, axes.get_xticklabels())):
            for name, tick in zip(names, ticks, strict=True):
                tick.set(color=INK, fontweight="bold" if name in marked else "normal")
        yield paper, axes, cell


def legend(paper: Sheet, items: Sequence[tuple[Mapping[str, Any], str]], left: float = 0.0) -> None:
    """Draw boxes with words along the top of a sheet; without a style there are only words."""
    for style, words in items:
        if style:
            paper.box(left, 3, 13, **style)
            left += 18
        paper.text(left, 10, words, size=SMALL + 1, color=MUTED)
        left += widest([words], SMALL + 1) + 18


def _named(name: str, marked: frozenset[str]) -> str:
    return MARK * (name in marked) + label(name)
