"""``palaestra experiment``: arms against a baseline, on the same problems with the same budget.

A file that compares selections, and not ways of training, goes to `contrasting`.
"""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from palaestra.cli.console import OUT, emit, say, stages, table
from palaestra.cli.contrasting import compares_selections, contrast
from palaestra.cli.effective import effective
from palaestra.cli.options import Json
from palaestra.cli.training import Opt, Sets
from palaestra.core.errors import ConfigError

SUMMARY = ("H4", "difference", "beyond", "grey", "H1", "H0")
"""What is told of each arm."""


def experiment(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A TOML file that describes the experiment.")],
    out: Annotated[
        Path | None, Opt(help="The folder; the same command goes on.", show_default="runs/ and CONFIG's name")
    ] = None,
    only: Annotated[list[str] | None, Opt(metavar="ARM", help="An arm to run now; may be repeated.")] = None,
    problem: Annotated[list[str] | None, Opt(metavar="NAME", help="A problem to run now; may be repeated.")] = None,
    seed_limit: Annotated[int | None, Opt(min=1, help="How many seeds to run now.", show_default="all")] = None,
    quick: Annotated[bool, Opt("--quick", help="Three arms, one problem, one seed, few updates.")] = False,
    seed: Annotated[int | None, Opt(min=0, help="Which test problems.", show_default="the file's")] = None,
    workers: Annotated[int, Opt(min=1, help="Processes that make runs side by side.")] = 1,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Compare ways of training with one another, or sets of environments."""
    if compares_selections(config):
        if problem or quick:
            raise ConfigError(f"{config} compares selections: it has no problems to choose from, and no quick form")
        contrast(config, out or Path("runs") / config.stem, only or (), seed_limit, seed, sets, json, workers)
        return
    from palaestra.pipeline.experiment import run as stage  # loads torch
    from palaestra.pipeline.experiment.design import ExperimentConfig

    started = time.perf_counter()
    design = effective(ExperimentConfig, config, {"judging.seed": seed}, sets)
    design, out = design.quick() if quick else design, out or Path("runs") / config.stem
    with stages() as told:
        try:
            found = stage.experiment(design, out, told, _gated, only or (), problem or (), seed_limit, workers)
        except KeyboardInterrupt:
            raise KeyboardInterrupt("the same command goes on") from None
    if not found.drawn:
        say("no pictures were drawn: pip install 'palaestra[report]'", "yellow")
    problems = found.outcome["problems"]
    if json:
        emit(
            {
                "out": str(out),
                "updates": found.outcome["updates"],
                "rollouts": found.outcome["rollouts"],
                "made": found.made,
                "missing": len(found.outcome["missing"]),
                "problems": {
                    name: {
                        "met": own["base"]["met"],
                        "arms": {arm: {what: runs[what] for what in SUMMARY} for arm, runs in own["arms"].items()},
                    }
                    for name, own in problems.items()
                },
                "seconds": round(time.perf_counter() - started, 3),
            }
        )
    else:
        rows = table("problem", "arm", "success at H4", "less " + found.outcome["baseline"], "seeds")
        for name, own in problems.items():
            for arm, runs in own["arms"].items():
                rows.add_row(name, arm, _shown(runs["H4"]), _shown(runs["difference"], "+"), str(runs["H4"]["seeds"]))
        OUT.print(rows)
        OUT.print(f"{found.outcome['rollouts']} rollouts a run; {len(found.outcome['missing'])} runs are missing")
        OUT.print(f"The tables are {(out / stage.MARKDOWN).resolve()}", soft_wrap=True, markup=False)


def _gated(name: str, gate: Mapping[str, Any]) -> None:
    rates = ", ".join(f"{player} {gate[player]['value']:.3f} [{gate[player]['low']:.3f}, {gate[player]['high']:.3f}]"
                      for player in ("H4", "H1", "H0", "random"))  # fmt: skip
    say(f"{name}: the base wins {rates}, n = {gate['H4']['n']}: conditions {'met' if gate['met'] else 'not met'}")


def _shown(own: Mapping[str, float] | None, sign: str = "") -> str:
    return f"{own['mean']:{sign}.3f} ({own['least']:{sign}.3f} to {own['most']:{sign}.3f})" if own else ""
