"""The figure of the selection: how fast its picks cover the core abilities, against picks at random."""

from collections.abc import Sequence

import numpy as np

from palaestra.core.profile import AbilityProfile
from palaestra.core.selection import Pick
from palaestra.evaluation.figures.sheet import INK, LINE, MAIN, MUTED, SMALL, Floats, label, sheet, ticks, widest
from palaestra.evaluation.report import Figure, Section, Table

TITLE = "Coverage of the selection"

ORDERS = 1000
"""How many random orders are drawn."""

CAPTION = (
    "How many of the pool's {all} core abilities at least one picked environment has, after each pick. The grey line "
    "is the mean over {orders} random orders of the same pool (seed 0), the band holds nine in ten of them at each "
    "number of picks. A curve above the band covers abilities faster than picking at random; that says nothing yet of "
    "how well training on them goes."
)


def coverage(profiles: Sequence[AbilityProfile], picks: Sequence[Pick], method: str) -> Section:
    """Return the section of a selection from some profiles."""
    core = {own.env_id: frozenset(own.core) for own in profiles}
    every = sorted(frozenset[str]().union(*core.values()))
    has_EA = np.array([[ability in own for ability in every] for own in core.values()], bool).reshape(len(core), -1)
    order = [list(core).index(pick.env_id) for pick in picks]
    curve = np.logical_or.accumulate(has_EA[order]).sum(axis=1)
    mean_E, low_E, high_E = random_orders(has_EA)
    inclusion = ["inclusion"] if any(pick.inclusion is not None for pick in picks) else []
    rows = tuple(
        (
            str(n + 1),
            pick.env_id,
            *(f"{term:.2f}" for term in (pick.coverage, pick.redundancy, pick.conflict, pick.gain)),
            *([] if not inclusion else ["" if pick.inclusion is None else f"{pick.inclusion:.2f}"]),
            f"{curve[n]} of {len(every)}",
            f"{mean_E[n]:.1f} ({low_E[n]:.0f} to {high_E[n]:.0f})",
        )
        for n, pick in enumerate(picks)
    )
    columns = ("pick", "environment", "coverage", "redundancy", "conflict", "gain", *inclusion)
    table = Table("Every pick", (*columns, "core abilities covered", "random: mean (5 to 95 %)"), rows, len(rows) <= 15)
    words = f"The method {method} picked {len(picks)} of {len(core)} environments."
    drawn = _drawn(curve, mean_E, low_E, high_E, len(every), label(method))
    return Section("coverage", TITLE, (words, drawn, table))


def random_orders(
    has_EA: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], seed: int = 0
) -> tuple[Floats, Floats, Floats]:
    """Return how many abilities random orders cover after each pick: the mean, and the 5th and 95th percentile [E]."""
    rng = np.random.default_rng(seed)
    counts_OE = np.array(
        [np.logical_or.accumulate(has_EA[rng.permutation(len(has_EA))]).sum(axis=1) for _ in range(ORDERS)], float
    )
    low_E, high_E = np.quantile(counts_OE, (0.05, 0.95), axis=0)
    return counts_OE.mean(axis=0), low_E, high_E


def _drawn(curve: Sequence[int], mean_E: Floats, low_E: Floats, high_E: Floats, every: int, method: str) -> Figure:
    width, height, left, top = 540.0, 300.0, 46.0, 34.0
    with sheet(width, height) as paper:
        axes = paper.panel(left, top, width - left - 12, height - top - 48)
        n = len(mean_E)
        axes.set(xlim=(0, n * 1.02), ylim=(0, max(1, every) * 1.06))
        ticks(axes.xaxis, 8, whole=True)
        ticks(axes.yaxis, 6, whole=True)
        axes.grid(axis="y", color=LINE, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.fill_between(range(n + 1), [0, *low_E], [0, *high_E], color=MUTED, alpha=0.22, linewidth=0)
        axes.plot(range(n + 1), [0, *mean_E], color=MUTED, linewidth=1.4, dashes=(5, 3))
        style = {"color": MAIN, "linewidth": 2, "marker": "o", "markersize": 4, "clip_on": False, "zorder": 3}
        axes.plot(range(len(curve) + 1), [0, *curve], **style)
        paper.line(0, 10, 22, color=MAIN, linewidth=2)
        paper.text(28, 10, method, size=SMALL + 1, color=INK)
        beside = 28 + widest([method], SMALL + 1) + 20
        paper.line(beside, 10, 22, color=MUTED, linewidth=1.4, dashes=(5, 3))
        paper.text(beside + 28, 10, "random orders: mean and 5 to 95 %", size=SMALL + 1, color=MUTED)
        said = {"color": MUTED, "size": SMALL + 1}
        axes.set_xlabel("environments picked", labelpad=6, **said)
        axes.set_ylabel("core abilities covered", labelpad=6, **said)
        alt = f"{method} covers {curve[-1] if len(curve) else 0} of {every} core abilities in {len(curve)} picks."
        svg = paper.svg("coverage", TITLE, alt)
    return Figure(svg, CAPTION.format(all=every, orders=ORDERS))
