"""The warm start: imitation of the oracle, and of the guide where the oracle is clairvoyant, with and without help.

It stands where pretraining stands for a large model. Every example is learnt under a randomly drawn rung, a share of
them without any help: a policy that has only imitated with help arrives at the picture confident and blind.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from palaestra.core.environment import EnvSpec, Guided, Pool
from palaestra.core.instance import Split
from palaestra.core.observation import H4, LADDER, Observation
from palaestra.core.policy import Completion
from palaestra.core.trajectory import Turn
from palaestra.rollout.messages import conversation
from palaestra.training.embedded.batch import pack, spoken
from palaestra.training.embedded.model import Network
from palaestra.training.embedded.prompt import PIXELS, Prompt, prompt
from palaestra.training.embedded.tokenizer import Tokenizer


@dataclass(frozen=True)
class WarmStart:
    """How long, how fast, and how much of it without help."""

    steps: int = 100
    contexts: int = 24
    rate: float = 5e-4
    unhelped: float = 0.5


@dataclass(frozen=True, eq=False)
class Example:
    """A context and the reply that a teacher gives."""

    context: Prompt
    reply: tuple[int, ...]


def scales_of(spec: EnvSpec) -> Sequence[int]:
    """Return the scales that a tiny policy can read."""
    return spec.embedded_scales or (0,)


def vocabulary(pool: Pool, size: int = 768, instances: int = 40) -> Tokenizer:
    """Return the tokenizer learnt from training texts and plans of a pool."""
    texts: list[str] = []
    for env in pool.values():
        for scale in scales_of(env.spec):
            for seed in range(instances):
                state = env.reset(env.spec.instance(scale, seed))
                view = env.view(env.public(state), 0)
                texts += [LADDER[0].show(view).text, *(f" {reply}" for reply in env.solve(state) or ())]
                texts.append(f" {view.answer.sample(np.random.default_rng(seed))}")
    return Tokenizer.learn(texts, size)


def examples(pool: Pool, env_id: str, tokenizer: Tokenizer, unhelped: float, rng: np.random.Generator) -> list[Example]:
    """Return the examples of one episode that a teacher plays on a fresh training instance."""
    env = pool[env_id]
    scale = int(rng.choice(scales_of(env.spec)))
    state = env.reset(env.spec.instance(scale, int(rng.integers(1 << 40)), Split.TRAIN))
    rung = H4 if rng.random() < unhelped else LADDER[int(rng.integers(len(LADDER)))]
    taught: list[Example] = []
    turns: list[Turn] = []
    for _ in range(env.horizon(state)):
        public = env.public(state)
        if env.spec.clairvoyant and isinstance(env, Guided):
            reply = env.guide(public)
        else:
            reply = next(iter(env.solve(state) or ()), None)
        if reply is None:
            break
        observation: Observation = rung.show(env.view(public, PIXELS))
        talk = conversation(turns, observation, env.spec.memory)
        taught.append(Example(prompt(talk, tokenizer), spoken(reply, tokenizer)))
        parsed = observation.answer.parse(reply)
        step = env.step(state, parsed.value)
        turns.append(Turn(observation, Completion(reply), parsed, step.legal, step.reward))
        state = step.state
        if step.done:
            break
    return taught


def warm_start(network: Network, pool: Pool, tokenizer: Tokenizer, plan: WarmStart, seed: int) -> list[float]:
    """Teach a network in place; return the mean loss of each step [nats per token].

    Every environment has the same share of each step's contexts, and every context the same share of the loss.
    """
    rng = np.random.default_rng(seed)
    optimiser = torch.optim.AdamW(network.parameters(), lr=plan.rate, weight_decay=0.01)
    ids, waiting = list(pool), {env_id: list[Example]() for env_id in pool}
    losses = []
    for step in range(plan.steps):
        batch: list[Example] = []
        for k in range(plan.contexts):
            env_id = ids[(step * plan.contexts + k) % len(ids)]
            if not waiting[env_id]:
                waiting[env_id] = examples(pool, env_id, tokenizer, plan.unhelped, rng)
            queue = waiting[env_id]
            batch.append(queue.pop(int(rng.integers(len(queue)))))
        batch.sort(key=lambda example: len(example.context.tokens))
        for group in optimiser.param_groups:
            group["lr"] = plan.rate * min(1.0, (step + 1) / 10) * (1 - 0.9 * step / plan.steps)
        optimiser.zero_grad()
        total = 0.0
        for start in range(0, len(batch), 8):
            part = batch[start : start + 8]
            packed = pack([example.context for example in part], [[example.reply] for example in part])
            told = packed.logprobs(network)
            sizes = torch.tensor([len(example.reply) for example in part], dtype=torch.float32)
            loss = -(told / torch.repeat_interleave(sizes, sizes.long())).sum() / len(batch)
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            total += loss.item()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        losses.append(total)
    return losses
