"""How each problem of a suite ended, as plain data: what metrics and comparisons read, and what a run keeps.

An episode that an error ended has no score: it is missing, never 0.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from palaestra.core.environment import Pool
from palaestra.core.errors import BadMeasurement
from palaestra.core.policy import Insider, Policy
from palaestra.core.ticket import Group, Ticket
from palaestra.evaluation.interval import Stratum
from palaestra.evaluation.suite import LeftOut, Suite

AT_ONCE = 256
"""How many tickets are played together; their trajectories, pictures and all, are dropped before the next."""


class SeededPlay(Protocol):
    """Whatever plays tickets with a seed, as `rollout.play.play` does; bind the rest with `partial`."""

    def __call__(
        self, tickets: Sequence[Ticket], pool: Pool, policy: Policy | Insider, *, seed: int
    ) -> Sequence[Group]:
        """Return one group for each ticket, in their order."""


class Score(NamedTuple):
    """How one problem ended; `key` names it, `error` says why there is no score."""

    env_id: str
    scale: int
    key: str
    success: bool
    ret: float
    stop: str
    error: str = ""

    @property
    def stratum(self) -> Stratum:
        """Where it was drawn."""
        return self.env_id, self.scale


@dataclass(frozen=True, slots=True)
class Scores:
    """One player on one suite: a row for each problem, and what the suite says of groups and of what it left out.

    `suite` is the suite's digest, `seed` that of the play.
    """

    rows: tuple[Score, ...]
    groups: Mapping[str, tuple[str, ...]]
    left_out: tuple[LeftOut, ...]
    suite: str
    seed: int

    @staticmethod
    def of(suite: Suite, groups: Iterable[Group], seed: int) -> "Scores":
        """Return the scores of a suite that was played with a seed."""
        return Scores(tuple(map(_score, groups)), suite.groups, suite.left_out, suite.digest, seed)

    @property
    def judged(self) -> tuple[Score, ...]:
        """The rows that hold a score."""
        return tuple(row for row in self.rows if not row.error)

    @property
    def missing(self) -> tuple[Score, ...]:
        """The rows that an error ended."""
        return tuple(row for row in self.rows if row.error)

    def only(self, env_ids: Collection[str]) -> "Scores":
        """Return the scores of some environments, such as those of one group or those selected."""
        return replace(self, rows=tuple(row for row in self.rows if row.env_id in env_ids))

    def dump(self) -> dict[str, Any]:
        """Return all of it as JSON data."""
        groups = {name: list(ids) for name, ids in self.groups.items()}
        rows, left_out = [list(row) for row in self.rows], [list(left) for left in self.left_out]
        return {"suite": self.suite, "seed": self.seed, "groups": groups, "left_out": left_out, "rows": rows}

    @staticmethod
    def load(data: Mapping[str, Any]) -> "Scores":
        """Return the scores of some JSON data."""
        groups = {name: tuple(ids) for name, ids in data["groups"].items()}
        rows, left_out = (tuple(Score(*row) for row in data["rows"])), tuple(LeftOut(*row) for row in data["left_out"])
        return Scores(rows, groups, left_out, data["suite"], data["seed"])


def judge(policy: Policy | Insider, suite: Suite, pool: Pool, play: SeededPlay, seed: int = 0) -> Scores:
    """Play a whole suite and return its scores.

    Raises:
        UnknownEnvironment: the pool lacks an environment of the suite.
        PolicyFailed: as for `play`.
    """
    batches = (suite.tickets[start : start + AT_ONCE] for start in range(0, len(suite.tickets), AT_ONCE))
    return Scores.of(suite, (group for batch in batches for group in play(batch, pool, policy, seed=seed)), seed)


def paired(one: Scores, other: Scores) -> list[tuple[Score, Score]]:
    """Return the two scores of every problem that both have.

    Raises:
        BadMeasurement: they were not asked the same problems.
    """
    if [row.key for row in one.rows] != [row.key for row in other.rows] or one.suite != other.suite:
        raise BadMeasurement(
            f"scores of suite {one.suite} ({len(one.rows)} problems) and of suite {other.suite} ({len(other.rows)}); "
            "judge both on one suite and restrict both alike"
        )
    return [(a, b) for a, b in zip(one.rows, other.rows, strict=True) if not (a.error or b.error)]


def _score(group: Group) -> Score:
    (played,) = group.trajectories
    cell = group.ticket.cell
    return Score(cell.env_id, cell.scale, played.key, played.success, played.ret, str(played.stop), played.error)
