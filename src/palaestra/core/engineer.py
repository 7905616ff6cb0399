"""Who rewrites the environments' configuration between two stages of training.

Source: LLM-as-Environment-Engineer; the evidence has its context modules (failure breakdown, guideline, history,
summary, training details) and two further ones, `behaviour` and `environment`, that the engineer may be shown or not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from palaestra.core.distribution import Distribution
from palaestra.core.environment import EnvSpec


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an engineer is told, one text for each module; an empty one is left out of its context.

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


@dataclass(frozen=True, slots=True)
class Proposal:
    """A next distribution, why, the engineer's own words, and what had to be projected back onto the legal space.

    >>> from palaestra.core.distribution import Cell
    >>> from palaestra.core.observation import H4
    >>> smaller = Distribution({Cell("a/b", 1, H4): 1.0})
    >>> Proposal(smaller, "8x8 gives no signal", "{...}", projected=("scale 9 became 6",)).projected
    ('scale 9 became 6',)
    """

    distribution: Distribution
    rationale: str
    raw: str
    projected: tuple[str, ...] = ()


class Engineer(Protocol):
    """Proposes the next distribution within a space of environments, scales and knobs."""

    def propose(self, current: Distribution, evidence: Evidence, space: Sequence[EnvSpec]) -> Proposal:
        """Return the proposal; raw model output is untrusted and never applied before it is projected."""
