"""Options that several verbs share, and how their values are read."""

import tomllib
from collections.abc import Sequence
from typing import Annotated

import typer

from palaestra.core.errors import ConfigError, nearest
from palaestra.core.instance import Setting
from palaestra.core.observation import HARNESSES, Harness

SMALLEST, LARGEST = 48, 4096
"""Widths between which a picture is drawn [pixels]: in fewer there is no room for a board."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, and nothing else there.")]
Seed = Annotated[int, typer.Option(min=0, help="The seed.")]
NoSeed = Annotated[int, typer.Option("--seed", min=0, help="Taken by every verb; nothing is drawn here.")]
KnobSettings = Annotated[
    list[str] | None, typer.Option("--knob", metavar="NAME=VALUE", help="Set a knob; may be repeated.")
]


def rung(name: str) -> Harness:
    """Return the harness of a name, such as H0 or SYMBOLIC.

    Raises:
        ConfigError: there is none.
    """
    if name not in HARNESSES:
        raise ConfigError(f"no rung is called {name!r}{nearest(name, HARNESSES)}")
    return HARNESSES[name]


def picture_width(pixels: int) -> int:
    """Return a width that pictures can have, or 0 for none.

    Raises:
        ConfigError: it is too small or too large.
    """
    if pixels and not SMALLEST <= pixels <= LARGEST:
        raise ConfigError(f"pixels = {pixels}; a picture is {SMALLEST} to {LARGEST} pixels wide, or 0 for none")
    return pixels


def knob_settings(words: Sequence[str] | None) -> dict[str, Setting]:
    """Return what `--knob NAME=VALUE` words say; a value is read as TOML, or is the bare text.

    >>> knob_settings(["rows=3", "slip=0.5"])
    {'rows': 3, 'slip': 0.5}

    Raises:
        ConfigError: a word has no equals sign.
    """
    settings: dict[str, Setting] = {}
    for word in words or ():
        name, equals, raw = word.partition("=")
        if not equals or not name:
            raise ConfigError(f"--knob {word}: found no 'name=value'; write it as in --knob rows=3")
        settings[name] = _value(raw)
    return settings


def _value(raw: str) -> Setting:
    try:
        value = tomllib.loads(f"value = {raw}")["value"]
    except tomllib.TOMLDecodeError:
        return raw
    return value if isinstance(value, bool | int | float) else raw
