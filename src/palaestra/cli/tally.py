"""How episodes ended: counted from what was stored, so that a resumed run counts the same."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

from palaestra.core.rate import Rate
from palaestra.core.ticket import Group, Ticket
from palaestra.core.trajectory import Stop
from palaestra.rollout.store import outcomes, shard_path


class Ending(NamedTuple):
    """How one episode ended."""

    env_id: str
    scale: int
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


def by_environment(endings: Iterable[Ending]) -> dict[str, list[Ending]]:
    """Return the endings of each environment, in the order of their first episodes."""
    found: dict[str, list[Ending]] = {}
    for ending in endings:
        found.setdefault(ending.env_id, []).append(ending)
    return found


def by_scale(endings: Iterable[Ending]) -> dict[int, list[Ending]]:
    """Return the endings of each scale, in their order."""
    found: dict[int, list[Ending]] = {}
    for ending in endings:
        found.setdefault(ending.scale, []).append(ending)
    return dict(sorted(found.items()))


def played(groups: Iterable[Group]) -> list[Ending]:
    """Return how the episodes of some groups ended."""
    return [
        Ending(
            member.instance.env_id, member.instance.scale, member.success, str(member.stop), member.ret, member.error
        )
        for group in groups
        for member in group.trajectories
    ]


def stored(folder: Path, tickets: Sequence[Ticket]) -> list[Ending]:
    """Return how the episodes in a run's folder ended.

    Raises:
        BrokenShard: a shard is truncated or damaged.
    """
    endings = []
    for path in sorted(shard_path(folder, 0).parent.glob("shard-*.parquet")):
        for row in outcomes(path):
            instance = tickets[row["ticket"]].instance
            outcome = (row["success"], row["stop"], row["ret"], row["error"])
            endings.append(Ending(instance.env_id, instance.scale, *outcome))
    return endings
