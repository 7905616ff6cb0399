"""Conflict at several checkpoints of a run: what is compared, and what it says."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from learner import Source
from levers import lever, pool

from palaestra.core.errors import RunFolderError
from palaestra.core.gradient import Block
from palaestra.core.runfolder import RunFolder
from palaestra.core.ticket import Group
from palaestra.pipeline import drift, found, gradients
from palaestra.pipeline.estimator import GradientConfig
from palaestra.pipeline.gradients import gradients as measured

pytest.importorskip("pyarrow")
pytest.importorskip("safetensors")

PLAN = GradientConfig(batches=4, groups=1, rollouts=4, k=4096, rung="H4")
POOL = pool(*(lever(f"toy/{name}", "left") for name in "abcd"))


@dataclass(frozen=True)
class Turning(Source):
    """A learner whose gradients turn into others as it is updated."""

    def gradients(self, groups: Sequence[Group]) -> Iterator[Block]:
        place = sorted(self.pool).index(groups[0].ticket.cell.env_id)
        rng = np.random.default_rng(place)
        old, new = rng.standard_normal((2, 1, 4)) @ np.random.default_rng(9).standard_normal((4, 6000))
        noise = [np.random.default_rng(group.ticket.instance.seed).standard_normal(6000) for group in groups]
        turned = min(self.step / 100, 1.0)
        yield "w", ((1 - turned) * old + turned * new)[0] + 0.3 * np.mean(noise, axis=0)


def at(step: int) -> Turning:
    return Turning(POOL, digest=f"checkpoint {step}", step=step)


def test_checkpoints_that_were_measured_alike_are_compared_in_their_order(tmp_path: Path) -> None:
    RunFolder.open(tmp_path, "seed = 0\n")
    for step in (100, 0, 1):  # in whichever order they were measured
        measured(PLAN, at(step), tmp_path)
        told = drift.write(tmp_path)
    assert told is not None
    assert json.loads((tmp_path / drift.NAME).read_text()) == told
    near, far = told["steps"]
    assert [(step["before"], step["after"], step["pairs"], step["moved"]) for step in (near, far)] == [
        (0, 1, 6, 0),
        (1, 100, 6, 0),
    ]
    assert near["change"] < 2 * near["by_noise"]
    assert far["change"] > 5 * far["by_noise"]
    assert near["rank_correlation"] > 0.9
    said = found.read(tmp_path).drift
    assert said.startswith("Between updates 0 and 1 the cosines of 6 pairs changed by 0.0")
    assert "Between updates 1 and 100 the cosines of 6 pairs changed by" in said


def test_of_checkpoints_with_equal_updates_none_drops_out_and_the_last_measured_is_last(
    tmp_path: Path,
) -> None:
    for source in (at(0), replace(at(40), digest="b"), replace(at(40), digest="a")):
        measured(PLAN, source, tmp_path)
        told = drift.write(tmp_path)
    assert told is not None
    assert [(step["before"], step["after"]) for step in told["steps"]] == [(0, 40), (40, 40)]
    assert drift.sentences(told).count("Between two checkpoints at 40 the cosines of 6 pairs changed by 0.") == 1
    measured(PLAN, replace(at(40), digest="c", step=0), tmp_path)
    again = drift.write(tmp_path)
    assert again is not None
    assert [(step["before"], step["after"]) for step in again["steps"]] == [(0, 0), (0, 40), (40, 40)]


def test_one_checkpoint_or_other_settings_are_no_drift_and_an_old_file_goes(tmp_path: Path) -> None:
    measured(PLAN, at(0), tmp_path)
    assert drift.write(tmp_path) is None
    measured(PLAN, at(100), tmp_path)
    assert drift.write(tmp_path) is not None
    measured(replace(PLAN, rollouts=6), at(1), tmp_path)
    assert drift.write(tmp_path) is None
    assert not (tmp_path / drift.NAME).exists()


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    measured(PLAN, at(0), tmp_path)
    (tmp_path / gradients.NAME).write_text("{")
    with pytest.raises(RunFolderError, match=r"gradients\.json is damaged"):
        drift.write(tmp_path)


def test_pairs_that_were_never_measured_twice_are_said_to_be_none() -> None:
    step = {"before": 0, "after": 5, "pairs": 0, "rank_correlation": None, "change": None, "by_noise": None}
    assert drift.sentences({"steps": [step]}) == "Between updates 0 and 5 no pair is measured at both."
