"""The model as a policy, a scorer and a chat: every reply is drawn token by token with a seed of its own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import torch
from torch import Tensor

from palaestra.core.policy import Completion, Conversation
from palaestra.training.hugging_face.context import Context, logprobs
from palaestra.training.hugging_face.model import Model
from palaestra.training.hugging_face.prompt import Prompt, length, prompt
from palaestra.training.hugging_face.schema import Held

AT_ONCE = 64
"""Replies under way at once, or fewer where the plan's `cached` says so."""


@dataclass(frozen=True, eq=False)
class HuggingFacePolicy:
    """A model as a `core.policy.Policy` and a `core.policy.Scorer`; its method `chat` is a `core.policy.Chat`.

    `longest` and `temperature` are those of the model's plan, if they are not given; at temperature 0 a reply is the
    likeliest one, whatever the seed. Log-probabilities are those of what was drawn from (at temperature 0, of 1).
    """

    model: Model
    longest: int = 0
    temperature: float | None = None

    @torch.inference_mode()
    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        """Return one completion for each conversation, drawn with the seed beside it."""
        prompts = [prompt(talk, self.model) for talk in conversations]
        order = sorted(range(len(prompts)), key=lambda row: (len(prompts[row].text), prompts[row].text))
        drawn: dict[int, Completion] = {}
        for rows in self._at_once(order, prompts):
            told = self._draw([prompts[row] for row in rows], [seeds[row] for row in rows])
            drawn.update(zip(rows, told, strict=True))
        return [drawn[row] for row in range(len(prompts))]

    @torch.inference_mode()
    def chat(self, messages: Conversation, schema: Mapping[str, Any] | None = None) -> Completion:
        """Return one completion, held to a JSON schema where one is given; its seed follows from what is asked.

        Raises:
            PolicyFailed: no reply can be held to the schema.
            ExtraMissing: there is a schema, and llguidance is not installed.
        """
        asked = prompt(messages, self.model)
        seed = int.from_bytes(sha256(asked.text.encode()).digest()[:8], "little")
        return self._draw([asked], [seed], schema)[0]

    @torch.inference_mode()
    def score(self, conversations: Sequence[Conversation], replies: Sequence[str]) -> list[float]:
        """Return the log-probability of each reply, and of its end, after its conversation."""
        scores = []
        for talk, reply in zip(conversations, replies, strict=True):
            context, opened = Context.read([prompt(talk, self.model)], self.model)
            said = torch.tensor([self.model.spell(reply)], device=self.model.device)
            after = context.go_on(said, torch.ones_like(said))
            every = torch.cat([opened, after[0, :-1]])
            scores.append(float(logprobs(self.model, every, said[0]).sum()))
        return scores

    def _at_once(self, order: Sequence[int], prompts: Sequence[Prompt]) -> Iterator[list[int]]:
        """Yield rows in their order, as many as can be under way at once, one at least."""
        plan, most = self.model.plan, 0
        rows: list[int] = []
        for row in order:
            own = length(prompts[row], self.model) + (self.longest or plan.longest)
            if rows and (len(rows) == AT_ONCE or (len(rows) + 1) * max(most, own) > plan.cached):
                yield rows
                rows, most = [], 0
            rows.append(row)
            most = max(most, own)
        if rows:
            yield rows

    def _draw(
        self, prompts: Sequence[Prompt], seeds: Sequence[int], schema: Mapping[str, Any] | None = None
    ) -> list[Completion]:
        """Return a completion of each prompt; equal prompts are read once. With a schema there is one prompt."""
        model, at = self.model, self.model.device
        longest = self.longest or model.plan.longest
        temperature = model.plan.temperature if self.temperature is None else self.temperature
        distinct = {one: row for row, one in enumerate(dict.fromkeys(prompts))}
        context, opened = Context.read(list(distinct), model)
        owner = torch.tensor([distinct[one] for one in prompts], device=at)
        context.choose(owner)
        logits = model.logits(opened)[owner]
        held = None if schema is None else Held(schema, model, logits.shape[-1])
        chance = torch.from_numpy(np.stack([np.random.default_rng(seed).random(longest) for seed in seeds])).to(at)
        replies: list[list[int]] = [[] for _ in seeds]
        logprobs: list[list[float]] = [[] for _ in seeds]
        ends, alive = torch.tensor(sorted(model.ends), device=at), torch.arange(len(seeds), device=at)
        for turn in range(longest):
            scores = held.barred(logits) if held else logits
            told = (scores / (temperature or 1.0)).log_softmax(-1)
            picked = _inverse(told, chance[alive, turn]) if temperature else told.argmax(-1)
            said = told.gather(1, picked.unsqueeze(1)).squeeze(1)
            for row, token, logprob in zip(alive.tolist(), picked.tolist(), said.tolist(), strict=True):
                replies[row].append(token)
                logprobs[row].append(logprob)
            going = ~torch.isin(picked, ends)
            if turn + 1 == longest or not going.any():
                break
            if held:
                held.take(int(picked))
            if not going.all():
                alive, picked = alive[going], picked[going]
                context.choose(going.nonzero().squeeze(1))
            logits = model.logits(context.go_on(picked.unsqueeze(1), torch.ones_like(picked).unsqueeze(1))[:, -1])
        return [self._completion(reply, told) for reply, told in zip(replies, logprobs, strict=True)]

    def _completion(self, tokens: list[int], logprobs: list[float]) -> Completion:
        truncated = tokens[-1] not in self.model.ends
        text = self.model.tokenizer.decode(tokens if truncated else tokens[:-1], skip_special_tokens=True).strip()
        return Completion(text, tuple(tokens), tuple(logprobs), truncated)


def _inverse(told: Tensor, uniform: Tensor) -> Tensor:
    """Return the tokens at which the cumulative distributions of rows pass uniform numbers: one number, one token."""
    cumulative = told.to(torch.float64).exp().cumsum(-1)
    passed = cumulative < (uniform * cumulative[:, -1]).unsqueeze(1)
    return passed.sum(-1).clamp(max=told.shape[-1] - 1)
