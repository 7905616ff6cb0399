"""Reads boards out of the rows of the published benchmark, and of anything that shows a letter grid like theirs.

A row is an object with a prompt somewhere in it: the last square of single letters, apart by spaces, is the board.
Where the prompt gives coordinates of starts and goals as well, they must agree with the letters.

Source: the rows of LARK-Lab/MAPF-FrozenLake-Benchmark as its page shows them; names of their fields are not relied on.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from palaestra.core.errors import ConfigError
from palaestra.envs.planning._mapf import looks
from palaestra.envs.planning._mapf.lake import Lake

_NAME = re.compile(r"\d+ag(?:ents)?_\d+x\d+\w*(?:\.\d+\w*)*")
_GRID = re.compile(r"(?:^[ \t]*[A-Za-z](?:[ \t]+[A-Za-z])+[ \t]*(?:\n|\Z))+", re.MULTILINE)
_PLACE = re.compile(r"\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_AGENT = re.compile(r"^.*\bagent\s*\d+\b.*$", re.IGNORECASE | re.MULTILINE)


class Row(NamedTuple):
    """One row: its name, and its board."""

    name: str
    lake: Lake


def read(row: Any, number: int) -> Row:
    """Return what a row holds; `number` counts it where it has no name.

    Raises:
        ConfigError: it holds no board, or its coordinates disagree with its letters.
    """
    texts = list(_texts(row))
    name = next((found[0] for text in texts if (found := _NAME.fullmatch(text))), f"row {number}")
    for text in reversed(texts):
        for found in reversed(list(_GRID.finditer(text))):
            rows = ["".join(line.split()) for line in found[0].splitlines()]
            if all(len(line) == len(rows) for line in rows):
                lake = looks.read("/".join(rows))
                _agreeing(name, lake, text)
                return Row(name, lake)
    raise ConfigError(f"{name}: found no square of letters; a row has a prompt with its board, a line a row")


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a row, however deep: a prompt may be a list of messages."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _agreeing(name: str, lake: Lake, text: str) -> None:
    """Hold the lines that give a start and a goal, one an agent, against the letters."""
    told = [places for line in _AGENT.findall(text) if len(places := _PLACE.findall(line)) == 2]
    drawn = [[divmod(cell, lake.size) for cell in ends] for ends in zip(lake.starts, lake.goals, strict=True)]
    said = [[(int(row), int(column)) for row, column in places] for places in told]
    if len(said) == len(drawn) and said != drawn:
        raise ConfigError(f"{name}: coordinates say {said}, letters {drawn}; one of them is wrong")
