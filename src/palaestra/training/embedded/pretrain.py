"""The warm start: imitation of the oracle, and of the guide where the oracle is clairvoyant, with and without help.

It stands where pretraining stands for a large model. Every example is learnt under a randomly drawn rung, a share of
them without any help: a policy that has only imitated with help arrives at the picture confident and blind. A share of
all examples asks for the caption instead: each cell of a board is a lesson in seeing, where a move is one for all.
The teacher has faults of those from whom a large model has learnt, and is imitated in them too: it may slip, and it may
decline to answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from palaestra.core.environment import EnvSpec, Guided, Pool, turn
from palaestra.core.errors import ConfigError
from palaestra.core.instance import Split
from palaestra.core.observation import LADDER, Observation
from palaestra.core.policy import Completion, Message
from palaestra.core.trajectory import Turn
from palaestra.rollout.messages import conversation, noticed
from palaestra.training.embedded.batch import Row, logprobs, parts
from palaestra.training.embedded.model import Network
from palaestra.training.embedded.prompt import PIXELS, prompt
from palaestra.training.embedded.tokenizer import Tokenizer

RATIO = 25.0
"""How much faster Muon's matrices go than AdamW's parameters."""

DESCRIBE = "Describe the picture."
"""What is asked where the reply is the caption."""

REFUSAL = "I cannot."
"""What a teacher says who declines: no answer of any kind."""


@dataclass(frozen=True)
class WarmStart:
    """How long, how fast, and on what.

    Of all contexts `captions` ask for the caption. The others ask for a move, `unhelped` of them without help and
    `helped` with all of it; the rungs between share the rest. `slips` of the moves are drawn from all well-formed ones;
    `refusals` of the replies are none, after which the move is asked for again.
    """

    steps: int = 100
    contexts: int = 24
    rate: float = 2e-3
    unhelped: float = 0.5
    helped: float = 0.3
    captions: float = 0.0
    slips: float = 0.0
    refusals: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.unhelped <= 1 - self.helped <= 1:
            raise ConfigError(f"unhelped = {self.unhelped}, helped = {self.helped}; they are shares of one whole")
        if not 0 <= self.captions <= 0.5:
            raise ConfigError(f"captions = {self.captions}; it is a share, and there is one caption to a move at most")
        if not (0 <= self.slips <= 1 and 0 <= self.refusals < 1):
            raise ConfigError(
                f"slips = {self.slips}, refusals = {self.refusals}; shares of replies, not all to decline"
            )

    @property
    def shares(self) -> list[float]:
        """How often each rung of the ladder is learnt under."""
        between = len(LADDER) - 2
        return [self.helped, *[(1 - self.helped - self.unhelped) / between] * between, self.unhelped]


def scales_of(spec: EnvSpec) -> Sequence[int]:
    """Return the scales that a tiny policy can read."""
    return spec.embedded_scales or (0,)


def vocabulary(pool: Pool, instances: int = 40) -> Tokenizer:
    """Return the tokenizer learnt from training texts, plans and well-formed replies of a pool."""
    read = {DESCRIBE, f"{DESCRIBE} "}  # a phrase stands in two texts
    said: list[str] = []
    for env in pool.values():
        for scale in scales_of(env.spec):
            for seed in range(instances):
                state = env.reset(env.spec.instance(scale, seed))
                view = env.view(env.public(state), 0)
                read |= {shown.text for rung in LADDER for shown in (rung.show(view), noticed(rung.show(view)))}
                plan, guess = env.solve(state) or (), view.answer.sample(np.random.default_rng(seed))
                said += [f" {reply}" for reply in (*plan, guess, view.caption, REFUSAL)]
    return Tokenizer.learn(sorted(read), said)


def examples(pool: Pool, env_id: str, tokenizer: Tokenizer, plan: WarmStart, rng: np.random.Generator) -> list[Row]:
    """Return what an episode that a teacher plays on a fresh training instance teaches: contexts, each with a reply.

    A reply weighs one over the length of the move that was asked for, so that what is said instead is as likely as the
    teacher is to say it, however long it is.
    """
    env = pool[env_id]
    scale = int(rng.choice(scales_of(env.spec)))
    state = env.reset(env.spec.instance(scale, int(rng.integers(1 << 40)), Split.TRAIN))
    rung = LADDER[int(rng.choice(len(LADDER), p=plan.shares))]
    taught: list[Row] = []
    turns: list[Turn] = []
    for _ in range(env.horizon(state)):
        public = env.public(state)
        if env.spec.clairvoyant and isinstance(env, Guided):
            reply = env.guide(public)
        else:
            reply = next(iter(env.solve(state) or ()), None)
        if reply is None:
            break
        view = env.view(public, PIXELS)
        if rng.random() < plan.slips:
            reply = view.answer.sample(rng)
        worth = 1 / len(tokenizer.reply(reply))
        if rng.random() < plan.refusals:
            reply = REFUSAL
        observation: Observation = rung.show(view)
        if turns and not turns[-1].legal:
            observation = noticed(observation)
        talk = conversation(turns, observation, env.spec.memory)
        taught.append(Row(env_id, prompt(talk, tokenizer), {tokenizer.reply(reply): worth}))
        if view.image is not None and rng.random() * (1 - plan.captions) < plan.captions:
            asked = [Message("user", DESCRIBE, view.image)]
            said = tokenizer.reply(view.caption)
            taught.append(Row(env_id, prompt(asked, tokenizer), {said: 1 / len(said)}))
        parsed, step = turn(env, state, view, reply)
        turns.append(Turn(observation, Completion(reply), parsed, step.legal, step.reward))
        state = step.state
        if step.done:
            break
    return taught


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


Told = Callable[[int, int], None]
"""Told how many steps of how many are done."""


def warm_start(
    network: Network, pool: Pool, tokenizer: Tokenizer, plan: WarmStart, seed: int, told: Told | None = None
) -> list[float]:
    """Teach a network in place; return the mean loss of each step [nats per token].

    Every environment has the same share of each step's contexts; what a context weighs in the loss, `examples` says.
    """
    if not plan.steps:
        return []
    rng = np.random.default_rng(seed)
    optimisers = optimisers_of(network, plan.rate)
    ids, waiting = list(pool), {env_id: list[Row]() for env_id in pool}
    losses = []
    for step in range(plan.steps):
        batch: list[Row] = []
        for k in range(plan.contexts):
            env_id = ids[(step * plan.contexts + k) % len(ids)]
            if not waiting[env_id]:
                waiting[env_id] = examples(pool, env_id, tokenizer, plan, rng)
            queue = waiting[env_id]
            batch.append(queue.pop(int(rng.integers(len(queue)))))
        left = min(1.0, (step + 1) / 10) * (1 - 0.9 * step / plan.steps)
        for optimiser, rate in optimisers:
            optimiser.param_groups[0]["lr"] = rate * left
            optimiser.zero_grad()
        total = 0.0
        for part in parts(batch):
            worth = torch.tensor([gained for row in part for gained in row.gains.values()])
            loss = -(logprobs(network, part) * worth).sum() / len(batch)
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            total += loss.item()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        for optimiser, _ in optimisers:
            optimiser.step()
        losses.append(total)
        if told is not None:
            told(step + 1, plan.steps)
    return losses
