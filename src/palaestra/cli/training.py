"""``palaestra train``: a policy learns from what a curriculum draws."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from palaestra.cli.console import OUT, emit, progress, say, table
from palaestra.cli.effective import effective
from palaestra.cli.options import Json
from palaestra.cli.scoreboard import watching
from palaestra.pipeline.standing import RECENT
from palaestra.pipeline.tracking import TRACKERS, openers

Opt = typer.Option
Config = Annotated[Path, typer.Argument(metavar="CONFIG", help="A TOML file that describes the training run.")]
Sets = Annotated[
    list[str] | None, Opt("--set", metavar="NAME=VALUE", help="Set any key of the configuration, as in a.b=c.")
]
Dry = Annotated[bool, Opt("--dry", help="Check CONFIG and print the plan; load no weights, write nothing.")]


def train(
    config: Config,
    out: Annotated[
        Path | None, Opt(help="The run folder; the same command resumes it.", show_default="runs/ and CONFIG's name")
    ] = None,
    seed: Annotated[int | None, Opt(help="Tickets, replies, and all chance.", show_default="the file's")] = None,
    sets: Sets = None,
    track: Annotated[
        list[str] | None, Opt(help=f"{' or '.join(TRACKERS)}; may be repeated.", show_default="none")
    ] = None,
    dry: Dry = False,
    json: Json = False,
) -> None:
    """Train on what was selected, or on everything."""
    from palaestra.pipeline import train as stage  # loads torch

    started = time.perf_counter()
    trackers = openers(track or ())
    plan = effective(stage.TrainConfig, config, {"seed": seed}, sets)
    if dry:
        from palaestra.pipeline.dry import dry as planned

        print_plan(planned(plan), json)
        return
    out = out or Path("runs") / config.stem
    try:
        with progress("training") as bar:
            found = stage.train(plan, out, watching(bar), trackers, lambda told: say(told, "yellow"))
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the same command goes on") from None
    if not found.made:
        say(f"{out}: all {plan.updates} updates were made before; nothing was left to do")
    if json:
        emit(
            {
                "out": str(out),
                "environments": list(found.environments),
                "curriculum": str(plan.curriculum),
                "updates": found.checkpoint.step,
                "rollouts": found.rollouts,
                "recent_success": found.success.json(),
                "checkpoint": str(found.checkpoint.path),
                "digest": found.checkpoint.digest,
                "made": found.made,
                "seconds": round(time.perf_counter() - started, 3),
            }
        )
    else:
        OUT.print(
            f"{found.checkpoint.step} updates, {found.rollouts} rollouts on {len(found.environments)} environments "
            f"by {plan.curriculum}"
        )
        OUT.print(f"success in the last {min(RECENT, found.checkpoint.step)} updates: {found.success}")
        OUT.print(f"checkpoint {found.checkpoint.path}", soft_wrap=True)


def print_plan(found: dict[str, Any], json: bool) -> None:
    """Print the plan of a dry run, which has a table `model`."""
    if json:
        emit(found)
        return
    model = found.pop("model")
    rows = table("", "")
    for name, value in [*found.items(), *((f"model.{key}", value) for key, value in model.items())]:
        rows.add_row(name, Text("not at hand" if value is None else str(value)))
    OUT.print(rows)
