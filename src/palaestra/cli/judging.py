"""What ``palaestra evaluate --policy`` prints: one policy, beside guessing, with help and with grey pictures."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from palaestra.cli.console import OUT, emit, progress, say, table
from palaestra.pipeline import judge as stage
from palaestra.pipeline.card import LOOKS, TITLES, share, write_card


def judge(plan: stage.JudgeConfig, policy: str, out: Path | None, card: Path | None, json: bool) -> None:
    """Judge a policy, print what was found, and write what is asked for."""
    folder = stage.checkpoint(policy).path
    try:
        with progress("judging") as told:
            found = stage.judge(plan, policy, out, told)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the same command starts again") from None
    for error, count in found["errors"].items():
        say(f"{count} episodes ended by an error: {error}", "red")
    if card is not None:
        write_card(card, found, folder)
    if json:
        emit(found)
    else:
        OUT.print(outcome(found))


def outcome(found: Mapping[str, Any]) -> Table:
    """Return what a judgement found as a table."""
    rungs = [rung for rung in ("H4", "H0") if rung in found["ood"]]
    rows = table("success", "random", *rungs, "H0 - H4", "grey", "n")
    for column in rows.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for env_id, own in found["environments"].items():
        help_ = found["help"].get(env_id, {"difference": None})["difference"]
        values = (found["random"][env_id], *(own[rung] for rung in rungs), help_, found["grey"][env_id])
        rows.add_row(Text(env_id, "bold cyan"), *map(_shown, values), _count(own["H4"]))
    rows.add_section()
    for name, title in TITLES.items():
        rows.add_row(Text(title), "", *(_shown(found[name][rung]) for rung in rungs), "", "", _count(found[name]["H4"]))
    quality, probe = found["quality"], found["probe"]
    low, high = quality["band"]
    band = f"{share(quality['within'])} training environments are {low} to {high} above chance at H4"
    lines = [
        f"{found['problems']} problems of the {found['split']} split",
        f"{band}, {len(quality['below'])} below, {len(quality['above'])} above",
        f"help is worth something beyond noise in {share(quality['helped'])}" if quality["helped"] else "",
        f"pictures are worth {_shown(probe['difference'])}: {LOOKS[probe['warning']]}",
        *(f"skipped: {cell['env_id']} scale {cell['scale']}, {cell['why']}" for cell in found["skipped"]),
    ]
    rows.caption, rows.caption_justify = "\n".join(filter(None, lines)), "left"
    return rows


def _count(own: Mapping[str, Any] | None) -> str:
    return str(own["n"]) if own else ""


def _shown(own: Mapping[str, Any] | None) -> str:
    """Return a value with its interval, nothing where there is none."""
    if own is None or own["value"] is None:
        return ""
    low, high = ("?" if own[end] is None else f"{own[end]:.2f}" for end in ("low", "high"))
    return f"{own['value']:.2f} [{low}, {high}]"
