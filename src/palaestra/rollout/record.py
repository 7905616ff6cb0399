"""Playing into a run folder, shard by shard, so that a run killed at any moment resumes to the same bytes.

A finished shard is kept, a missing one is played, a broken one is set aside and played again; `events.jsonl` gets one
line for each, in order. Only one shard of trajectories is in memory at a time.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import fsum
from pathlib import Path

from palaestra.core.environment import Pool
from palaestra.core.errors import BrokenShard, ConfigError, RunFolderError
from palaestra.core.policy import Insider, Policy
from palaestra.core.runfolder import RunFolder, storing
from palaestra.core.ticket import Ticket
from palaestra.core.trajectory import Stop
from palaestra.rollout.play import Prepares, play, ready
from palaestra.rollout.replies import Recorded
from palaestra.rollout.rows import ASKED, Row, asked
from palaestra.rollout.store import arrow, outcomes, shard_path, write_shard


@dataclass(frozen=True, slots=True)
class Summary:
    """What was recorded: counts that add up over shards.

    `ret` is the sum of the returns of the episodes that no error ended; `errors` counts each message; `mended` names
    the broken shards that this call set aside, and is no part of what was recorded.
    """

    episodes: int = 0
    successes: int = 0
    ret: float = 0.0
    stops: Mapping[Stop, int] = field(default_factory=dict)
    errors: Mapping[str, int] = field(default_factory=dict)
    mended: tuple[Path, ...] = field(default=(), compare=False)

    @property
    def judged(self) -> int:
        """How many episodes ended without an error."""
        return self.episodes - self.stops.get(Stop.ERROR, 0)

    @property
    def mean_return(self) -> float | None:
        """The mean return of the judged episodes, None without any: a missing score is missing."""
        return self.ret / self.judged if self.judged else None

    def __add__(self, other: "Summary") -> "Summary":
        return Summary(
            self.episodes + other.episodes,
            self.successes + other.successes,
            self.ret + other.ret,
            Counter(self.stops) + Counter(other.stops),
            Counter(self.errors) + Counter(other.errors),
            self.mended + other.mended,
        )


def record(
    folder: RunFolder,
    tickets: Sequence[Ticket],
    pool: Pool,
    policy: Policy | Insider,
    *,
    seed: int = 0,
    pixels: int = 448,
    shard_size: int = 16,
    replay: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Summary:
    """Play every ticket that the folder does not hold yet, store what was played, and return what the folder holds.

    Args:
        folder: the run; it must hold no other tickets.
        tickets: all tickets of the run, in the same order at every call.
        pool: as for `play`, and so are `policy`, `seed` and `pixels`.
        shard_size: how many tickets share a file, a batch and the memory.
        replay: keep a journal of a costly policy's replies, so that none is asked for twice. Insiders and players that
            are `Prepares` are never journalled: they depend on more than conversation and seed.
        progress: told after every shard how many episodes of how many are there.

    Raises:
        UnknownEnvironment: the pool lacks an environment; nothing was played.
        PolicyFailed: as for `play`.
        RunFolderError: the folder cannot be written or holds other tickets; finished shards are as they were.
        ExtraMissing: pyarrow is not installed; nothing was played.
    """
    if shard_size < 1:
        raise ConfigError(f"shard_size is {shard_size}; a shard holds one ticket at least")
    arrow()
    ready(tickets, pool, policy)
    logged = {event["index"] for event in folder.events() if event["event"] == "shard"}
    total = sum(ticket.cell.rollouts for ticket in tickets)
    summary = Summary()
    for index, start in enumerate(range(0, len(tickets), shard_size)):
        path, batch = shard_path(folder.path, index), tickets[start : start + shard_size]
        journal = path.with_suffix(".replies.jsonl")
        rows, mended = _stored(path)
        if rows is None:
            player = _journalled(policy, journal) if replay else policy
            write_shard(folder, index, play(batch, pool, player, seed=seed, pixels=pixels))
            rows = outcomes(path)
        _check(rows, batch, path)
        part = _summary(rows, mended)
        if index not in logged:
            folder.log("shard", index=index, episodes=part.episodes, successes=part.successes, ret=part.ret)
        with storing(journal):
            journal.unlink(missing_ok=True)
        summary += part
        if progress is not None:
            progress(summary.episodes, total)
    return summary


def _stored(path: Path) -> tuple[list[Row] | None, tuple[Path, ...]]:
    """Return how the episodes of a shard ended, None when it is missing; a broken one is set aside first, and named."""
    if not path.exists():
        return None, ()
    try:
        return outcomes(path), ()
    except BrokenShard:
        names = (path.with_name(f"{path.name}.broken{n or ''}") for n in count())
        free = next(name for name in names if not name.exists())  # nothing set aside before is written over
        with storing(free):
            path.rename(free)
        return None, (free,)


def _journalled(policy: Policy | Insider, journal: Path) -> Policy | Insider:
    return policy if isinstance(policy, Insider | Prepares) else Recorded(policy, journal)


def _check(rows: Sequence[Row], tickets: Sequence[Ticket], path: Path) -> None:
    wanted = [asked(ticket) for ticket in tickets for _ in range(ticket.cell.rollouts)]
    if [{name: row[name] for name in ASKED} for row in rows] != wanted:
        raise RunFolderError(f"{path} holds other tickets than those to be recorded; choose another folder")


def _summary(rows: Sequence[Row], mended: tuple[Path, ...]) -> Summary:
    return Summary(
        episodes=len(rows),
        successes=sum(row["success"] for row in rows),
        ret=fsum(row["ret"] for row in rows if row["stop"] != Stop.ERROR),
        stops=Counter(Stop(row["stop"]) for row in rows),
        errors=Counter(row["error"] for row in rows if row["error"]),
        mended=mended,
    )
