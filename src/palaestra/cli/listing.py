"""``palaestra list``: which environments there are."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from palaestra.cli.console import OUT, emit, say, table
from palaestra.cli.options import Json, NoSeed
from palaestra.core.environment import EnvSpec
from palaestra.core.errors import ConfigError, EnvironmentFailed, nearest
from palaestra.envs import registry
from palaestra.envs.held_out import HELD_OUT

COUNTED = ("single_turn", "multi_turn", "hidden", "continuous", "inferred", "planted")
"""Tags that `--stats` counts."""


def list_environments(
    family: Annotated[str | None, typer.Option(help="Only this family, such as grid.")] = None,
    stats: Annotated[bool, typer.Option("--stats", help="Count them instead.")] = False,
    json: Json = False,
    seed: NoSeed = 0,
) -> None:
    """List the environments with their scales, knobs and tags."""
    ids = registry.ids()
    families = {env_id.partition("/")[0] for env_id in ids}
    if family is not None and family not in families:
        raise ConfigError(f"no family {family!r}{nearest(family, families)}")
    specs = _specs([env_id for env_id in ids if family in (None, env_id.partition("/")[0])])
    if stats:
        counts = _counts(specs)
        if json:
            emit(counts)
        else:
            OUT.print(_told(counts))
    elif json:
        emit([_described(spec) for spec in specs])
    else:
        OUT.print(_table(specs))


def _specs(ids: Sequence[str]) -> list[EnvSpec]:
    """Return the specifications; one that cannot be had is named and does not hide the others."""
    specs = []
    for env_id in ids:
        try:
            specs.append(registry.get(env_id).spec)
        except EnvironmentFailed as error:
            say(f"{env_id} is left out: {error}", "red")
    return specs


def _described(spec: EnvSpec) -> dict[str, Any]:
    return {
        "id": spec.id,
        "version": spec.version,
        "family": spec.family,
        "title": spec.title,
        "horizon": spec.horizon,
        "scales": [dict(scale) for scale in spec.scales],
        "knobs": [{"name": knob.name, "low": knob.low, "high": knob.high, "doc": knob.doc} for knob in spec.knobs],
        "tags": sorted(spec.tags),
        "ood": spec.id in HELD_OUT,
    }


def _counts(specs: Sequence[EnvSpec]) -> dict[str, int]:
    """Return how many environments there are of each kind."""
    tagged = {tag: sum(tag in spec.tags for spec in specs) for tag in COUNTED}
    return {
        "environments": len(specs),
        "families": len({spec.family for spec in specs}),
        **tagged,
        "ood": sum(spec.id in HELD_OUT for spec in specs),
    }


def _told(counts: Mapping[str, int]) -> Table:
    rows = table("count", "of")
    rows.columns[0].justify = "right"
    for name, count in counts.items():
        rows.add_row(str(count), name)
    return rows


def _table(specs: Sequence[EnvSpec]) -> Table:
    rows = table("environment", "title", "turns", "scales", "knobs", "tags")
    rows.columns[2].justify = rows.columns[3].justify = "right"
    rows.columns[4].no_wrap = False
    for spec in specs:
        tags = [*sorted(spec.tags), *(["held out"] if spec.id in HELD_OUT else [])]
        knobs = ", ".join(knob.name for knob in spec.knobs)
        counts = str(spec.horizon), str(len(spec.scales))
        name, title = Text(spec.id, "bold cyan"), Text(spec.title)
        rows.add_row(name, title, *counts, Text(knobs), Text(", ".join(tags), "dim"))
    return rows
