"""How episodes ended: counted from what was stored, so that a resumed run counts the same."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import Any, Literal, NamedTuple

from palaestra.core.rate import Rate
from palaestra.core.ticket import Group, Ticket
from palaestra.core.trajectory import Stop
from palaestra.rollout.store import outcomes, shard_path


class Ending(NamedTuple):
    """How one episode ended."""

    env_id: str
    scale: int
    shown: str
    success: bool
    stop: str
    ret: float
    error: str


class Tally(NamedTuple):
    """The endings of some episodes, counted; a rate leaves out the episodes that an error ended."""

    episodes: int
    success: Rate
    mean_return: float | None
    stops: Mapping[str, int]

    def json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {**self._asdict(), "success": self.success.json()}


def tally(endings: Sequence[Ending]) -> Tally:
    """Count endings."""
    judged = [ending for ending in endings if ending.stop != Stop.ERROR]
    mean = fsum(ending.ret for ending in judged) / len(judged) if judged else None
    stops = Counter(ending.stop for ending in endings)
    return Tally(
        len(endings), Rate(sum(ending.success for ending in judged), len(judged)), mean, dict(sorted(stops.items()))
    )


def by(axis: Literal["env_id", "scale", "shown"], endings: Iterable[Ending]) -> dict[str, list[Ending]]:
    """Return the endings of each environment, scale or rung, in the order of first episodes."""
    found: dict[str, list[Ending]] = {}
    for ending in endings:
        found.setdefault(str(getattr(ending, axis)), []).append(ending)
    return found


def played(groups: Iterable[Group]) -> list[Ending]:
    """Return how the episodes of some groups ended."""
    return [
        Ending(
            member.instance.env_id,
            member.instance.scale,
            member.harness.name,
            member.success,
            str(member.stop),
            member.ret,
            member.error,
        )
        for group in groups
        for member in group.trajectories
    ]


def stored(folder: Path, tickets: Sequence[Ticket], shards: int) -> list[Ending]:
    """Return how the episodes in a run's first shards ended.

    Raises:
        BrokenShard: a shard is truncated or damaged.
    """
    endings = []
    for index in range(shards):
        for row in outcomes(shard_path(folder, index)):
            instance = tickets[row["ticket"]].instance
            outcome = (row["success"], row["stop"], row["ret"], row["error"])
            endings.append(Ending(instance.env_id, instance.scale, row["shown"], *outcome))
    return endings
