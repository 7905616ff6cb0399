"""The network as a policy: equal contexts are read once, then every reply is drawn token by token with its own seed."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from palaestra.core.policy import Completion, Conversation
from palaestra.training.embedded.device import precision
from palaestra.training.embedded.model import Cache, Network
from palaestra.training.embedded.pictures import looks
from palaestra.training.embedded.prompt import Prompt, prompt
from palaestra.training.embedded.tokenizer import END, PAD, SPECIALS, USER, Tokenizer

READ_AT_ONCE = 32
"""Contexts in one forward pass: enough to fill a core, few enough to stay in its cache."""


@dataclass(frozen=True, eq=False)
class EmbeddedPolicy:
    """A network with its tokenizer, as a `core.policy.Policy`, `Scorer` and `Thinker`.

    `known` remembers what pictures look like to this network, so a policy ends when its network is updated.
    """

    network: Network
    tokenizer: Tokenizer
    temperature: float = 1.0
    longest: int = 48
    known: dict[str, Tensor] = field(default_factory=dict, init=False, repr=False)

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
        """Return `copies` completions of each prompt; replies that begin alike are continued as one."""
        at = self.network.device
        tokens, place, seen = (laid.to(at) for laid in padded(prompts))
        hidden, cache = self._read(prompts, tokens, place, seen, first=tokens.shape[1] - 1)
        place, last = place[:, -1], hidden[:, -1]
        chance = torch.from_numpy(np.stack([np.random.default_rng(seed).random(self.longest) for seed in seeds])).to(at)
        replies: list[list[int]] = [[] for _ in seeds]
        logprobs: list[list[float]] = [[] for _ in seeds]
        alive = torch.arange(len(seeds), device=at)
        begun = torch.arange(len(prompts)).repeat_interleave(torch.tensor(copies)).to(at)  # the beginning of each reply
        nothing = looks(self.network, ())
        for turn in range(self.longest):
            scores = (self.network.logits(last) / self.temperature).log_softmax(-1)
            scores[:, :END] = -torch.inf  # no reply holds a special token but its end
            picked = _inverse(scores, begun, chance[alive, turn])
            told = scores[begun, picked]
            for row, token, logprob in zip(alive.tolist(), picked.tolist(), told.tolist(), strict=True):
                replies[row].append(token)
                logprobs[row].append(logprob)
            going = picked != END
            if turn + 1 == self.longest or not going.any():
                break
            alive = alive[going]
            pairs, begun = torch.unique(torch.stack([begun[going], picked[going]], 1), dim=0, return_inverse=True)
            before, picked = pairs[:, 0], pairs[:, 1:]
            place = place[before] + 1
            seen = torch.cat([seen[before], torch.ones(len(before), 1, dtype=torch.bool, device=at)], dim=1)
            cache = cache.rows(before)
            with precision(at):
                hidden, cache = self.network(
                    picked, nothing, place.unsqueeze(1), torch.full_like(picked, -1), seen.unsqueeze(1), cache
                )
            last = hidden[:, -1]
        return [self._completion(reply, told) for reply, told in zip(replies, logprobs, strict=True)]

    def _read(
        self, prompts: Sequence[Prompt], tokens: Tensor, place: Tensor, seen: Tensor, first: int = 0
    ) -> tuple[Tensor, Cache]:
        """Return what the network makes of prompts laid flush right, from the place `first` on."""
        shown = looks(self.network, prompts, self.known)
        with precision(self.network.device):
            read: tuple[Tensor, Cache] = self.network(tokens, shown, place, _before(seen), causal(seen), first=first)
        return read

    def _completion(self, tokens: list[int], logprobs: list[float]) -> Completion:
        text = self.tokenizer.decode(tokens).strip()
        return Completion(text, tuple(tokens), tuple(logprobs), truncated=tokens[-1] != END)

    @torch.inference_mode()
    def states(self, conversations: Sequence[Conversation], replies: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return the mean hidden state over the last message and the reply to it, for each conversation [width]."""
        rows, sizes = [], []
        for talk, reply in zip(conversations, replies, strict=True):
            before = prompt(talk, self.tokenizer)
            rows.append(Prompt((*before.tokens, *self.tokenizer.reply(reply)), before.images))
            sizes.append(rows[-1].tokens[::-1].index(USER) + 1)
        found: list[NDArray[np.float32]] = []
        for start in range(0, len(rows), READ_AT_ONCE):
            batch = rows[start : start + READ_AT_ONCE]
            tokens, positions, seen = (laid.to(self.network.device) for laid in padded(batch))
            hidden, _ = self._read(batch, tokens, positions, seen)
            laid = hidden.float().cpu().numpy()
            found += [row[-size:].mean(0) for row, size in zip(laid, sizes[start : start + READ_AT_ONCE], strict=True)]
        return found

    @torch.inference_mode()
    def score(self, conversations: Sequence[Conversation], replies: Sequence[str]) -> list[float]:
        """Return the log-probability of each reply after its conversation."""
        scores = []
        for talk, reply in zip(conversations, replies, strict=True):
            before = prompt(talk, self.tokenizer)
            said = self.tokenizer.reply(reply)
            row = Prompt((*before.tokens, *said), before.images)
            tokens, positions, seen = (laid.to(self.network.device) for laid in padded([row]))
            hidden, _ = self._read([row], tokens, positions, seen)
            told = self.network.logits(hidden[0, -len(said) - 1 : -1]).log_softmax(-1)
            scores.append(float(told[torch.arange(len(said)), torch.tensor(said)].sum()))
        return scores


def _inverse(scores: Tensor, rows: Tensor, uniform: Tensor) -> Tensor:
    """Return the tokens at which the cumulative distributions of rows pass uniform numbers: one number, one token."""
    cumulative = scores.exp().to(torch.float64).cumsum(-1)
    passed = cumulative[rows] < (uniform * cumulative[rows, -1]).unsqueeze(1)
    return passed.sum(-1).clamp(max=scores.shape[-1] - 1)


def padded(prompts: Sequence[Prompt]) -> tuple[Tensor, Tensor, Tensor]:
    """Return tokens, positions and which tokens are real, of prompts laid flush right."""
    longest = max(len(one.tokens) for one in prompts)
    tokens = torch.from_numpy(
        np.array([[PAD] * (longest - len(one.tokens)) + [*one.tokens] for one in prompts], np.int64)
    )
    seen = tokens != PAD
    return tokens, (seen.cumsum(1) - 1).clamp(min=0), seen


def _before(seen: Tensor) -> Tensor:
    """Return where the token before each one stands [rows, length], -1 before the first."""
    place = torch.arange(seen.shape[1], device=seen.device)
    return torch.where(seen & (seen.cumsum(1) > 1), place - 1, -1)


def causal(seen: Tensor) -> Tensor:
    """Return the mask [rows, length, length]: what is real and not later; padding sees itself, so that no row is
    empty."""
    length = seen.shape[1]
    order = torch.ones(length, length, dtype=torch.bool, device=seen.device).tril()
    return (order & seen.unsqueeze(1)) | torch.eye(length, dtype=torch.bool, device=seen.device)


assert SPECIALS.index("<end>") == END == len(SPECIALS) - 1  # every special before it is barred from replies
