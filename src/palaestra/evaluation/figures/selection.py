"""The figure of the selection: how often each pick, and each near miss, is picked from other instances; and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.core.selection import Pick
from palaestra.evaluation.figures.matrix import legend
from palaestra.evaluation.figures.sheet import INK, LINE, MAIN, MUTED, SMALL, TEXT, label, sheet, widest
from palaestra.evaluation.report import Block, Figure, Section, Table

TITLE = "The selection, and how firm it is"

NEAREST = 10
"""How many rejections are drawn, the nearest to a pick first."""

CAPTION = (
    "In how many of {draws} pools, whose profiles were made of instances drawn anew with replacement, the same method "
    "picks an environment too; conflict stays as it was measured. Picks stand in their order, below them the nearest "
    "rejections. A pick with half a bar owes its place to the few instances that happened to be played, and a "
    "rejection with half a bar as nearly had it."
)
UNCOUNTED = (
    "How often each pick would survive other instances was not counted: palaestra select --draws 100 does, given the "
    "trajectories behind the profiles."
)

PICKED: Mapping[str, Any] = {"facecolor": MAIN}
REJECTED: Mapping[str, Any] = {"facecolor": MUTED}
WIDE, ROW, HEAD = 240.0, 20.0, 30.0
"""The width of a full bar, the height of a row and of the legend [pixels]."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One environment, picked or not: its terms, and what they mean in words."""

    pick: Pick
    why: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a method chose: picks in their order, rejections from the nearest on, and over how many re-drawn sets of
    profiles inclusion is the share."""

    method: str
    picks: tuple[Verdict, ...]
    rejected: tuple[Verdict, ...] = ()
    draws: int = 0

    @property
    def env_ids(self) -> list[str]:
        """The picks, by id."""
        return [own.pick.env_id for own in self.picks]


def selection(chosen: Chosen) -> Section:
    """Return the section of a selection."""
    columns = (*(["included"] if chosen.draws else []), "why", "coverage", "redundancy", "conflict", "gain")
    picks = [(str(n), *_row(own, chosen.draws)) for n, own in enumerate(chosen.picks, 1)]
    rejected = [_row(own, chosen.draws) for own in chosen.rejected]
    words = f"The method {chosen.method} picked {len(picks)} of {len(picks) + len(rejected)} environments."
    blocks: list[Block] = [words, _drawn(chosen) if chosen.draws else UNCOUNTED]
    blocks.append(Table("Every pick, at the moment it was made", ("pick", "environment", *columns), tuple(picks), True))
    near, far = rejected[:NEAREST], rejected[NEAREST:]
    for title, rows in (("The nearest rejections, against all picks", near), ("Further rejections", far)):
        if rows:
            blocks.append(Table(title, ("environment", *columns), tuple(rows), opened=rows is near))
    return Section("selection", TITLE, tuple(blocks))


def counted(pick: Pick, draws: int) -> str:
    """Return how often an environment was picked, of how many times.

    >>> counted(Pick("a/b", 1, 0, 0, 1, inclusion=0.83), 100)
    '83 of 100'
    """
    return "" if pick.inclusion is None else f"{pick.inclusion * draws:.0f} of {draws}"


def _row(own: Verdict, draws: int) -> tuple[str, ...]:
    pick = own.pick
    terms = (f"{term:.2f}" for term in (pick.coverage, pick.redundancy, pick.conflict, pick.gain))
    return pick.env_id, *([counted(pick, draws)] if draws else []), own.why, *terms


def _drawn(chosen: Chosen) -> Figure:
    near = chosen.rejected[:NEAREST]
    rows: Sequence[tuple[Verdict, Mapping[str, Any]]] = [
        *((own, PICKED) for own in chosen.picks),
        *((own, REJECTED) for own in near),
    ]
    left = widest((label(own.pick.env_id) for own, _ in rows), TEXT) + 10
    counts = [counted(own.pick, chosen.draws) for own, _ in rows]
    with sheet(left + WIDE + 10 + widest(counts, SMALL + 1), HEAD + ROW * len(rows) + 4) as paper:
        axes = paper.panel(left, HEAD, WIDE, ROW * len(rows))
        axes.set(xlim=(0, 1), ylim=(len(rows) - 0.5, -0.5))
        for place, ((own, style), count) in enumerate(zip(rows, counts, strict=True)):
            middle = HEAD + ROW * (place + 0.5)
            axes.barh(place, 1.0, 0.6, facecolor=LINE, alpha=0.45, linewidth=0)
            axes.barh(place, own.pick.inclusion or 0.0, 0.6, linewidth=0, **style)
            colour = INK if style is PICKED else MUTED
            paper.text(left - 8, middle, label(own.pick.env_id), size=TEXT, color=colour, ha="right")
            paper.text(left + WIDE + 8, middle, count, size=SMALL + 1, color=MUTED)
        legend(paper, [(PICKED, "picked"), *([(REJECTED, "not picked, the nearest first")] if near else [])])
        firm = sum((own.pick.inclusion or 0) > 0.5 for own in chosen.picks)
        alt = f"{firm} of {len(chosen.picks)} picks are so in more than half of the pools; the table has each count."
        svg = paper.svg("selection", TITLE, alt)
    return Figure(svg, CAPTION.format(draws=chosen.draws))
