"""``palaestra report``: a run folder as one page to look at, and as Markdown."""

from pathlib import Path
from typing import Annotated

import typer

from palaestra.cli.console import OUT, emit, say
from palaestra.cli.options import Json, NoSeed
from palaestra.pipeline import report as stage


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    seed: NoSeed = 0,
    json: Json = False,
) -> None:
    """Write what a run holds as one page, and as Markdown."""
    made = stage.report(run)
    for section in made.sections:
        if section.missing:
            name, command = section.missing
            say(f"{section.title}: there is no {name}; {command} makes one")
    if json:
        emit(made.json())
    else:
        OUT.print(made.page, soft_wrap=True, markup=False)
        OUT.print(made.markdown, soft_wrap=True, markup=False)
