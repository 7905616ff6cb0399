"""``palaestra select``: which environments to train on, each with the terms that made it win."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from palaestra.cli.console import OUT, emit, table
from palaestra.cli.options import Json, Seed
from palaestra.pipeline import select as stage
from palaestra.pipeline.profiles import core_abilities
from palaestra.pipeline.select import Selected
from palaestra.selection import METHODS

BAR = 8
"""The width of full coverage [characters]."""


def select(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder that holds profiles.")],
    method: Annotated[str, typer.Option(help=f"{', '.join(METHODS).replace('_', '-')}.")] = "aes",
    k: Annotated[
        int | None, typer.Option("--k", help="How many environments.", show_default="as the method decides")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Select the environments to train on."""
    selected = stage.select(run, method, k, seed)
    if json:
        emit(selected.json())
    else:
        OUT.print(_table(selected))


def _table(selected: Selected) -> Table:
    rows = table("environment", "coverage", "redundancy", "conflict", "gain", "core covered")
    for column in rows.columns[1:-1]:
        column.justify = "right"
    whole = len(core_abilities(selected.profiles))
    for pick, covered in zip(selected.selection.picks, selected.curve(), strict=True):
        terms = (f"{term:.2f}" for term in (pick.coverage, pick.redundancy, pick.conflict, pick.gain))
        bar = "\N{FULL BLOCK}" * round(BAR * covered / (whole or 1))
        rows.add_row(Text(pick.env_id, "bold cyan"), *terms, f"{bar:\N{LIGHT SHADE}<{BAR}} {covered}/{whole}")
    found = selected.json()
    rows.caption = (
        f"{found['method']}: nothing new after {found['saturation']} picks; "
        f"conflict unmeasured for {len(found['unmeasured'])} of {len(selected.profiles)}"
    )
    return rows
