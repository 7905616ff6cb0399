"""Replies held to a JSON schema: before every token, those that no fitting reply could go on with are barred."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from palaestra.core.errors import ExtraMissing, PolicyFailed
from palaestra.training.hugging_face.model import Model


class Held:
    """One reply under way."""

    def __init__(self, schema: Mapping[str, Any], model: Model, vocabulary: int) -> None:
        """Begin a reply.

        Raises:
            PolicyFailed: the schema cannot be held to.
            ExtraMissing: llguidance is not installed.
        """
        try:
            from llguidance import LLMatcher
            from llguidance.hf import from_tokenizer
        except ImportError as error:
            raise ExtraMissing("a schema needs llguidance: pip install 'palaestra[hf]'") from error
        known = from_tokenizer(model.tokenizer, n_vocab=vocabulary, eos_token=sorted(model.ends))
        tight = {"whitespace_flexible": False}  # a weak model would fill its reply with blanks
        self.matcher = LLMatcher(known, LLMatcher.grammar_from_json_schema(dict(schema), overrides=tight), log_level=0)
        self._sound(schema)

    def barred(self, logits: Tensor) -> Tensor:
        """Return logits [1, vocabulary] with what may not come next at minus infinity."""
        bits = np.frombuffer(self.matcher.compute_bitmask(), np.uint8)
        allowed = np.unpackbits(bits, bitorder="little", count=logits.shape[-1]).astype(bool)
        return logits.masked_fill(~torch.from_numpy(allowed).to(logits.device), -torch.inf)

    def take(self, token: int) -> None:
        """Go on with a token."""
        self.matcher.consume_token(token)

    def _sound(self, schema: Mapping[str, Any]) -> None:
        if self.matcher.is_error():
            why = self.matcher.get_error().partition("\n")[0]
            raise PolicyFailed(f"no reply can be held to the schema {json.dumps(schema)[:100]}: {why}")
