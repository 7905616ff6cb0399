"""The figure of coverage: how fast the picks of every method cover the core abilities, against picks at random."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from palaestra.core.profile import AbilityProfile
from palaestra.evaluation.figures.sheet import INK, LINE, MAIN, MUTED, SMALL, Floats, label, sheet, ticks, widest
from palaestra.evaluation.report import Figure, Section, Table

TITLE = "Coverage by number of picks"

AES = "aes"
"""The method that is highlighted."""

ORDERS = 1000
"""How many random orders are drawn."""

CAPTION = (
    "How many of the pool's {all} core abilities at least one picked environment has, after each pick, for every "
    "method that was run here; a point ends a choice. The dashed grey line is the mean over {orders} random orders of "
    "the same pool (seed 0), the band holds nine in ten of them at each number of picks. A curve above the band covers "
    "abilities faster than picking at random; that says nothing yet of how well training on them goes."
)

Look = Mapping[str, Any]
"""How matplotlib draws a line."""

RIVALS: Sequence[Look] = [
    {"color": colour, "linestyle": style}
    for style in ("-", (0, (4, 1.5)), (0, (1, 1)))
    for colour in ("#d55e00", "#009e73", "#b56bc0", "#a8860b")
]
"""How the other methods are drawn: hues and dashes that all kinds of colour vision tell apart, by day and by night."""

WIDTH, PLOT, LEFT, LINED = 540.0, 230.0, 46.0, 22.0
"""The drawing's width, the plot's height, the room left of it, and the length of a legend's line [pixels]."""

RANDOM: Look = {"color": MUTED, "linewidth": 1.4, "linestyle": (0, (5, 3))}


def coverage(profiles: Sequence[AbilityProfile], chosen: Mapping[str, Sequence[str]]) -> Section:
    """Return the section of what some methods chose, by their names; each choice is ids in the order of picking."""
    core = {own.env_id: frozenset(own.core) for own in profiles}
    every = sorted(frozenset[str]().union(*core.values()))
    has_EA = np.array([[ability in own for ability in every] for own in core.values()], bool).reshape(len(core), -1)
    place = {env_id: e for e, env_id in enumerate(core)}
    curves = {
        method: np.logical_or.accumulate(has_EA[[place[env_id] for env_id in ids]]).sum(axis=1)
        for method, ids in chosen.items()
    }
    mean_E, low_E, high_E = random_orders(has_EA)
    rows = tuple(
        (
            str(n + 1),
            *(str(curve[n]) if n < len(curve) else "" for curve in curves.values()),
            f"{mean_E[n]:.1f} ({low_E[n]:.0f} to {high_E[n]:.0f})",
        )
        for n in range(max(map(len, curves.values())))
    )
    columns = ("picks", *curves, "random: mean (5 to 95 %)")
    table = Table(f"Core abilities covered, of {len(every)}", columns, rows, len(rows) <= 15)
    return Section("coverage", TITLE, (_drawn(curves, mean_E, low_E, high_E, len(every)), table))


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


def _drawn(curves: Mapping[str, Sequence[int]], mean_E: Floats, low_E: Floats, high_E: Floats, every: int) -> Figure:
    looks, n = _looks(curves), len(mean_E)
    entries = _placed([*looks.items(), ("random orders: mean and 5 to 95 %", RANDOM)])
    head = entries[-1][1] + 24
    with sheet(WIDTH, head + PLOT + 48) as paper:
        for left, top, words, look in entries:
            paper.line(left, top, LINED, **look)
            paper.text(left + LINED + 6, top, words, size=SMALL + 1, color=INK if look["color"] == MAIN else MUTED)
        axes = paper.panel(LEFT, head, WIDTH - LEFT - 12, PLOT)
        axes.set(xlim=(0, n * 1.02), ylim=(0, max(1, every) * 1.06))
        ticks(axes.xaxis, 8, whole=True)
        ticks(axes.yaxis, 6, whole=True)
        axes.grid(axis="y", color=LINE, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.fill_between(range(n + 1), [0, *low_E], [0, *high_E], color=MUTED, alpha=0.22, linewidth=0)
        axes.plot(range(n + 1), [0, *mean_E], **RANDOM)
        for method, look in reversed(looks.items()):
            axes.plot([0, *curves[method]], marker="o", markersize=4, markevery=[-1], clip_on=False, **look)
        said = {"color": MUTED, "size": SMALL + 1}
        axes.set_xlabel("environments picked", labelpad=6, **said)
        axes.set_ylabel("core abilities covered", labelpad=6, **said)
        ends = (f"{label(method)} {curve[-1]} in {len(curve)}" for method, curve in curves.items() if len(curve))
        svg = paper.svg("coverage", TITLE, f"Of {every} core abilities, in so many picks: {', '.join(ends)}.")
    return Figure(svg, CAPTION.format(all=every, orders=ORDERS))


def _looks(methods: Iterable[str]) -> dict[str, Look]:
    """Return how each method is drawn, the highlighted one first: AES, or the first one where AES was not run."""
    first, *rest = sorted(methods, key=lambda method: method != AES)
    rivals = {method: {**RIVALS[n % len(RIVALS)], "linewidth": 1.4} for n, method in enumerate(rest)}
    return {first: {"color": MAIN, "linewidth": 2.6}, **rivals}


def _placed(looks: Sequence[tuple[str, Look]]) -> list[tuple[float, float, str, Look]]:
    """Return the entries of a legend, each with where it begins: from the left, from the top, and its words."""
    left, top, found = 0.0, 10.0, []
    for method, look in looks:
        words = label(method)
        width = LINED + 6 + widest([words], SMALL + 1)
        if left and left + width > WIDTH:
            left, top = 0.0, top + 18
        found.append((left, top, words, look))
        left += width + 18
    return found
