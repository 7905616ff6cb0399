"""The folders of checkpoints, whichever engine wrote them: two files, of which the data file comes last.

    CHECKPOINT/state.safetensors   every tensor
    CHECKPOINT/state.json          all else; it names how many updates it holds, and the digest of the tensors

A folder without its data file is no checkpoint: a kill has left it, or a removal that was killed.
"""

import json
from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Any

from palaestra.core.errors import RunFolderError
from palaestra.core.runfolder import write_atomic
from palaestra.core.trainer import Checkpoint

TENSORS, DATA = "state.safetensors", "state.json"
NUMBER = "[0-9]" * 6
"""The folders of a training run's checkpoints: how many updates they hold."""


def write(folder: Path, tensors: bytes, data: Mapping[str, Any]) -> Checkpoint:
    """Write tensors and data, which are given the digest of the tensors."""
    text = json.dumps({**data, "tensors": sha256(tensors).hexdigest()}, allow_nan=False).encode()
    write_atomic(folder / TENSORS, tensors)
    write_atomic(folder / DATA, text)
    return Checkpoint(folder, data["updates"], sha256(text).hexdigest())


def read(checkpoint: Checkpoint) -> tuple[dict[str, Any], bytes]:
    """Return the data and the tensors of a checkpoint.

    Raises:
        RunFolderError: there is none, or its files do not belong together.
    """
    try:
        text, tensors = (checkpoint.path / DATA).read_bytes(), (checkpoint.path / TENSORS).read_bytes()
    except OSError as error:
        raise RunFolderError(
            f"{checkpoint.path} holds no whole checkpoint ({error.strerror}: {error.filename}); choose another one"
        ) from error
    data = _data(checkpoint.path, text)
    if sha256(text).hexdigest() != checkpoint.digest or sha256(tensors).hexdigest() != data["tensors"]:
        raise RunFolderError(f"{checkpoint.path}: its files are not those of this checkpoint; choose an earlier one")
    return data, tensors


def found(folder: Path) -> Checkpoint | None:
    """Return the checkpoint in a folder, None when there is none, or only the half that a kill has left.

    Raises:
        RunFolderError: its data file is damaged, somebody else's, or cannot be read.
    """
    text = _text(folder)
    return None if text is None else Checkpoint(folder, _data(folder, text)["updates"], sha256(text).hexdigest())


def engine(folder: Path) -> str:
    """Return which engine wrote the checkpoint in a folder: the embedded one leaves no name, and no folder has one.

    Raises:
        RunFolderError: as for `found`.
    """
    text = _text(folder)
    return "" if text is None else str(_data(folder, text).get("engine", ""))


def numbered(folder: Path) -> list[Checkpoint]:
    """Return the whole checkpoints of a training run, oldest first; its base is none of them."""
    return [one for path in sorted(folder.glob(NUMBER)) if (one := found(path)) is not None]


def keep(folder: Path, kept: Collection[Checkpoint]) -> None:
    """Remove the other checkpoints of a training run, halves included; its base stays."""
    for path in {*folder.glob(NUMBER)} - {one.path for one in kept}:
        remove(path)


def remove(folder: Path) -> None:
    """Remove a checkpoint, or nothing where there is none."""
    (folder / DATA).unlink(missing_ok=True)  # first: what is left of a killed removal is no checkpoint
    rmtree(folder, ignore_errors=True)


def _text(folder: Path) -> bytes | None:
    try:
        return (folder / DATA).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RunFolderError(f"{folder / DATA} cannot be read: {error.strerror}; choose another checkpoint") from error


def _data(folder: Path, text: bytes) -> dict[str, Any]:
    """Return the data of a checkpoint from the bytes of its file, as far as all else hangs on it.

    Raises:
        RunFolderError: it is damaged, or somebody else's.
    """
    try:
        data: dict[str, Any] = json.loads(text)
        if {"updates": int, "tensors": str} == {name: type(data[name]) for name in ("updates", "tensors")}:
            return data
        why = "its fields are of other kinds"
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
    raise RunFolderError(f"{folder / DATA} is no checkpoint of this engine: {why}; choose another one, or remove it")
