"""``palaestra demo``: the whole loop, from the pool to a report, in a few minutes on one core."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from palaestra.cli.console import OUT, emit, progress, say
from palaestra.cli.evaluating import outcome
from palaestra.cli.options import Json
from palaestra.cli.scoreboard import watching
from palaestra.cli.training import Opt, Sets
from palaestra.pipeline.card import TITLES

STAGES = {
    "base": "the base: unless set otherwise the tiny one that comes with the package",
    "measure": "which abilities each environment exercises, and where its gradient pulls",
    "select": "which environments are worth training on",
    "train": "training on them: help is withdrawn, scales widen",
    "evaluate": "judging base and trained policy on unseen problems and on held-out environments",
    "report": "writing the report",
}


def demo(
    out: Annotated[Path, Opt(help="The run folder; the same command resumes it.")] = Path("demo"),
    seed: Annotated[int | None, Opt(min=0, help="All chance but the problems judged.", show_default="0")] = None,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Go through the whole loop, from the pool to a report."""
    from palaestra.pipeline import demo as stage  # loads torch

    started = time.perf_counter()
    given = (*(() if seed is None else (f"seed={seed}",)), *(sets or ()))
    plan = stage.settings(given)
    with ExitStack() as shown:

        def told(name: str) -> Callable[..., None]:
            shown.close()
            say(f"{name:9} {STAGES[name]}")
            bar = shown.enter_context(progress(name))
            return watching(bar) if name == "train" else bar

        try:
            found = stage.demo(plan, out, told)
        except KeyboardInterrupt:
            raise KeyboardInterrupt("the same command goes on") from None
    judged = found.evaluation
    if json:
        values = {who: {group: judged[who][group] for group in TITLES} for who in ("base", "trained")}
        seconds = round(time.perf_counter() - started, 3)
        emit({"report": str(found.report), "seconds": seconds, "selected": list(found.selected), **values})
    else:
        OUT.print(outcome(judged))
        OUT.print(f"The report is {found.report.resolve()}", soft_wrap=True, markup=False)
