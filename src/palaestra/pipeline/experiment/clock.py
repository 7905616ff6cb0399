"""``clock.json``: processor seconds of each update of a run, written before the checkpoint that holds the update.

Seconds differ from run to run, so they stand apart from the events, which a resumed run repeats to the byte.
"""

import json
from itertools import accumulate
from pathlib import Path
from time import process_time

from palaestra.core.runfolder import write_atomic

NAME = "clock.json"


def seconds(folder: Path) -> list[float]:
    """Return the processor seconds that a run had taken after each of its updates."""
    path = folder / NAME
    return list(accumulate(json.loads(path.read_text("utf-8")))) if path.exists() else []


class Clock:
    """A clock that runs: an update that is made again after a kill is measured again."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._laps: list[float] = json.loads(self._path.read_text("utf-8")) if self._path.exists() else []
        self.resume()

    def resume(self) -> None:
        """Count from now on."""
        self._since = process_time()

    def lap(self, number: int) -> None:
        """Put down what was taken since the last lap as the seconds of one update, counted from 1."""
        self._laps = [*self._laps[: number - 1], process_time() - self._since]
        write_atomic(self._path, json.dumps(self._laps).encode())
        self.resume()
