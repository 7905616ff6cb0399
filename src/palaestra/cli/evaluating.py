"""``palaestra evaluate``: what training was worth, on problems that it never met."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from palaestra.cli import judging
from palaestra.cli.console import OUT, emit, progress, say, table
from palaestra.cli.effective import effective
from palaestra.cli.options import Json
from palaestra.cli.training import Opt, Sets
from palaestra.core.errors import ConfigError
from palaestra.pipeline import evaluate as stage
from palaestra.pipeline.card import TITLES
from palaestra.pipeline.evaluate import EvaluateConfig
from palaestra.pipeline.judge import JudgeConfig

BLIND = {"blind": "pictures make no difference to", "misled": "pictures mislead"}
Value = Mapping[str, float | None] | None


def evaluate(
    run: Annotated[Path | None, typer.Argument(metavar="[RUN]", help="A run folder that holds checkpoints.")] = None,
    policy: Annotated[
        str | None,
        Opt(metavar="tiny|FOLDER", help="Judge one policy instead: the tiny base, a checkpoint, or a run's."),
    ] = None,
    rungs: Annotated[list[str] | None, Opt(help="Of a policy: rungs beside H4.", show_default="all")] = None,
    split: Annotated[str | None, Opt(help="Of a policy: test, or valid to set dials.", show_default="test")] = None,
    per_scale: Annotated[
        int | None, Opt(help="Problems of each scale.", show_default=str(EvaluateConfig.per_scale))
    ] = None,
    seed: Annotated[int | None, Opt(help="Problems, and all chance.", show_default=str(EvaluateConfig.seed))] = None,
    out: Annotated[Path | None, Opt(help="Of a policy: the folder for judgement.json.")] = None,
    card: Annotated[Path | None, Opt(help="Of a policy: the model card to write the numbers into.")] = None,
    sets: Sets = None,
    json: Json = False,
) -> None:
    """Judge base and trained policy of a run, or any one policy, on unseen problems."""
    given = {"per_scale": per_scale, "seed": seed}
    if policy is not None and run is None:
        judging.judge(
            effective(JudgeConfig, None, given | {"rungs": rungs, "split": split}, sets), policy, out, card, json
        )
        return
    alone = {"--rungs": rungs, "--split": split, "--out": out, "--card": card}
    if run is None or policy is not None:
        raise ConfigError(f"found {'both' if run else 'neither'} of RUN and --policy; give one: whose policy is judged")
    if wrong := [name for name, value in alone.items() if value]:
        raise ConfigError(
            f"{', '.join(wrong)} with RUN {run}; a run is judged at H4 on test problems, --policy as asked"
        )
    plan = effective(EvaluateConfig, None, given, sets)
    try:
        with progress("evaluating") as told:
            found = stage.evaluate(plan, run, told)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the same command starts again") from None
    both = {name: found[name] for name in ("base", "trained")}
    errors = Counter(row[-1] for own in both.values() if own for row in own["scores"]["rows"] if row[-1])
    for error, count in errors.items():
        say(f"{count} episodes ended by an error: {error}", "red")
    if json:
        values = {name: own and {group: own[group] for group in TITLES} for name, own in both.items()}
        emit({"out": str(run), **values, "differences": _differences(found)})
    else:
        OUT.print(outcome(found))


def _differences(found: Mapping[str, Any]) -> dict[str, Value] | None:
    apart = found["differences"]
    return apart and {group: apart[group] and apart[group]["difference"] for group in TITLES}


def outcome(found: Mapping[str, Any]) -> Table:
    """Return what an evaluation found as a table."""
    base, trained, apart = found["base"], found["trained"], _differences(found) or {}
    last = f"after {trained['step']} updates" if trained else "not trained yet"
    rows = table("success", "base", last, "difference")
    for column in rows.columns[1:]:
        column.justify = "right"
    for env_id, own in base["environments"].items():
        rows.add_row(Text(env_id, "bold cyan"), _shown(own), _shown(trained and trained["environments"][env_id]))
    rows.add_section()
    for group, title in TITLES.items():
        rows.add_row(Text(title), _shown(base[group]), _shown(trained and trained[group]), _shown(apart.get(group)))
    warnings = [
        f"{BLIND[own['warning']]} the {who} checkpoint on {where.upper()}"
        for who, judged in (("base", base), ("trained", trained))
        for where, own in (judged["probe"] if judged else {}).items()
        if own and own["warning"]
    ]
    left_out = Counter(why for *_, why in found["left_out"])
    lines = [f"{found['problems']} problems, at H4", *(f"{n} scales left out: {why}" for why, n in left_out.items())]
    rows.caption = "\n".join([*lines, *warnings])
    rows.caption_justify = "left"
    return rows


def _shown(own: Value) -> str:
    """Return a value with its interval and count, nothing where there is none."""
    if own is None or own["value"] is None:
        return ""
    low, high = ("?" if own[end] is None else f"{own[end]:.2f}" for end in ("low", "high"))
    return f"{own['value']:.3f} [{low}, {high}] n={own['n']}"
