"""``palaestra bench select``: how long choosing from large pools takes, and measuring the conflict of a real one."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from palaestra.cli.bench import choosing, conflicts
from palaestra.cli.console import OUT, emit, progress, table
from palaestra.cli.options import Json, Seed

PAPER, PEER = 30, 100
"""How many are picked from the smaller pool: as in the paper, and beside others."""


def bench_selection(
    small: Annotated[int, typer.Option(min=1, help="Environments with batches of sketches.")] = 1000,
    large: Annotated[int, typer.Option(min=1, help="Environments with mean sketches.")] = 10_000,
    environments: Annotated[
        int, typer.Option(min=1, help="Environments whose conflict is measured.")
    ] = conflicts.ENVIRONMENTS,
    k: Annotated[int, typer.Option("--k", min=1, help="How many are picked from the larger pool.")] = 300,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure processor time and memory of AES, posterior and naive, compare with plain greedy and apricot, and measure
    the conflict of a real pool."""
    few, more = min(PAPER, small), min(PEER, small)
    with progress("measuring") as told:
        told(0, 5, "posterior")
        found: dict[str, Any] = {f"n{small}": choosing.taken("posterior", small, few, seed)}
        told(1, 5, "naive")
        found[f"n{large}"] = choosing.taken("naive", large, min(k, large), seed)
        told(2, 5, "plain")
        plain = choosing.against_plain(small, more, seed)
        told(3, 5, "apricot")
        found["ratios"] = {"plain": plain, **choosing.against_apricot(small, more, seed)}
        told(4, 5, "conflict")
        found["conflict"] = conflicts.measured(environments, seed)
    if json:
        emit(found)
    else:
        OUT.print(_table(found), _compared(found["ratios"]), _conflict(found["conflict"]), sep="\n\n")


def _table(found: Mapping[str, Any]) -> Table:
    rows = table("pool", "seconds", "peak GiB")
    rows.columns[1].justify = rows.columns[2].justify = "right"
    for name, own in found.items():
        if "peak_gib" in own:
            rows.add_row(Text(name, "bold cyan"), f"{own['seconds']:.2f}", f"{own['peak_gib']:.2f}")
    rows.caption = "processor time from sketches in memory to the selection"
    return rows


def _compared(ratios: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = table("beside", "", "their time / ours", "wrong")
    for name, own in ratios.items():
        told = str(own.get("wrong", own.get("why", "")))
        rows.add_row(Text(name, "bold cyan"), str(own.get("peer", "")), str(own["ratio"]), Text(told))
    return rows


def _conflict(found: Mapping[str, Any]) -> Table:
    rows = table("conflict", "")
    for name, value in found.items():
        rows.add_row(Text(name, "bold cyan"), str(value))
    return rows
