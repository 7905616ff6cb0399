"""The warm start: imitation of a teacher on every rung of the ladder at once (`imitation`).

It stands where pretraining stands for a large model: what comes out reads, sees a little, and solves some. Each step is
a function of the seed and of its number, so a warm start that was stopped goes on to the same network.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf

import numpy as np
import torch

from palaestra.core.environment import ILLEGAL_NOTICE, EnvSpec, Pool, turn
from palaestra.core.errors import ConfigError
from palaestra.core.observation import H0, H2
from palaestra.training.embedded.batch import lay, parts
from palaestra.training.embedded.imitation import AT_ONCE, CAPTION, DESCRIBE, Lesson, Teaching, lessons
from palaestra.training.embedded.model import Network
from palaestra.training.embedded.scales import ScalesOf, scales_of
from palaestra.training.embedded.tokenizer import PAD, Tokenizer

RATIO = 4.0
"""How much faster Muon's matrices go than AdamW's parameters: at 25 the words, which only AdamW moves, came last."""

ALONE = 0.05
"""The share of the time of joining in which the first environments are alone."""

NEWEST, NEW = 2, 0.6
"""How many environments are new while others join, and the share of lessons that are theirs: a lake of which nothing
could be seen after 2,800 lessons among 66 was walked by its picture after 9,600 alone."""

TEXT = "text"
"""How the loss on tokens of the trunk is named; those on replies have the names of their branches."""


@dataclass(frozen=True, kw_only=True)
class WarmStart(Teaching):
    """How long, how fast, and on what.

    A step has `contexts` lessons, four of an environment at a time. A token of state or caption weighs `text`; the n
    tokens of a reply weigh the root of n together. The rate rises for 20 steps, and falls to a twentieth over the share
    `fall` of the steps at the end. Over the share `joining` at the beginning environments join one by one, after those
    of `first`, and the newest are taught most: what few taught is kept when others come, and is hardly found among all
    at once. `scales` are taught where an environment has one of them, elsewhere those that a tiny policy can read.
    """

    steps: int = 100
    contexts: int = 128
    rate: float = 3e-3
    text: float = 0.1
    fall: float = 1.0
    first: tuple[str, ...] = ()
    joining: float = 0.0
    scales: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0 < self.fall <= 1 and 0 <= self.joining <= 1) or (self.joining and not self.first):
            raise ConfigError(
                f"fall = {self.fall}, joining = {self.joining}, {len(self.first)} first; the two are shares of the "
                "steps, fall is above 0, and where others join some environments come first"
            )
        if not 0 < self.rate < inf:
            raise ConfigError(f"rate = {self.rate}; it is above 0")
        if min(self.scales, default=0) < 0 or len({*self.scales}) < len(self.scales):
            raise ConfigError(f"scales = {list(self.scales)}; scales are different numbers from 0")
        if self.steps < 0 or self.contexts < AT_ONCE or self.contexts % AT_ONCE or self.text < 0:
            raise ConfigError(
                f"steps = {self.steps}, contexts = {self.contexts}, text = {self.text}; "
                f"contexts are a multiple of {AT_ONCE}, and none is negative"
            )

    def taught(self, spec: EnvSpec) -> Sequence[int]:
        """Return the scales of an environment that are taught."""
        return [scale for scale in self.scales if scale < len(spec.scales)] or scales_of(spec)

    def rate_at(self, step: int) -> float:
        """Return the rate of a step, counted from 0."""
        left = (1 - step / self.steps) / self.fall
        return self.rate * min(1.0, (step + 1) / 20) * (0.05 + 0.95 * min(1.0, left))


def vocabulary(pool: Pool, instances: int = 12, turns: int = 6, scales: ScalesOf = scales_of) -> Tokenizer:
    """Return the tokenizer of a pool's training texts, world by world, and of what is said there."""
    worlds: list[list[str]] = []
    said: list[str] = []
    for env in pool.values():
        for scale in scales(env.spec):
            read: list[str] = []
            for seed in range(instances):
                state, rng = env.reset(env.spec.instance(scale, seed)), np.random.default_rng(seed)
                for number in range(turns):
                    view = env.view(env.public(state), 0)
                    read += [H0.show(view).text, H2.show(view).text]
                    plan, guess = list(islice(env.solve(state) or (), 1)), view.answer.sample(rng)
                    said += [*plan, guess, view.caption]
                    _, step = turn(env, state, view, guess if number % 2 or not plan else plan[0])
                    if step.done:
                        break
                    state = step.state
            worlds.append(read)
    asked = [f"{ILLEGAL_NOTICE}\n{DESCRIBE}"] * 2
    return Tokenizer.learn([*worlds, asked], said)


