"""The ability of a turn is the name that a model finds likelier there than it does anywhere.

A model too weak to write a sound answer can still compare: it is shown a turn, and each name of a closed set is scored
as the reply. Frequent words would win everywhere, so what a name scores after an empty turn is taken off, and what is
left is divided by its words, as long names gain and lose more.

Source: Holtzman et al., Surface form competition (2021), domain-conditional pointwise mutual information; Zhao et al.,
Calibrate before use (2021), the empty input. Departures: one ability a turn, as gains of different names are no
probabilities that a threshold could cut.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from palaestra.core.observation import Observation
from palaestra.core.policy import Message, Scorer
from palaestra.core.trajectory import Trajectory
from palaestra.measure.annotator import SHOWN, what_was_shown
from palaestra.measure.labelers import runs

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ScoringLabeler:
    """A labeler that lets a model score each of `abilities` after each turn; equal turns are scored once.

    `shown` returns what each turn looked like, of which the text is used.

    >>> from palaestra.measure.scoring import Message
    >>> class Likes:  # a scorer that finds a name the likelier the more of its words it has read
    ...     def score(self, talks, replies):
    ...         return [sum(talk[-1].text.count(word) for word in reply.split()) for talk, reply in zip(talks, replies)]
    >>> ScoringLabeler(Likes(), ("count_stars", "the_player"))._named("Two stars.", "2")
    'count_stars'
    """

    scorer: Scorer
    abilities: Sequence[str]
    shown: Callable[[Trajectory], Iterable[Observation]] = what_was_shown
    _known: dict[tuple[str, str], str] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, trajectory: Trajectory) -> Sequence[str]:
        """Return the ability of each turn, runs as one; raises what the scorer does."""
        turns = zip(self.shown(trajectory), trajectory.turns, strict=False)
        return runs(self._named(seen.text[:SHOWN], turn.completion.text[:SHOWN]) for seen, turn in turns)

    def _named(self, seen: str, reply: str) -> str:
        if (seen, reply) not in self._known:
            words_A = np.array([name.count("_") + 1 for name in self.abilities])
            gains_A = (self._scores(seen, reply) - self._anywhere) / words_A
            self._known[seen, reply] = self.abilities[int(gains_A.argmax())]
        return self._known[seen, reply]

    @cached_property
    def _anywhere(self) -> Array:
        """What each name scores where there is nothing to read [A]."""
        return self._scores("", "")

    def _scores(self, seen: str, reply: str) -> Array:
        told = f"A player was shown:\n{seen}\nIt replied:\n{reply}\nName the ability that this takes, in a few words."
        talk = (Message("user", told),)
        names = [name.replace("_", " ") for name in self.abilities]
        return np.array(self.scorer.score([talk] * len(names), names))
