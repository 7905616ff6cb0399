"""Trajectories as rows: one context and all replies to it, exact for equal contexts.

Members of a group share states, so they share contexts; a row computes a context once however many replies follow it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor

from palaestra.core.environment import Pool
from palaestra.core.policy import Conversation
from palaestra.core.ticket import Group
from palaestra.rollout.messages import conversation
from palaestra.training.advantage import advantages
from palaestra.training.embedded.describing import Described, appended
from palaestra.training.embedded.device import precision
from palaestra.training.embedded.model import Network
from palaestra.training.embedded.pictures import looks
from palaestra.training.embedded.prompt import Prompt, prompt
from palaestra.training.embedded.tokenizer import PAD, Tokenizer


@dataclass(eq=False)
class Row:
    """A context and the replies to it, each with the summed weight of those who sent it.

    `gains` and `losses` keep positive and negative weights apart, as a clipped objective treats them differently.
    `senders` counts who sent a reply; `helped` holds weight and log-probability of a reply for each sender who met
    another context than this one.
    """

    env_id: str
    context: Prompt
    gains: dict[tuple[int, ...], float] = field(default_factory=dict)
    losses: dict[tuple[int, ...], float] = field(default_factory=dict)
    senders: Counter[tuple[int, ...]] = field(default_factory=Counter)
    helped: dict[tuple[int, ...], list[tuple[float, float]]] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """How many tokens it has: those of the context and of all replies."""
        return len(self.context.tokens) + sum(map(len, self.gains))

    def add(self, reply: tuple[int, ...], weight: float) -> None:
        """Count one more sender of a reply."""
        self.gains[reply] = self.gains.get(reply, 0.0) + max(weight, 0.0)
        self.losses[reply] = self.losses.get(reply, 0.0) + min(weight, 0.0)
        self.senders[reply] += 1


def rows(groups: Sequence[Group], pool: Pool, tokenizer: Tokenizer, admitted: Sequence[float]) -> list[Row]:
    """Return the rows of groups that have a signal: each trajectory's advantage weighs all of its turns.

    The context is what the update sees (`Turn.learnt`), which in a guided group is not what the player saw. A turn of
    two passes gives two rows: the description weighs what the reply does. Members that an error ended are left out.
    """
    found: dict[object, Row] = {}
    for group, share in zip(groups, admitted, strict=True):
        gained_G = advantages(group)
        if gained_G is None or not share:
            continue
        spec = pool[group.ticket.instance.env_id].spec
        for member, gained in zip(group.trajectories, gained_G.tolist(), strict=True):
            helped = any(turn.learnt is not None for turn in member.turns)
            for number, turn in enumerate(() if member.error else member.turns):
                shown, said = turn.learnt or turn.observation, turn.completion
                if isinstance(said, Described):
                    _row(found, spec.id, said.asked, tokenizer).add(said.description.token_ids, share * gained)
                    shown = appended(shown, said.description.text)
                talk = conversation(member.turns[:number], shown, spec.memory, learnt=True)
                reply, row = said.token_ids or tokenizer.reply(said.text), _row(found, spec.id, talk, tokenizer)
                row.add(reply, share * gained)
                if helped and said.logprobs:
                    row.helped.setdefault(reply, []).append((share * gained, sum(said.logprobs)))
    return list(found.values())


def _row(found: dict[object, Row], env_id: str, talk: Conversation, tokenizer: Tokenizer) -> Row:
    context = prompt(talk, tokenizer)
    return found.setdefault((env_id, context.key), Row(env_id, context))


TOKENS = 2048
"""How many tokens, padding included, go through the network at once: what fits into a core's cache."""


class _Long(Protocol):
    @property
    def length(self) -> int:
        """How many tokens it has."""


Long = TypeVar("Long", bound=_Long)


def parts(found: Sequence[Long]) -> Iterator[list[Long]]:
    """Yield rows in parts of at most `TOKENS` (one row at least), those of like length together: little is padded."""
    part: list[Long] = []
    for row in sorted(found, key=lambda row: row.length):
        if part and row.length * (len(part) + 1) > TOKENS:
            yield part
            part = []
        part.append(row)
    if part:
        yield part


@dataclass(frozen=True, slots=True)
class Branch:
    """A reply that leaves a context after its first `after` tokens, behind tokens of its own that are only read."""

    after: int
    opening: tuple[int, ...]
    reply: tuple[int, ...]

    @property
    def length(self) -> int:
        """How many tokens it adds: the last one of the reply is told and never read."""
        return len(self.opening) + len(self.reply) - 1


