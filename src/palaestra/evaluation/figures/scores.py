"""The figure of the evaluation: success before and after training, by group and by environment."""

from collections.abc import Collection
from math import isfinite
from typing import Any

from palaestra.evaluation.compare import Difference
from palaestra.evaluation.figures.matrix import legend
from palaestra.evaluation.figures.sheet import (
    INK,
    LINE,
    MAIN,
    MUTED,
    PAPER,
    SMALL,
    Axes,
    Sheet,
    label,
    sheet,
    ticks,
    widest,
)
from palaestra.evaluation.interval import Interval
from palaestra.evaluation.judged import Judged, Judgement
from palaestra.evaluation.report import Block, Figure, Section, Table

TITLE = "Before and after training"

GROUPS = {"id_single_turn": "ID, single turn", "id_multi_turn": "ID, multi-turn", "ood": "OOD, held out"}
"""The groups that are drawn, and what they are called."""

FURTHER = {"id": "ID, all of it", "selected": "ID, trained on"}
"""Those that stand in the table only."""

VERDICTS = {
    "": "the true pictures help",
    "blind": "not better beyond noise with the true pictures than with grey ones, so not shown to see",
    "misled": "worse with the true pictures than with grey ones",
}
"""What the warnings of the blank-image probe mean."""

CAPTION = (
    "The share of problems solved: the mean over environments of the mean over scales, on test problems that training "
    "never met, with task and picture alone (H4). Lines are 95 % intervals over problems; they say nothing of how "
    "another training run would end. ID are the environments of the training pool, OOD those held out from it. Below "
    "stands each environment by itself, the most improved first. Intervals that overlap may still differ: the paired "
    "differences decide. A value without a line has no known interval."
)

BASE: dict[str, Any] = {"facecolor": PAPER, "edgecolor": MUTED, "linewidth": 1.2}
TRAINED: dict[str, Any] = {"facecolor": MAIN, "edgecolor": MAIN, "linewidth": 1.2}

WIDE, TALL, ROW, VALUES = 330.0, 46.0, 24.0, 48.0
"""The plot's width, the height of a group and of an environment, and the room for numbers [pixels]."""


def scores(judged: Judged, held_out: Collection[str]) -> Section:
    """Return the section of an evaluation."""
    base, trained = judged.base, judged.trained or Judgement(0, {}, {}, {})
    groups = tuple(
        (words, _told(base.groups.get(name)), _told(trained.groups.get(name)), *_compared(judged.differences.get(name)))
        for name, words in (GROUPS | FURTHER).items()
    )
    columns = ("group", "base", "trained", "trained less base", "beyond noise", "problems that differ", "missing")
    environments = tuple(
        (
            own,
            "OOD" if own in held_out else "ID",
            _told(base.environments.get(own)),
            _told(trained.environments.get(own)),
        )
        for own in sorted(base.environments.keys() | trained.environments.keys())
    )
    blocks: tuple[Block, ...] = (
        _lead(judged),
        *([_drawn(judged)] if environments else []),
        *([words] if (words := _words(judged)) else []),
        Table("Success by group, with 95 % intervals", columns, groups, opened=True),
        Table("Success by environment, with 95 % intervals", ("environment", "part", "base", "trained"), environments),
    )
    return Section("scores", TITLE, blocks)


def _lead(judged: Judged) -> str:
    """Return what is compared with what."""
    if judged.trained is None:
        return f"Only the base (step {judged.base.step}) was judged: there was no trained checkpoint yet."
    steps = f"the checkpoint of step {judged.trained.step} less the base (step {judged.base.step})"
    return f"Every difference is {steps}, paired by problem."


def _words(judged: Judged) -> tuple[str, ...]:
    """Return what was found in words: differences, gain, and what the pictures are worth."""
    said = []
    if judged.trained is not None:
        said += [
            f"{words}: {_signed(found.value)} in success, {'beyond noise' if found.beyond else 'not beyond noise'}."
            for name, words in (GROUPS | FURTHER).items()
            if (found := judged.differences.get(name))
        ]
    if gain := judged.gain:
        said.append(
            f"Relative gain over ID: {_signed(gain.macro_mean)} as the mean over environments, "
            f"{_signed(gain.ratio_of_means)} as the ratio of means."
        )
        if gain.base_zero:
            said.append(f"The base never won in {', '.join(gain.base_zero)}: there the gain rests on smoothing alone.")
    said += [
        f"Blank-image probe of {who} on {name.upper()}: {VERDICTS[probe.warning]} "
        f"({_signed(probe.worth.value)} in return, with true pictures less with grey ones)."
        for who, own in (("the base", judged.base), ("the trained policy", judged.trained))
        for name, probe in (own.probes.items() if own else ())
    ]
    return tuple(said)


