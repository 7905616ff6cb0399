"""Success by environment and rung while a run trains, as a table that fits the terminal whatever its size."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.console import Console, ConsoleDimensions, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from palaestra.cli.console import Progress, table
from palaestra.core.observation import HARNESSES
from palaestra.core.rate import Rate
from palaestra.pipeline.standing import RECENT, Standing

FRAME = 5
"""Lines that are not an environment's: titles, the sum, the caption, the bar, and one for the cursor."""

CAPTION = f"judged in the last {RECENT} updates, by the rung of their group"

LOOKS = ((True, True, 2), (True, True, 1), (True, False, 1), (False, True, 1), (False, False, 1))
"""With a column for each rung or without, with scales or without, and the space between columns, the best first."""

NONE = Rate(0, 0)


class Scoreboard:
    """How a run stands: all environments where there is room for them, else the best and the worst; fewer columns where
    the terminal is narrow, and nothing where it is too small for any."""

    def __init__(self, now: Standing) -> None:
        self.now = now
        self._drawn: dict[ConsoleDimensions, list[Segment]] = {}  # a bar draws it again and again

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.size not in self._drawn:
            self._drawn[options.size] = [*console.render(self._fitting(console, options), options)]
        yield from self._drawn[options.size]

    def _fitting(self, console: Console, options: ConsoleOptions) -> RenderableType:
        rows, boundless = options.size.height - FRAME, options.update(width=10_000)
        for look in LOOKS if rows >= 3 else ():
            found = _table(self.now, rows, *look)
            if console.measure(found, options=boundless).maximum <= options.max_width:
                return Group(found, Text(CAPTION, "dim italic", no_wrap=True, overflow="ellipsis"))
        return Group()


def watching(bar: Progress) -> Callable[[Standing], None]:
    """Return what shows on a bar how a run stands."""
    return lambda now: bar(now.done, now.total, f"success {now.success.hits}/{now.success.n}", Scoreboard(now))


def shown(rates: Sequence[Rate], rows: int) -> list[int | None]:
    """Return which of some environments get a row; None is the row that says how many do not.

    All of them in their order, if there is room; else those that are surely best, and those that are surely worst.

    >>> shown([Rate(1, 2), Rate(0, 9)], 2)
    [0, 1]
    >>> shown([Rate(0, 9), Rate(0, 0), Rate(0, 2), Rate(9, 9), Rate(4, 9)], 4)
    [3, 4, None, 0]
    """
    if len(rates) <= rows:
        return [*range(len(rates))]
    won = [k for k in range(len(rates)) if rates[k].hits]
    best = sorted(won, key=lambda k: -rates[k].low)[: rows // 2]
    others = sorted({*range(len(rates))} - {*best}, key=lambda k: -rates[k].high)
    return [*best, None, *others[len(others) - (rows - 1 - len(best)) :]]


def span(scales: Iterable[int]) -> str:
    """Return scales as text, neighbours drawn together.

    >>> span([2, 0, 1, 4])
    '0-2, 4'
    """
    runs: list[list[int]] = []
    for scale in sorted(scales):
        if runs and scale == runs[-1][-1] + 1:
            runs[-1].append(scale)
        else:
            runs.append([scale])
    return ", ".join("-".join(map(str, dict.fromkeys((run[0], run[-1])))) for run in runs)


def in_play(shares: Mapping[str, float]) -> list[str]:
    """Return what has a tenth at least: a guard's floor keeps a little of everything."""
    return [name for name, share in shares.items() if share >= 0.1]


def _table(now: Standing, rows: int, rungs: bool, scales: bool, space: int) -> Table:
    """Return at most so many rows and the sum of all, in one of the `LOOKS`."""
    names = [name for name in HARNESSES if rungs and any(rung == name for _, rung, _ in now.cells)]
    found = table("environment", *names, "success", *["scales"] * scales)
    found.padding = (0, space, 0, 0)
    for column in found.columns[1:]:
        column.justify, column.no_wrap = "right", True
    counts: dict[str, dict[str, Rate]] = {env_id: {} for env_id in now.shares}
    for (env_id, rung, _), rate in now.cells.items():
        own = counts.setdefault(env_id, {})
        own[rung] = _sum((own.get(rung, NONE), rate))
    ids, totals = [*counts], [_sum(own.values()) for own in counts.values()]
    chosen = shown(totals, rows)
    for k in chosen:
        if k is None:
            found.add_row(Text(f"and {len(ids) - len(chosen) + 1} more", "dim"))
            continue
        own, share = counts[ids[k]], now.shares.get(ids[k], {})
        drawn, at = in_play(share.get("harness", {})), in_play(share.get("scale", {}))
        rates = (_counted(own.get(name, NONE), "" if name in drawn else "dim") for name in names)
        found.add_row(Text(ids[k], "bold cyan"), *rates, _counted(totals[k]), *[span(map(int, at))] * scales)
    sums = (_counted(_sum(own.get(name, NONE) for own in counts.values())) for name in names)
    found.add_row(Text(f"all {len(ids)}"), *sums, _counted(_sum(totals)))
    return found


def _sum(rates: Iterable[Rate]) -> Rate:
    every = [*rates]
    return Rate(sum(rate.hits for rate in every), sum(rate.n for rate in every))


def _counted(rate: Rate, style: str = "") -> Text:
    """Return hits and count, a dot where nothing was played."""
    return Text(f"{rate.hits}/{rate.n}", style) if rate.n else Text("\N{MIDDLE DOT}", "dim")
