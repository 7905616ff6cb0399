"""Strict configurations: one TOML file per run into frozen dataclasses, and back.

An unknown key is an error that names the nearest known one and the line; `sets` are the `--set a.b=c` of the command
line and win over the file. A field may be bool, int, float, str, an enum of strings, a tuple of one of these, an
optional one, a mapping from str to a plain value, or another such dataclass.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from palaestra.core.errors import ConfigError, nearest

C = TypeVar("C")

_SCALARS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def load(path: Path, schema: type[C], sets: Sequence[str] = ()) -> C:
    """Read a TOML file into a dataclass.

    Raises:
        ConfigError: the file cannot be read, is not TOML, or does not fit the dataclass.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"configuration {path}: cannot be read ({error}); give a TOML file in UTF-8") from error
    return parse(text, schema, sets, where=str(path))


def parse(text: str, schema: type[C], sets: Sequence[str] = (), where: str = "configuration") -> C:
    """Read TOML text into a dataclass.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Run:
    ...     episodes: int = 10
    >>> parse("episodes = 3", Run)
    Run(episodes=3)
    >>> parse("episode = 3", Run)
    Traceback (most recent call last):
    palaestra.core.errors.ConfigError: configuration, line 1: unknown key 'episode'; did you mean 'episodes'?
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: not valid TOML: {error}") from error
    for setting in sets:
        _assign(data, setting)
    return build(data, schema, where, text)


def build(data: Mapping[str, Any], schema: type[C], where: str = "configuration", text: str = "") -> C:
    """Turn a plain mapping into a dataclass, strictly; `text` is the TOML it came from, to name lines."""
    return _Reader(where, text).dataclass(data, schema, ())


def dump(config: Any) -> str:
    """Return a dataclass as TOML that `parse` reads back to an equal value; None fields are left out.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Run:
    ...     ids: tuple[str, ...] = ("grid/frozen_lake",)
    ...     rate: float = 0.5
    >>> print(dump(Run()), end="")
    ids = ["grid/frozen_lake"]
    rate = 0.5
    """
    return "".join(_tables(config, ()))


def _tables(config: Any, path: tuple[str, ...]) -> list[str]:
    values = {f.name: getattr(config, f.name) for f in fields(config)} if is_dataclass(config) else dict(config)
    inner = {name: value for name, value in values.items() if is_dataclass(value) or isinstance(value, Mapping)}
    lines = [f"\n[{'.'.join(map(_key, path))}]\n"] if path else []
    lines += [f"{_key(n)} = {_value(v)}\n" for n, v in values.items() if n not in inner and v is not None]
    for name, value in inner.items():
        lines += _tables(value, (*path, name))
    return lines


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float):
        return repr(value)  # TOML spells inf and nan as Python does
    if isinstance(value, bool | int):
        return str(value).lower()
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML escapes are JSON's, and DEL's


def _assign(data: dict[str, Any], setting: str) -> None:
    """Apply one `a.b=c`; c is a TOML value, or a bare text when it is not one."""
    path, equals, raw = setting.partition("=")
    names = [name.strip() for name in path.split(".")]
    if not equals or not all(names):
        raise ConfigError(f"--set {setting}: found no 'name=value'; write --set a.b=c")
    try:
        value = tomllib.loads(f"value = {raw}")["value"]
    except tomllib.TOMLDecodeError:
        value = raw
    for name in names[:-1]:
        data = data.setdefault(name, {})
        if not isinstance(data, dict):
            raise ConfigError(f"--set {setting}: {name!r} is not a table; set it as a whole")
    data[names[-1]] = value


class _Reader:
    """One reading of one text: knows where it is, so that an error can name the line."""

    def __init__(self, where: str, text: str) -> None:
        self.where = where
        self.text = text

    def dataclass(self, data: Any, schema: type[C], path: tuple[str, ...]) -> C:
        if not isinstance(data, Mapping):
            raise self.error(path, f"found {data!r}, wanted a table [{'.'.join(path)}]")
        hints = get_type_hints(schema)
        known = [f.name for f in fields(schema) if f.init]  # type: ignore[arg-type]  # schema is a dataclass by contract
        for name in data:
            if name not in known:
                raise self.error((*path, name), f"unknown key {name!r}{nearest(name, known)}")
        values = {name: self.value(value, hints[name], (*path, name)) for name, value in data.items()}
        try:
            return schema(**values)
        except ConfigError:
            raise
        except (TypeError, ValueError) as error:
            raise self.error(path, str(error).replace(f"{schema.__name__}.__init__()", "this table")) from error

    def value(self, value: Any, kind: Any, path: tuple[str, ...]) -> Any:
        origin, arguments = get_origin(kind), get_args(kind)
        if origin in (Union, UnionType):
            return self.one_of(value, [argument for argument in arguments if argument is not NoneType], path)
        if origin is tuple:
            if not isinstance(value, list | tuple):
                raise self.error(path, f"{path[-1]} = {value!r}; wanted a list")
            return tuple(self.value(item, arguments[0], path) for item in value)
        if origin is not None and issubclass(origin, Mapping):
            if not isinstance(value, Mapping):
                raise self.error(path, f"{path[-1]} = {value!r}; wanted a table")
            return {name: self.value(item, arguments[1], (*path, name)) for name, item in value.items()}
        if is_dataclass(kind):
            return self.dataclass(value, kind, path)  # type: ignore[arg-type]  # is_dataclass also admits instances
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            if value not in list(kind):
                raise self.error(path, f"{path[-1]} = {value!r}; wanted one of {', '.join(kind)}")
            return kind(value)
        if kind in _SCALARS:
            accepted = (int, float) if kind is float else kind
            if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
                raise self.error(path, f"{path[-1]} = {value!r}; wanted {_SCALARS[kind]}")
            return kind(value)
        return value

    def one_of(self, value: Any, kinds: Sequence[Any], path: tuple[str, ...]) -> Any:
        """Read a value as the first of several kinds that holds it; float comes last, so that whole numbers stay."""
        if len(kinds) == 1:
            return self.value(value, kinds[0], path)
        for kind in sorted(kinds, key=lambda kind: kind is float):
            with suppress(ConfigError):
                return self.value(value, kind, path)
        wanted = ", or ".join(_SCALARS.get(kind, kind.__name__) for kind in kinds)
        raise self.error(path, f"{path[-1]} = {value!r}; wanted {wanted}")

    def error(self, path: tuple[str, ...], message: str) -> ConfigError:
        line = _line(self.text, path)
        return ConfigError(f"{self.where}{f', line {line}' if line else ''}: {message}")


def _line(text: str, path: tuple[str, ...]) -> int:
    """Return the line on which a key or a table stands, counted from 1; 0 when it does not stand in the text."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line):
            table = tuple(part.strip().strip("\"'") for part in header[1].split("."))
            if table == path:
                return number
        elif "=" in line:
            key = tuple(part.strip().strip("\"'") for part in line.partition("=")[0].split("."))
            if table + key == path:
                return number
    return 0
