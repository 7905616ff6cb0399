"""Where output goes, and the one place where errors become exit codes.

Data goes to stdout. Progress and messages go to stderr, progress only when that is a terminal.
"""

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Protocol

import typer
from rich import progress as bars
from rich.console import Console, RenderableType
from rich.table import Table

from palaestra.core.errors import PalaestraError

BAD_INPUT, INTERNAL, STOPPED = 2, 70, 130

# A pipe has no width: tables for it are wide enough not to break their lines.
OUT = Console(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 140, highlight=False)
ERR = Console(stderr=True, highlight=False)


class Progress(Protocol):
    """Told how much of how much is done, what else the bar shall say, and what shall stand above it."""

    def __call__(self, done: int, total: int, note: str = "", above: RenderableType = "") -> None: ...


class Bar(bars.Progress):
    """A bar with room for more above it."""

    above: RenderableType = ""

    def get_renderables(self) -> Iterable[RenderableType]:
        """Return what is shown, from the top."""
        return [*([self.above] if self.above else []), self.make_tasks_table(self.tasks)]


def emit(data: Any) -> None:
    """Print data as JSON: finite numbers, and ASCII, so that no terminal's encoding can refuse it."""
    print(json.dumps(data, indent=2, allow_nan=False), flush=True)


def say(message: str, style: str = "dim") -> None:
    """Print one message on stderr as it stands: neither markup nor line breaks are made of it."""
    ERR.print(message, style=style, markup=False, soft_wrap=True)


def table(*titles: str) -> Table:
    """Return an empty table in the style of the house: all columns but the first wrap where the terminal is narrow."""
    empty = Table(*titles, box=None, header_style="dim", padding=(0, 2, 0, 0))
    for column in empty.columns[1:]:
        column.overflow = "fold"  # a narrow terminal breaks words, but loses no number
    empty.columns[0].no_wrap = True
    return empty


@contextmanager
def progress(title: str, hidden: bool = False) -> Iterator[Progress]:
    """Show a bar while the block runs, if stderr is a terminal; the block reports through the value."""
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeRemainingColumn(),
    )
    with Bar(*columns, console=ERR, transient=True, disable=hidden or not ERR.is_terminal, refresh_per_second=4) as bar:
        task = bar.add_task(title, total=None)

        def told(done: int, total: int, note: str = "", above: RenderableType = "") -> None:
            bar.above = above
            bar.update(task, completed=done, total=total, description=f"{title} {note}".rstrip())

        yield told


@contextmanager
def stages() -> Iterator[Callable[[str], Progress]]:
    """Give what is told the name of each part of the block's work as it begins, and returns that part's bar."""
    with ExitStack() as shown:

        def told(name: str) -> Progress:
            shown.close()
            say(name)
            return shown.enter_context(progress(name))

        yield told


@contextmanager
def reported() -> Iterator[None]:
    """Turn whatever a verb raises into one message and an exit code; as a decorator, it wraps the verb."""
    try:
        yield
    except (typer.Exit, BrokenPipeError):  # typer ends quietly when nobody reads on
        raise
    except KeyboardInterrupt as stop:
        say("; ".join(["stopped", *map(str, stop.args)]), "yellow")
        raise typer.Exit(STOPPED) from None
    except PalaestraError as error:
        say(f"palaestra: {error}", "red")
        raise typer.Exit(BAD_INPUT) from None
    except OSError as error:  # such as a full disk behind stdout
        with suppress(OSError):
            say(f"palaestra: {error}", "red")
        raise typer.Exit(BAD_INPUT) from None
    except Exception as error:
        if os.environ.get("PALAESTRA_DEBUG"):
            traceback.print_exc()
        advice = "please report, run with PALAESTRA_DEBUG=1 for the traceback"
        say(f"internal error: {type(error).__name__}: {error}; {advice}", "red")
        raise typer.Exit(INTERNAL) from None