def _drawn(judged: Judged) -> Figure:
    kinds = [(judged.base, BASE, -0.17)] + ([(judged.trained, TRAINED, 0.17)] if judged.trained else [])
    groups = [name for name in GROUPS if any(name in own.groups for own, *_ in kinds)]
    env_ids = _by_change(judged)
    names = [label(env_id) for env_id in env_ids]
    left = widest([*names, *GROUPS.values()]) + 8
    every = [one for own, *_ in kinds for one in (*own.groups.values(), *own.environments.values())]
    most = min(1.0, 1.05 * max([0.1, *(end for one in every for end in (one.value, one.high) if isfinite(end))]))
    middle, bottom = 30 + TALL * len(groups), ROW * len(env_ids)
    with sheet(left + WIDE + VALUES, middle + 14 + bottom + 44) as paper:
        bars = _panel(paper, left, 30, TALL * len(groups), [GROUPS[name] for name in groups], most)
        dots = _panel(paper, left, middle + 14, bottom, names, most)
        for own, style, beside in kinds:
            for n, name in enumerate(groups):
                if one := own.groups.get(name):
                    bars.barh(n + beside, one.value, 0.3, **style)
                    _whisker(bars, one, n + beside, INK)
                    place = 30 + TALL * (n + 0.5 + beside)
                    paper.text(left + WIDE + 10, place, f"{one.value:.3f}", size=SMALL + 1, color=INK)
            for n, env_id in enumerate(env_ids):
                if one := own.environments.get(env_id):
                    _whisker(dots, one, n + beside, style["edgecolor"])
                    dots.scatter([one.value], [n + beside], 26, **{**style, "clip_on": False, "zorder": 3})
        ticks(dots.xaxis, 5)
        keys = [(BASE, f"base, step {judged.base.step}")]
        keys += [(TRAINED, f"trained, step {judged.trained.step}")] if judged.trained else []
        legend(paper, keys, left)
        dots.set_xlabel("success rate", size=SMALL + 1, color=MUTED, labelpad=6)
        alt = f"Success in {len(groups)} groups and {len(env_ids)} environments; every number is in the tables."
        svg = paper.svg("scores", TITLE, alt)
    return Figure(svg, CAPTION)


def _by_change(judged: Judged) -> list[str]:
    """Return the judged environments, the most improved first."""
    base, after = judged.base.environments, judged.trained.environments if judged.trained else {}
    change = {
        own: after[own].value - base[own].value if own in after and own in base else 0.0 for own in (*base, *after)
    }
    return sorted(change, key=lambda own: (-change[own], own))


def _panel(paper: Sheet, left: float, top: float, tall: float, names: list[str], most: float) -> Axes:
    axes = paper.panel(left, top, WIDE, max(1, tall))
    axes.set(xlim=(0, most), ylim=(len(names) - 0.5, -0.5) if names else (0, 1))
    axes.set_yticks(range(len(names)), names)
    axes.spines["left"].set(visible=True, color=LINE)
    return axes


def _whisker(axes: Axes, own: Interval, row: float, colour: str) -> None:
    if isfinite(own.low) and isfinite(own.high):
        axes.plot([own.low, own.high], [row, row], color=colour, linewidth=1.3, clip_on=False)


def _told(own: Interval | None) -> str:
    """Return an interval in words, None as no problem."""
    if own is None:
        return "no problem"
    return str(own) if isfinite(own.low) and isfinite(own.high) else f"{own.value:.3f}, interval unknown, n = {own.n}"


def _signed(own: Interval) -> str:
    """Return a difference in words."""
    if not (isfinite(own.value) and isfinite(own.low) and isfinite(own.high)):
        return f"{own.value:+.3f}, interval unknown, n = {own.n}" if isfinite(own.value) else f"undefined, n = {own.n}"
    return f"{own.value:+.3f} [{own.low:+.3f}, {own.high:+.3f}], n = {own.n}"


def _compared(found: Difference | None) -> tuple[str, str, str, str]:
    if found is None:
        return "not compared", "", "", ""
    return _signed(found.value), "yes" if found.beyond else "no", str(found.differing), str(found.missing)
