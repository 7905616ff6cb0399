"""Sentences for reading, words for speaking, bytes for the rest: every text has an encoding that decodes to it.

A pool's texts are templates: the same sentences over and over, with facts and rows of a map between them. A line, a
sentence or a clause that stays the same from problem to problem of a world carries nothing that could be copied: it is
one token, which makes prompts several times shorter. Whatever varies is read word by word and digit by digit, in
the tokens in which a reply would say it: every line is taken with a space before it, so that its first word is the same
token as elsewhere. A line without a space is a row of a map and is taken sign by sign.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain

SPECIALS = ("<pad>", "<image>", "<user>", "<assistant>", "<end>")
PAD, IMAGE, USER, ASSISTANT, END = range(len(SPECIALS))
BYTES = 256
FIRST = len(SPECIALS) + BYTES
NEWLINE = len(SPECIALS) + ord("\n")
"""The end of a line, which is never part of a larger token."""

CONSTANT = 2 / 3
"""In which share of a world's texts a phrase stands at least."""

_PIECE = re.compile(r" ?[A-Z][0-9]\b| ?[A-Za-z]+| ?[0-9]| ?[^A-Za-z0-9\s]|\s")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_WORD = re.compile(r"[A-Za-z0-9-]+\n?")
_SPACED = re.compile(r"^ ", re.MULTILINE)
_SENTENCE = re.compile(r".+?(?:[.?!](?= |$)|$)", re.DOTALL)
_CLAUSE = re.compile(r".+?(?:[,:;](?= |$)|$)", re.DOTALL)


@dataclass(frozen=True)
class Tokenizer:
    """A vocabulary: special tokens, all bytes, words that are said, then what is only read: words and phrases.

    A word is a run of letters, a cell such as C4, a digit or a sign, with the space before it.

    >>> world = ["Find the way out. Go left, then 2 up.", "Find the way out. Go left, then 3 up."]
    >>> tokens = Tokenizer.learn([world], said=["left", "up"])
    >>> tokens.decode(tokens.encode("Find the way out. Go left, Zoë."))
    'Find the way out. Go left, Zoë.'
    >>> len(tokens.encode(world[0])), len(tokens.spell(world[0]))
    (6, 32)
    """

    words: tuple[str, ...]
    phrases: tuple[str, ...] = ()

    @staticmethod
    def learn(worlds: Iterable[Sequence[str]], said: Iterable[str], words: int = 1024) -> "Tokenizer":
        """Return the vocabulary of texts that are read, world by world, and of replies that are said.

        Args:
            worlds: texts of a world at one scale each.
            said: replies; the most frequent pieces of theirs are words.
            words: how many pieces are words at most, and how many of those only read are known besides.
        """
        worlds = [list(texts) for texts in worlds]
        spoken = Counter(piece for text in said for piece in _pieces(text) if piece != "\n")
        told = _ranked(spoken, words)
        constant = {phrase for texts in worlds for phrase in _constant(texts)}
        draft = Tokenizer(told, tuple(sorted(constant)))
        used = Counter(unit for texts in worlds for text in texts for unit in draft._units(text) if unit != "\n")
        phrases = Counter({unit: count for unit, count in used.items() if unit in constant})
        pieces = Counter({unit: n for unit, n in used.items() if unit not in constant and unit not in draft._words})
        return Tokenizer(told, (*_ranked(pieces, words), *_ranked(phrases, len(phrases))))

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
        return [token for piece in _pieces(text) for token in _bytes(self._words, piece)]

    def reply(self, text: str) -> tuple[int, ...]:
        """Return the tokens of a whole reply, as the network would say it."""
        return (*self.spell(text), END)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens; special ones say nothing, bytes that are no text become replacement characters."""
        data = b"".join(self._texts[token] for token in tokens)
        return _SPACED.sub("", data.decode("utf-8", "replace"))

    def _units(self, text: str) -> Iterator[str]:
        """Yield the largest known stretches of a text: lines, then sentences, clauses, and pieces."""
        for line in _LINE.findall(text):
            body = line.rstrip("\n")
            yield from _within(f" {body}", self._known) if " " in body else body
            yield from line[len(body) :]

    @cached_property
    def _words(self) -> dict[str, int]:
        return {word: FIRST + k for k, word in enumerate(self.words)}

    @cached_property
    def _known(self) -> dict[str, int]:
        return self._words | {phrase: self.speakable + k for k, phrase in enumerate(self.phrases)}

    @cached_property
    def _texts(self) -> list[bytes]:
        single = [bytes([byte]) for byte in range(BYTES)]
        return [b""] * len(SPECIALS) + single + [text.encode() for text in (*self.words, *self.phrases)]


@lru_cache(maxsize=4096)  # the same task is read all the time
def _encoded(tokenizer: Tokenizer, text: str) -> tuple[int, ...]:
    return tuple(chain.from_iterable(_bytes(tokenizer._known, unit) for unit in tokenizer._units(text)))


def _bytes(known: dict[str, int], unit: str) -> list[int]:
    """Return the token of a unit, those of its bytes where it is unknown."""
    if unit in known:
        return [known[unit]]
    return [len(SPECIALS) + byte for byte in unit.encode("utf-8", "replace")]


def _within(line: str, known: dict[str, int]) -> Iterator[str]:
    if line in known:
        yield line
        return
    for sentence in _SENTENCE.findall(line):
        if sentence in known:
            yield sentence
            continue
        for clause in _CLAUSE.findall(sentence):
            yield from [clause] if clause in known else _PIECE.findall(clause)


def _pieces(text: str) -> Iterator[str]:
    """Yield the pieces of a text that is said."""
    for line in _LINE.findall(text):
        yield from _PIECE.findall(f" {line}") if " " in line or _WORD.fullmatch(line) else line


def _constant(texts: Sequence[str]) -> Iterator[str]:
    """Yield the lines, sentences and clauses of several pieces that stand in most texts of a world."""
    counts: Counter[str] = Counter()
    for text in texts:
        lines = [f" {line}" for line in text.split("\n") if " " in line]
        sentences = [sentence for line in lines for sentence in _SENTENCE.findall(line)]
        counts.update({*lines, *sentences, *(clause for one in sentences for clause in _CLAUSE.findall(one))})
    least = max(2, CONSTANT * len(texts))
    yield from (unit for unit, count in counts.items() if count >= least and len(_PIECE.findall(unit)) > 1)


def _ranked(counts: Counter[str], size: int) -> tuple[str, ...]:
    return tuple(sorted(counts, key=lambda text: (-counts[text], text))[:size])
