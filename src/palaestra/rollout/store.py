"""The run store: trajectories as Parquet shards, `trajectories/shard-00000.parquet` and so on, with PNG bytes.

A shard holds a fixed range of tickets, one row for each trajectory (the columns are those of `rows`). The same groups
give the same bytes. Pages carry checksums, so that a damaged shard is found and not believed. Every shard opens in
Hugging Face `datasets`, pictures as images: the schema carries its feature declaration.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from palaestra.core.errors import BrokenShard, ExtraMissing
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Group
from palaestra.rollout.rows import ASKED, Row, groups_of, rows_of

_IMAGE = {"bytes": "binary", "path": "string"}  # what `datasets` decodes as an image
_TURN = {
    "text": "string",
    "image": _IMAGE,
    "learnt_text": "string",
    "learnt_image": _IMAGE,
    "answer": "string",
    "reply": "string",
    "truncated": "bool",
    "token_ids": ["int32"],
    "logprobs": ["float64"],
    "status": "string",
    "value": "string",
    "legal": "bool",
    "reward": "float64",
    "events": ["string"],
}
_COLUMNS = {
    "ticket": "int64",
    "issued_at": "int64",
    "member": "int32",
    "key": "string",
    "env_id": "string",
    "version": "int32",
    "scale": "int32",
    "seed": "uint64",
    "split": "string",
    "knobs": "string",
    "harness": "string",
    "learn": "string",
    "shown": "string",
    "guided": "float64",
    "rollouts": "int32",
    "policy": "string",
    "pin": "uint64",
    "success": "bool",
    "stop": "string",
    "error": "string",
    "ret": "float64",
    "turns": [_TURN],
}
_OUTCOME = (*ASKED, "shown", "success", "stop", "error", "ret")


def arrow() -> Any:
    """Return the package pyarrow, which is imported nowhere else.

    Raises:
        ExtraMissing: it is not installed.
    """
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ExtraMissing("trajectories are stored with pyarrow: pip install 'palaestra[run]'") from error
    return pyarrow


def shard_path(folder: Path, index: int) -> Path:
    """Return where the shard of an index lies in a run's folder."""
    return folder / "trajectories" / f"shard-{index:05d}.parquet"


def write_shard(folder: RunFolder, index: int, groups: Sequence[Group]) -> None:
    """Write one shard, whole or not at all.

    Raises:
        RunFolderError: it cannot be written, or the disk is full.
    """
    pa = arrow()
    declared = {"info": {"features": {name: _feature(kind) for name, kind in _COLUMNS.items()}}}
    columns = {name: _type(kind) for name, kind in _COLUMNS.items()}
    schema = pa.schema(columns, metadata={"huggingface": json.dumps(declared)})
    sink = pa.BufferOutputStream()
    # One dictionary page holds every different picture once, however many members of a group saw it.
    pa.parquet.write_table(
        pa.Table.from_pylist(rows_of(groups), schema=schema),
        sink,
        compression="zstd",
        dictionary_pagesize_limit=2**30,
        write_page_checksum=True,
    )
    folder.write(str(shard_path(Path(), index)), sink.getvalue().to_pybytes())


def read_shard(path: Path) -> list[Group]:
    """Return the groups of one shard, equal to those that were written.

    Raises:
        BrokenShard: it is truncated, damaged, or no shard.
    """
    try:
        return groups_of(_rows(path))
    except BrokenShard:
        raise
    except (Exception, MemoryError) as error:  # a file may say anything: nothing it says may end a run
        raise _broken(path, error) from error


def outcomes(path: Path) -> list[Row]:
    """Return what each trajectory of a shard was asked and how it ended, after checking all of it.

    Raises:
        BrokenShard: it is truncated, damaged, or no shard.
    """
    return _rows(path, _OUTCOME)


def read(folder: Path) -> Iterator[Group]:
    """Yield every group of a run, one shard in memory at a time.

    Raises:
        BrokenShard: a shard is truncated, damaged, or no shard.
    """
    for path in sorted((folder / "trajectories").glob("shard-*.parquet")):
        yield from read_shard(path)


def _rows(path: Path, columns: Sequence[str] = tuple(_COLUMNS)) -> list[Row]:
    pa = arrow()
    try:
        file = pa.parquet.ParquetFile(pa.BufferReader(path.read_bytes()), page_checksum_verification=True)
        # no threads: a shard is small, and those of pyarrow's pool can abort a busy process at its very end
        rows: list[Row] = file.read(use_threads=False).select(columns).to_pylist()
    except (OSError, KeyError, pa.ArrowException) as error:
        raise _broken(path, error) from error
    return rows


def _type(kind: Any) -> Any:
    """Return the Arrow type of a declaration above."""
    if isinstance(kind, list):
        return arrow().list_(_type(kind[0]))
    if isinstance(kind, dict):
        return arrow().struct({name: _type(inner) for name, inner in kind.items()})
    return arrow().type_for_alias(kind)


def _feature(kind: Any) -> Any:
    """Return what `datasets` calls a declaration above."""
    if kind is _IMAGE:
        return {"_type": "Image"}
    if isinstance(kind, list):
        return [_feature(kind[0])]
    if isinstance(kind, dict):
        return {name: _feature(inner) for name, inner in kind.items()}
    return {"_type": "Value", "dtype": kind}


def _broken(path: Path, error: Exception) -> BrokenShard:
    return BrokenShard(
        f"{path} cannot be read as a shard of trajectories ({type(error).__name__}: {error}); start the command that "
        "recorded it again: the file is set aside and its tickets are played anew"
    )
