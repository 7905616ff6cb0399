"""TensorBoard's event files in RUN/tensorboard, which `tensorboard --logdir RUN` shows.

They are written with tensorboardX, a writer alone: torch's own needs the whole of TensorBoard with its server. Its
`SummaryWriter` is passed by: that writes from a thread behind a queue, where an error is lost and a full queue blocks.
Every start of a run writes one file anew and empties the earlier ones, so that each step stands there once, whoever
reads it; a TensorBoard that is open meanwhile is told to forget what it had read.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from palaestra.core.errors import ExtraMissing
from palaestra.core.tracker import Tracker

FOLDER = "tensorboard"
"""The folder in a run folder."""


def tracker() -> Callable[[Path], Tracker]:
    """Return what opens such a tracker in a run folder.

    Raises:
        ExtraMissing: tensorboardX is not installed.
    """
    try:
        import tensorboardX  # noqa: F401
    except ImportError as error:
        raise ExtraMissing(
            f"the tracker tensorboard needs the package tensorboardX ({error}): pip install 'palaestra[tensorboard]'"
        ) from error
    return TensorBoard


class TensorBoard:
    """An event file that is open for writing."""

    def __init__(self, run: Path) -> None:
        from tensorboardX.event_file_writer import EventsWriter
        from tensorboardX.proto.event_pb2 import SessionLog

        folder = run / FOLDER
        folder.mkdir(exist_ok=True)
        for earlier in folder.glob("events.out.tfevents.*"):
            earlier.write_bytes(b"")  # an open TensorBoard that finds it gone would never go on to the next
        self._file = EventsWriter(str(folder / "events"))
        self._write(1, session_log=SessionLog(status=SessionLog.START))  # forget all from step 1 on

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Write one step; it can be seen at once."""
        from tensorboardX.proto.summary_pb2 import Summary

        self._write(step, summary=Summary(value=[{"tag": name, "simple_value": v} for name, v in values.items()]))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, step: int, **what: Any) -> None:
        from tensorboardX.proto.event_pb2 import Event

        self._file.write_event(Event(wall_time=time.time(), step=step, **what))
        self._file.flush()
