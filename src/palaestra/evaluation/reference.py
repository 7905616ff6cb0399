"""What random play and the best play earn on the same problems: the two ends of the normalised return.

    normalised = (return - random) / (best - random)

measured for every scale. Best is 1, since a success earns that, or what the guide earns where the oracle's plan uses
hidden facts or chance. So 0 is guessing, and 1 is all that a player could have done.

Source: human-normalised scores of the Arcade Learning Environment, with a guide in the human's place. Departures: by
scale; the reference is taken as known, so its own error is in no interval (it moves all methods alike).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

from palaestra.core.environment import Pool
from palaestra.evaluation.interval import Stratum
from palaestra.evaluation.scores import Score, Scores, SeededPlay, judge
from palaestra.evaluation.suite import Suite
from palaestra.rollout.policies import Guide, Random


class Ends(NamedTuple):
    """The mean return of random play and of the best play at one scale; there is room when the best earns more."""

    random: float
    best: float


@dataclass(frozen=True, slots=True)
class Reference:
    """The ends of every scale of the suite whose digest it holds; plain data, worth keeping beside the suite.

    >>> half = Reference("", {("a/a", 0): Ends(0.25, 0.75)})
    >>> half.normalised(Score("a/a", 0, "", False, 0.5, "done"))
    0.5
    """

    suite: str
    ends: Mapping[Stratum, Ends]

    @staticmethod
    def measure(suite: Suite, pool: Pool, play: SeededPlay, seeds: Sequence[int] = (0,)) -> "Reference":
        """Play a suite at random, once for each seed, and by the guide where one is needed; errors are left out."""
        random = _means(row for seed in seeds for row in judge(Random(), suite, pool, play, seed).judged)
        guided = suite.only({env_id for env_id, env in pool.items() if env.spec.clairvoyant})
        best = _means(judge(Guide(), guided, pool, play, seeds[0]).judged)
        needed = {ticket.cell.env_id for ticket in guided.tickets}
        known = [stratum for stratum in random if stratum in best or stratum[0] not in needed]
        return Reference(suite.digest, {stratum: Ends(random[stratum], best.get(stratum, 1.0)) for stratum in known})

    def normalised(self, score: Score) -> float | None:
        """Return the normalised return of one problem, None at a scale without room."""
        random, best = self.ends.get(score.stratum, (0.0, 0.0))
        return (score.ret - random) / (best - random) if best > random else None

    def lacking(self, scores: Scores) -> tuple[Stratum, ...]:
        """Return the scales of some scores that have no normalised return: without room, or not measured."""
        return tuple(sorted({row.stratum for row in scores.judged if self.normalised(row) is None}))

    def dump(self) -> dict[str, Any]:
        """Return all of it as JSON data."""
        return {"suite": self.suite, "ends": [[*stratum, *ends] for stratum, ends in self.ends.items()]}

    @staticmethod
    def load(data: Mapping[str, Any]) -> "Reference":
        """Return the reference of some JSON data."""
        ends = {(env_id, scale): Ends(random, best) for env_id, scale, random, best in data["ends"]}
        return Reference(data["suite"], ends)


def _means(rows: Iterable[Score]) -> dict[Stratum, float]:
    """Return the mean return of each scale."""
    returns: dict[Stratum, list[float]] = {}
    for row in rows:
        returns.setdefault(row.stratum, []).append(row.ret)
    return {stratum: fmean(found) for stratum, found in returns.items()}
