"""``palaestra measure``: which abilities each environment exercises, by what a weak and a strong player did."""

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from palaestra.cli.console import OUT, emit, progress, say, table
from palaestra.cli.effective import effective
from palaestra.cli.options import Json
from palaestra.core.profile import AbilityProfile
from palaestra.pipeline import measure as stage
from palaestra.pipeline.measure import MeasureConfig, Measured
from palaestra.pipeline.profiles import core_abilities

Opt = typer.Option
PLAYER = "random, oracle, guide, or epsilon-oracle:E."
CORE, SOFT = "\N{BLACK SQUARE}", "\N{MIDDLE DOT}"


def measure(
    out: Annotated[Path, Opt(help="The run folder; the same command resumes it.")],
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Environments.", show_default="all that are not held out")
    ] = None,
    weak: Annotated[str | None, Opt(help=PLAYER, show_default=MeasureConfig.weak)] = None,
    strong: Annotated[str | None, Opt(help=PLAYER, show_default=MeasureConfig.strong)] = None,
    instances: Annotated[
        int | None, Opt(help="Instances of each environment.", show_default=str(MeasureConfig.instances))
    ] = None,
    rollouts: Annotated[
        int | None, Opt(help="Episodes of one instance by each player.", show_default=str(MeasureConfig.rollouts))
    ] = None,
    scale: Annotated[
        list[int] | None, Opt(help="Play this scale; may be repeated.", show_default="spread over all")
    ] = None,
    seed: Annotated[int | None, Opt(help="Instances, and all chance.", show_default=str(MeasureConfig.seed))] = None,
    config: Annotated[Path | None, Opt(help="A TOML file with any of these settings; flags win over it.")] = None,
    sets: Annotated[
        list[str] | None, Opt("--set", metavar="NAME=VALUE", help="Set any key of the configuration.")
    ] = None,
    json: Json = False,
) -> None:
    """Measure which abilities environments exercise."""
    started = time.perf_counter()
    flags = {
        "environments": ids,
        "weak": weak,
        "strong": strong,
        "instances": instances,
        "rollouts": rollouts,
        "scales": scale,
        "seed": seed,
    }
    plan = effective(MeasureConfig, config, flags, sets)
    try:
        with progress("measuring") as told:
            found = stage.measure(plan, out, told)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the same command goes on") from None
    for path in found.played.mended:
        say(f"a damaged shard was set aside as {path}, and its tickets were played again", "yellow")
    for error, count in found.played.errors.items():
        say(f"{count} episodes ended by an error: {error}", "red")
    if json:
        emit({"out": str(out), **_result(found), "seconds": round(time.perf_counter() - started, 3)})
    else:
        OUT.print(_table(found))
        _print_map(found.profiles)


def _result(found: Measured) -> dict[str, Any]:
    environments = {
        profile.env_id: {
            "core": dict(profile.core),
            "soft": dict(profile.soft),
            "support": dict(profile.support),
            "stability": asdict(steady),
        }
        for profile, steady in zip(found.profiles, found.stability, strict=True)
    }
    return {"environments": environments, "abilities": len(core_abilities(found.profiles))}


def _table(found: Measured) -> Table:
    rows = table("environment", "#", "episodes", "core", "soft", "stability")
    for column in rows.columns[1:]:
        column.justify = "right"
    for number, (profile, steady) in enumerate(zip(found.profiles, found.stability, strict=True), start=1):
        counts = (number, profile.support[""], len(profile.core), len(profile.soft))
        rows.add_row(Text(profile.env_id, "bold cyan"), *map(str, counts), f"{steady.jaccard:.2f}")
    return rows


def _print_map(profiles: Sequence[AbilityProfile]) -> None:
    """Print who exercises what, environments by their number, unless the terminal is too narrow for it."""
    kept = {ability for profile in profiles for ability in (*profile.core, *profile.soft)}
    in_core = {ability: sum(ability in profile.core for profile in profiles) for ability in kept}
    rows = table("ability", *map(str, range(1, len(profiles) + 1)))
    for ability in sorted(kept, key=lambda ability: (-in_core[ability], ability)):
        marks = (CORE if ability in p.core else SOFT if ability in p.soft else "" for p in profiles)
        rows.add_row(Text(ability), *marks)
    for column in rows.columns[1:]:
        column.justify = "right"
    rows.caption = f"{CORE} core, {SOFT} soft"
    boundless = OUT.options.update(width=sys.maxsize)
    if OUT.measure(rows, options=boundless).maximum <= OUT.width:
        OUT.print()
        OUT.print(rows)
