"""``palaestra pretrain``: the checkpoint that training starts from."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

from palaestra.cli.console import OUT, Progress, emit, progress, say
from palaestra.cli.effective import effective
from palaestra.cli.options import Json
from palaestra.cli.training import Config, Opt, Sets

SHOWN = ("H4", "H0", "text")
"""The losses that the bar shows: replies without help and with all of it, and the texts themselves."""


def pretrain(
    config: Config,
    out: Annotated[Path | None, Opt(help="The run folder.", show_default="runs/ and CONFIG's name")] = None,
    seed: Annotated[int | None, Opt(help="The first weights, and all chance.", show_default="the file's")] = None,
    minutes: Annotated[
        float | None, Opt(help="Stop after so many minutes of processor time; the same command goes on.")
    ] = None,
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
            found = stage.pretrain(plan.base, out, _watching(bar, plan.base.warm.contexts, minutes))
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the same command goes on") from None
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


def _watching(bar: Progress, contexts: int, minutes: float | None) -> Callable[[int, int, Mapping[str, float]], None]:
    """Return what shows on a bar how steps of so many contexts go, and interrupts them after some time."""
    first: tuple[int, float] | None = None  # what comes before it, such as learning the words, is no step
    began = time.process_time()

    def told(done: int, total: int, losses: Mapping[str, float]) -> None:
        nonlocal first
        now = time.perf_counter()
        before, since = first = first or (done, now)
        notes = [f"{name} {losses[name]:.2f}" for name in SHOWN if name in losses]
        if done > before:
            notes.append(f"{(done - before) * contexts / (now - since):.0f} contexts/s")
        bar(done, total, ", ".join(notes))
        if minutes is not None and time.process_time() - began > 60 * minutes and done < total:
            raise KeyboardInterrupt

    return told
