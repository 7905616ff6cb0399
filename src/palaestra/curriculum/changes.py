"""What changed between two weightings: all that a draw in logarithmic time needs to hear of an update."""

from collections.abc import Mapping

from palaestra.core.distribution import Cell


def changed(before: Mapping[Cell, float], after: Mapping[Cell, float]) -> dict[Cell, float]:
    """Return the new weight of every cell whose weight is another one; 0 removes a cell.

    >>> from palaestra.core.observation import H0, H1
    >>> easy, hard = Cell("a/b", 0, H0), Cell("a/b", 0, H1)
    >>> list(changed({easy: 1.0}, {easy: 0.3, hard: 0.7}).values()), list(changed({easy: 1.0}, {hard: 1.0}).values())
    ([0.3, 0.7], [0.0, 1.0])
    """
    gone = {cell: 0.0 for cell, weight in before.items() if weight and not after.get(cell, 0.0)}
    return gone | {cell: weight for cell, weight in after.items() if weight != before.get(cell, 0.0)}
