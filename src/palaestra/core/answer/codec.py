"""Answer kinds as JSON, so that a stored trajectory can rebuild what its replies could say."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from reprlib import repr as brief
from typing import Any

from palaestra.core.answer.base import Answer
from palaestra.core.answer.choice import Choice
from palaestra.core.answer.grid import Grid
from palaestra.core.answer.number import Integer, Number
from palaestra.core.answer.point import Point
from palaestra.core.answer.record import Record
from palaestra.core.answer.sequence import Sequence
from palaestra.core.errors import BadAnswerKind, nearest

KINDS = {cls.kind: cls for cls in (Choice, Integer, Number, Point, Sequence, Grid, Record)}


def to_json(answer: Answer) -> dict[str, Any]:
    """Return an answer kind as plain data.

    >>> to_json(Record((("n", Integer(0, 9)),)))
    {'kind': 'record', 'fields': [['n', {'kind': 'integer', 'low': 0, 'high': 9}]]}
    """
    if isinstance(answer, Record):
        return {"kind": answer.kind, "fields": [[name, to_json(inner)] for name, inner in answer.fields]}
    values = {field.name: getattr(answer, field.name) for field in fields(answer)}  # type: ignore[arg-type]
    return {
        "kind": answer.kind,
        **{name: list(v) if isinstance(v, tuple) else v for name, v in values.items()},
    }


def from_json(data: object) -> Answer:
    """Return the answer kind that plain data from anywhere describes.

    >>> from_json({"kind": "choice", "options": ["left", "right"]})
    Choice(options=('left', 'right'))

    Raises:
        BadAnswerKind: the data describes no answer kind.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("kind"), str):
        raise BadAnswerKind(f"an answer kind was read from {brief(data)}; give an object with a 'kind'")
    kind = data["kind"]
    if kind not in KINDS:
        raise BadAnswerKind(f"there is no answer kind {brief(kind)}{nearest(kind[:80], KINDS)}")
    cls = KINDS[kind]
    arguments = {name: _frozen(value) for name, value in data.items() if name != "kind"}
    known = {field.name: field.default is MISSING for field in fields(cls)}
    for name in arguments:
        if name not in known:
            raise BadAnswerKind(f"{kind}: unknown key {brief(name)}{nearest(str(name)[:80], known)}")
    for name, required in known.items():
        if required and name not in arguments:
            raise BadAnswerKind(f"{kind}: the key {name!r} is missing; add it")
    if cls is Record and isinstance(arguments["fields"], tuple):
        arguments["fields"] = tuple(_field(field) for field in arguments["fields"])
    return cls(**arguments)


def _field(field: Any) -> Any:
    match field:
        case (name, Mapping() as inner) if inner.get("kind") != Record.kind:
            return name, from_json(inner)
    return field


def _frozen(value: Any) -> Any:
    return tuple(map(_shallow, value)) if isinstance(value, list) else value


def _shallow(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
