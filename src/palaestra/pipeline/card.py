"""The model card of a base: what was measured of it, and what its checkpoint says of how it was made.

A card is a person's words and, from one line on, what is written anew after each judgement.
"""

import json
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import palaestra
from palaestra.core.environment import Pool
from palaestra.core.runfolder import write_atomic
from palaestra.envs.digest import changed
from palaestra.evaluation.report import Section, Table, markdown
from palaestra.pipeline.records import damaged

PLAN = "pretrain.toml"
"""The configuration of a warm start, beside its checkpoint or in the run folder that it belongs to."""

SHIPPED = Path(palaestra.__file__).parent / "training" / "embedded" / "tiny"
"""The base that comes with the package; named here as well, since its engine is an extra."""

MARK = "<!-- From here on a machine writes: palaestra evaluate --policy POLICY --card FILE -->"
"""The line of a card below which everything is written anew."""

TITLES = {"id_single_turn": "ID, single-turn", "id_multi_turn": "ID, multi-turn", "ood": "OOD"}
LOOKS = {"blind": "pictures make no difference beyond noise", "misled": "pictures mislead", "": "it looks"}


def made(folder: Path) -> dict[str, Any]:
    """Return what a checkpoint says of how it was made: `shape`, `pool`, `budget`, and `pretrain`, its configuration.

    What it does not say is missing.

    Raises:
        RunFolderError: a file is damaged.
    """
    state = folder / "state.json"
    plan = next((path for path in (folder / PLAN, folder.parent.parent / PLAN) if path.exists()), None)
    with damaged(state):
        data = json.loads(state.read_text("utf-8"))
        found = {name: dict(data[name]) for name in ("shape", "pool", "budget") if data.get(name)}
    if plan is not None:
        with damaged(plan):
            found["pretrain"] = tomllib.loads(plan.read_text("utf-8"))
    return found


def outdated(pool: Pool) -> tuple[str, ...]:
    """Return the environments of the house that the shipped base has met otherwise than they are in a pool, or not.

    It needs no engine. A base that does not say what it has met is taken for one of this pool.
    """
    known = made(SHIPPED).get("pool")
    house = {id_: env for id_, env in pool.items() if type(env).__module__.startswith("palaestra.envs.")}
    return changed(house, known) if known else ()


def write_card(path: Path, judgement: Mapping[str, Any], folder: Path) -> None:
    """Write what was measured into a card, and keep the words before it.

    Args:
        path: the card; it is made where there is none.
        judgement: what `judge` found.
        folder: the checkpoint's.

    Raises:
        RunFolderError: the card cannot be read or written, or the checkpoint's files are damaged.
    """
    with damaged(path):
        words = path.read_text("utf-8").partition(MARK)[0].rstrip() if path.exists() else "# A policy"
    sections = [_origin(made(folder)), _success(judgement), _scales(judgement), _skipped(judgement)]
    _, _, measured = markdown("", [own for own in sections if any(own.blocks)]).partition("\n\n")
    write_atomic(path, f"{words}\n\n{MARK}\n\n{measured}".encode())


def _origin(known: Mapping[str, Any]) -> Section:
    """Return what the checkpoint says of itself."""
    facts = []
    if "shape" in known:
        facts.append(f"Network: {_list(known['shape'])}.")
    if "pretrain" in known:
        plan = known["pretrain"]["base"] if "base" in known["pretrain"] else known["pretrain"]
        facts.append(f"Warm start: {_list({k: v for k, v in plan.items() if k not in ('environments', 'warm')})}.")
        facts.append(f"Its dials: {_list(plan.get('warm', {}))}.")
    if "budget" in known:
        facts.append(f"Budget: {_list(known['budget'])}.")
    if pool := known.get("pool"):
        mark = sha256(json.dumps(pool, sort_keys=True).encode()).hexdigest()[:16]
        facts.append(f"Pool: {len(pool)} environments, digest {mark}: {', '.join(sorted(pool))}.")
    return Section("made", "How it was made, as its files say", (tuple(facts),))


def _success(judgement: Mapping[str, Any]) -> Section:
    """Return what the judgement comes to."""
    probe, quality, rungs = judgement["probe"], judgement["quality"], tuple(judgement["ood"])
    split, within = judgement["split"], quality["within"]
    low, high = quality["band"]
    outside = f"{len(quality['below'])} below, {len(quality['above'])} above; 1 is all that chance leaves"
    asked = f"{judgement['per_scale']} a scale, seed {judgement['seed']}, suite {judgement['suite']}"
    worth = f"{_told(probe['difference'])} of the return, n = {probe['difference']['n']}"
    facts = (
        f"{judgement['problems']} distinct problems, {asked}; one reply each at temperature 1.",
        f"{share(within)} environments that are not held out are {low} to {high} above chance at H4, {outside}.",
        f"Help, H0 less H4, is worth something beyond noise in {share(quality['helped'])}."
        if quality["helped"]
        else "",
        f"Pictures, less grey ones, are worth {worth}: {LOOKS[probe['warning']]}.",
    )
    groups = tuple(
        (title, *(_told(own[rung]) for rung in rungs), str(own["H4"]["n"]))
        for name, title in TITLES.items()
        if (own := judgement[name])["H4"] is not None
    )
    table = Table("Means over environments, 95 % by drawing problems anew", ("group", *rungs, "n"), groups)
    return Section("success", f"Success on {split} problems", (tuple(filter(None, facts)), table))


def _scales(judgement: Mapping[str, Any]) -> Section:
    """Return every rate."""
    players = (*judgement["ood"], "grey", "random")
    rows = tuple(
        (env_id, scale, *(_told(rates.get(player)) for player in players), str(rates["random"]["n"]))
        for env_id, scales in sorted(judgement["scales"].items())
        for scale, rates in sorted(scales.items())
    )
    title = "Success, 95 % Wilson intervals; grey is H4 with grey pictures, random any well-formed reply"
    return Section("scales", "By environment and scale", (Table(title, ("environment", "scale", *players, "n"), rows),))


def _skipped(judgement: Mapping[str, Any]) -> Section:
    """Return what was not played, and why."""
    cells = tuple(f"{cell['env_id']}, scale {cell['scale']}: {cell['why']}" for cell in judgement["skipped"])
    return Section("skipped", "Skipped by name", (cells,))


def _list(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _told(own: Mapping[str, Any] | None) -> str:
    """Return a value with its interval, nothing where there is none."""
    if own is None or own["value"] is None:
        return ""
    low, high = ("?" if own[end] is None else f"{own[end]:.3f}" for end in ("low", "high"))
    return f"{own['value']:.3f} ({low} to {high})"


def share(rate: Mapping[str, Any]) -> str:
    """Return a rate as so many of so many."""
    return f"{round(rate['value'] * rate['n'])} of {rate['n']}"
