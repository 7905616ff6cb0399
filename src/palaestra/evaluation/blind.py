"""The blank-image probe: whether a policy looks at its pictures.

The same problems are played, or the same replies weighed, with the true pictures and with grey ones of their size.
A policy that does no better with the true ones has not been shown to see: it answers from the text. Do this before
training from pictures, and after it.

Source: blank-image ablations of visual question answering. Departures: paired by problem, with an interval.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np

from palaestra.core.environment import Environment, Pool
from palaestra.core.errors import PolicyFailed
from palaestra.core.observation import Picture
from palaestra.core.policy import Completion, Conversation, Insider, Policy, Scorer
from palaestra.core.ticket import Group
from palaestra.evaluation.compare import Difference, compare, differing
from palaestra.evaluation.interval import macro_mean, stratified
from palaestra.evaluation.metrics import Measure, returned
from palaestra.evaluation.scores import SeededPlay, judge
from palaestra.evaluation.suite import Suite
from palaestra.rollout.messages import conversation
from palaestra.rollout.play import Prepares

GREY = np.full((256, 3), 128, np.uint8)


def blanked(talk: Conversation) -> Conversation:
    """Return a conversation with every picture greyed out."""
    return [replace(message, image=message.image and _blank(message.image)) for message in talk]


@dataclass(frozen=True, slots=True)
class Blindfolded:
    """A policy that gets grey pictures."""

    policy: Policy

    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> Sequence[Completion]:
        """Return what it says without seeing."""
        return self.policy([blanked(talk) for talk in conversations], seeds)

    def prepared(self, envs: Sequence[Environment[Any, Any]]) -> "Blindfolded":
        """Return the policy, ready to play and still blindfolded.

        Raises:
            PolicyFailed: it refuses, or is an insider, who looks at no picture anyway.
        """
        policy = self.policy.prepared(envs) if isinstance(self.policy, Prepares) else self.policy
        if isinstance(policy, Insider):
            raise PolicyFailed(f"{policy!r:.80} peeks at the state and sees no pictures; probe a policy")
        return Blindfolded(policy)


@dataclass(frozen=True, slots=True)
class Probe:
    """What the pictures are worth: the score with true ones less that with grey ones."""

    worth: Difference

    @property
    def warning(self) -> str:
        """Return "blind" when the pictures make no difference beyond noise, "misled" when they harm, else ""."""
        return "blind" if not self.worth.beyond else "misled" if self.worth.value.high < 0 else ""

    def json(self) -> dict[str, Any]:
        """Return all of it as JSON data."""
        return self.worth.json() | {"warning": self.warning}


def probe(
    policy: Policy, suite: Suite, pool: Pool, play: SeededPlay, seed: int = 0, measure: Measure = returned
) -> Probe:
    """Play a suite twice, with true pictures and with grey ones.

    Raises:
        PolicyFailed: the policy refuses, or is an insider.
    """
    blind = judge(Blindfolded(policy), suite, pool, play, seed)
    return Probe(compare(judge(policy, suite, pool, play, seed), blind, measure, seed=seed))


def weigh(scorer: Scorer, groups: Iterable[Group], pool: Pool, seed: int = 0) -> Probe:
    """Weigh the replies of played groups, a good player's best of all, with true pictures and with grey ones.

    The value of a group is the mean over its turns of the difference in log-probability [nats]. It is far more
    sensitive than playing: a policy too weak to win may still see.
    """
    rows = []
    for group in groups:
        cell = group.ticket.cell
        memory = pool[cell.env_id].spec.memory
        asked = [
            (conversation(member.turns[:turn], taken.observation, memory), taken.completion.text)
            for member in group.trajectories
            for turn, taken in enumerate(member.turns)
        ]
        if asked:
            talks, replies = zip(*asked, strict=True)
            true, grey = scorer.score(talks, replies), scorer.score([blanked(talk) for talk in talks], replies)
            rows.append(((cell.env_id, cell.scale), [fmean(true) - fmean(grey)]))
    strata = stratified(rows)
    return Probe(Difference(macro_mean(strata, seed=seed), differing(strata), seeds=(seed,)))


def _blank(image: Picture) -> Picture:
    return Picture(np.zeros((image.height, image.width), np.uint8), GREY)
