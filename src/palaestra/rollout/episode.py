"""One member's episode while it lasts: what it is shown, what a reply does, and when it ends."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple

from palaestra.core.environment import ILLEGAL_LIMIT, Environment, turn
from palaestra.core.errors import EnvironmentFailed
from palaestra.core.observation import CAPTION, HINT, RULES, STATE, TASK, Observation, View
from palaestra.core.policy import Completion, Conversation, Insider
from palaestra.core.ticket import Ticket
from palaestra.core.trajectory import Stop, Trajectory, Turn
from palaestra.rollout.messages import conversation, noticed

Views = dict[Hashable, View]
"""Views by ticket and public part, so that members who come to equal positions share one, picture and all."""

_WORDS = frozenset({TASK, RULES, HINT, STATE, CAPTION})  # any other channel may hold a picture


class Question(NamedTuple):
    """What a member is asked now: the position, what it is shown, and what the update sees when that differs."""

    view: View
    shown: Observation
    learnt: Observation | None


@dataclass(slots=True)
class Episode:
    """The episode of one member; `outcome` is its trajectory once it has ended."""

    ticket: Ticket
    member: int
    env: Environment[Any, Any]
    pixels: int
    state: Any = None
    horizon: int = 0
    turns: list[Turn] = field(default_factory=list)
    unusable: int = 0
    outcome: Trajectory | None = None

    def question(self, views: Views) -> Question | None:
        """Return what the member is asked now; None when the environment failed, which ends the episode."""
        cell = self.ticket.cell
        try:
            public = self.env.public(self.state)
            key = (self.ticket, public)
            if key not in views:
                views[key] = self.env.view(public, self.pixels)
            view = views[key]
            shown = cell.shown_to(self.member).show(view)
            learnt = cell.learn.show(view) if cell.learn is not None else shown
        except Exception as error:
            self.fail(error)
            return None
        if self.turns and not self.turns[-1].legal:
            shown, learnt = noticed(shown), noticed(learnt)
        return Question(view, shown, learnt if learnt != shown else None)

    def conversation(self, question: Question) -> Conversation:
        """Return what a policy sees of a question: as many past observations as the environment says are needed."""
        return conversation(self.turns, question.shown, self.env.spec.memory)

    def peek(self, insider: Insider, seed: int) -> Completion | None:
        """Return an insider's reply; None when it has none for this state, which ends the episode."""
        try:
            return Completion(insider.peek(self.env, self.state, seed))
        except Exception as error:
            self.fail(error)
            return None

    def take(self, question: Question, completion: Completion) -> None:
        """Take one turn with a reply, and end the episode when it was the last."""
        if completion.error:
            self.end(Stop.ERROR, error=completion.error)
            return
        try:
            parsed, step = turn(self.env, self.state, question.view, completion.text)
            if not isfinite(step.reward):
                raise EnvironmentFailed(f"{self.env.spec.id}: step paid {step.reward}; rewards are finite")
            reward, events = float(step.reward), tuple(map(str, step.events))
        except Exception as error:
            self.fail(error)
            return
        self.turns.append(Turn(question.shown, completion, parsed, step.legal, reward, events, question.learnt))
        self.state = step.state
        self.unusable += not step.legal
        if step.done:
            self.end(Stop.DONE, success=step.success)
        elif completion.truncated and not parsed.ok:
            self.end(Stop.TOKENS)
        elif self.unusable >= ILLEGAL_LIMIT:
            self.end(Stop.ILLEGAL)
        elif len(self.turns) >= self.horizon:
            self.end(Stop.HORIZON)

    def end(self, stop: Stop, *, success: bool = False, error: str = "") -> None:
        """End the episode; the turns so far are kept."""
        harness = self.ticket.cell.shown_to(self.member)
        self.outcome = Trajectory(self.ticket.instance, harness, tuple(self.turns), success, stop, error)

    def fail(self, error: Exception) -> None:
        """End the episode by an error of its environment, or of an insider that cannot play it."""
        self.end(Stop.ERROR, error=f"{type(error).__name__}: {error}")


def seated(ticket: Ticket, env: Environment[Any, Any], pixels: int) -> list[Episode]:
    """Return an episode for each member of a group, all from one reset state; when that fails, all have ended.

    Args:
        ticket: what to play.
        env: its environment.
        pixels: the width of pictures, if any member is shown one or learns from one.
    """
    cell = ticket.cell
    used = {cell.shown_to(member) for member in range(cell.rollouts)} | {cell.learn or cell.harness}
    drawn = pixels if any(harness.channels - _WORDS for harness in used) else 0
    episodes = [Episode(ticket, member, env, drawn) for member in range(cell.rollouts)]
    try:
        state = env.reset(ticket.instance)
        horizon = env.horizon(state)
    except Exception as error:
        for episode in episodes:
            episode.fail(error)
    else:
        for episode in episodes:
            episode.state, episode.horizon = state, horizon
    return episodes
