"""Contexts that were read once, and what is said after them.

Keys and values of a context are computed once, however many replies follow it, in play as in learning; gradients flow
through them. Departures from `generate`: every row draws with numbers of its own, so that a reply does not depend on
what else is in the batch, but for the rounding of sums whose shape the batch decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from palaestra.training.hugging_face.model import Model
from palaestra.training.hugging_face.prompt import Prompt, laid

CHUNK = 512
"""How many tokens have logits at once."""


@dataclass(eq=False)
class Context:
    """Rows of what was read: `seen` [rows, length] tells tokens from padding, `place` [rows] is the next position."""

    model: Model
    cache: Any
    seen: Tensor
    place: Tensor

    @staticmethod
    def read(prompts: Sequence[Prompt], model: Model) -> "tuple[Context, Tensor]":
        """Return prompts as read, and the hidden states that what comes next follows from [prompts, width]."""
        given = laid(prompts, model)
        seen, cache = given["attention_mask"], model.cache()
        place = seen.sum(1)
        turning = "image_grid_thw" in given  # such a model finds the places in its pictures itself
        if not turning:
            given["position_ids"] = (seen.cumsum(1) - 1).clamp(min=0)
        found = model.network.base_model(**given, cache=cache, use_cache=True)
        if turning:
            place = place + model.network.base_model.rope_deltas.flatten()
        return Context(model, cache, seen, place), found.last_hidden_state[:, -1]

    def choose(self, rows: Tensor) -> None:
        """Keep some rows, in their order; a row may be named several times."""
        self.cache.batch_select_indices(rows)
        self.seen, self.place = self.seen[rows], self.place[rows]

    def go_on(self, tokens: Tensor, real: Tensor) -> Tensor:
        """Read tokens [rows, n] after each row, `real` telling them from padding at the end, and return the hidden
        states that what comes next follows from [rows, n, width]."""
        self.seen = torch.cat([self.seen, real.to(self.seen.dtype)], 1)
        places = self.place.unsqueeze(1) + torch.arange(tokens.shape[1], device=tokens.device)
        if hasattr(self.model.network.base_model, "get_rope_index"):
            places = places.expand(3, -1, -1)
        found = self.model.network.base_model(
            input_ids=tokens, attention_mask=self.seen, position_ids=places, cache=self.cache, use_cache=True
        )
        self.place = self.place + tokens.shape[1]
        hidden: Tensor = found.last_hidden_state
        return hidden


def logprobs(model: Model, hidden: Tensor, tokens: Tensor, temperature: float = 1.0) -> Tensor:
    """Return the log-probability of tokens [n] that follow from hidden states [n, width].

    The logits of a few tokens exist at once, also on the way back, where they are computed again.
    """

    def chunk(hidden: Tensor, tokens: Tensor) -> Tensor:
        scores = model.logits(hidden) / temperature
        return scores.gather(1, tokens.unsqueeze(1)).squeeze(1) - scores.logsumexp(-1)

    cut = zip(torch.split(hidden, CHUNK), torch.split(tokens, CHUNK), strict=True)
    return torch.cat([checkpoint(chunk, *one, use_reentrant=False, preserve_rng_state=False) for one in cut])
