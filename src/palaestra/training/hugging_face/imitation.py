"""Imitation of oracles, and of guides where the oracle is clairvoyant: how a base learns to say what can be read.

Source: supervised fine-tuning on a teacher's episodes. Departures: it is the update of `grpo` with every advantage 1,
so there is one loss to trust.
"""

from collections.abc import Sequence
from dataclasses import replace

from palaestra.core.environment import Pool
from palaestra.core.ticket import Group, Ticket
from palaestra.rollout.play import play
from palaestra.rollout.policies import Guide, Oracle
from palaestra.training.hugging_face.checkpoint import Instant
from palaestra.training.hugging_face.grpo import update
from palaestra.training.hugging_face.rows import imitated


def imitate(now: Instant, lessons: Sequence[Ticket], pool: Pool, seed: int) -> None:
    """Imitate a teacher on each ticket once, a few of them to a step, in their order."""
    plan = now.model.plan
    pixels = plan.pixels if now.model.processor is not None else 0
    now.optimiser.param_groups[0]["lr"] = plan.imitation.rate
    for start in range(0, len(lessons), plan.imitation.episodes):
        orders = [_alone(ticket) for ticket in lessons[start : start + plan.imitation.episodes]]
        taught = [_taught(ticket, pool, seed, pixels) for ticket in orders]
        update(now.model, now.optimiser, imitated(taught, pool, now.model), replace(plan.grpo, steps=1), now.rng)


def _alone(ticket: Ticket) -> Ticket:
    """Return an order for one episode under what is learnt."""
    cell = ticket.cell
    return replace(ticket, cell=replace(cell, harness=cell.learn or cell.harness, learn=None, guided=1.0, rollouts=1))


def _taught(ticket: Ticket, pool: Pool, seed: int, pixels: int) -> Group:
    teacher = Guide() if pool[ticket.cell.env_id].spec.clairvoyant else Oracle()
    return play([ticket], pool, teacher, seed=seed, pixels=pixels)[0]
