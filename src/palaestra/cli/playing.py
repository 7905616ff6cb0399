"""``palaestra play``: episodes of a policy, counted, and stored in a run when a folder is given."""

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from palaestra.cli.console import OUT, emit, say, table
from palaestra.cli.options import Json, KnobSettings, knob_settings
from palaestra.cli.plan import PlayConfig, play_config
from palaestra.cli.run import run
from palaestra.cli.tally import Ending, Tally, by, tally
from palaestra.core.instance import Split

Opt = typer.Option
AXES: tuple[tuple[str, Literal["scale", "shown"]], ...] = (("scale", "scale"), ("rung", "shown"))
PLAYERS = "random, oracle, guide, epsilon-oracle:0.3, scripted:FILE, person, openai:MODEL@URL, or hugging-face:FOLDER."
CONFIG = "A TOML file with any of these settings; flags win over it."


def play(
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="Environments, played in turn.")] = None,
    policy: Annotated[str | None, Opt(help=PLAYERS, show_default=PlayConfig.policy)] = None,
    episodes: Annotated[int | None, Opt(help="Trajectories in all.", show_default=str(PlayConfig.episodes))] = None,
    out: Annotated[Path | None, Opt(help="Store the run in this folder; the same command resumes it.")] = None,
    scale: Annotated[
        list[int] | None, Opt(help="Play this scale; may be repeated.", show_default="all in turn")
    ] = None,
    rung: Annotated[
        str | None, Opt(help="H0 (everything) to H4, SYMBOLIC, VISUAL.", show_default=PlayConfig.rung)
    ] = None,
    learn: Annotated[str | None, Opt(help="The rung that the update sees.", show_default="--rung")] = None,
    guided: Annotated[
        float | None,
        Opt(help="Share of a group under --rung when --learn is given.", show_default=str(PlayConfig.guided)),
    ] = None,
    rollouts: Annotated[
        int | None, Opt(help="Episodes of one instance.", show_default=str(PlayConfig.rollouts))
    ] = None,
    split: Annotated[Split | None, Opt(help="The split of the problems.", show_default=PlayConfig.split)] = None,
    knob: KnobSettings = None,
    pixels: Annotated[int | None, Opt(help="Width of pictures; 0: none.", show_default=str(PlayConfig.pixels))] = None,
    seed: Annotated[int | None, Opt(help="First instance, and all chance.", show_default=str(PlayConfig.seed))] = None,
    config: Annotated[Path | None, Opt(help=CONFIG)] = None,
    sets: Annotated[
        list[str] | None, Opt("--set", metavar="NAME=VALUE", help="Set any key of the configuration.")
    ] = None,
    json: Json = False,
) -> None:
    """Play episodes and count how they end."""
    started = time.perf_counter()
    flags = {
        "environments": ids,
        "policy": policy,
        "episodes": episodes,
        "scales": scale,
        "rung": rung,
        "learn": learn,
        "guided": guided,
        "rollouts": rollouts,
        "split": split,
        "pixels": pixels,
        "seed": seed,
        **{f"knobs.{name}": value for name, value in knob_settings(knob).items()},
    }
    plan = play_config(config, flags, sets)
    endings = run(plan, out)
    for error, count in Counter(ending.error for ending in endings if ending.error).items():
        say(f"{count} episodes ended by an error: {error}", "red")
    if json:
        seconds = round(time.perf_counter() - started, 3)
        emit(_result(endings) | {"out": str(out) if out else None, "policy": plan.policy, "seconds": seconds})
    else:
        OUT.print(_table(endings))


def _result(endings: Sequence[Ending]) -> dict[str, Any]:
    environments = {
        env_id: tally(own).json()
        | {f"by_{name}": {key: tally(part).json() for key, part in by(axis, own).items()} for name, axis in AXES}
        for env_id, own in by("env_id", endings).items()
    }
    return {"environments": environments, "episodes": len(endings)}


def _table(endings: Sequence[Ending]) -> Table:
    rows = table("environment", "scale", "episodes", "success", "95 %", "return", "ended by")
    for column in rows.columns[1:-1]:
        column.justify = "right"
    for env_id, own in by("env_id", endings).items():
        rows.add_row(Text(env_id, "bold cyan"), "all", *_cells(tally(own)), style="bold")
        for scale, part in by("scale", own).items():
            rows.add_row("", scale, *_cells(tally(part)))
    return rows


def _cells(counted: Tally) -> Sequence[str]:
    rate, mean = counted.success, counted.mean_return
    return (
        str(counted.episodes),
        f"{rate.value:.3f}" if rate.n else "-",
        f"{rate.low:.3f} - {rate.high:.3f}",
        "-" if mean is None else f"{mean:.3f}",
        ", ".join(f"{stop} {count}" for stop, count in counted.stops.items()),
    )
