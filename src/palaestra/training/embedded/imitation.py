"""What the warm start teaches: a position as one row, and the teacher's reply at several rungs of it.

The texts of the ladder nest: what a rung shows begins what the rung above it shows. So one row, the *trunk*, holds the
most helped prompt, and the reply branches off wherever a rung's text ends. A lesson in reading has the position in its
text, at H0 and H1; state and caption are lessons of their own there: each of their tokens is told from the picture and
the text before it. A lesson in seeing, at H2 to H4, has the picture alone to answer from. How many are of this kind is
the one dial between a policy that reads and one that sees. A share also asks for the caption.

The teacher is the oracle, and the guide where the oracle is clairvoyant. Now and then a random reply is played instead
of the teacher's, so that positions off its way are met; what is taught there is what the teacher would say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from palaestra.core.environment import Environment, Guided, turn
from palaestra.core.errors import ConfigError
from palaestra.core.instance import Split
from palaestra.core.observation import H2, LADDER, Observation, View
from palaestra.core.policy import Completion
from palaestra.core.trajectory import Turn
from palaestra.rollout.messages import conversation, noticed
from palaestra.training.embedded.batch import Branch
from palaestra.training.embedded.prompt import IMAGE_TOKENS, PIXELS, Prompt, prompt
from palaestra.training.embedded.tokenizer import ASSISTANT, USER, Tokenizer

DESCRIBE = "Describe the picture."
"""What is asked where the reply is the caption."""

CAPTION = "caption"
"""How the branch that is the caption is named; the others have the names of their rungs."""

_UNHELPED = LADDER.index(H2)  # the first rung that says nothing of the position

AT_ONCE = 4
"""Lessons that are taken of one environment at a time: an episode of several turns gives as many."""


@dataclass(frozen=True, eq=False, slots=True)
class Lesson:
    """A trunk, its branches by name, and the places of the trunk's tokens that are to be told."""

    env_id: str
    trunk: Prompt
    branches: dict[str, Branch]
    told: range

    @property
    def length(self) -> int:
        """How many tokens it has."""
        return len(self.trunk.tokens) + sum(branch.length for branch in self.branches.values())


@dataclass(frozen=True, kw_only=True)
class Teaching:
    """What lessons are made of.

    `unhelped` is the share of lessons in seeing, `captions` the share that asks for the caption too, `slips` the share
    of moves that are played at random.
    """

    unhelped: float = 0.3
    captions: float = 0.1
    slips: float = 0.15

    def __post_init__(self) -> None:
        shares = {"unhelped": self.unhelped, "captions": self.captions, "slips": self.slips}
        if not all(0 <= share <= 1 for share in shares.values()):
            raise ConfigError(", ".join(f"{name} = {share}" for name, share in shares.items()) + "; they are shares")


def lessons(
    env: Environment[Any, Any], scales: Sequence[int], tokenizer: Tokenizer, plan: Teaching, rng: np.random.Generator
) -> list[Lesson]:
    """Return `AT_ONCE` lessons from fresh training problems of an environment.

    The n-th of its scales comes 1/n times as often as the first: what is found on small problems is found soonest.
    """
    often = 1 / np.arange(1, len(scales) + 1)
    found: list[Lesson] = []
    while len(found) < AT_ONCE:
        episode = list(_episode(env, int(rng.choice(scales, p=often / often.sum())), tokenizer, plan, rng))
        found += [episode[k] for k in sorted(rng.permutation(len(episode))[: AT_ONCE - len(found)])]
    return found


def _episode(
    env: Environment[Any, Any], scale: int, tokenizer: Tokenizer, plan: Teaching, rng: np.random.Generator
) -> Iterator[Lesson]:
    state = env.reset(env.spec.instance(scale, int(rng.integers(1 << 40)), Split.TRAIN))
    turns: list[Turn] = []
    for _ in range(env.horizon(state)):
        public = env.public(state)
        if env.spec.clairvoyant and isinstance(env, Guided):
            reply = env.guide(public)
        else:
            reply = next(iter(env.solve(state) or ()), None)
        if reply is None:
            return
        view = env.view(public, PIXELS)
        shown = [rung.show(view) for rung in LADDER]
        if turns and not turns[-1].legal:
            shown = [noticed(observation) for observation in shown]
        yield _lesson(env, view, turns, shown, tokenizer.reply(reply), tokenizer, plan, rng)
        played = view.answer.sample(rng) if rng.random() < plan.slips else reply
        parsed, step = turn(env, state, view, played)
        turns.append(Turn(shown[-1], Completion(played), parsed, step.legal, step.reward))
        state = step.state
        if step.done:
            return


def _lesson(
    env: Environment[Any, Any],
    view: View,
    turns: Sequence[Turn],
    shown: Sequence[Observation],
    reply: tuple[int, ...],
    tokenizer: Tokenizer,
    plan: Teaching,
    rng: np.random.Generator,
) -> Lesson:
    first, last = (_UNHELPED, len(LADDER)) if rng.random() < plan.unhelped else (0, _UNHELPED)
    whole = prompt(conversation(turns, shown[first], env.spec.memory), tokenizer)
    trunk = Prompt(whole.tokens[:-1], whole.images)
    before = len(trunk.tokens) - len(tokenizer.encode(shown[first].text))
    ends = [before + len(tokenizer.encode(one.text)) for one in shown]
    # where two rungs show the same, the one with less help stands for both
    rungs = {end: rung.name for end, rung in zip(ends[first:last], LADDER[first:last], strict=True)}
    branches = {name: Branch(end, (ASSISTANT,), reply) for end, name in rungs.items()}
    if len(trunk.images) == 1 and view.image is not None and rng.random() < plan.captions:
        asked = (USER, *tokenizer.encode(DESCRIBE), ASSISTANT)
        branches[CAPTION] = Branch(IMAGE_TOKENS, asked, tokenizer.reply(view.caption))
    return Lesson(env.spec.id, trunk, branches, range(ends[_UNHELPED], len(trunk.tokens)))