@dataclass(frozen=True, eq=False)
class Packed:
    """Rows as tensors: each a context flush left, its branches behind it, padding at the end.

    `targets` [rows, length] is the token to be predicted at each place, PAD where none is; `reply` numbers the replies
    of all rows from 0 [rows, length], -1 outside them; no place before `first` has a target.
    """

    contexts: Sequence[Prompt]
    tokens: Tensor
    positions: Tensor
    before: Tensor
    mask: Tensor
    targets: Tensor
    reply: Tensor
    first: int

    def scores(self, network: Network) -> Tensor:
        """Return the log-probability of all that can be said [places, speakable] at every target, in row order."""
        at, first = network.device, self.first
        laid = (part.to(at) for part in (self.positions, self.before, self.mask))
        shown = looks(network, self.contexts)
        with precision(at):
            hidden, _ = network(self.tokens.to(at), shown, *laid, first=first)
        return network.logits(hidden[(self.targets[:, first:] != PAD).to(at)]).log_softmax(-1)

    def told(self, scores: Tensor) -> Tensor:
        """Return the log-probability of every target [places]."""
        targets = self.targets[self.targets != PAD].to(scores.device)
        return scores.gather(1, targets.unsqueeze(1)).squeeze(1)

    def logprobs(self, network: Network) -> Tensor:
        """Return the log-probability of every target [places], in row order."""
        return self.told(self.scores(network))

    def summed(self, values: Tensor) -> Tensor:
        """Return the sum over each reply [replies] of values at every target [places], on the CPU."""
        number = self.reply[self.reply >= 0].to(values.device)
        size = int(self.reply.max()) + 1
        return torch.zeros(size, device=values.device).index_add(0, number, values).cpu()


def pack(contexts: Sequence[Prompt], replies: Sequence[Sequence[tuple[int, ...]]]) -> Packed:
    """Return contexts with replies to the whole of each as one batch.

    The last context token stands at the head of each reply instead of behind the context: it predicts the first token.
    """
    branches = [
        [Branch(len(context.tokens) - 1, context.tokens[-1:], one) for one in said]
        for context, said in zip(contexts, replies, strict=True)
    ]
    return lay([Prompt(context.tokens[:-1], context.images) for context in contexts], branches)


def lay(
    contexts: Sequence[Prompt],
    branches: Sequence[Sequence[Branch]],
    told: Sequence[Sequence[int]] | None = None,
) -> Packed:
    """Return contexts with their branches as one batch; `told` are the places of context tokens to be predicted too."""
    laid: list[tuple[list[int], ...]] = []
    number = 0
    for index, (context, own) in enumerate(zip(contexts, branches, strict=True)):
        size = len(context.tokens)
        targets = [PAD] * size
        for place in told[index] if told is not None else ():
            targets[place - 1] = context.tokens[place]
        row = [*context.tokens], [*range(size)], [*range(-1, size - 1)], [-1] * size, [0] * size, targets, [-1] * size
        for k, one in enumerate(own):
            length, start, read = one.length, len(row[0]), len(one.opening) - 1
            branch = (
                (*one.opening, *one.reply[:-1]),
                range(one.after, one.after + length),
                (one.after - 1, *range(start, start + length - 1)),
                [k] * length,
                [one.after] * length,
                [*[PAD] * read, *one.reply],
                [*[-1] * read, *[number] * len(one.reply)],
            )
            for column, part in zip(row, branch, strict=True):
                column += part
            number += 1
        laid.append(row)
    # a branch is -1 in the context, 0 .. in its replies, -2 in the padding
    tokens, positions, before, branch_of, sees, aims, reply = (
        _filled(column, padding)
        for column, padding in zip(zip(*laid, strict=True), (PAD, 0, -1, -2, 0, PAD, -1), strict=True)
    )
    first = int((aims != PAD).any(0).int().argmax())
    return Packed(contexts, tokens, positions, before, _mask(branch_of, sees), aims, reply, first)


def packed(part: Sequence[Row]) -> Packed:
    """Return rows as one batch."""
    return pack([row.context for row in part], [list(row.gains) for row in part])


def logprobs(network: Network, part: Sequence[Row]) -> Tensor:
    """Return the log-probability of every reply of some rows [replies]."""
    batch = packed(part)
    return batch.summed(batch.logprobs(network))


def _filled(laid: Sequence[Sequence[int]], padding: int) -> Tensor:
    """Return rows as one tensor [rows, length], padded at the end; numpy reads lists faster than torch."""
    longest = max(map(len, laid))
    return torch.from_numpy(np.array([[*row, *[padding] * (longest - len(row))] for row in laid], np.int64))


def _mask(branch: Tensor, sees: Tensor) -> Tensor:
    """Return the mask [rows, length, length]: a place sees its own branch so far, and `sees` tokens of its context."""
    asks, has = branch.unsqueeze(2), branch.unsqueeze(1)
    place = torch.arange(branch.shape[1])
    order = place.unsqueeze(1) >= place
    return ((asks == has) & order) | ((asks >= 0) & (place < sees.unsqueeze(2)))


def shares(found: Sequence[Row]) -> Mapping[str, float]:
    """Return the weight of one reply of each environment: all environments weigh alike, however long their episodes."""
    counts: dict[str, float] = {}
    for row in found:
        counts[row.env_id] = counts.get(row.env_id, 0.0) + sum(row.gains.values()) - sum(row.losses.values())
    return {env_id: 1 / (len(counts) * total) if total else 0.0 for env_id, total in counts.items()}


def evenly(found: Sequence[Row]) -> Mapping[str, float]:
    """Return the weight of one sender of each environment: all environments weigh alike."""
    counts: Counter[str] = Counter()
    for row in found:
        counts[row.env_id] += row.senders.total()
    return {env_id: 1 / (len(counts) * total) if total else 0.0 for env_id, total in counts.items()}
