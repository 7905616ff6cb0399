"""The run folder: the unit of work, written so that a kill at any moment loses nothing that was finished.

Every file appears whole or not at all. `config.toml` says what the run is, and a later stage keeps its own beside it:
a folder continues the same configuration and refuses another. `events.jsonl` is appended to; a line cut off by a kill
is dropped when the folder is opened again.
"""

import atexit
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import EDQUOT, ENOSPC
from pathlib import Path
from typing import IO, Any

from palaestra.core.errors import RunFolderError

LOCK = ".lock"
"""The file in a run folder that the process which works there holds locked."""

MARKS = (
    "config.toml",
    "pretrain.toml",
    "train.toml",
    "experiment.toml",
    "engineer.toml",
    "profiles.json",
    "selection.json",
)
"""A folder that holds one of these is a run."""

_held: dict[str, IO[bytes]] = {}


def _lock(path: Path) -> None:
    """Hold a folder until this process ends; another process that opens it is refused."""
    name = str(path.resolve())
    try:
        from fcntl import LOCK_EX, LOCK_NB, lockf
    except ImportError:  # not on every system; there a folder is not guarded
        return
    if name in _held:
        return
    file = (path / LOCK).open("ab")
    try:
        lockf(file, LOCK_EX | LOCK_NB)
    except OSError:
        file.close()
        raise RunFolderError(f"{path} is in use by another process; wait for it, or choose another folder") from None
    _held[name] = file
    atexit.register(file.close)


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn what the operating system says of a write to `path` into a `RunFolderError` with the remedy."""
    try:
        yield
    except RunFolderError:
        raise
    except OSError as error:
        full = error.errno in (ENOSPC, EDQUOT)
        remedy = (
            "free some space and start the same command again: finished work is kept"
            if full
            else "choose a folder that can be written"
        )
        raise RunFolderError(f"cannot write {path}: {error.strerror or error}; {remedy}") from error


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file whole: to a neighbour first, flushed to disk, then renamed over the target.

    Raises:
        RunFolderError: the folder cannot be written or the disk is full; the target is as it was.
    """
    scratch = path.with_name(f".{path.name}.{os.getpid()}.part")
    with storing(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with scratch.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            scratch.replace(path)
        finally:
            with suppress(OSError):
                scratch.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One run's folder, opened by `RunFolder.open`."""

    path: Path

    @staticmethod
    def open(path: Path, config: str, name: str = "config.toml", *, lock: bool = True) -> "RunFolder":
        """Open a folder for one effective configuration, as TOML text; an existing one must hold the same.

        Args:
            path: the folder; it is made.
            config: the configuration of one stage.
            name: the file that holds it: stages that share a folder have one each.
            lock: keep other processes out; not for a part of a run, whose processes agree on who writes it.

        Raises:
            RunFolderError: it cannot be written, is not empty and no run, or holds another configuration.
        """
        folder, effective = RunFolder(path), path / name
        with storing(path):
            path.mkdir(parents=True, exist_ok=True)
            found = effective.read_text(encoding="utf-8", errors="replace") if effective.exists() else None
            # a kill may have left these two
            others = (p for p in path.iterdir() if p.name != LOCK and not p.match(".*.toml.*.part"))
            stranger = None if any((path / mark).exists() for mark in MARKS) else next(others, None)
        if stranger:
            raise RunFolderError(
                f"{path} holds {stranger.name} but no {name}, so it is not a run; choose another folder"
            )
        if lock:
            with storing(path):
                _lock(path)
        if found is None:
            write_atomic(effective, config.encode())
        elif found != config:
            line = next(
                (a for a, b in zip(config.splitlines(), [*found.splitlines(), ""], strict=False) if a != b),
                "fewer lines",
            )
            raise RunFolderError(
                f"{path} holds a run of another configuration (here {line!r} differs); choose another folder"
            )
        folder._clear_scraps()
        return folder

    def write(self, name: str, data: bytes) -> None:
        """Write one file of the run, atomically."""
        write_atomic(self.path / name, data)

    def write_json(self, name: str, value: Any) -> None:
        """Write one JSON file of the run: sorted keys, finite numbers, the same bytes for the same value."""
        self.write(name, (json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n").encode())

    def log(self, event: str, **data: Any) -> None:
        """Append one event; fields are JSON data and, so that runs can be compared, never the time of day."""
        with storing(self.path / "events.jsonl"), (self.path / "events.jsonl").open("ab") as file:
            file.write(_line({"event": event, **data}))
            file.flush()
            os.fsync(file.fileno())

    def events(self) -> list[Mapping[str, Any]]:
        """Return every event logged so far."""
        log = self.path / "events.jsonl"
        try:
            return [json.loads(line) for line in log.read_bytes().splitlines()] if log.exists() else []
        except ValueError as error:
            raise RunFolderError(
                f"{log} is damaged ({error}); move it away, and the same command writes it anew"
            ) from error

    def rewind(self, kept: Sequence[Mapping[str, Any]]) -> None:
        """Keep only some of the events logged so far: a run goes on from before the others and logs them again."""
        self.write("events.jsonl", b"".join(map(_line, kept)))

    def _clear_scraps(self) -> None:
        """Drop what a kill left half written: scratch files, and the last line of the events."""
        with storing(self.path):
            for scrap in self.path.rglob(".*.part"):
                scrap.unlink(missing_ok=True)
        log = self.path / "events.jsonl"
        if log.exists() and (data := log.read_bytes()) and not data.endswith(b"\n"):
            write_atomic(log, data[: data.rfind(b"\n") + 1])


def _line(event: Mapping[str, Any]) -> bytes:
    return (json.dumps(event, allow_nan=False) + "\n").encode()
