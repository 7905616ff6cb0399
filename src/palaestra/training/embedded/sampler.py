"""The network as a policy: equal contexts are read once, then every reply is drawn token by token with its own seed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from palaestra.core.policy import Completion, Conversation
from palaestra.training.embedded.model import Network
from palaestra.training.embedded.prompt import PIXELS, Prompt, prompt, square
from palaestra.training.embedded.tokenizer import END, PAD, SPECIALS, Tokenizer

READ_AT_ONCE = 32
"""Contexts in one forward pass: enough to fill a core, few enough to stay in its cache."""


@dataclass(frozen=True, eq=False)
class EmbeddedPolicy:
    """A network with its tokenizer, as a `core.policy.Policy` and a `core.policy.Scorer`."""

    network: Network
    tokenizer: Tokenizer
    temperature: float = 1.0
    longest: int = 48

    @torch.inference_mode()
    def __call__(self, conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        """Return one completion for each conversation, drawn with the seed beside it."""
        prompts = [prompt(talk, self.tokenizer) for talk in conversations]
        groups: dict[object, list[int]] = {}
        for index, one in enumerate(prompts):
            groups.setdefault(one.key, []).append(index)
        ordered = sorted(groups.values(), key=lambda members: len(prompts[members[0]].tokens))
        completions: list[Completion | None] = [None] * len(prompts)
        for start in range(0, len(ordered), READ_AT_ONCE):
            batch = ordered[start : start + READ_AT_ONCE]
            members = [index for group in batch for index in group]
            drawn = self._draw(
                [prompts[group[0]] for group in batch], [len(g) for g in batch], [seeds[m] for m in members]
            )
            for index, completion in zip(members, drawn, strict=True):
                completions[index] = completion
        return [completion for completion in completions if completion is not None]

    def _draw(self, prompts: Sequence[Prompt], copies: Sequence[int], seeds: Sequence[int]) -> list[Completion]:
        """Return `copies` completions of each prompt."""
        tokens, images, positions, seen = padded(prompts)
        hidden, cache = self.network(tokens, images, positions, causal(seen))
        rows = torch.repeat_interleave(torch.arange(len(prompts)), torch.tensor(copies))
        cache, seen, last = cache.rows(rows), seen[rows], hidden[rows, -1]
        place = positions[rows, -1]
        chance = np.stack([np.random.default_rng(seed).random(self.longest) for seed in seeds])
        replies: list[list[int]] = [[] for _ in seeds]
        logprobs: list[list[float]] = [[] for _ in seeds]
        alive = torch.arange(len(seeds))
        for turn in range(self.longest):
            scores = (self.network.logits(last) / self.temperature).log_softmax(-1)
            scores[:, :END] = -torch.inf  # no reply holds a special token but its end
            picked = _inverse(scores, torch.from_numpy(chance[alive.numpy(), turn]))
            told = scores[torch.arange(len(picked)), picked]
            for row, token, logprob in zip(alive.tolist(), picked.tolist(), told.tolist(), strict=True):
                replies[row].append(token)
                logprobs[row].append(logprob)
            going = picked != END
            if turn + 1 == self.longest or not going.any():
                break
            alive, picked, place = alive[going], picked[going], place[going] + 1
            seen = torch.cat([seen[going], torch.ones(len(picked), 1, dtype=torch.bool)], dim=1)
            none = torch.empty(0, 3, PIXELS, PIXELS)
            hidden, cache = self.network(
                picked.unsqueeze(1), none, place.unsqueeze(1), seen.unsqueeze(1), cache.rows(going.nonzero()[:, 0])
            )
            last = hidden[:, -1]
        return [self._completion(reply, told) for reply, told in zip(replies, logprobs, strict=True)]

    def _completion(self, tokens: list[int], logprobs: list[float]) -> Completion:
        text = self.tokenizer.decode(tokens).strip()
        return Completion(text, tuple(tokens), tuple(logprobs), truncated=tokens[-1] != END)

    @torch.inference_mode()
    def score(self, conversations: Sequence[Conversation], replies: Sequence[str]) -> list[float]:
        """Return the log-probability of each reply after its conversation."""
        scores = []
        for talk, reply in zip(conversations, replies, strict=True):
            before = prompt(talk, self.tokenizer)
            said = self.tokenizer.reply(reply)
            row = Prompt((*before.tokens, *said), before.images)
            tokens, images, positions, seen = padded([row])
            hidden, _ = self.network(tokens, images, positions, causal(seen))
            told = self.network.logits(hidden[0, -len(said) - 1 : -1]).log_softmax(-1)
            scores.append(float(told[torch.arange(len(said)), torch.tensor(said)].sum()))
        return scores


def _inverse(scores: Tensor, uniform: Tensor) -> Tensor:
    """Return the tokens [rows] at which the cumulative distribution passes a uniform number: one number, one token."""
    cumulative = scores.exp().to(torch.float64).cumsum(-1)
    return (cumulative < uniform.unsqueeze(1) * cumulative[:, -1:]).sum(-1).clamp(max=scores.shape[-1] - 1)


def padded(prompts: Sequence[Prompt]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return tokens, images, positions and which tokens are real, of prompts laid flush right."""
    longest = max(len(one.tokens) for one in prompts)
    tokens = torch.full((len(prompts), longest), PAD)
    for row, one in enumerate(prompts):
        tokens[row, longest - len(one.tokens) :] = torch.tensor(one.tokens)
    seen = tokens != PAD
    return tokens, pixels(prompts), (seen.cumsum(1) - 1).clamp(min=0), seen


def pixels(prompts: Sequence[Prompt]) -> Tensor:
    """Return the pictures of prompts [pictures, 3, PIXELS, PIXELS], centred, in -2 .. 2.

    They stay as they lie in memory, colours last, which is the order in which a CPU convolves fastest.
    """
    images = [square(image) for one in prompts for image in one.images]
    if not images:
        return torch.empty(0, 3, PIXELS, PIXELS)
    return torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).to(torch.float32).mul_(4 / 255).sub_(2)


def causal(seen: Tensor) -> Tensor:
    """Return the mask [rows, length, length]: what is real and not later; padding sees itself, so that no row is
    empty."""
    length = seen.shape[1]
    order = torch.ones(length, length, dtype=torch.bool).tril()
    return (order & seen.unsqueeze(1)) | torch.eye(length, dtype=torch.bool)


assert SPECIALS.index("<end>") == END == len(SPECIALS) - 1  # every special before it is barred from replies
