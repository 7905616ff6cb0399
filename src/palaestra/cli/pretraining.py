"""``palaestra pretrain``: the checkpoint that training starts from."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from palaestra.cli.console import OUT, Progress, emit, progress, say
from palaestra.cli.effective import effective
from palaestra.cli.options import Json
from palaestra.cli.training import Config, Opt, Sets


def pretrain(
    config: Config,
    out: Annotated[Path | None, Opt(help="The run folder.", show_default="runs/ and CONFIG's name")] = None,
    seed: Annotated[int | None, Opt(help="The first weights, and all chance.", show_default="the file's")] = None,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Make the base: a policy that has imitated its teachers."""
    from palaestra.pipeline import pretrain as stage  # loads torch
    from palaestra.pipeline.train import TrainConfig

    started = time.perf_counter()
    plan = effective(TrainConfig, config, {"base.seed": seed}, sets)
    out = out or Path("runs") / config.stem
    try:
        with progress("pretraining") as bar:
            found = stage.pretrain(plan.base, out, _watching(bar, plan.base.warm.contexts))
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the same command starts again") from None
    if not found.made:
        say(f"{found.checkpoint.path} is there; nothing was left to do")
    if json:
        emit(
            {
                "out": str(out),
                "environments": list(found.environments),
                "checkpoint": str(found.checkpoint.path),
                "digest": found.checkpoint.digest,
                "made": found.made,
                "seconds": round(time.perf_counter() - started, 3),
            }
        )
    else:
        OUT.print(f"checkpoint {found.checkpoint.path}", soft_wrap=True)


def _watching(bar: Progress, contexts: int) -> Callable[..., None]:
    """Return what shows on a bar how steps of so many contexts go: what is said of each, and how fast they come."""
    first: tuple[int, float] | None = None  # what comes before it, such as learning the words, is no step

    def told(done: int, total: int, note: str = "") -> None:
        nonlocal first
        now = time.perf_counter()
        before, since = first = first or (done, now)
        speed = f"{(done - before) * contexts / (now - since):.0f} contexts/s" if done > before else ""
        bar(done, total, ", ".join(filter(None, (note, speed))))

    return told