def optimisers_of(network: Network, rate: float) -> list[tuple[torch.optim.Optimizer, float]]:
    """Return Muon (Jordan et al. 2024) for the matrices inside the network and AdamW for its rim, each with its rate.

    At first a policy knows the form of a reply and sees nothing. Muon left that plateau after half of AdamW's steps or
    fewer (`docs/lab.md`).
    """
    rim = {id(parameter) for part in (network.embed, network.head) for parameter in part.parameters()}
    inside = [p for p in network.parameters() if p.ndim == 2 and p is not network.stem.places and id(p) not in rim]
    matrices = {id(parameter) for parameter in inside}
    rest = [parameter for parameter in network.parameters() if id(parameter) not in matrices]
    return [
        (torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.99), weight_decay=0.01), rate),
        (torch.optim.Muon(inside, lr=rate * RATIO, weight_decay=0.01), rate * RATIO),
    ]


Losses = Mapping[str, float]
"""Mean loss of a step by what was told [nats a token]: the rungs, the caption, the text."""

Told = Callable[[int, int, Losses], None]
"""Told how many steps of how many are done, and the losses of the last."""


@dataclass(eq=False)
class Course:
    """A warm start under way: a network, what it is taught, and how many steps are done."""

    network: Network
    pool: Pool
    tokenizer: Tokenizer
    scales: Mapping[str, Sequence[int]]
    plan: WarmStart
    seed: int
    done: int = 0

    def __post_init__(self) -> None:
        self.optimisers = optimisers_of(self.network, self.plan.rate)
        self.order = list(dict.fromkeys([*self.plan.first, *self.scales]))

    def step(self) -> Losses:
        """Take one step and return its losses."""
        for optimiser, rate in self.optimisers:
            optimiser.param_groups[0]["lr"] = rate * self.plan.rate_at(self.done) / self.plan.rate
            optimiser.zero_grad()
        batch = [lesson for number in range(self.plan.contexts // AT_ONCE) for lesson in self._lessons(number)]
        sums: Counter[str] = Counter()
        counts: Counter[str] = Counter()
        for part in parts(batch):
            self._learn(part, len(batch), sums, counts)
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        for optimiser, _ in self.optimisers:
            optimiser.step()
        self.done += 1
        return {name: sums[name] / counts[name] for name in sorted(counts)}

    def _lessons(self, number: int) -> list[Lesson]:
        """Return lessons of one environment: when all are there, they come equally often, in a random order."""
        rng = np.random.default_rng([self.seed, 1, self.done, number])
        joining = self.plan.joining * self.plan.steps
        if self.done < joining:
            others = max(0.0, self.done / joining - ALONE) / (1 - ALONE)
            there = len(self.plan.first) + int((len(self.order) - len(self.plan.first)) * others)
            newest = max(0, there - NEWEST) if rng.random() < NEW else 0
            env_id = self.order[int(rng.integers(newest, there))]
        else:
            ids = list(self.scales)
            turn_, place = divmod(self.done * (self.plan.contexts // AT_ONCE) + number, len(ids))
            env_id = ids[int(np.random.default_rng([self.seed, 0, turn_]).permutation(len(ids))[place])]
        return lessons(self.pool[env_id], self.scales[env_id], self.tokenizer, self.plan, rng)

    def _learn(self, part: Sequence[Lesson], size: int, sums: Counter[str], counts: Counter[str]) -> None:
        sayable = self.tokenizer.speakable
        told = [[place for place in one.told if one.trunk.tokens[place] < sayable] for one in part]
        packed = lay([one.trunk for one in part], [list(one.branches.values()) for one in part], told)
        loss = -packed.logprobs(self.network)
        names = [name for one in part for name in one.branches]
        replies = [branch.reply for one in part for branch in one.branches.values()]
        own = torch.tensor([
            self.plan.text if name == CAPTION else len(reply) ** -0.5
            for name, reply in zip(names, replies, strict=True)
        ] + [self.plan.text])  # fmt: skip
        number = packed.reply[packed.targets != PAD]  # -1, the last, for the tokens of the trunk
        (loss * own[number].to(loss.device)).sum().div(size).backward()  # type: ignore[no-untyped-call]
        for name, value in zip((names[k] if k >= 0 else TEXT for k in number.tolist()), loss.tolist(), strict=True):
            sums[name] += value
            counts[name] += 1
