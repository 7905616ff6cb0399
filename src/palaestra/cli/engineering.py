"""``palaestra engineer``: who sets what is trained on next: the space, one proposal, or the whole loop."""

from pathlib import Path
from typing import Annotated

import typer

from palaestra.cli.console import OUT, emit, table
from palaestra.cli.options import Json, NoSeed, Seed
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
    engineer: Annotated[str, Opt(metavar="NAME", help=f"{', '.join(ENGINEERS)}.")],
    full: Annotated[bool, Opt("--full", help="Tell the engineer all details of training.")] = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Propose what to train on next, from anybody's logs."""
    legal, log = stage.read_space(space), stage.read_log(evidence)
    modules = Modules(training=Training.FULL if full else Training.BOOKKEEPING)
    proposal, cold = stage.propose(log, legal, stage.named(engineer, seed), modules)
    if json:
        emit({"engineer": "hand_schedule" if cold else engineer, "cold_start": cold, **stage.told(proposal, legal)})
        return
    settings = legal.settings(proposal.distribution)
    rows = table("part", WEIGHT, "dials")
    for name, own in settings.items():
        dials = ", ".join(f"{dial} {value}" for dial, value in own.items() if dial != WEIGHT)
        rows.add_row(name, f"{own[WEIGHT]:.3f}", dials)
    rows.caption = ("nothing is won yet, so the hand schedule proposes: " if cold else "") + proposal.rationale
    OUT.print(rows)


def _each(said: str | None) -> tuple[str, tuple[Setting, ...]] | None:
    """Return a knob and its values, as `--each` names them."""
    if said is None:
        return None
    knob, _, values = said.partition("=")
    try:
        return knob, tuple(int(word) if word.lstrip("-").isdigit() else float(word) for word in values.split(","))
    except ValueError:
        raise ConfigError(f"--each {said}: write a knob and numbers, as in --each size=3,4,5") from None
