"""Weights & Biases in RUN/wandb: nothing leaves the machine until `wandb sync RUN/wandb/offline-run-*`.

With WANDB_MODE=online it is sent as it comes. A run has the same id whenever it is started: an offline run is written
anew each time in place of the earlier one, and uploading it again replaces what was uploaded; an online run goes on
after the last step that arrived. Either way no step stands there twice.
"""

import os
import shutil
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from palaestra.core.errors import ExtraMissing
from palaestra.core.tracker import Tracker

PROJECT = "palaestra"
"""The project of a run, unless WANDB_PROJECT says otherwise."""


def tracker() -> Callable[[Path], Tracker]:
    """Return what opens such a tracker in a run folder.

    Raises:
        ExtraMissing: wandb is not installed.
    """
    try:
        import wandb  # noqa: F401
    except ImportError as error:
        raise ExtraMissing(
            f"the tracker wandb needs the package wandb ({error}): pip install 'palaestra[wandb]'"
        ) from error
    return WandB


class WandB:
    """A run that is open for logging."""

    def __init__(self, run: Path) -> None:
        import wandb

        mode = os.environ.get("WANDB_MODE", "offline")
        if mode == "offline":
            for earlier in (run / "wandb").glob("offline-run-*"):
                shutil.rmtree(earlier)
        path = run.resolve()
        self._run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", PROJECT),
            name=path.name,
            id=sha256(str(path).encode()).hexdigest()[:16],
            resume=None if mode == "offline" else "allow",
            mode=mode,
            dir=run,
            # stdout is data, and what is logged is what the stage tells: neither the console nor the machine
            settings=wandb.Settings(
                console="off", silent=True, x_disable_stats=True, disable_git=True, save_code=False
            ),
        )

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Log one step, unless it arrived before."""
        if step >= self._run.step:
            self._run.log(dict(values), step=step, commit=True)

    def close(self) -> None:
        """Finish the run."""
        self._run.finish()
