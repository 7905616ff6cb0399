"""Group-relative policy optimisation of the embedded policy.

Source: GRPO with the asymmetric clip of DAPO (0.2 below, 0.28 above), no KL term, one pass over each batch.
Departures: the loss is normalised per environment, so that long episodes do not outvote single turns; equal contexts
are learnt once with the summed weights of all who met them, which is exact; groups without a signal are skipped and
counted; in guided groups the ratio is taken against the unhelped policy at rollout time and is *not* corrected for
the help: clip fractions say how far that goes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from palaestra.core.errors import ConfigError
from palaestra.training.embedded.batch import Row, logprobs, parts, shares
from palaestra.training.embedded.model import Network


@dataclass(frozen=True)
class Grpo:
    """The settings of updates.

    `rate` is reached after `warm` updates: Adam's first steps have one size whatever the gradient, and unlearn at full
    rate. A step of the optimiser has `rows` rows, an update at most `most` of each environment.
    """

    rate: float = 1e-3
    warm: int = 5
    rows: int = 512
    most: int = 32
    clip_low: float = 0.2
    clip_high: float = 0.28
    norm: float = 1.0

    def __post_init__(self) -> None:
        if min(self.rows, self.most) < 1 or self.warm < 0:
            raise ConfigError(
                f"rows = {self.rows}, most = {self.most}, warm = {self.warm}; the first two start at 1, the last at 0"
            )

    def rate_at(self, updates: int) -> float:
        """Return the rate of the update that follows so many."""
        return self.rate * min(1.0, (updates + 1) / max(self.warm, 1))


@dataclass(frozen=True)
class Learnt:
    """What an update did: rows, replies and the share of them that was clipped."""

    rows: int
    replies: int
    clipped: float


def update(
    network: Network, optimiser: torch.optim.Optimizer, found: Sequence[Row], plan: Grpo, rng: np.random.Generator
) -> Learnt:
    """Take one pass over rows in random batches, each a step of the optimiser."""
    found = _drawn(found, plan.most, rng)
    if not found:
        return Learnt(0, 0, 0.0)
    weight = shares(found)
    order = rng.permutation(len(found)).tolist()
    count = -(-len(found) // plan.rows)
    clipped = replies = 0
    # with a single step the ratio is 1 and its gradient that of the log-probability
    before = _before(network, found) if count > 1 else {}
    for number in range(count):
        optimiser.zero_grad()
        for part in parts([found[k] for k in order[number::count]]):
            told = logprobs(network, part)
            old = torch.cat([before[id(row)] for row in part]) if before else told.detach()
            ratio = (told - old).exp()
            scale = torch.tensor([weight[row.env_id] for row in part for _ in row.gains])
            gains = torch.tensor([value for row in part for value in row.gains.values()])
            losses = torch.tensor([row.losses[reply] for row in part for reply in row.gains])
            kept = torch.minimum(ratio, torch.tensor(1 + plan.clip_high)) * gains
            kept = kept + torch.maximum(ratio, torch.tensor(1 - plan.clip_low)) * losses
            loss = -(kept * scale).sum() * count
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            outside = (ratio > 1 + plan.clip_high) | (ratio < 1 - plan.clip_low)
            clipped, replies = clipped + int(outside.sum()), replies + len(ratio)
        torch.nn.utils.clip_grad_norm_(network.parameters(), plan.norm)
        optimiser.step()
    return Learnt(len(found), replies, clipped / max(replies, 1))


def _drawn(found: Sequence[Row], most: int, rng: np.random.Generator) -> list[Row]:
    """Return at most so many rows of each environment, drawn evenly: long episodes give more than their share needs."""
    by_env: dict[str, list[Row]] = {}
    for row in found:
        by_env.setdefault(row.env_id, []).append(row)
    return [rows[k] for rows in by_env.values() for k in sorted(rng.permutation(len(rows))[:most])]


def _before(network: Network, found: Sequence[Row]) -> dict[int, Tensor]:
    """Return the log-probabilities of the replies of each row before the update, by the row's identity."""
    told: dict[int, Tensor] = {}
    for part in parts(found):
        with torch.no_grad():
            split = torch.split(logprobs(network, part), [len(row.gains) for row in part])
        told |= {id(row): own for row, own in zip(part, split, strict=True)}
    return told
