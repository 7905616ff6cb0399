"""The network: a stem for pictures, a causal decoder with rotary positions, and packed replies.

A row holds one context and any number of replies to it, one behind the other. Every reply sees the context and
itself, and its positions go on from the context's end, so the row computes exactly what separate rows would, at the
cost of one context.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaestra.training.embedded.prompt import IMAGE_TOKENS, PIXELS
from palaestra.training.embedded.tokenizer import IMAGE

PATCH = 12
"""What one place of the stem stands for [pixels]."""


@dataclass(frozen=True)
class Shape:
    """The size of a network; of its vocabulary, replies may hold the first `speakable` tokens."""

    vocabulary: int
    speakable: int
    width: int = 96
    layers: int = 3
    heads: int = 4


@dataclass
class Cache:
    """Keys and values [rows, heads, tokens, width / heads] of each layer, for decoding token by token."""

    layers: list[tuple[Tensor, Tensor]]

    def rows(self, index: Tensor) -> "Cache":
        """Return the cache of some rows, in their order."""
        return Cache([(keys[index], values[index]) for keys, values in self.layers])


class Network(nn.Module):
    """Token logits for sequences of tokens and pictures."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.shape = shape
        self.stem = Stem(width)
        self.embed = nn.Embedding(shape.vocabulary, width)
        self.blocks = nn.ModuleList(Block(width, shape.heads) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(width)
        self.head = nn.Linear(width, shape.speakable, bias=False)
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
        mask: Tensor,
        cache: Cache | None = None,
        first: int = 0,
    ) -> tuple[Tensor, Cache]:
        """Return hidden states [rows, length - first, width] and the keys and values that went into them.

        Args:
            tokens: ids [rows, length].
            looks: what the stem made of pictures [pictures, IMAGE_TOKENS, width], for the image tokens in row order.
            positions: of each token in its own sequence [rows, length].
            mask: which tokens may be seen [rows, length, past + length], True where they may.
            cache: keys and values of what came before.
            first: the place from which on hidden states are wanted; the last layer leaves out those before it.
        """
        hidden = self.embed(tokens)
        if looks.shape[0]:
            hidden = hidden.masked_scatter((tokens == IMAGE).unsqueeze(-1), looks.to(hidden.dtype))
        turns = _rotations(positions, self.shape.width // self.shape.heads)
        kept = []
        for number, block in enumerate(self.blocks):
            start = first if number == len(self.blocks) - 1 else 0
            hidden, pair = block(hidden, turns, mask, cache.layers[number] if cache else None, start)
            kept.append(pair)
        return self.norm(hidden), Cache(kept)

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


class Block(nn.Module):
    """Attention and a perceptron (squared rectifiers: So et al. 2021), each behind a norm and beside an identity."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before = nn.RMSNorm(width)
        self.mix = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.between = nn.RMSNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(
        self,
        hidden: Tensor,
        turns: tuple[Tensor, Tensor],
        mask: Tensor,
        past: tuple[Tensor, Tensor] | None,
        first: int = 0,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        rows, length, width = hidden.shape
        seen, asks = self.before(hidden), self.mix.weight[:width]
        keys, values = self._heads(functional.linear(seen, self.mix.weight[width:]), 2)
        (queries,) = self._heads(functional.linear(seen[:, first:], asks), 1)
        keys, queries = _turned(keys, turns), _turned(queries, (turns[0][:, :, first:], turns[1][:, :, first:]))
        if past is not None:
            keys, values = torch.cat([past[0], keys], dim=2), torch.cat([past[1], values], dim=2)
        mixed = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask[:, None, first:])
        hidden = hidden[:, first:] + self.out(mixed.transpose(1, 2).reshape(rows, length - first, width))
        # squared, which a CPU does in a third of the time of a GELU
        return hidden + self.down(functional.relu(self.up(self.between(hidden))).square()), (keys, values)

    def _heads(self, states: Tensor, parts: int) -> tuple[Tensor, ...]:
        """Return states [rows, length, parts * width] as so many [rows, heads, length, width / heads]."""
        rows, length, width = states.shape
        return (
            states.view(rows, length, parts, self.heads, width // parts // self.heads).permute(2, 0, 3, 1, 4).unbind()
        )


def _rotations(positions: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Return the cosines and sines [rows, 1, length, width / 2] of rotary positions (Su et al. 2021)."""
    speeds = 1000.0 ** (-torch.arange(0, width, 2, dtype=torch.float32, device=positions.device) / width)
    angles = positions.to(torch.float32).unsqueeze(-1) * speeds
    return angles.cos().unsqueeze(1), angles.sin().unsqueeze(1)


def _turned(states: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
    cosines, sines = turns
    left, right = states.chunk(2, dim=-1)
    return torch.cat([left * cosines - right * sines, left * sines + right * cosines], dim=-1)
