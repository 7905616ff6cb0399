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
from palaestra.pipeline.select import CONFLICTS, Selected
from palaestra.selection import METHODS
from palaestra.selection.why import Reason

BAR = 8
"""The width of full coverage [characters]."""


def select(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder that holds profiles.")],
    method: Annotated[str, typer.Option(help=f"{', '.join(METHODS).replace('_', '-')}.")] = "aes",
    k: Annotated[
        int | None, typer.Option("--k", help="How many environments.", show_default="as the method decides")
    ] = None,
    conflict: Annotated[str, typer.Option(help=f"As read off sketches: {' or '.join(CONFLICTS)}.")] = "posterior",
    draws: Annotated[
        int | None,
        typer.Option(min=0, help="Re-drawn pools behind inclusion.", show_default="100, 0 for slow methods"),
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Tell why each is in, and why each other is not.")] = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Select the environments to train on."""
    selected = stage.select(run, method, k, seed, conflict=conflict, draws=draws)
    if json:
        emit(selected.json())
    else:
        OUT.print(_table(selected, conflict == "posterior"), *([_told(selected)] if why else []), sep="\n\n")


def _table(selected: Selected, charged: bool) -> Table:
    included = ["included"] if selected.inclusion else []
    rows = table("environment", "coverage", "redundancy", "conflict", "gain", *included, "core covered")
    for column in rows.columns[1:-1]:
        column.justify = "right"
    whole = len(core_abilities(selected.profiles))
    for pick, covered in zip(selected.selection.picks, selected.curve(), strict=True):
        terms = [f"{term:.2f}" for term in (pick.coverage, pick.redundancy, pick.conflict, pick.gain)]
        terms += [f"{selected.inclusion[pick.env_id]:.0%}"] if included else []
        bar = "\N{FULL BLOCK}" * round(BAR * covered / (whole or 1))
        rows.add_row(Text(pick.env_id, "bold cyan"), *terms, f"{bar:\N{LIGHT SHADE}<{BAR}} {covered}/{whole}")
    found = selected.json()
    unmeasured = f"{len(found['unmeasured'])} of {len(selected.profiles)}"
    if charged and 0 < len(found["unmeasured"]) < len(selected.profiles):
        unmeasured += ", which are charged the mean of the measured pairs"
    gap = found["objective"]["gap"]
    rows.caption = (
        f"{found['method']}: nothing new after {found['saturation']} picks; "
        f"conflict unmeasured for {unmeasured}; "
        f"objective {selected.value:.2f}" + ("" if gap is None else f", at most {gap:.2f} below the best")
    )
    return rows


def _told(selected: Selected) -> Table:
    rows = table("environment", "", "gain", "why")
    rows.columns[2].justify, rows.columns[3].no_wrap = "right", False
    for picked, reasons in ((True, selected.picked), (False, selected.rejected)):
        for reason in reasons:
            rows.add_row(*_row(reason, picked))
    rows.caption = "a pick at the moment it was made; what was not picked, against all that were"
    return rows


def _row(reason: Reason, picked: bool) -> tuple[Text, str, str, Text]:
    name = Text(reason.pick.env_id, "bold cyan" if picked else "cyan")
    return name, "picked" if picked else "", f"{reason.pick.gain:.2f}", Text(reason.why)
