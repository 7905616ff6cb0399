"""Group-relative policy optimisation, token by token.

Source: GRPO (Shao et al. 2024) with the asymmetric clip and the token-level loss of DAPO (Yu et al. 2025). No KL term,
as there. Departures:

- The mean over tokens is taken within each environment, and environments weigh alike: long replies of one do not
  outvote short ones of another.
- Equal contexts are read once with all replies to them, which is exact.
- In guided groups the ratio is taken against the policy without help at rollout time, and is not corrected for the
  help; the effective sample size of what would correct it is told. Where an update is a single step, every ratio is 1
  and nothing is computed twice.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import torch
from torch import Tensor

from palaestra.training.advantage import effective
from palaestra.training.hugging_face.model import Model
from palaestra.training.hugging_face.rows import Part, Reply, Row, parts, shares
from palaestra.training.hugging_face.settings import Grpo


@dataclass
class Learnt:
    """What an update did.

    `above` and `below` count the tokens whose ratio left the clip on either side; `corrections` are the logarithms of
    what would correct each helped reply.
    """

    replies: int = 0
    tokens: int = 0
    above: int = 0
    below: int = 0
    norm: float = 0.0
    corrections: list[float] = field(default_factory=list)

    def json(self) -> dict[str, float | None]:
        """Return what an event tells of it; `gradient_norm` is the mean over steps, before it was cut."""
        there = max(self.tokens, 1)
        clipped = {"clipped_above": self.above / there, "clipped_below": self.below / there}
        told = {"replies": self.replies, "tokens": self.tokens, "gradient_norm": self.norm}
        return {**told, **clipped, "helped_ess": effective(self.corrections)}


def update(
    model: Model, optimiser: torch.optim.Optimizer, found: Sequence[Row], plan: Grpo, rng: np.random.Generator
) -> Learnt:
    """Take one pass over rows, spread at random over the steps of the optimiser."""
    learnt = Learnt()
    if not found:
        return learnt
    steps, share = min(plan.steps, len(found)), shares(found)
    order = rng.permutation(len(found)).tolist()
    batches = [list(parts([found[k] for k in order[step::steps]], plan.tokens)) for step in range(steps)]
    before = _before(model, batches) if steps > 1 else {}
    trained = [one for group in optimiser.param_groups for one in group["params"]]
    for batch in batches:
        optimiser.zero_grad()
        for part in batch:
            (_loss(model, part, plan, share, before, learnt) * steps).backward()  # type: ignore[no-untyped-call]  # torch
        learnt.norm += float(torch.nn.utils.clip_grad_norm_(trained, plan.norm)) / steps
        optimiser.step()
    return learnt


def _loss(
    model: Model,
    part: Part,
    plan: Grpo,
    share: Mapping[str, float],
    before: Mapping[tuple[int, Reply], Tensor],
    learnt: Learnt,
) -> Tensor:
    told, real = part.logprobs(model)
    old = told.detach()
    if before:
        old = torch.nn.utils.rnn.pad_sequence([before[id(row), reply] for row, reply in part.said], batch_first=True)
    ratio = (told - old).exp()
    gains, losses = (own.to(told).unsqueeze(1) for own in part.weights())
    scale = torch.tensor([share[row.env_id] for row, _ in part.said]).to(told).unsqueeze(1)
    kept = ratio.clamp(max=1 + plan.clip_high) * gains + ratio.clamp(min=1 - plan.clip_low) * losses
    learnt.replies += len(part.said)
    learnt.tokens += int(real.sum())
    learnt.above += int((ratio > 1 + plan.clip_high).sum())
    learnt.below += int((ratio < 1 - plan.clip_low).sum())
    for (row, reply), now in zip(part.said, old.sum(1).tolist(), strict=True):
        learnt.corrections += [now - acted for acted in row.helped.get(reply, ())]
    return -(kept * real * scale).sum()


def _before(model: Model, batches: Iterable[Sequence[Part]]) -> dict[tuple[int, Reply], Tensor]:
    """Return the log-probabilities of every reply before the update, by its row's identity.

    They are those of the very parts that are learnt: in others, bfloat16 would round otherwise.
    """
    known: dict[tuple[int, Reply], Tensor] = {}
    for part in chain.from_iterable(batches):
        with torch.no_grad():
            told, _ = part.logprobs(model)
        for (row, reply), own in zip(part.said, told, strict=True):
            known[id(row), reply] = own[: len(reply)]
    return known
