"""Part of stage "measure": how far conflict moved between the checkpoints of a run that were measured alike.

    RUN/drift.json   {"metric": "adam", "steps": [{"before": 10, "after": 50, "pairs": 21, "rank_correlation": 0.7,
                      "change": 0.08, "by_noise": 0.06, "moved": 2}]}

It comes by itself: measure one checkpoint after the other into one folder, with the same settings and the same seed.
Each is compared with the one before it, by its number of updates (of equal numbers the one just measured comes last);
`moved` counts the environments that a pilot put
elsewhere meanwhile, whose cosines then changed with their place. Only checkpoints in one metric are compared: before
the first update there are no second moments, so the base joins in with the metric "raw" alone.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from palaestra.core.runfolder import RunFolder
from palaestra.measure.conflict import CosineMatrix, cosines
from palaestra.measure.drift import drift
from palaestra.pipeline import gradients, records, sketches

NAME = "drift.json"
"""The file in a run folder; it need not be there."""


def write(run: Path) -> Mapping[str, Any] | None:
    """Compare the checkpoint that a run was last measured at with its others, and write that; None without another.

    Raises:
        RunFolderError: a file is damaged.
    """
    (run / NAME).unlink(missing_ok=True)
    last = _told(run)
    alike = [(told, found) for told, found in _measured(run, last) if told["metric"] == last["metric"]]
    if len(alike) < 2:
        return None
    alike.sort(key=lambda own: (own[0]["updates"], own[0]["checkpoint"] == last["checkpoint"], own[0]["checkpoint"]))
    steps = [
        {
            "before": before["updates"],
            "after": after["updates"],
            **asdict(drift(early, late)),
            "moved": _moved(before, after),
        }
        for (before, early), (after, late) in pairwise(alike)
    ]
    found = {"metric": last["metric"], "steps": steps}
    RunFolder(run).write_json(NAME, found)
    return found


def sentences(found: Mapping[str, Any]) -> str:
    """Return what a drift file says, in words."""
    said = []
    for step in found["steps"]:
        before, after = int(step["before"]), int(step["after"])
        between = f"Between updates {before} and {after}" if before < after else f"Between two checkpoints at {after}"
        if not step["pairs"]:
            said.append(f"{between} no pair is measured at both.")
            continue
        order = "" if step["rank_correlation"] is None else f"; rank correlation {step['rank_correlation']:+.2f}"
        said.append(
            f"{between} the cosines of {int(step['pairs'])} pairs changed by {step['change']:.2f} on average, where "
            f"their errors alone make {step['by_noise']:.2f}{order}."
        )
    return " ".join(said)


def _measured(run: Path, last: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], CosineMatrix]]:
    """Yield what was found at each checkpoint that was measured with the settings of the last one."""

    def settings(folder: str) -> str:
        """Return the settings behind a folder, but for the checkpoint, which stands first."""
        path = run / "gradients" / folder / "config.toml"
        with records.damaged(path):
            return path.read_text(encoding="utf-8").partition("\n")[2]

    now = settings(last["folder"])
    for path in sorted((run / "gradients").glob(f"*/{gradients.NAME}")):
        if settings(path.parent.name) == now and (pulls := sketches.read(path.parent)):
            yield _told(path.parent), cosines(pulls)


def _told(folder: Path) -> Mapping[str, Any]:
    path = folder / gradients.NAME
    with records.damaged(path):
        found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return {"metric": None, **found, "updates": int(found["updates"]), "checkpoint": str(found["checkpoint"])}


def _moved(before: Mapping[str, Any], after: Mapping[str, Any]) -> int:
    """Return how many environments were measured elsewhere."""
    one, other = before["environments"], after["environments"]
    return sum((one[e]["rung"], one[e]["scales"]) != (other[e]["rung"], other[e]["scales"]) for e in one if e in other)
