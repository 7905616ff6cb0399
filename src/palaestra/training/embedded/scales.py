"""Which scales a tiny policy can read: its pictures are legible at the embedded size, and its words fit into a prompt.

An environment declares the first. The second depends on the vocabulary: a teacher plays a few fixed training instances
with all help, and the longest prompt on the way, past turns included, must fit. A scale that does not is skipped and
named; no prompt is ever cut.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from palaestra.core.distribution import Cell
from palaestra.core.environment import Environment, EnvSpec, Pool
from palaestra.core.observation import H0
from palaestra.core.ticket import Ticket
from palaestra.rollout.messages import talks
from palaestra.rollout.play import play
from palaestra.rollout.policies import Guide, Oracle
from palaestra.training.embedded.prompt import PIXELS, prompt
from palaestra.training.embedded.tokenizer import Tokenizer

LIMIT = 384
"""How many tokens a prompt may have: attention costs their square, and rows of one batch are padded to the longest."""

LOOKED_AT = 4
"""Instances of each scale that are played to find out."""

ScalesOf = Callable[[EnvSpec], Sequence[int]]
"""Which scales of an environment are met."""


def scales_of(spec: EnvSpec) -> Sequence[int]:
    """Return the scales that a tiny policy can read, the easiest where an environment declares none."""
    return spec.embedded_scales or (0,)


class Skipped(NamedTuple):
    """A scale that is not played, and why."""

    env_id: str
    scale: int
    why: str


@dataclass(frozen=True, slots=True)
class Scales:
    """The scales that can be read, by environment, and the others; an environment without any is not in `kept`."""

    kept: Mapping[str, tuple[int, ...]]
    skipped: tuple[Skipped, ...]


def read_scales(pool: Pool, tokenizer: Tokenizer, limit: int = LIMIT, scales: ScalesOf = scales_of) -> Scales:
    """Return which scales of a pool fit into prompts of at most `limit` tokens; three seconds for 81 worlds."""
    kept: dict[str, tuple[int, ...]] = {}
    skipped: list[Skipped] = []
    for env_id, env in pool.items():
        lengths = {scale: _longest(env, scale, tokenizer) for scale in scales(env.spec)}
        if short := tuple(scale for scale, tokens in lengths.items() if tokens <= limit):
            kept[env_id] = short
        skipped += [
            Skipped(env_id, scale, f"a prompt with all help has {tokens} tokens, more than {limit}")
            for scale, tokens in lengths.items()
            if tokens > limit
        ]
    return Scales(kept, tuple(skipped))


def _longest(env: Environment[Any, Any], scale: int, tokenizer: Tokenizer) -> int:
    """Return the tokens of the longest prompt that a teacher meets; 0 where the environment fails, as play will say."""
    spec, cell = env.spec, Cell(env.spec.id, scale, H0, rollouts=1)
    tickets = [Ticket(seed, cell, spec.instance(scale, seed)) for seed in range(LOOKED_AT)]
    groups = play(tickets, {spec.id: env}, Guide() if spec.clairvoyant else Oracle(), pixels=PIXELS)
    asked = (talk for group in groups for member in group.trajectories for talk in talks(member, spec.memory))
    return max((len(prompt(talk, tokenizer).tokens) for talk in asked), default=0)
