"""``palaestra measure``: which abilities each environment exercises, by what a weak and a strong player did, and in
which direction a checkpoint's policy gradient pulls there."""

import sys
import time
from collections.abc import Mapping, Sequence
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
from palaestra.core.rate import Rate
from palaestra.measure.profiles import Thresholds
from palaestra.pipeline import drift
from palaestra.pipeline import measure as stage
from palaestra.pipeline.gradients import Gradients
from palaestra.pipeline.labelers import Labelled
from palaestra.pipeline.measure import MeasureConfig, Measured
from palaestra.pipeline.profiles import core_abilities

Opt = typer.Option
PLAYER = "random, oracle, guide, epsilon-oracle:E, openai:MODEL@URL, or hugging-face:FOLDER."
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
    checkpoint: Annotated[
        Path | None, Opt(help="A checkpoint's folder: measure its policy gradients, too.", show_default="none")
    ] = None,
    workers: Annotated[int, Opt(min=1, help="Processes that measure gradients side by side.")] = 1,
    labeler: Annotated[
        str | None,
        Opt(help="Who names the abilities: events, llm, import, local:MODEL, activations[:CHECKPOINT], self[:MODEL]."),
    ] = None,
    labels: Annotated[Path | None, Opt(help="With import: a file of labels, one JSON line a trajectory.")] = None,
    endpoint: Annotated[
        str | None, Opt(help="With llm: the server, as in http://localhost:8000/v1; its key in OPENAI_API_KEY.")
    ] = None,
    model: Annotated[str | None, Opt(help="With llm: the model to ask there.")] = None,
    seed: Annotated[int | None, Opt(help="Instances, and all chance.", show_default=str(MeasureConfig.seed))] = None,
    config: Annotated[Path | None, Opt(help="A TOML file with any of these settings; flags win over it.")] = None,
    sets: Annotated[
        list[str] | None, Opt("--set", metavar="NAME=VALUE", help="Set any key of the configuration.")
    ] = None,
    json: Json = False,
) -> None:
    """Measure which abilities environments exercise."""
    started = time.perf_counter()
    by, _, asked = (labeler or "").partition(":")
    flags = {
        "environments": ids,
        "weak": weak,
        "strong": strong,
        "instances": instances,
        "rollouts": rollouts,
        "scales": scale,
        "seed": seed,
        "checkpoint": str(checkpoint) if checkpoint else None,
        "labeler.by": by or None,
        "labeler.model": asked or None,
        "labeler.file": str(labels) if labels else None,
        "labeler.endpoint.url": endpoint,
        "labeler.endpoint.model": model,
    }
    plan = effective(MeasureConfig, config, flags, sets)
    try:
        with progress("measuring") as told:
            found = stage.measure(plan, out, told, workers)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the same command goes on") from None
    pulls = found.gradients
    played = found.played + pulls.played if pulls else found.played
    for path in played.mended:
        say(f"a damaged shard was set aside as {path}, and its tickets were played again", "yellow")
    for error, count in played.errors.items():
        say(f"{count} episodes ended by an error: {error}", "red")
    if given_up := found.labelled.counts.get("fallback"):
        who = model or asked or "the model"
        say(f"{given_up} answers of {who} did not hold; these trajectories are labelled by events", "yellow")
    for env_id, why in pulls.skipped.items() if pulls else ():
        say(f"no gradients of {env_id}: {why}; its conflict stays unmeasured", "yellow")
    if json:
        emit(
            {
                "out": str(out),
                **_result(found),
                "labels": _labelled(found.labelled),
                "gradients": _pulled(pulls) if pulls else {},
                "conflict": _conflict(pulls, found.drift) if pulls else {},
                "cost": dict(found.cost),
                "seconds": round(time.perf_counter() - started, 3),
            }
        )
    else:
        OUT.print(_table(found))
        _print_map(found.profiles)
        for name, own in found.labelled.overlap.items():
            say(
                f"by the labels of {name} AES would pick {own.picks} environments, {own.shared} of them by those of "
                f"events, too: overlap {own.jaccard:.2f}, by chance {own.chance:.2f}"
            )
        if found.drift:
            OUT.print(Text(f"\n{drift.sentences(found.drift)}"))


def _result(found: Measured) -> dict[str, Any]:
    environments = {
        profile.env_id: {
            "core": dict(profile.core),
            "soft": dict(profile.soft),
            "support": dict(profile.support),
            "sure": _sure(profile),
            "stability": asdict(steady),
        }
        for profile, steady in zip(found.profiles, found.stability, strict=True)
    }
    return {"environments": environments, "abilities": len(core_abilities(found.profiles))}


def _sure(profile: AbilityProfile) -> dict[str, float]:
    """Return how likely each ability is more than noise."""
    counted = {name: Rate(hits, profile.support[""]) for name, hits in profile.support.items() if name}
    return {name: round(rate.above(Thresholds().noise), 4) for name, rate in counted.items()}


def _labelled(found: Labelled) -> dict[str, Any]:
    """Return who labelled, at which cost, and how far all who did agree, by name and by what AES would pick."""
    return {
        "by": found.by,
        "answers": dict(found.counts),
        "cost": dict(found.cost),
        "agreement": {ability: asdict(one) for ability, one in found.agreement.items()},
        "overlap": {name: asdict(one) for name, one in found.overlap.items()},
    }


def _pulled(found: Gradients) -> dict[str, Any]:
    """Return what is known of each environment's gradient; an environment that was skipped has no batch."""
    none = {"batches": 0, "groups": 0, "live_groups": 0, "reliability": None, "measured": False}
    environments = found.json()["environments"]
    return {
        env_id: none if env_id in found.skipped else environments[env_id] for env_id in (*environments, *found.skipped)
    }


def _conflict(found: Gradients, moved: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what is known of the pairs, and how far that moved since an earlier checkpoint."""
    beside = ("environments", "skipped", "cost")
    return {**{name: value for name, value in found.json().items() if name not in beside}, "drift": moved}


def _table(found: Measured) -> Table:
    pulls = _pulled(found.gradients) if found.gradients else {}
    further = ("rung, scales", "live groups", "reliability") if pulls else ()
    rows = table("environment", "#", "episodes", "core", "soft", "stability", *further)
    for column in rows.columns[1:]:
        column.justify = "right"
    for number, (profile, steady) in enumerate(zip(found.profiles, found.stability, strict=True), start=1):
        counts = (number, profile.support[""], len(profile.core), len(profile.soft))
        pull = _cells(pulls[profile.env_id]) if pulls else ()
        rows.add_row(Text(profile.env_id, "bold cyan"), *map(str, counts), f"{steady.jaccard:.2f}", *pull)
    return rows


def _cells(pull: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return where a gradient was taken, how many groups had one, and how much of their mean is signal."""
    where = f"{pull['rung']}, {' '.join(map(str, pull['scales']))}" if pull["batches"] else ""
    told = f"{pull['reliability']:.2f}" if pull["measured"] else "unmeasured"
    return where, f"{pull['live_groups']} of {pull['groups']}", told


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
