"""Several named answers in one reply."""

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product, zip_longest
from reprlib import repr as brief
from typing import Any, ClassVar

import numpy as np

from palaestra.core.answer.base import Answer
from palaestra.core.answer.extract import Found, announces, passage, trim
from palaestra.core.answer.names import check, pattern
from palaestra.core.answer.parsed import ILLEGAL, Illegal
from palaestra.core.errors import BadAnswerKind

_SEPARATORS = (re.compile(r"\s*[;\n]\s*"), re.compile(r"\s*,\s*"), re.compile(r"\s+"))
_SIGN = re.compile(r"""["'`*_\s]{0,4}(?:[:=→]|->|\b(?P<verb>is|are)\b)""", re.IGNORECASE)
_STATEMENT_END = re.compile(r"\n|[.;!]\s|\}")


@dataclass(frozen=True, slots=True)
class Record(Answer):
    """A value for each named field; its value is the tuple of their values, in field order.

    Fields come in any order, as ``name: value``, ``name = value`` or JSON; bare values, in field order,
    only where the text says nothing else.

    >>> from palaestra.core.answer import Integer
    >>> counts = Record((("circles", Integer(0, 9)), ("squares", Integer(0, 9))))
    >>> counts.parse('{"squares": 2, "circles": 3}').value, counts.parse("3, 2").value
    ((3, 2), (3, 2))
    """

    kind: ClassVar[str] = "record"
    multiline: ClassVar[bool] = True
    fields: tuple[tuple[str, Answer], ...]

    def __post_init__(self) -> None:
        fields: Any = self.fields
        if not isinstance(fields, tuple) or not all(map(_is_field, fields)):
            raise BadAnswerKind(
                f"record: fields are {brief(fields)}; give a tuple of (name, answer kind), no record inside"
            )
        check(self._names, "field")
        for name in self._names:
            if announces(f"{name}:"):
                raise BadAnswerKind(f"field {name!r} reads like the announcement of an answer; rename it")
            if [found[0] for found in self._mentions(f"{name}: 1")] != [name]:
                raise BadAnswerKind(f"field {name!r} could not be read back from a reply; rename it")

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.fields)

    def sample(self, rng: np.random.Generator) -> str:
        """Return a random value for every field."""
        return "\n".join([f"{name}: {answer.sample(rng)}" for name, answer in self.fields])

    def format(self, value: Any) -> str:
        """Return one field per line."""
        if not isinstance(value, tuple) or len(value) != len(self.fields):
            raise self.refusal(value)
        return "\n".join(f"{name}: {a.format(v)}" for (name, a), v in zip(self.fields, value, strict=True))

    def wanted(self) -> str:
        """Return the fields and what each must be."""
        wanted = {name: answer.wanted() for name, answer in self.fields}
        if len(set(wanted.values())) == 1:  # said once: tiny models have short prompts
            return f"one line per field ({', '.join(wanted)}), each `name: {next(iter(wanted.values()))}`"
        return f"one line per field ({'; '.join(f'{name}: {said}' for name, said in wanted.items())})"

    def read(self, text: str) -> tuple[Hashable, ...] | Illegal | None:
        """Return the values of a text that is one bare value per field, in field order."""
        if next(self._mentions(text), None):
            return None
        for separator in _SEPARATORS:
            parts = separator.split(trim(text)) if len(self.fields) > 1 else [text]
            if len(parts) == len(self.fields):
                said = [answer.read(part) for (_, answer), part in zip(self.fields, parts, strict=True)]
                if any(value is ILLEGAL for value in said):
                    return ILLEGAL
                if all(value is not None for value in said):
                    return tuple(said)
        return None

    def find(self, text: str, marked: bool) -> Iterator[Found]:
        """Yield what a text says: several records if a field is said twice, an illegal one if one misses."""
        answers = dict(self.fields)
        said: dict[str, dict[Hashable, None]] = {name: {} for name in answers}
        attempted = False
        for name, certain, part in dict.fromkeys(self._mentions(text)):
            values, _ = passage(answers[name], part, _STATEMENT_END.split(part, maxsplit=1)[0])
            said[name].update(dict.fromkeys(values))
            attempted |= certain or bool(values)
        if attempted and not all(said.values()):
            yield Found(-1, -1, ILLEGAL)
        for value in islice(product(*said.values()), 2):
            yield Found(-1, -1, value)

    def _mentions(self, text: str) -> Iterator[tuple[str, bool, str]]:
        """Yield each field that is given a value: its name, whether by a sign, not "is", and the text."""
        mentions = []
        for sign in _SIGN.finditer(text):
            named = [
                (match.start(), name)
                for name in self._names
                if (match := _ending(name).search(text, max(0, sign.start() - 4 * len(name) - 4), sign.start()))
            ]
            if named:  # the one that starts first is the longest: "dark red" before "red"
                mentions.append((*min(named), sign))
        for (_, name, sign), following in zip_longest(mentions, mentions[1:]):
            part = text[sign.end() : following[0] if following else None]
            yield name, sign["verb"] is None, part.strip()


def _is_field(field: Any) -> bool:
    match field:
        case (str(), Answer() as answer):
            return isinstance(field, tuple) and not isinstance(answer, Record)
    return False


@lru_cache(maxsize=4096)
def _ending(name: str) -> re.Pattern[str]:
    """Return what finds a name at the end of a text; name by name, as environments ask for many sets of few names."""
    return re.compile(rf"(?:{pattern((name,), hyphens=False).pattern})\Z", re.IGNORECASE)
