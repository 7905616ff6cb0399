"""Phrases for reading, words for speaking, bytes for the rest: every text has an encoding that decodes to it.

A pool's texts are templates: the same sentences over and over, with numbers and rows of a map between them. A phrase, a
stretch without digits up to the next punctuation mark, is one token where it is known, which makes prompts several
times shorter. Replies are said word by word. A line without a space is a row of a map and is taken sign by sign.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

SPECIALS = ("<pad>", "<image>", "<user>", "<assistant>", "<end>")
PAD, IMAGE, USER, ASSISTANT, END = range(len(SPECIALS))
BYTES = 256
FIRST = len(SPECIALS) + BYTES

_PIECE = re.compile(r" ?[A-Z][0-9]\b| ?[A-Za-z]+| ?[0-9]| ?[^A-Za-z0-9\s]|\s")
_ALONE = re.compile(r" ?[0-9]|\s")
_ENDS = (".", ",", ":", ";", "!", "?")


@dataclass(frozen=True)
class Tokenizer:
    """A vocabulary: special tokens, all bytes, words, then phrases; only what comes before the phrases is ever said.

    A word is a run of letters, a cell such as C4, a digit or a sign, with the space before it.

    >>> read = ["go left, then 2 up", "go left, then 3 up"]
    >>> tokens = Tokenizer.learn(read, said=[" left", " up"])
    >>> tokens.decode(tokens.encode("go left, Zoë"))
    'go left, Zoë'
    >>> len(tokens.encode("go left, then 2 up")), len(tokens.spell("go left, then 2 up"))
    (4, 6)
    """

    words: tuple[str, ...]
    phrases: tuple[str, ...] = ()

    @staticmethod
    def learn(read: Iterable[str], said: Iterable[str], words: int = 384, phrases: int = 384) -> "Tokenizer":
        """Return the vocabulary of the most frequent words of texts read and said, and phrases of those read.

        A phrase is known when it stands in two texts at least.
        """
        texts = list(read)
        pieces = Counter(piece for text in (*texts, *said) for piece in _pieces(text))
        stretches = Counter(s for text in texts for s in {"".join(p) for p in _stretches(text) if len(p) > 1})
        often = Counter({stretch: count for stretch, count in stretches.items() if count > 1})
        return Tokenizer(_ranked(pieces, words), _ranked(often, phrases))

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return self.speakable + len(self.phrases)

    @property
    def speakable(self) -> int:
        """How many of them a reply may hold."""
        return FIRST + len(self.words)

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the tokens of a text that is read."""
        return _encoded(self, text)

    def spell(self, text: str) -> list[int]:
        """Return the tokens of a text that is said: words and bytes."""
        return [token for piece in _pieces(text) for token in self._spelt(piece)]

    def reply(self, text: str) -> tuple[int, ...]:
        """Return the tokens of a whole reply, as the network would say it."""
        return (*self.spell(f" {text}"), END)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens; special ones say nothing, bytes that are no text become replacement characters."""
        data = b"".join(self._bytes[token] for token in tokens)
        return data.decode("utf-8", "replace")

    def _spelt(self, piece: str) -> list[int]:
        known = self._words.get(piece)
        if known is not None:
            return [known]
        return [len(SPECIALS) + byte for byte in piece.encode("utf-8", "replace")]

    @cached_property
    def _words(self) -> dict[str, int]:
        return {word: FIRST + k for k, word in enumerate(self.words)}

    @cached_property
    def _phrases(self) -> dict[str, int]:
        return {phrase: self.speakable + k for k, phrase in enumerate(self.phrases)}

    @cached_property
    def _bytes(self) -> list[bytes]:
        single = [bytes([byte]) for byte in range(BYTES)]
        return [b""] * len(SPECIALS) + single + [text.encode() for text in (*self.words, *self.phrases)]


@lru_cache(maxsize=4096)  # the same task is read all the time
def _encoded(tokenizer: Tokenizer, text: str) -> tuple[int, ...]:
    tokens: list[int] = []
    for stretch in _stretches(text):
        known = tokenizer._phrases.get("".join(stretch))
        tokens += [known] if known is not None else [token for piece in stretch for token in tokenizer._spelt(piece)]
    return tuple(tokens)


def _pieces(text: str) -> Iterator[str]:
    for stretch in _stretches(text):
        yield from stretch


def _stretches(text: str) -> Iterator[list[str]]:
    """Yield the pieces of a text in stretches: digits and white space alone, the rest up to a punctuation mark."""
    for line in text.splitlines(keepends=True):
        if " " not in line:
            yield from map(list, line)
            continue
        stretch: list[str] = []
        for piece in _PIECE.findall(line):
            alone = _ALONE.fullmatch(piece) is not None
            if alone and stretch:
                yield stretch
                stretch = []
            stretch.append(piece)
            if alone or piece.endswith(_ENDS):
                yield stretch
                stretch = []
        if stretch:
            yield stretch


def _ranked(counts: Counter[str], size: int) -> tuple[str, ...]:
    return tuple(sorted(counts, key=lambda text: (-counts[text], text))[:size])
