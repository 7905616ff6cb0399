"""Kills at a write: what a run has on disk is then what a power cut would leave."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


class Killed(BaseException):
    """What nothing catches."""


@contextmanager
def killed_at(moment: int) -> Iterator[list[int]]:
    """Raise `Killed` in place of the write of this number, 0 for none; the value lists the writes."""
    sync, writes = os.fsync, list[int]()

    def counted(descriptor: int) -> None:
        writes.append(descriptor)
        if len(writes) == moment:
            raise Killed
        sync(descriptor)

    os.fsync = counted
    try:
        yield writes
    finally:
        os.fsync = sync
