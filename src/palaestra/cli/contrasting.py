"""``palaestra experiment`` of selections: sets of environments against a baseline, for the same budget."""

import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from palaestra.cli.console import OUT, emit, say, stages, table
from palaestra.cli.effective import effective

SHOWN = ("id_single_turn", "id_multi_turn", "ood")
"""The groups of environments that the terminal shows."""


def compares_selections(config: Path) -> bool:
    """Return whether a file names methods of selection as its arms; what is wrong with a file its reader tells."""
    try:
        return "methods" in tomllib.loads(config.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False


def contrast(
    config: Path,
    out: Path,
    arms: Sequence[str],
    seeds: int | None,
    judging: int | None,
    sets: Sequence[str] | None,
    json: bool,
    workers: int,
) -> None:
    """Make what is missing of a comparison of selections, and print what it came to."""
    from palaestra.pipeline.experiment.run import MARKDOWN  # loads torch
    from palaestra.pipeline.experiment.selections import run as stage
    from palaestra.pipeline.experiment.selections.design import SelectionsConfig

    started = time.perf_counter()
    design = effective(SelectionsConfig, config, {"judging.seed": judging}, sets)
    with stages() as told:
        try:
            made = stage.experiment(design, out, told, arms, seeds, workers)
        except KeyboardInterrupt:
            raise KeyboardInterrupt("the same command goes on") from None
    found = made.outcome
    if not made.drawn:
        say("no picture was drawn: it takes a run that is done, and pip install 'palaestra[report]'", "yellow")
    for arm, why in found["refused"].items():
        say(f"there is no arm {arm}: {why}", "yellow")
    if json:
        kept = {name: found[name] for name in ("updates", "rollouts", "problems", "base", "arms", "cost")}
        counts = {"made": made.made, "missing": len(found["missing"])}
        emit({"out": str(out), **kept, **counts, "seconds": round(time.perf_counter() - started, 3)})
        return
    rows = table("arm", *(name.replace("_", " ") for name in SHOWN), f"id less {found['baseline']}", "seeds")
    rows.add_row("base", *(f"{found['base'][name]['success']['value']:.3f}" for name in SHOWN if name in found["base"]))
    for arm, own in found["arms"].items():
        groups = own["groups"]
        values = (_shown(groups[name]["success"]) if name in groups else "" for name in SHOWN)
        rows.add_row(arm, *values, _shown(groups["id"]["difference"], "+"), str(len(own["seeds"])))
    cost = found["cost"]
    OUT.print(rows)
    OUT.print(f"{found['rollouts']} rollouts a run; {len(found['missing'])} runs are missing")
    OUT.print(
        f"measuring the pool took {cost['rollouts'] + cost['gradient_rollouts']} rollouts and {cost['seconds']:.0f} "
        "seconds of the processor, apart from that"
    )
    OUT.print(f"The tables are {(out / MARKDOWN).resolve()}", soft_wrap=True, markup=False)


def _shown(own: Mapping[str, Any] | None, sign: str = "") -> str:
    if not own:
        return ""
    ends = ("?" if own[end] is None else f"{own[end]:{sign}.3f}" for end in ("low", "high"))
    return f"{own['mean']:{sign}.3f} [{', '.join(ends)}]"
