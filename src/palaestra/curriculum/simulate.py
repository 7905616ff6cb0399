"""A simulated learner: success per cell that rises with practice. It drives the conformance suite and quick studies.

Skill is one number per environment. A cell succeeds with probability sigmoid(skill - difficulty), where each scale
and each channel that is not shown costs one; a group teaches in proportion to the variance of its outcomes, as it would
a group-relative learner. No claim about any policy is made from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import exp

import numpy as np

from palaestra.core.answer import Integer
from palaestra.core.observation import H0, Harness, Observation
from palaestra.core.policy import Completion
from palaestra.core.ticket import Group, Ticket
from palaestra.core.trajectory import Stop, Trajectory, Turn

ANSWER = Integer(0, 1)
SAID = [(Completion(reply), ANSWER.parse(reply)) for reply in ("0", "1")]


@dataclass(frozen=True, slots=True)
class Learner:
    """What a policy can do by now. `partial` is what an unsuccessful member earns; success itself earns 1.

    >>> from palaestra.core.distribution import Cell
    >>> from palaestra.core.instance import Instance
    >>> from palaestra.core.observation import H4
    >>> ticket = Ticket(0, Cell("toy/walk", 1, H4), Instance("toy/walk", 1, 1, 0))
    >>> learner = Learner()
    >>> group = learner.play(ticket)
    >>> round(learner.chance("toy/walk", 1, H4), 2), len(group.trajectories), learner.after(group).skill["toy/walk"] > 3
    (0.12, 16, True)
    """

    skill: Mapping[str, float] = field(default_factory=dict)
    talent: float = 3.0
    pace: float = 0.25
    partial: float = 0.0
    seed: int = 0

    def chance(self, env_id: str, scale: int, shown: Harness) -> float:
        """Return the probability of success."""
        difficulty = scale + len(H0.channels - shown.channels)
        return 1 / (1 + exp(difficulty - self.skill.get(env_id, self.talent)))

    def play(self, ticket: Ticket) -> Group:
        """Return the group of a ticket: a function of the ticket, the seed and the skill."""
        cell = ticket.cell
        luck_G = np.random.default_rng((self.seed, ticket.id)).random(cell.rollouts).tolist()
        members: list[Trajectory] = []
        for shown, luck in ((cell.harness, luck_G[: cell.helped]), (cell.learn or cell.harness, luck_G[cell.helped :])):
            chance = self.chance(cell.env_id, cell.scale, shown)
            lost, won = self._episode(ticket, shown, False), self._episode(ticket, shown, True)
            members += [won if below < chance else lost for below in luck]
        return Group(ticket, tuple(members))

    def after(self, group: Group) -> "Learner":
        """Return the learner after practising on a group."""
        won_G = [member.success for member in group.trajectories if not member.error]
        rate = sum(won_G) / len(won_G) if won_G else 0.0
        env_id = group.ticket.cell.env_id
        skill = self.skill.get(env_id, self.talent) + self.pace * 4 * rate * (1 - rate)
        return replace(self, skill={**self.skill, env_id: skill})

    def _episode(self, ticket: Ticket, shown: Harness, won: bool) -> Trajectory:
        turn = Turn(Observation(None, "", ANSWER), *SAID[won], legal=True, reward=1.0 if won else self.partial)
        return Trajectory(ticket.instance, shown, (turn,), won, Stop.DONE)


def lost(group: Group) -> Group:
    """Return the same group as it comes back when the environment failed on every member."""
    failed = (replace(member, success=False, stop=Stop.ERROR, error="lost") for member in group.trajectories)
    return replace(group, trajectories=tuple(failed))
