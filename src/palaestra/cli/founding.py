"""``palaestra new``: a file to start an environment from, and the gate by which it enters a pool."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from palaestra.cli.console import OUT, emit, say
from palaestra.cli.options import Json, NoSeed
from palaestra.core.errors import ConfigError
from palaestra.core.runfolder import write_atomic
from palaestra.envs.admission import admit, place, start

REFUSED = 1


def new(
    env_id: Annotated[str, typer.Argument(metavar="FAMILY/NAME", help="Its id.")],
    proposed: Annotated[
        Path | None, typer.Option("--from", metavar="FILE.py", help="Take this file into the pool if it passes.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="In the place of an earlier one, too.")] = False,
    into: Annotated[
        Path | None, typer.Option(help="The pool's folder; else $PALAESTRA_POOL, or this checkout.")
    ] = None,
    seed: NoSeed = 0,
    json: Json = False,
) -> None:
    """Write NAME.py here, a commented world to start from; or, with --from, let a finished one into the pool.

    A proposed file runs in a process of its own, with limits. Exit code 1 when it is refused.
    """
    if proposed is None:
        path = Path(f"{env_id.partition('/')[2] or 'environment'}.py")
        text = start(env_id)
        if path.exists():
            raise ConfigError(f"{path} is there already; it was left as it is")
        write_atomic(path, text.encode())
        say(f"next: palaestra check {path}; palaestra show {path} --png picture.png; palaestra check --thorough {path}")
        say(f"then: palaestra new {env_id} --from {path}")
        if json:
            emit({"file": str(path)})
        else:
            OUT.print(f"wrote {path}", markup=False)
        return
    folder = into or place()
    failures = admit(env_id, proposed, folder, replace=replace)
    if json:
        emit({"id": env_id, "admitted": not failures, "failed": [failure._asdict() for failure in failures]})
    for failure in failures if not json else ():
        OUT.print(Text.assemble((f"{failure.id} {failure.check}: ", "red"), failure.detail), soft_wrap=True)
    if failures:
        say(f"{env_id} was refused; faults: {len(failures)}")
        raise typer.Exit(REFUSED)
    say(f"{env_id} is kept as {folder / env_id}.py")
