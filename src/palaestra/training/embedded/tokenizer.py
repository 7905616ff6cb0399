"""Word pieces with a byte fallback: every text has an encoding, and every encoding decodes to its text."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

SPECIALS = ("<pad>", "<image>", "<user>", "<assistant>", "<end>")
PAD, IMAGE, USER, ASSISTANT, END = range(len(SPECIALS))
BYTES = 256

_PIECE = re.compile(r" ?[A-Za-z]+| ?[0-9]| ?[^A-Za-z0-9\s]|\s")


@dataclass(frozen=True)
class Tokenizer:
    """A vocabulary: special tokens, all bytes, then pieces; a piece is a word, digit or sign with the space before it.

    >>> words = Tokenizer.learn(["go left", "go right"], size=300)
    >>> words.decode(words.encode("go right, Zoë"))
    'go right, Zoë'
    >>> len(words.encode("go right"))
    2
    """

    pieces: tuple[str, ...]

    @staticmethod
    def learn(texts: Iterable[str], size: int) -> "Tokenizer":
        """Return the vocabulary of the most frequent pieces of some texts, `size` tokens in all."""
        counts = Counter(piece for text in texts for piece in _PIECE.findall(text))
        ranked = sorted(counts, key=lambda piece: (-counts[piece], piece))
        return Tokenizer(tuple(ranked[: max(0, size - len(SPECIALS) - BYTES)]))

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return len(SPECIALS) + BYTES + len(self.pieces)

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        tokens: list[int] = []
        for piece in _PIECE.findall(text):
            known = self._index.get(piece)
            if known is not None:
                tokens.append(known)
            else:
                tokens += [len(SPECIALS) + byte for byte in piece.encode("utf-8", "replace")]
        return tokens

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens; special ones say nothing, bytes that are no text become replacement characters."""
        data = b"".join(self._bytes[token] for token in tokens)
        return data.decode("utf-8", "replace")

    @cached_property
    def _index(self) -> dict[str, int]:
        return {piece: len(SPECIALS) + BYTES + k for k, piece in enumerate(self.pieces)}

    @cached_property
    def _bytes(self) -> list[bytes]:
        single = [bytes([byte]) for byte in range(BYTES)]
        return [b""] * len(SPECIALS) + single + [piece.encode() for piece in self.pieces]
