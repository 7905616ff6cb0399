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


class Spent:
    """The processor seconds of work that may take several calls, kept in a file as it goes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before: float = json.loads(path.read_text("utf-8")) if path.exists() else 0.0
        self._since, self._kept = process_time(), 0.0

    def keep(self) -> float:
        """Put down what was spent by now, and return it; on disk it is at most a second behind."""
        now = process_time() - self._since
        if now - self._kept > 1:
            write_atomic(self._path, json.dumps(self._before + now).encode())
            self._kept = now
        return self._before + now
