"""The conversation that a policy sees: the last observations, and its own replies between them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from palaestra.core.environment import ILLEGAL_NOTICE
from palaestra.core.observation import Observation
from palaestra.core.policy import Conversation, Message
from palaestra.core.trajectory import Trajectory, Turn


def conversation(
    turns: Sequence[Turn], observation: Observation, memory: int = 1, *, learnt: bool = False
) -> Conversation:
    """Return what a player sees after `turns` when shown `observation`.

    Args:
        turns: what was played before, from the first turn on.
        observation: the current one; its message carries the kind of answer that is expected.
        memory: how many observations are shown, the current one included (`EnvSpec.memory`); 1 shows no past.
        learnt: show past turns as the update sees them instead of as the player saw them.
    """
    past = turns[max(0, len(turns) - memory + 1) :]
    messages: list[Message] = []
    for turn in past:
        seen = turn.learnt if learnt and turn.learnt is not None else turn.observation
        messages += [Message("user", seen.text, seen.image), Message("assistant", turn.completion.text)]
    return (*messages, Message("user", observation.text, observation.image, observation.answer))


def talks(member: Trajectory, memory: int = 1) -> Iterator[Conversation]:
    """Yield what the player of an episode was asked at each of its turns."""
    for number, turn in enumerate(member.turns):
        yield conversation(member.turns[:number], turn.observation, memory)


def noticed(observation: Observation) -> Observation:
    """Return an observation opened by the fixed sentence that follows an unreadable or illegal reply.

    The sentence becomes part of the observation, so that memory, stored trajectories and learners all show it.
    """
    return replace(observation, text=f"{ILLEGAL_NOTICE}\n{observation.text}")
