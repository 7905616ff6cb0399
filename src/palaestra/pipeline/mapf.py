"""A policy, or replies that somebody already has, on the boards of the multi-agent benchmark.

The boards are the fixed sets of the package, whose least makespans come with them, or rows of a file; of those the
optima are known where the extra ``mapf`` is installed.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from palaestra.core.errors import ConfigError, ExtraMissing, PolicyFailed, nearest
from palaestra.core.observation import Harness
from palaestra.core.policy import Insider, Policy
from palaestra.envs.kit.parts import Asked
from palaestra.envs.planning._mapf import rows, sets
from palaestra.envs.planning._mapf.lake import Lake, outcome
from palaestra.envs.planning.mapf_frozen_lake import MapfFrozenLake, Puzzle
from palaestra.envs.planning.mapf_frozen_lake import environment as plain
from palaestra.evaluation.mapf import PARSE, Failure, Verdict, by_size, rates
from palaestra.rollout.messages import conversation
from palaestra.rollout.play import Prepares
from palaestra.rollout.replies import ask
from palaestra.rollout.seeds import seed_of

BATCH = 32
"""Boards that a policy is asked about at once."""


@dataclass(frozen=True, slots=True)
class Board:
    """One board by name, with its least makespan and its least cost where they are known."""

    name: str
    lake: Lake
    least: int | None = None
    cheapest: int | None = None
    wait: float | None = None


def fixed(wait: float | None = None, agents: int | None = None, size: int | None = None) -> list[Board]:
    """Return the boards of the fixed sets: all, or those of one wait ratio, number of walkers, or size.

    Raises:
        ConfigError: there are none such.
    """
    wanted = {"wait": wait, "agents": agents, "size": size}
    found = [
        Board(board.place.name, board.lake, board.makespan, wait=board.place.wait)
        for board in sets.boards()
        if all(value in (None, getattr(board.place, name)) for name, value in wanted.items())
    ]
    if not found:
        asked = ", ".join(f"{name} {value}" for name, value in wanted.items() if value is not None)
        raise ConfigError(f"no board has {asked}; there are waits {sets.WAITS}, agents {sets.AGENTS}, sizes up to 10")
    return found


def listed(file: Path) -> list[Board]:
    """Return the boards in a file of JSON rows, as an array or one a line; optima where the extra ``mapf`` is there.

    Raises:
        ConfigError: the file cannot be read, or a row holds no board.
    """
    found = [rows.read(row, number) for number, row in enumerate(_json(file), 1)]
    often = Counter(row.name for row in found)  # what is taken for a name may be that of a configuration
    names = [row.name if often[row.name] == 1 else f"{row.name}, row {k}" for k, row in enumerate(found, 1)]
    return [Board(name, row.lake, *_optima(row.lake)) for name, row in zip(names, found, strict=True)]


def _optima(lake: Lake) -> tuple[int | None, int | None]:
    from palaestra.integrations.mapf import ORACLE

    try:
        best, cheapest = ORACLE.best(lake), ORACLE.cheapest(lake)
    except ExtraMissing:
        return None, None
    return max(map(len, best)) if best else None, sum(map(len, cheapest)) if cheapest else None


def answered(file: Path, boards: Sequence[Board]) -> dict[str, str]:
    """Return the replies in a file of JSON objects, `id` and `reply`, by the name of their board.

    Raises:
        ConfigError: the file cannot be read, or speaks of a board that is not there, or of one twice.
    """
    known, found = {board.name for board in boards}, dict[str, str]()
    for number, row in enumerate(_json(file), 1):
        if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in ("id", "reply")):
            raise ConfigError(f'{file}, row {number}: found {row!r:.80}; write {{"id": "...", "reply": "..."}}')
        if row["id"] not in known or row["id"] in found:
            why = "is answered twice" if row["id"] in found else f"is no board here{nearest(row['id'], known)}"
            raise ConfigError(f"{file}, row {number}: {row['id']!r} {why}")
        found[row["id"]] = row["reply"]
    return found


def _json(file: Path) -> list[Any]:
    try:
        text = file.read_text("utf-8")
        lines = [text] if text.lstrip().startswith("[") else filter(str.strip, text.split("\n"))
        found = [json.loads(line) for line in lines]
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{file}: cannot be read ({error}); give a JSON array, or one JSON object a line") from error
    rows = found[0] if found and isinstance(found[0], list) else found
    if not rows:
        raise ConfigError(f"{file}: holds no row")
    return list(rows)


def prompt(board: Board, harness: Harness) -> str:
    """Return what a player is told of a board in words."""
    return harness.show(plain.view(Puzzle(board.lake), 0)).text


def played(
    boards: Sequence[Board],
    policy: Policy | Insider,
    harness: Harness,
    seed: int = 0,
    pixels: int = 448,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, str]:
    """Return the replies of a policy by the name of the board; one whose policy or server failed has none.

    Raises:
        PolicyFailed: the policy cannot play this, or answered another number of boards than it was asked.
    """
    found: dict[str, str] = {}
    env = _environment()
    player = policy.prepared([env]) if isinstance(policy, Prepares) else policy
    for begun in range(0, len(boards), BATCH):
        progress(begun, len(boards))
        batch = boards[begun : begun + BATCH]
        seeds = [seed_of(seed, _ticket(board.name), 0, 0) for board in batch]
        if isinstance(player, Insider):
            replies = [_peeked(player, env, board, own) for board, own in zip(batch, seeds, strict=True)]
        else:
            shown = [harness.show(plain.view(Puzzle(board.lake), pixels)) for board in batch]
            said = ask(player, [conversation((), one) for one in shown], seeds)
            replies = [None if own.error else own.text for own in said]
        found |= {board.name: reply for board, reply in zip(batch, replies, strict=True) if reply is not None}
    return found


def _peeked(player: Insider, env: MapfFrozenLake, board: Board, seed: int) -> str | None:
    try:
        return player.peek(env, Asked(Puzzle(board.lake)), seed)
    except PolicyFailed:  # an oracle without a plan for this board
        return None


def _ticket(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:6], "big")


def _environment() -> MapfFrozenLake:
    """Return the environment with the joint oracle, if that works here."""
    from palaestra.integrations.mapf import mapf_frozen_lake

    try:
        import pysat  # noqa: F401
    except ImportError:
        return plain
    return mapf_frozen_lake  # type: ignore[no-any-return]


def judged(board: Board, reply: str) -> Verdict:
    """Return what a reply to a board is worth."""
    lake = board.lake
    about = (board.name, lake.size, len(lake.starts))
    parsed = plain.view(Puzzle(lake), 0).answer.parse(reply)
    if not parsed.ok:
        return Verdict(*about, Failure(PARSE), least=board.least, cheapest=board.cheapest)
    found = outcome(lake, parsed.value)
    failure = None
    if found.faults:
        first = found.faults[0]
        failure = Failure(first.kind, first.time, divmod(first.cell, lake.size), first.walkers)
    return Verdict(*about, failure, found.makespan, found.cost, board.least, board.cheapest)


def told(boards: Iterable[Board], replies: Mapping[str, str]) -> dict[str, Any]:
    """Return valid and optimal rates, and failures: by size, by agents and size, by wait ratio, and of all.

    A board without a reply is missing, and never counts as failed.
    """
    asked = [board for board in boards if board.name in replies]
    verdicts = [judged(board, replies[board.name]) for board in asked]
    waits = sorted({board.wait for board in asked if board.wait is not None})
    return {
        "sizes": by_size(verdicts),
        "agents": {str(n): by_size(v for v in verdicts if v.agents == n) for n in sorted({v.agents for v in verdicts})},
        "waits": {
            str(wait): rates(verdict for board, verdict in zip(asked, verdicts, strict=True) if board.wait == wait)
            for wait in waits
        },
        "all": rates(verdicts),
        "verdicts": [verdict.json() for verdict in verdicts],
    }


def founded(progress: Callable[[int], None] = lambda done: None) -> Iterator[str]:
    """Yield the lines of the file of the fixed sets, made anew; it takes half an hour and the extra ``mapf``."""
    from palaestra.integrations.mapf import ORACLE

    return sets.founded(ORACLE, progress)
