"""``cost.json``: what measuring took, for whoever selects afterwards.

    RUN/cost.json   {"rollouts": 5200, "prompt_tokens": 310000, "reply_tokens": 9100, "backward_passes": 110,
                     "cpu_seconds": 96.2}

All but the processor time follow from what is stored. Processor time adds up over the calls that ended, so a killed
call's is lost; it is the one number of a run folder that no second run repeats.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from palaestra.core.errors import RunFolderError
from palaestra.core.runfolder import RunFolder
from palaestra.pipeline.batches import Cost

NAME = "cost.json"
"""The file in a run folder; it need not be there."""


def clock() -> Callable[[], float]:
    """Return a function that tells the processor time [s] since now, with that of processes it waited for."""
    begun = sum(os.times()[:4])
    return lambda: sum(os.times()[:4]) - begun


def write(folder: RunFolder, cost: Cost, seconds: float) -> Mapping[str, float]:
    """Write what measuring took, with the processor time of this call added, and return it."""
    spent = read(folder.path).get("cpu_seconds", 0.0) + seconds
    found = {**asdict(cost), "cpu_seconds": round(spent, 3)}
    folder.write_json(NAME, found)
    return found


def read(run: Path) -> dict[str, float]:
    """Return what measuring took, nothing where no file says so.

    Raises:
        RunFolderError: the file is damaged.
    """
    path = run / NAME
    try:
        return {str(name): float(value) for name, value in json.loads(path.read_text(encoding="utf-8")).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise RunFolderError(f"{path} is damaged ({error}); remove it, or measure again") from error
