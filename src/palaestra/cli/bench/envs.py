"""``palaestra bench envs``: how fast this machine resets, steps and draws environments, on one core."""

import subprocess
import sys
from collections.abc import Mapping
from statistics import median
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from palaestra.cli.bench.peers import TASKS, compared
from palaestra.cli.bench.stopwatch import Speed, measured
from palaestra.cli.console import OUT, emit, progress, table
from palaestra.cli.options import Json, Seed
from palaestra.core.environment import EnvSpec
from palaestra.envs import registry

PIXELS = 448
WALL = 45.0
"""Seconds that all environments share, up to `MOST` for each."""
MOST = 12.0

_IMPORT = "from time import perf_counter as now; start = now(); import palaestra; print(now() - start)"


def bench_environments(
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="What to measure.", show_default="all")] = None,
    instances: Annotated[int, typer.Option(min=1, help="Fresh instances of each environment.")] = 1000,
    peers: Annotated[
        bool, typer.Option("--peers", help="Then the same tasks by other packages, where installed.")
    ] = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure resets and steps a second of processor time, each with its view and picture."""
    pool = registry.pool(dict.fromkeys(ids) if ids else None)
    scales = {env_id: middle_scale(env.spec) for env_id, env in pool.items()}
    speeds: dict[str, Speed] = {}
    with progress("measuring") as told:
        for env_id, env in pool.items():
            told(len(speeds), len(pool))
            cap = min(MOST, WALL / len(pool))
            speeds[env_id] = measured(env, scales[env_id], instances, pixels=PIXELS, seed=seed, cap=cap)
    ratios = {}
    with progress("comparing", hidden=not peers) as told:
        for done, (name, task) in enumerate(TASKS.items() if peers else ()):
            told(done, len(TASKS), name)
            ratios[name] = compared(task)
    if json:
        emit(_result(speeds, scales) | ({"peers": ratios} if peers else {}))
    else:
        OUT.print(_table(speeds, scales), *([_compared(ratios)] if peers else []), sep="\n\n")


def middle_scale(spec: EnvSpec) -> int:
    """Return the scale that is measured: 2, or the middle one where there are few."""
    return min(2, len(spec.scales) // 2)


def _result(speeds: Mapping[str, Speed], scales: Mapping[str, int]) -> dict[str, Any]:
    resets = sorted(speed.resets for speed in speeds.values())
    return {
        "environments": {
            env_id: {"resets_per_s": round(speed.resets, 1), "steps_per_s": round(speed.steps, 1)}
            for env_id, speed in speeds.items()
        },
        "median_resets_per_s": round(median(resets), 1),
        "p10_resets_per_s": round(resets[len(resets) // 10], 1),
        "least_resets_per_s": round(resets[0], 1),
        "png_per_s": round(median(speed.pngs for speed in speeds.values()), 1),
        "import_s": round(_import_seconds(), 6),
        "scale": dict(scales),
        "instances": {env_id: speed.instances for env_id, speed in speeds.items()},
        "pixels": PIXELS,
    }


def _table(speeds: Mapping[str, Speed], scales: Mapping[str, int]) -> Table:
    rows = table("environment", "scale", "instances", "resets/s", "steps/s", "PNG/s")
    for column in rows.columns[1:]:
        column.justify = "right"
    for env_id, speed in speeds.items():
        rates = (f"{rate:,.0f}" for rate in (speed.resets, speed.steps, speed.pngs))
        rows.add_row(Text(env_id, "bold cyan"), str(scales[env_id]), str(speed.instances), *rates)
    rows.caption = f"import palaestra: {_import_seconds() * 1000:.1f} ms"
    return rows


def _compared(ratios: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = table("task", "peer", "ours/s", "theirs/s", "ratio", "unlike")
    for column in rows.columns[2:5]:
        column.justify = "right"
    for name, found in ratios.items():
        rates = (f"{found[side]:,.0f}" if side in found else "" for side in ("ours_per_s", "theirs_per_s"))
        why = str(found.get("unlike", found.get("why")))
        rows.add_row(Text(name, "bold cyan"), found["peer"], *rates, str(found["ratio"]), Text(why))
    return rows


def _import_seconds() -> float:
    """Return the median over five fresh interpreters [s]."""
    return median(float(subprocess.check_output([sys.executable, "-c", _IMPORT])) for _ in range(5))
