"""Who rewrites the environments' configuration between two stages of training.

Source: LLM-as-Environment-Engineer; the evidence has its context modules (failure breakdown, guideline, history,
summary, training details) and two further ones, `behaviour` and `environment`, that the engineer may be shown or not.
Departures: the numbers behind the words come along, so that engineers that read no text stand on the same protocol.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from palaestra.core.distribution import Distribution
from palaestra.core.rate import Rate
from palaestra.core.space import Settings, Space


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of training that is over: what was set, and by part what came of it.

    `trained` counts the rollouts that were learnt from, `validated` those on problems that stay the same from stage to
    stage; a part that is missing was not played. `note` says what else happened, such as a rollback.

    >>> Stage({"lake": {"weight": 1.0}}, trained={"lake": Rate(3, 20)}).success("lake").value
    0.15
    """

    settings: Settings
    trained: Mapping[str, Rate] = field(default_factory=dict)
    validated: Mapping[str, Rate] = field(default_factory=dict)
    note: str = ""

    def success(self, part: str) -> Rate:
        """Return how a part fared as it was set; validation stands in where it was not trained on."""
        own = self.trained.get(part, Rate(0, 0))
        return own if own.n else self.validated.get(part, Rate(0, 0))

    @property
    def score(self) -> float | None:
        """The mean success over parts on the problems that stay the same, on all there are where there are none."""
        rates = [rate.value for rate in (self.validated or self.trained).values() if rate.n]
        return sum(rates) / len(rates) if rates else None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an engineer is told, one text for each module; an empty one is left out of its context. `stages` holds the
    numbers, oldest first.

    >>> Evidence(failures="8x8: 31 of 40 end in a hole").guideline
    ''
    """

    failures: str = ""
    behaviour: str = ""
    environment: str = ""
    guideline: str = ""
    history: str = ""
    summary: str = ""
    training: str = ""
    stages: tuple[Stage, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """A next distribution, why, the engineer's own words, and what had to be projected back onto the legal space.

    `raw` is empty where no model wrote it; `summary` is what the engineer wants to be told next time; `by` names who
    made it where that is another than who was asked.

    >>> from palaestra.core.distribution import Cell
    >>> from palaestra.core.observation import H4
    >>> smaller = Distribution({Cell("a/b", 1, H4): 1.0})
    >>> Proposal(smaller, "8x8 gives no signal", "{...}", projected=("scale 9 became 6",)).projected
    ('scale 9 became 6',)
    """

    distribution: Distribution
    rationale: str
    raw: str = ""
    projected: tuple[str, ...] = ()
    summary: str = ""
    by: str = ""


class Engineer(Protocol):
    """Proposes the next distribution within a space of environments, scales, rungs and knobs."""

    def propose(self, current: Distribution, evidence: Evidence, space: Space) -> Proposal:
        """Return the proposal, always a legal one; raw model output is untrusted and projected before it is applied."""
