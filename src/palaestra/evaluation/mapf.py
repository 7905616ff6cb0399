"""How well somebody plans for several walkers: valid, optimal, optimal given valid, and what spoils the rest.

A plan is *valid* when it has no fault, *optimal* when its makespan is the least besides. An optimal rate needs the
least makespan of every board; where one is not known it is `UNMEASURED`, never guessed.

Source: the metrics of LLM-as-Environment-Engineer. Departures: every rate has its interval; of the two optima that it
may mean, this is the makespan, and the cost is told beside it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from palaestra.core.rate import Rate

PARSE = "parse"
"""The failure of a reply that holds no plan."""
UNMEASURED = "unmeasured"


@dataclass(frozen=True, slots=True)
class Failure:
    """The first thing that spoils a plan: which, at what time (-1: none), in which cell, and of which walkers."""

    kind: str
    time: int = -1
    cell: tuple[int, int] | None = None
    walkers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reply to one board was worth; `least` and `cheapest` are the optima of the board where they are known."""

    name: str
    size: int
    agents: int
    failure: Failure | None = None
    makespan: int | None = None
    cost: int | None = None
    least: int | None = None
    cheapest: int | None = None

    @property
    def valid(self) -> bool:
        """Whether nothing spoils it."""
        return self.failure is None

    @property
    def optimal(self) -> bool:
        """Whether it is valid and the last walker arrives as early as can be."""
        return self.valid and self.makespan == self.least

    def json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {**asdict(self), "valid": self.valid, "optimal": self.optimal if self.least is not None else UNMEASURED}


def by_size(verdicts: Iterable[Verdict]) -> dict[str, dict[str, Any]]:
    """Return for each size the rates and the failures of its verdicts."""
    found: dict[int, list[Verdict]] = {}
    for verdict in verdicts:
        found.setdefault(verdict.size, []).append(verdict)
    return {str(size): rates(found[size]) for size in sorted(found)}


def rates(verdicts: Iterable[Verdict]) -> dict[str, Any]:
    """Return valid, optimal and optimal given valid, each with interval and count, and how often each failure came
    first."""
    judged = list(verdicts)
    valid = [verdict for verdict in judged if verdict.valid]
    failures: Mapping[str, int] = Counter(verdict.failure.kind for verdict in judged if verdict.failure)
    return {
        "valid": Rate(len(valid), len(judged)).json(),
        "optimal": _optimal(judged),
        "optimal_given_valid": _optimal(valid),
        "cheapest": _share(judged, [one.valid and one.cost == one.cheapest for one in judged], "cheapest"),
        "failures": dict(sorted(failures.items())),
    }


def _optimal(judged: list[Verdict]) -> dict[str, float] | str:
    return _share(judged, [verdict.optimal for verdict in judged], "least")


def _share(judged: list[Verdict], hits: list[bool], needs: str) -> dict[str, float] | str:
    """Return a rate, if what it takes is known of every board."""
    if any(getattr(verdict, needs) is None for verdict in judged):
        return UNMEASURED
    return Rate(sum(hits), len(hits)).json()
