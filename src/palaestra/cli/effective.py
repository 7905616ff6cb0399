"""The configuration that a command line stands for: defaults, then a file, then flags, then ``--set``."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from palaestra.core import config

C = TypeVar("C")


def effective(schema: type[C], file: Path | None, flags: Mapping[str, object], sets: Sequence[str] | None) -> C:
    """Return a configuration; a flag that was not given is None or an empty list.

    Raises:
        ConfigError: the file cannot be read, a key is unknown, or a value makes no sense.
    """
    given = [f"{name}={json.dumps(value)}" for name, value in flags.items() if value not in (None, [])]
    every = [*given, *(sets or ())]
    return config.parse("", schema, every) if file is None else config.load(file, schema, every)
