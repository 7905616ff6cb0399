"""``palaestra gallery``: pages on every environment, to look at."""

from pathlib import Path
from typing import Annotated, Any

import typer

from palaestra.cli.bench.envs import middle_scale
from palaestra.cli.bench.stopwatch import LEAST, measured
from palaestra.cli.console import OUT, emit, progress
from palaestra.cli.options import Json, NoSeed
from palaestra.core.environment import Environment
from palaestra.envs import registry
from palaestra.pipeline.gallery import PIXELS
from palaestra.pipeline.gallery import gallery as stage


def gallery(
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="What to show.", show_default="all")] = None,
    out: Annotated[Path, typer.Option(help="The folder of the pages.")] = Path("gallery"),
    seed: NoSeed = 0,
    json: Json = False,
) -> None:
    """Write what every environment looks like, says at each rung, and who wins it, as HTML and as Markdown."""
    pool = registry.pool(dict.fromkeys(ids) if ids else None)
    with progress("showing") as told:
        pages = stage(pool, out, _resets, told)
    if json:
        emit({"environments": len(pool), "pages": [str(page) for page in pages]})
    else:
        OUT.print(f"{len(pool)} environments on {pages[0]}", soft_wrap=True, markup=False)


def _resets(env: Environment[Any, Any]) -> float:
    return measured(env, middle_scale(env.spec), LEAST, pixels=PIXELS, cap=0).resets
