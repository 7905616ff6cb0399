"""The network: a stem for pictures, and a causal decoder that is made to look up what it reads.

A row holds one context and any number of replies that branch off from it, one behind the other. Every reply sees the
context up to where it branches off, and itself, and its positions go on from there, so the row computes exactly what
separate rows would, at the cost of one context.

To answer from a text is to look up, by place or by content. Texts of a world keep their layout, so each token carries
the line and the column at which it stands in its message: the third word of the fourth line is found at once, and a map
of signs lies on a grid, as it does in the picture. And half of the heads start as copiers: they have no positions,
compare a token with the token *before* each place, by one random projection for both, and pass on what they find.

Source: places in two dimensions as for documents (Xu et al. 2020); keys mixed with the token before as in the smeared
keys of Olsson et al. 2022 and the token shift of Peng et al. 2023; queries and keys that start alike, and values that
start as passed on, after Trockman and Kolter 2023. Departures: the other half of the heads, with rotary positions (Su
et al. 2021), starts at random; lines and columns are those of the text, not of the page.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaestra.training.embedded.prompt import IMAGE_TOKENS, PIXELS
from palaestra.training.embedded.tokenizer import ASSISTANT, IMAGE, NEWLINE, USER

PATCH = 12
"""What one place of the stem stands for [pixels]."""


HEAD = 32
"""Width of a head: in fewer dimensions a random projection tells too few tokens apart."""

PLACES = (2, 24, 96)
"""Who speaks, how many lines of a message, and how many tokens of a line have places of their own; later ones share the
last."""

PLACED = 0.2
"""The deviation of a place, beside 1 for a token."""


@dataclass(frozen=True)
class Shape:
    """The size of a network; of its vocabulary, replies may hold the first `speakable` tokens."""

    vocabulary: int
    speakable: int
    width: int = 96
    layers: int = 3

    @property
    def heads(self) -> int:
        """How many heads each layer has."""
        return max(1, self.width // HEAD)


class Past(NamedTuple):
    """What a layer keeps of a sequence: keys and values [rows, heads, tokens, width / heads], and the last token's
    query and key before they were mixed [rows, 1, width]."""

    keys: Tensor
    values: Tensor
    query: Tensor
    key: Tensor


class Places(NamedTuple):
    """Where tokens stand: in what is said (1) or shown (0), in which line of the message, and in which column
    [rows, length]."""

    said: Tensor
    line: Tensor
    column: Tensor


@dataclass
class Cache:
    """What each layer keeps, and the places of the tokens so far, for decoding token by token."""

    layers: list[Past]
    places: Places

    def rows(self, index: Tensor) -> "Cache":
        """Return the cache of some rows, in their order."""
        layers = [Past(*(part[index] for part in past)) for past in self.layers]
        return Cache(layers, Places(*(part[index] for part in self.places)))


class Network(nn.Module):
    """Token logits for sequences of tokens and pictures."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.shape = shape
        self.stem = Stem(width)
        self.embed = nn.Embedding(shape.vocabulary, width)
        self.places = nn.ModuleList(nn.Embedding(size, width) for size in PLACES)
        self.blocks = nn.ModuleList(Block(width, shape.heads) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(width)
        self.head = nn.Linear(width, shape.speakable, bias=False)
        for places in self.places.parameters():
            nn.init.normal_(places, std=PLACED)
        nn.init.normal_(self.head.weight, std=width**-0.5)

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.head.weight.device

    def forward(
        self,
        tokens: Tensor,
        looks: Tensor,
        positions: Tensor,
        before: Tensor,
        mask: Tensor,
        cache: Cache | None = None,
        first: int = 0,
    ) -> tuple[Tensor, Cache]:
        """Return hidden states [rows, length - first, width] and what is kept for decoding on.

        Args:
            tokens: ids [rows, length].
            looks: what the stem made of pictures [pictures, IMAGE_TOKENS, width], for the image tokens in row order.
            positions: of each token in its own sequence [rows, length].
            before: where in the row the token before each one stands [rows, length], -1 where it is none of the row.
            mask: which tokens may be seen [rows, length, past + length], True where they may.
            cache: what was kept of what came before.
            first: the place from which on hidden states are wanted; the last layer leaves out those before it.
        """
        places = _places(tokens, cache.places if cache else None)
        hidden = self.embed(tokens)
        for table, place, size in zip(self.places, places, PLACES, strict=True):
            hidden = hidden + table(place.clamp(max=size - 1))
        if looks.shape[0]:
            hidden = hidden.masked_scatter((tokens == IMAGE).unsqueeze(-1), looks.to(hidden.dtype))
        turns = _rotations(positions, self.shape.width // self.shape.heads)
        kept = []
        for number, block in enumerate(self.blocks):
            start = first if number == len(self.blocks) - 1 else 0
            hidden, past = block(hidden, turns, before, mask, cache.layers[number] if cache else None, start)
            kept.append(past)
        return self.norm(hidden), Cache(kept, Places(*(part[:, -1:] for part in places)))

    def logits(self, hidden: Tensor) -> Tensor:
        """Return the logits over what can be said."""
        logits: Tensor = self.head(hidden.float())
        return logits


class Stem(nn.Module):
    """Pictures as tokens: two convolutions, then a perceptron that mixes all places into each token.

    A token that stands for a place alone can only be compared with others by attention, and attention that knows
    nothing yet is slow to find out what to compare: mixing over places, cells need not even fit the grid of patches.
    Everything enters at unit variance: with smaller inputs the gradient died within a few steps.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        places = (PIXELS // PATCH) ** 2
        self.patches = nn.Conv2d(3, width // 2, 8, stride=6, padding=1)
        self.joined = nn.Conv2d(width // 2, width, 3, stride=2, padding=1)
        self.before = nn.RMSNorm(width)
        self.up = nn.Linear(places, 2 * places)
        self.down = nn.Linear(2 * places, IMAGE_TOKENS)
        self.after = nn.RMSNorm(width)
        self.places = nn.Parameter(0.5 * torch.randn(IMAGE_TOKENS, width))

    def forward(self, images: Tensor) -> Tensor:
        """Return the tokens [pictures, IMAGE_TOKENS, width] of centred pictures [pictures, 3, PIXELS, PIXELS]."""
        seen = functional.gelu(self.patches(images))
        seen = functional.gelu(self.joined(seen)).flatten(2).transpose(1, 2)
        mixed = self.down(functional.gelu(self.up(self.before(seen).transpose(1, 2)))).transpose(1, 2)
        placed: Tensor = self.after(mixed) + self.places
        return placed


LATE = 3.0
"""The logit of the share of the token before in a query or key, at first: nearly all, or with the minus nearly none."""

MATCH = 3.2
"""The variance of what content heads compare by, over that of other heads: how sharply they look up at first."""


class Block(nn.Module):
    """Attention and a perceptron (squared rectifiers: So et al. 2021), each behind a norm and beside an identity.

    Content heads come first: they have no positions, their keys start as those of the token before, and so do the
    queries of every second one.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.content = heads - heads // 2 if heads > 1 else 0
        self.before = nn.RMSNorm(width)
        self.mix = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.between = nn.RMSNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.late_queries = nn.Parameter(torch.full((width,), -LATE))
        self.late_keys = nn.Parameter(torch.full((width,), -LATE))
        self._start(width // heads)

    @torch.no_grad()
    def _start(self, size: int) -> None:
        width = size * self.heads
        queries, keys, values = torch.split(self.mix.weight, width)
        for head in range(self.content):
            own = slice(head * size, (head + 1) * size)
            queries[own] = keys[own] = torch.randn(size, width) * (MATCH / width) ** 0.5
            values[own] = torch.randn(size, width) * width**-0.5
            self.out.weight[:, own] = values[own].T
            self.late_keys[own] = LATE
            self.late_queries[own] = LATE if head % 2 else -LATE

    def forward(
        self,
        hidden: Tensor,
        turns: tuple[Tensor, Tensor],
        before: Tensor,
        mask: Tensor,
        past: Past | None,
        first: int = 0,
    ) -> tuple[Tensor, Past]:
        rows, length, width = hidden.shape
        asked, had, values = torch.split(self.mix(self.before(hidden)), width, dim=-1)
        late = _late(asked, before, self.late_queries, past.query if past else None)[:, first:]
        queries = self._placed(late, (turns[0][:, :, first:], turns[1][:, :, first:]))
        keys = self._placed(_late(had, before, self.late_keys, past.key if past else None), turns)
        values = self._headed(values)
        if past is not None:
            keys, values = torch.cat([past.keys, keys], dim=2), torch.cat([past.values, values], dim=2)
        mixed = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask[:, None, first:])
        hidden = hidden[:, first:] + self.out(mixed.transpose(1, 2).reshape(rows, length - first, width))
        # squared, which a CPU does in a third of the time of a GELU
        hidden = hidden + self.down(functional.relu(self.up(self.between(hidden))).square())
        return hidden, Past(keys, values, asked[:, -1:], had[:, -1:])

    def _placed(self, states: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
        """Return states [rows, length, width] by heads, turned to their places but for content heads."""
        heads = self._headed(states)
        return torch.cat([heads[:, : self.content], _turned(heads[:, self.content :], turns)], dim=1)

    def _headed(self, states: Tensor) -> Tensor:
        """Return states [rows, length, width] as [rows, heads, length, width / heads]."""
        rows, length, width = states.shape
        return states.view(rows, length, self.heads, width // self.heads).transpose(1, 2)


def _late(states: Tensor, before: Tensor, late: Tensor, last: Tensor | None) -> Tensor:
    """Return states [rows, length, width] mixed with those of the token before each, `last` where it is past."""
    old = states.gather(1, before.clamp(min=0).unsqueeze(-1).expand_as(states))
    old = torch.where((before < 0).unsqueeze(-1), torch.zeros_like(old[:, :1]) if last is None else last, old)
    return states + (old - states) * late.sigmoid()


def _places(tokens: Tensor, last: Places | None) -> Places:
    """Return the places of tokens [rows, length]: every opening of a message starts anew, every newline a line.

    With the places of the last tokens [rows, 1], what follows them is one token each.
    """
    newline = (tokens == NEWLINE).long()
    if last is not None:
        return Places(last.said, last.line + newline, (last.column + 1) * (1 - newline))
    opening = (tokens == USER) | (tokens == ASSISTANT)
    at = torch.arange(tokens.shape[1], device=tokens.device).expand_as(tokens)
    opened = (at * opening).cummax(1).values
    broken = (at * (opening | newline.bool())).cummax(1).values
    lines = newline.cumsum(1)
    return Places((tokens.gather(1, opened) == ASSISTANT).long(), lines - lines.gather(1, opened), at - broken)


def _rotations(positions: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Return the cosines and sines [rows, 1, length, width / 2] of rotary positions (Su et al. 2021)."""
    speeds = 1000.0 ** (-torch.arange(0, width, 2, dtype=torch.float32, device=positions.device) / width)
    angles = positions.to(torch.float32).unsqueeze(-1) * speeds
    return angles.cos().unsqueeze(1), angles.sin().unsqueeze(1)


def _turned(states: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
    cosines, sines = turns
    left, right = states.chunk(2, dim=-1)
    return torch.cat([left * cosines - right * sines, left * sines + right * cosines], dim=-1)
