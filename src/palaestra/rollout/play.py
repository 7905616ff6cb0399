"""The loop that plays: in every round all live members of all tickets are asked in one batch.

A group shares one instance and one reset state, and nothing that happens to one member touches another: the agent's
mistakes cost turns, an environment's failure ends that one trajectory as `Stop.ERROR`, only the user's are raised.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from palaestra.core.environment import Environment, Pool
from palaestra.core.errors import UnknownEnvironment, nearest
from palaestra.core.policy import Completion, Insider, Policy
from palaestra.core.ticket import Group, Ticket
from palaestra.rollout.episode import Episode, Question, Views, seated
from palaestra.rollout.replies import ask
from palaestra.rollout.seeds import seed_of


@runtime_checkable
class Prepares(Protocol):
    """A player that looks at what it is about to play: it refuses before anything is played, or makes itself ready."""

    def prepared(self, envs: Sequence[Environment[Any, Any]]) -> Policy | Insider:
        """Return the player for one call of `play`, or raise `PolicyFailed`."""


def play(
    tickets: Sequence[Ticket], pool: Pool, policy: Policy | Insider, *, seed: int = 0, pixels: int = 448
) -> list[Group]:
    """Play every ticket and return its group, in their order. It is a `core.ticket.Play`; bind the rest with `partial`.

    Args:
        tickets: one group each; the numbers of their members may differ.
        pool: environments by id.
        policy: who plays all of them; an insider is shown states instead of conversations.
        seed: the run's; a reply is drawn with `seed_of(seed, ticket, member, turn)`, whatever else is in the batch.
        pixels: the width of pictures; none is drawn for a ticket whose harnesses show none.

    Raises:
        UnknownEnvironment: the pool lacks a ticket's environment; nothing was played.
        PolicyFailed: the player refuses an environment (nothing was played), or gave a wrong number of completions.
    """
    player = ready(tickets, pool, policy)
    tables = [seated(ticket, pool[ticket.instance.env_id], pixels) for ticket in tickets]
    views: Views = {}  # for all rounds: trajectories keep the pictures anyway
    while live := [episode for table in tables for episode in table if episode.outcome is None]:
        asked = [(episode, question) for episode in live if (question := episode.question(views)) is not None]
        seeds = [seed_of(seed, episode.ticket.id, episode.member, len(episode.turns)) for episode, _ in asked]
        for (episode, question), completion in zip(asked, _completions(player, asked, seeds), strict=True):
            if completion is not None:
                episode.take(question, completion)
    outcomes = [tuple(episode.outcome for episode in table if episode.outcome is not None) for table in tables]
    return [Group(ticket, trajectories) for ticket, trajectories in zip(tickets, outcomes, strict=True)]


def ready(tickets: Sequence[Ticket], pool: Pool, policy: Policy | Insider) -> Policy | Insider:
    """Return the player for these tickets, after raising what the user did wrong; plays nothing.

    Raises:
        UnknownEnvironment: the pool lacks a ticket's environment.
        PolicyFailed: the player refuses an environment.
    """
    ids = dict.fromkeys(ticket.instance.env_id for ticket in tickets)
    for env_id in ids:
        if env_id not in pool:
            raise UnknownEnvironment(f"a ticket asks for {env_id!r}, which is not in the pool{nearest(env_id, pool)}")
    return policy.prepared([pool[env_id] for env_id in ids]) if isinstance(policy, Prepares) else policy


def _completions(
    player: Policy | Insider, asked: Sequence[tuple[Episode, Question]], seeds: Sequence[int]
) -> Sequence[Completion | None]:
    """Return one completion for each question; None for an insider that has none, whose episode has ended."""
    if isinstance(player, Insider):
        return [episode.peek(player, seed) for (episode, _), seed in zip(asked, seeds, strict=True)]
    return ask(player, [episode.conversation(question) for episode, question in asked], seeds)
