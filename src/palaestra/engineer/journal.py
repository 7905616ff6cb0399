"""The journal: every prompt, reply, verdict and change of an engineer, one JSON line each, in the run folder.

It is the record that a resumed run goes by: an entry that says which mixture the next stage has is the only thing that
moves it. What comes after the last such entry belongs to a proposal that a kill cut short, and is asked for again.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palaestra.core.errors import RunFolderError
from palaestra.core.runfolder import storing, write_atomic

NAME = "journal.jsonl"

ADMITTED = "admitted"
"""The kind of entry that holds the mixture of the next stage."""

LARGEST = 64_000
"""Characters of a text that are kept: what a model says is bounded here too."""


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal of one run."""

    folder: Path

    def write(self, kind: str, **data: Any) -> None:
        """Append one entry of JSON data; texts are cut to a bounded length, and to what UTF-8 can hold."""
        line = json.dumps({"kind": kind, **_bounded(data)}, allow_nan=False) + "\n"
        with storing(self._path), self._path.open("ab") as file:
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())

    def entries(self) -> list[Mapping[str, Any]]:
        """Return every entry; a line that a kill cut off is none.

        Raises:
            RunFolderError: another line is damaged.
        """
        if not self._path.exists():
            return []
        *lines, _ = self._path.read_bytes().split(b"\n")
        try:
            return [json.loads(line) for line in lines]
        except ValueError as error:
            raise RunFolderError(f"{self._path} is damaged ({error}); move the run away and make it anew") from error

    def stages(self) -> list[Mapping[str, Any]]:
        """Return the entries that admit a mixture, and drop what was written after the last of them."""
        entries = self.entries()
        last = max((k for k, own in enumerate(entries, start=1) if own["kind"] == ADMITTED), default=0)
        kept = b"".join(json.dumps(own).encode() + b"\n" for own in entries[:last])
        if self._path.exists() and self._path.read_bytes() != kept:
            write_atomic(self._path, kept)
        return [own for own in entries[:last] if own["kind"] == ADMITTED]

    @property
    def _path(self) -> Path:
        return self.folder / NAME


def _bounded(value: Any) -> Any:
    if isinstance(value, str):
        return value[:LARGEST].encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {str(_bounded(name)): _bounded(own) for name, own in value.items()}
    return [_bounded(own) for own in value] if isinstance(value, list | tuple) else value
