"""The figure of conflict: the cosine between the mean gradients of each pair of environments."""

from collections.abc import Mapping, Sequence

import numpy as np

from palaestra.core.gradient import Cosine
from palaestra.evaluation.figures.matrix import MARK, UNMEASURED, legend, matrix
from palaestra.evaluation.figures.sheet import INK, MUTED, SMALL, Floats, raster, squares, widest
from palaestra.evaluation.report import Figure, Section, Table

TITLE = "Conflict between gradients"

WITH, AGAINST = (0.16, 0.49, 0.75), (0.90, 0.45, 0.05)
"""Blue where gradients agree and orange where they oppose: told apart by every kind of colour vision."""

LEAST = 0.1
"""The scale of colours reaches at least so far, so that noise around 0 stays pale."""


CAPTION = (
    "A cell is the cosine between the mean policy gradients of two environments, corrected for noise and shrunk "
    "towards the pool (its posterior mean): blue where they pull together, orange where they pull against one another, "
    "pale around 0. Grey cells are unmeasured: it is not sure that a tenth of what was seen of a gradient is signal, "
    "or there was none at all. That is not the same as free of conflict. Each number's standard error is in the table; "
    "a cosine less than two of them from 0 is no finding. {marked}"
)

Pair = tuple[str, str]


def conflict(cosines: Mapping[Pair, Cosine], picked: Sequence[str], without: Sequence[str]) -> Section:
    """Return the section that shows the cosines of all pairs.

    Args:
        cosines: by pair of ids, each pair once.
        picked: the environments that were picked, in their order.
        without: environments that were profiled and have no sketch.
    """
    place = {env_id: n for n, env_id in enumerate(picked)}
    named = {env_id for pair in cosines for env_id in pair}.union(without)
    env_ids = sorted(named, key=lambda own: (place.get(own, len(place)), own))
    ranked = sorted(
        cosines.items(), key=lambda item: (not item[1].measured, item[1].posterior if item[1].measured else 0, item[0])
    )
    rows = tuple((*pair, *_numbers(own)) for pair, own in ranked)
    columns = ("environment", "environment", "cosine", "corrected", "standard error", "naive", "reliability")
    measured = sum(own.measured for own in cosines.values())
    words = [f"{measured} of {len(cosines)} pairs are measured."]
    if without:
        words.append(f"Without a sketch, and so unmeasured throughout: {', '.join(without)}.")
    drawn = _drawn(env_ids, cosines, frozenset(place))
    return Section(
        "conflict", TITLE, (" ".join(words), drawn, Table("Every pair, the most opposed first", columns, rows))
    )


def _drawn(env_ids: Sequence[str], cosines: Mapping[Pair, Cosine], picked: frozenset[str]) -> Figure:
    at = {env_id: n for n, env_id in enumerate(env_ids)}
    # the lower triangle: a row is the one of the pair that comes later
    known = {(max(at[a], at[b]), min(at[a], at[b])): own.posterior for (a, b), own in cosines.items() if own.measured}
    reach = max([LEAST, *(abs(value) for value in known.values())])
    colours_RCX = np.zeros((len(env_ids), len(env_ids), 4))
    for cell, value in known.items():
        colours_RCX[cell] = _colour(value / reach)
    with matrix(env_ids[1:], env_ids[:-1], picked, head=46, narrowest=330) as (paper, axes, cell_width):
        raster(axes, colours_RCX[1:, :-1], (-0.5, len(env_ids) - 1.5, len(env_ids) - 1.5, -0.5))
        pairs = ((row, column) for row in range(len(env_ids)) for column in range(row))
        blind = [(column, row - 1) for row, column in pairs if (row, column) not in known]
        squares(axes, blind, [0.92] * len(blind), **UNMEASURED)
        if cell_width >= 28:
            style = {"size": SMALL, "color": INK, "ha": "center", "va": "center_baseline"}
            for (row, column), value in known.items():
                axes.text(column, row - 1, f"{value:+.2f}".replace("0.", ".").replace("-", "\N{MINUS SIGN}"), **style)
        ends = [f"{sign}{reach:.2f}" for sign in "\N{MINUS SIGN}+"]
        start = widest(ends, SMALL + 1) + 5
        bar = paper.panel(start, 3, 120, 13)
        raster(bar, np.array([[_colour(share) for share in np.linspace(-1, 1, 41)]]), (0, 1, 0, 1))
        legend(paper, [({}, ends[0])])
        legend(paper, [({}, ends[1]), (UNMEASURED, "unmeasured")], left=start + 125)
        paper.text(0, 32, f"{MARK}picked", size=SMALL + 1, color=MUTED)
        alt = f"All pairs of {len(env_ids)} environments, {len(known)} of them measured; every number is in the table."
        svg = paper.svg("conflict", TITLE, alt)
    return Figure(svg, CAPTION.format(marked="Picked environments come first." if picked else "").rstrip())


def _colour(share: float) -> Floats:
    """Return the colour [4] of a share of the scale in [-1, 1]: the paler the nearer to 0, whatever lies under it."""
    return np.array([*(AGAINST if share < 0 else WITH), abs(share)])


def _numbers(own: Cosine) -> tuple[str, ...]:
    told = f"{own.reliability:.2f}"
    if not own.measured:
        return "unmeasured", "", "", f"{own.naive:+.3f}", told
    return f"{own.posterior:+.3f}", f"{own.corrected:+.3f}", f"{own.se:.3f}", f"{own.naive:+.3f}", told
