"""``palaestra mapf``: a policy, or replies that somebody has, on the fixed boards of the multi-agent benchmark."""

import json as codec
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from rich.table import Table
from rich.text import Text

from palaestra.cli.console import OUT, emit, progress, say, table
from palaestra.cli.options import Json, Seed, picture_width, rung
from palaestra.cli.training import Opt
from palaestra.core.errors import ConfigError
from palaestra.core.policy import Insider, Policy
from palaestra.core.runfolder import write_atomic
from palaestra.pipeline import mapf as stage
from palaestra.pipeline import players


def mapf(
    policy: Annotated[str | None, Opt(metavar="NAME", help="As in `play`, or tiny, or a checkpoint's folder.")] = None,
    replies: Annotated[Path | None, Opt(help="Judge these instead: JSON rows with id and reply.")] = None,
    rows: Annotated[Path | None, Opt(help="Other boards: JSON rows such as the published benchmark's.")] = None,
    agents: Annotated[int | None, Opt(help="Only boards of so many walkers: 3, 4 or 5.")] = None,
    size: Annotated[int | None, Opt(help="Only boards of this size: 3 to 10.")] = None,
    wait: Annotated[float | None, Opt(help="Only the set of this wait ratio: 0.25, 0.5 or 0.75.")] = None,
    limit: Annotated[int | None, Opt(min=1, help="At most so many boards, spread evenly.")] = None,
    harness: Annotated[str, Opt("--rung", help="What the policy is shown.")] = "SYMBOLIC",
    pixels: Annotated[int, Opt(help="The width of pictures.")] = 448,
    prompts: Annotated[Path | None, Opt(help="Only write what a policy would be told, as JSON rows.")] = None,
    verdicts: Annotated[bool, Opt("--verdicts", help="With --json: each reply's verdict too.")] = False,
    found: Annotated[Path | None, Opt("--found", help="Only make the fixed boards anew, into this file.")] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Judge joint plans: valid, optimal, and what spoils the rest, on the 3,150 fixed boards or on others."""
    if found is not None:
        _found(found)
        return
    boards = stage.listed(rows) if rows is not None else stage.fixed(wait, agents, size)
    if rows is not None and any(value is not None for value in (agents, size, wait)):
        raise ConfigError("--agents, --size and --wait choose among the fixed boards; leave them out with --rows")
    if limit is not None and limit < len(boards):
        boards = [boards[k * len(boards) // limit] for k in range(limit)]
    if prompts is not None:
        told = [{"id": board.name, "prompt": stage.prompt(board, rung(harness))} for board in boards]
        write_atomic(prompts, "".join(f"{codec.dumps(row)}\n" for row in told).encode())
        say(f"{len(boards)} prompts in {prompts}")
        return
    if (policy is None) == (replies is None):
        raise ConfigError("found both or neither of --policy and --replies; give one: who is judged")
    if replies is not None:
        given = stage.answered(replies, boards)
    else:
        with progress("playing") as shown:
            given = stage.played(boards, _player(str(policy)), rung(harness), seed, picture_width(pixels), shown)
    result = stage.told(boards, given)
    if not verdicts:
        del result["verdicts"]
    if missing := len(boards) - len(given):
        say(f"{missing} of {len(boards)} boards have no reply; they are missing, not failed")
    if json:
        emit(result)
    else:
        OUT.print(_table(result))


def _player(name: str) -> Policy | Insider:
    """Return a player of the house or of a server, or a checkpoint's policy."""
    if name != "tiny" and not Path(name).is_dir():
        return players.make(name)
    from palaestra.pipeline.judge import checkpoint
    from palaestra.training.embedded.backend import Embedded

    stored = checkpoint(name)
    return Embedded(stored.path.parent).policy(stored)


def _found(file: Path) -> None:
    with progress("making") as shown:
        lines = list(stage.founded(lambda done: shown(done, 3150)))
    write_atomic(file, "".join(lines).encode())
    say(f"{len(lines)} boards in {file}")


def _table(result: Mapping[str, Any]) -> Table:
    rows = table("walkers", "size", "valid", "optimal", "of valid", "failures")
    for agents, sizes in result["agents"].items():
        for size, own in sizes.items():
            rows.add_row(Text(agents, "bold cyan"), f"{size} x {size}", *_cells(own))
    rows.add_section()
    for wait, own in result["waits"].items():
        rows.add_row(Text("all"), f"wait {wait}", *_cells(own))
    rows.add_row(Text("all"), "", *_cells(result["all"]))
    return rows


def _cells(own: Mapping[str, Any]) -> Sequence[str]:
    failures = ", ".join(f"{kind} {count}" for kind, count in own["failures"].items())
    return *(_shown(own[name]) for name in ("valid", "optimal", "optimal_given_valid")), failures


def _shown(rate: Mapping[str, float] | str) -> str:
    if isinstance(rate, str):
        return rate
    return f"{rate['value']:.3f} [{rate['low']:.2f}, {rate['high']:.2f}] n={rate['n']}"
