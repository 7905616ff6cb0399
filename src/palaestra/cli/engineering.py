"""``palaestra engineer``: who sets what is trained on next: the space, one proposal, or the whole loop."""

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from palaestra.cli.console import OUT, emit, stages, table
from palaestra.cli.effective import effective
from palaestra.cli.options import Json, NoSeed, Seed
from palaestra.cli.training import Dry, Sets, print_plan
from palaestra.core.errors import ConfigError
from palaestra.core.instance import Setting
from palaestra.core.space import WEIGHT, Space
from palaestra.engineer import ENGINEERS
from palaestra.engineer import space as spaces
from palaestra.engineer.evidence import Modules, Training
from palaestra.envs import registry
from palaestra.pipeline import propose as stage

Opt = typer.Option


def space(
    ids: Annotated[list[str], typer.Argument(metavar="ENV...", help="Environments.")],
    each: Annotated[
        str | None, Opt(metavar="KNOB=A,B,C", help="One part for each value of a knob.", show_default="for each scale")
    ] = None,
    rung: Annotated[
        list[str] | None, Opt(help="A rung that may be set; may be repeated.", show_default="H4 alone")
    ] = None,
    seed: NoSeed = 0,
    json: Json = False,
) -> None:
    """Export what may be set in some environments, as JSON Schema."""
    found = Space(
        tuple(
            part
            for env in registry.pool(ids).values()
            for part in spaces.parts(env.spec, each=_each(each), rungs=rung or ("H4",))
        )
    )
    if json:
        emit(spaces.schema(found))
        return
    rows = table("part", "environment", "fixed", "dials")
    for part in found.parts:
        fixed = ", ".join(f"{name} {value}" for name, value in part.fixed.items())
        dials = ", ".join(f"{dial.name} {dial.values[0]} to {dial.values[-1]}" for dial in part.dials)
        rows.add_row(part.name, part.env_id, fixed, dials)
    OUT.print(rows)


def propose(
    evidence: Annotated[Path, Opt(metavar="FILE", help="What came of the stages so far, as JSON.")],
    space: Annotated[Path, Opt(metavar="SCHEMA", help="What may be set, as JSON Schema.")],
    engineer: Annotated[
        str,
        Opt(
            metavar="NAME",
            help=f"{', '.join(ENGINEERS)}, or a language model: openai:MODEL@URL, local:NAME or hugging-face:FOLDER.",
        ),
    ],
    full: Annotated[bool, Opt("--full", help="Tell the engineer all details of training.")] = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Propose what to train on next, from anybody's logs."""
    legal, log = stage.read_space(space), stage.read_log(evidence)
    modules = Modules(training=Training.FULL if full else Training.BOOKKEEPING)
    proposal, cold = stage.propose(log, legal, stage.engineer(engineer, legal, seed), modules)
    if json:
        by = proposal.by or ("hand_schedule" if cold else engineer)
        emit({"engineer": by, "cold_start": cold, **stage.told(proposal, legal)})
        return
    settings = legal.settings(proposal.distribution)
    rows = table("part", WEIGHT, "dials")
    for name, own in settings.items():
        dials = ", ".join(f"{dial} {value}" for dial, value in own.items() if dial != WEIGHT)
        rows.add_row(Text(name), f"{own[WEIGHT]:.3f}", Text(dials))
    why = ("nothing is won yet, so the hand schedule proposes: " if cold else "") + proposal.rationale
    rows.caption = Text("".join(letter if letter.isprintable() else " " for letter in why))  # a model may have said it
    OUT.print(rows)


def run(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A TOML file: a mixture, its dials, and arms.")],
    out: Annotated[
        Path | None, Opt(help="The folder; the same command goes on.", show_default="runs/ and CONFIG's name")
    ] = None,
    only: Annotated[list[str] | None, Opt(metavar="ARM", help="An arm to run now; may be repeated.")] = None,
    seed_limit: Annotated[int | None, Opt(min=1, help="How many seeds to run now.", show_default="all")] = None,
    seed: Annotated[int | None, Opt(min=0, help="Which problems are judged on.", show_default="the file's")] = None,
    workers: Annotated[int, Opt(min=1, help="Processes that make runs side by side.")] = 1,
    sets: Sets = None,
    dry: Dry = False,
    json: Json = False,
) -> None:
    """Train stage by stage with an engineer between, arm against arm."""
    from palaestra.pipeline.engineering.design import EngineeringConfig  # loads torch
    from palaestra.pipeline.engineering.run import engineer

    started = time.perf_counter()
    design = effective(EngineeringConfig, config, {"exam.seed": seed}, sets)
    if dry:
        from palaestra.pipeline.engineering.dry import dry as planned

        print_plan(planned(design), json)
        return
    out = out or Path("runs") / config.stem
    with stages() as told:
        try:
            found = engineer(design, out, told, only or (), seed_limit, workers)
        except KeyboardInterrupt:
            raise KeyboardInterrupt("the same command goes on") from None
    outcome = found.outcome
    if json:
        arms = {
            name: {what: own[what] for what in ("engineer", "before", "after", "optimal", "parts")}
            for name, own in outcome["arms"].items()
        }
        counts = {name: outcome[name] for name in ("stages", "updates", "rollouts")}
        seconds = round(time.perf_counter() - started, 3)
        missing = len(outcome["missing"])
        emit({"out": str(out), **counts, "made": found.made, "missing": missing, "arms": arms, "seconds": seconds})
        return
    rows = table("arm", "valid before", "valid after", "optimal after", "seeds")
    for name, own in outcome["arms"].items():
        spreads = (_spread(own[what]) for what in ("before", "after", "optimal"))
        rows.add_row(name, *spreads, str(own["after"]["seeds"]))
    OUT.print(rows)
    OUT.print(f"{outcome['rollouts']} rollouts a run; {len(outcome['missing'])} runs are missing")
    OUT.print(f"palaestra report {out} makes a page of it", soft_wrap=True, markup=False)


def _spread(own: dict[str, float] | None) -> str:
    return f"{own['mean']:.3f} ({own['least']:.3f} to {own['most']:.3f})" if own else "unmeasured"


def _each(said: str | None) -> tuple[str, tuple[Setting, ...]] | None:
    """Return a knob and its values, as `--each` names them."""
    if said is None:
        return None
    knob, _, values = said.partition("=")
    try:
        return knob, tuple(int(word) if word.lstrip("-").isdigit() else float(word) for word in values.split(","))
    except ValueError:
        raise ConfigError(f"--each {said}: write a knob and numbers, as in --each size=3,4,5") from None
