"""TensorBoard's event files in RUN/tensorboard, which `tensorboard --logdir RUN` shows.

They are written by tensorboardX, a writer alone: torch's own needs the whole of TensorBoard with its server. Every
start of a run writes one file anew and drops the earlier ones, so that each step stands there once, whoever reads it;
a TensorBoard that is open meanwhile is told to forget what it had read.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

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
        from tensorboardX import SummaryWriter

        folder = run / FOLDER
        for earlier in folder.glob("events.out.tfevents.*"):
            earlier.unlink()
        self._writer = SummaryWriter(str(folder), purge_step=1)

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Write one step; it can be seen at once."""
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)
        self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()
