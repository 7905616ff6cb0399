"""Group-relative policy optimisation of the embedded policy.

Source: GRPO (Shao et al. 2024) with the asymmetric clip of DAPO (Yu et al. 2025: 0.2 below, 0.28 above), one pass over
each batch. KL term and entropy bonus are off unless they are set; the KL is Schulman's estimator k3, token by token.
Departures:

- The ratio is that of a whole reply, and so are its KL and its entropy: sums over its tokens. A mean over tokens, the
  textbook's, would weigh a token less in a long reply.
- Every turn of an episode has the episode's advantage; nothing is credited to single turns.
- The loss is normalised per environment, by the summed sizes of its advantages in this update, so that long episodes do
  not outvote single turns.
- Equal contexts are learnt once with the summed weights of all who met them, which is exact.
- An update draws at most so many contexts of each environment. Groups without a signal are skipped and counted; KL and
  entropy are those of the rows that are learnt.
- In guided groups, and where help is dropped, the ratio is taken against the policy without help at rollout time and is
  *not* corrected for the help: replies that help brought about are learnt as if they had been said without it. How far
  that goes is told by the effective sample size of the weights that a correction would have had, without help over with
  it. A true ratio learnt nothing in pilot runs, at a twentieth of its sample; `importance` can set a truncated one
  (V-trace, Espeholt et al. 2018, at 1), which trusts a helped reply no more than it is likely without help.
- The entropy is exact over what can be said, where others take that of the sampled token.
- Captions of what was met can be learnt beside the rewards (`lessons.captions`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import exp, inf

import numpy as np
import torch
from torch import Tensor

from palaestra.core.errors import ConfigError
from palaestra.training.advantage import effective
from palaestra.training.embedded.batch import Row, evenly, logprobs, packed, parts, shares
from palaestra.training.embedded.model import Network
from palaestra.training.embedded.tokenizer import END


class Importance(StrEnum):
    """What corrects replies that were given with help and are learnt without it."""

    NONE = "none"
    TRUNCATED = "truncated"


@dataclass(frozen=True)
class Grpo:
    """The settings of updates.

    `rate` is reached after `warm` updates: Adam's first steps have one size whatever the gradient, and unlearn at full
    rate. A step of the optimiser has `rows` rows, an update at most `most` of each environment.

    What follows is off at 0. `kl` weighs the divergence from the base and `entropy` a bonus, both in nats of a reply
    against advantages of mean size 1; `captions` weighs the loss of captions, in nats of a token, against the same.
    `dropout` is the share of the rollouts that are learnt without the help that they were shown. `importance` says how
    replies are corrected that help brought about.
    """

    rate: float = 4e-4
    warm: int = 5
    rows: int = 256
    most: int = 256
    clip_low: float = 0.2
    clip_high: float = 0.28
    norm: float = 1.0
    kl: float = 0.0
    entropy: float = 0.0
    captions: float = 0.0
    dropout: float = 0.0
    importance: Importance = Importance.NONE

    def __post_init__(self) -> None:
        if min(self.rows, self.most) < 1 or self.warm < 0:
            raise ConfigError(
                f"rows = {self.rows}, most = {self.most}, warm = {self.warm}; the first two start at 1, the last at 0"
            )
        if not (0 < self.rate < inf and self.norm > 0 and min(self.clip_low, self.clip_high) >= 0):
            raise ConfigError(
                f"rate = {self.rate}, norm = {self.norm}, clip_low = {self.clip_low}, clip_high = {self.clip_high}; "
                "rate and norm are above 0, the clips 0 or more"
            )
        if not (min(self.kl, self.entropy, self.captions) >= 0 and 0 <= self.dropout <= 1):
            raise ConfigError(
                f"kl = {self.kl}, entropy = {self.entropy}, captions = {self.captions}, dropout = {self.dropout}; "
                "the first three start at 0, the last is a share"
            )

    def rate_at(self, updates: int) -> float:
        """Return the rate of the update that follows so many."""
        return self.rate * min(1.0, (updates + 1) / max(self.warm, 1))


@dataclass
class Learnt:
    """What an update did.

    `above` and `below` count the replies whose ratio left the clip on either side; `corrections` are the logarithms of
    what would correct each helped reply. `kl`, `entropy` and `caption` are means as the loss has them, 0 unless set.
    """

    rows: int = 0
    replies: int = 0
    above: int = 0
    below: int = 0
    corrections: list[float] = field(default_factory=list)
    kl: float = 0.0
    entropy: float = 0.0
    caption: float = 0.0

    def json(self, plan: Grpo) -> dict[str, float | None]:
        """Return what an event tells of it: terms that are off are left out, those that found nothing are None."""
        there = max(self.replies, 1)
        told: dict[str, float | None] = {"clipped_above": self.above / there, "clipped_below": self.below / there}
        told["helped_ess"] = effective(self.corrections)
        terms = {"kl": (plan.kl, self.kl), "entropy": (plan.entropy, self.entropy)}
        told |= {name: value if self.replies else None for name, (weight, value) in terms.items() if weight}
        return told | ({"caption": self.caption or None} if plan.captions else {})


def update(
    network: Network,
    optimiser: torch.optim.Optimizer,
    found: Sequence[Row],
    plan: Grpo,
    rng: np.random.Generator,
    captions: Sequence[Row] = (),
    reference: Network | None = None,
) -> Learnt:
    """Take one pass over rows in random batches, each a step of the optimiser.

    Args:
        network: what is updated.
        optimiser: over its parameters.
        found: what the groups teach.
        plan: the settings.
        rng: what rows are drawn, and in which order.
        captions: further rows, weighed as `lessons.captions` does; they are spread over the steps.
        reference: the network that the KL term holds to; needed where `plan.kl` is set.
    """
    found = _drawn(found, plan.most, rng)
    if not found and not captions:
        return Learnt()
    order = rng.permutation(len(found)).tolist()
    count = max(1, -(-len(found) // plan.rows))
    # with a single step the ratio is 1 and its gradient that of the log-probability
    before = _before(network, found) if count > 1 else {}
    learnt = Learnt(rows=len(found))
    objective = _Objective(network, plan, shares(found), evenly(found), before, reference, learnt)
    for number in range(count):
        optimiser.zero_grad()
        for part in parts([found[k] for k in order[number::count]]):
            (objective.loss(part) * count).backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        for part in parts(captions[number::count]):
            worth = torch.tensor([share for row in part for share in row.gains.values()])
            lost = -(logprobs(network, part) * worth).sum()
            learnt.caption += lost.item()
            (plan.captions * lost * count).backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        torch.nn.utils.clip_grad_norm_(network.parameters(), plan.norm)
        optimiser.step()
    return learnt


@dataclass(frozen=True, eq=False)
class _Objective:
    """What one update descends, part by part; `learnt` takes note of what the parts show."""

    network: Network
    plan: Grpo
    share: Mapping[str, float]
    even: Mapping[str, float]
    before: Mapping[int, Tensor]
    reference: Network | None
    learnt: Learnt

    def loss(self, part: Sequence[Row]) -> Tensor:
        """Return the loss of some rows."""
        plan, learnt, batch = self.plan, self.learnt, packed(part)
        scores = batch.scores(self.network)
        each = batch.told(scores)
        told = batch.summed(each)
        old = torch.cat([self.before[id(row)] for row in part]) if self.before else told.detach()
        ratio = (told - old).exp()
        scale = torch.tensor([self.share[row.env_id] for row in part for _ in row.gains])
        gains = torch.tensor([value for row in part for value in row.gains.values()])
        losses = torch.tensor([row.losses[reply] for row in part for reply in row.gains])
        senders = [row.helped.get(reply, ()) for row in part for reply in row.gains]
        helped = [
            (number, weight, now - acted)
            for number, (now, own) in enumerate(zip(old.tolist(), senders, strict=True))
            for weight, acted in own
        ]
        if plan.importance is Importance.TRUNCATED:
            for number, weight, apart in helped:
                (gains if weight > 0 else losses)[number] -= weight * (1 - exp(min(apart, 0.0)))
        kept = torch.minimum(ratio, torch.tensor(1 + plan.clip_high)) * gains
        kept = kept + torch.maximum(ratio, torch.tensor(1 - plan.clip_low)) * losses
        loss = -(kept * scale).sum()
        if plan.kl and self.reference is not None:
            with torch.no_grad():
                base = batch.logprobs(self.reference)
            further = base - each
            kl = self._mean(part, batch.summed(further.exp() - further - 1))
            loss, learnt.kl = loss + plan.kl * kl, learnt.kl + kl.item()
        if plan.entropy:
            free = scores[:, END:].log_softmax(-1)  # no reply holds a special token but its end
            entropy = self._mean(part, batch.summed(-(free.exp() * free).sum(-1)))
            loss, learnt.entropy = loss - plan.entropy * entropy, learnt.entropy + entropy.item()
        learnt.replies += len(ratio)
        learnt.above += int((ratio > 1 + plan.clip_high).sum())
        learnt.below += int((ratio < 1 - plan.clip_low).sum())
        learnt.corrections += [apart for *_, apart in helped]
        return loss

    def _mean(self, part: Sequence[Row], values: Tensor) -> Tensor:
        """Return the share of some rows in the mean of what each reply has [replies], over those who sent it."""
        senders = [self.even[row.env_id] * row.senders[reply] for row in part for reply in row.gains]
        return (values * torch.tensor(senders)).sum()


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
