"""``palaestra check``: the conformance suite, for the registry and for environments outside the house."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import chain
from multiprocessing import get_context
from typing import Annotated

import typer
from rich.text import Text

from palaestra.cli.console import OUT, emit, progress, say, table
from palaestra.cli.options import Json, NoSeed
from palaestra.core.errors import ConfigError, EnvironmentFailed, nearest
from palaestra.envs import registry
from palaestra.envs.check import CHECKS, QUICK, THOROUGH, Failure, run
from palaestra.envs.check.sandbox import check_outside
from palaestra.envs.held_out import HELD_OUT
from palaestra.pipeline import card

FAILED = 1
NAMED = 8
"""How many environments a warning names."""


def check(
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID|MODULE|FILE.py", help="What to check.", show_default="the whole registry"),
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="CHECK", help="Run this check; may be repeated.")] = None,
    thorough: Annotated[bool, typer.Option("--thorough", help="Sweep: 10,000 problems of each scale.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes that check environments side by side.")] = 1,
    json: Json = False,
    seed: NoSeed = 0,
) -> None:
    """Check that environments keep their contract.

    Exit code 1 when one does not. A module or a file outside the registry runs in a process of its own, with limits.
    A whole registry that passes is compared with the pool that the tiny base has learnt from.
    """
    checks = list(dict.fromkeys(only or CHECKS))
    for name in checks:
        if name not in CHECKS:
            raise ConfigError(f"no check is called {name!r}{nearest(name, CHECKS)}")
    asked, known = list(dict.fromkeys(places or registry.ids())), registry.ids()
    for place in filter(registry.is_id, asked):
        if place not in known:
            registry.get(place)  # raises, and names the nearest one
    found: dict[str, Sequence[Failure]] = {}
    with progress("checking") as told:
        if workers == 1:

            def begun(name: str) -> None:
                told(len(found) * len(checks) + checks.index(name), len(asked) * len(checks), place)

            for place in asked:
                found[place] = _failures(place, checks, thorough, begun)
        else:
            with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
                orders = {pool.submit(_failures, place, checks, thorough): place for place in asked}
                for done, order in enumerate(as_completed(orders), 1):
                    found[orders[order]] = order.result()
                    told(done, len(asked))
            found = {place: found[place] for place in asked}
    sound = places is None and not any(found.values())
    warnings = _warnings() if sound else []
    for warning in warnings:
        say(f"warning: {warning}", "yellow")
    if json:
        failed = [failure._asdict() for failure in chain(*found.values())]
        passed = sum(not failures for failures in found.values())
        emit({"environments": len(found), "passed": passed, "failed": failed, "warnings": warnings})
    else:
        _print(found, len(checks))
    if any(found.values()):
        raise typer.Exit(FAILED)


def _failures(
    place: str, checks: Sequence[str], thorough: bool, begun: Callable[[str], None] = lambda name: None
) -> Sequence[Failure]:
    """Return what is wrong with one environment; that it cannot be checked at all is wrong, too.

    An environment outside is named by its place: its id may be that of another.
    """
    try:
        if registry.is_id(place):
            return run(registry.get(place), checks, THOROUGH if thorough else QUICK, begun)
        return [failure._replace(id=place) for failure in check_outside(place, checks, thorough)]
    except EnvironmentFailed as error:
        return [Failure(place, "import" if registry.is_id(place) else "sandbox", str(error))]


def _warnings() -> list[str]:
    """Return what is no fault of an environment, when the whole registry has passed."""
    differ = card.outdated(registry.pool(place for place in registry.ids() if place not in HELD_OUT))
    if not differ:
        return []
    named = ", ".join(differ[:NAMED]) + (f" and {len(differ) - NAMED} more" if len(differ) > NAMED else "")
    found = f"{len(differ)} environments differ: {named}"
    return [f"the base that comes with the package was made with another pool: {found}; make base makes it anew"]


def _print(found: Mapping[str, Sequence[Failure]], checks: int) -> None:
    """Print a table of verdicts, then one line for each failure, however long."""
    rows = table("verdict", "checks", "environment")
    for place, failures in found.items():
        verdict = Text("failed", "red") if failures else Text("passed", "green")
        failed = {failure.check for failure in failures}
        passed = f"{checks - len(failed)} of {checks}" if failed <= CHECKS.keys() else "none ran"
        rows.add_row(verdict, passed, Text(place, "bold cyan", overflow="fold"))
    OUT.print(rows)
    for failure in chain(*found.values()):
        OUT.print(Text.assemble((f"{failure.id} {failure.check}: ", "red"), failure.detail), soft_wrap=True)
