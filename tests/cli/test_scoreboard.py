"""The table of a training run fits every terminal, and says how much it leaves out."""

import io

import pytest
from rich.console import Console

from palaestra.cli.scoreboard import Scoreboard
from palaestra.core.rate import Rate
from palaestra.pipeline.standing import Standing

RUNGS = ("H0", "H1", "H2", "H3", "H4")


def run(environments, rungs=RUNGS):
    """A run in which the n-th environment has n successes in 100 rollouts under each rung."""
    ids = [f"family/environment_{n:02}" for n in range(environments)]
    share = {"share": 1 / environments, "harness": {"H0": 0.95, "H4": 0.05}, "scale": {"0": 0.5, "1": 0.45, "3": 0.05}}
    cells = {(env_id, rung, 0): Rate(n, 100) for n, env_id in enumerate(ids) for rung in rungs}
    success = Rate(sum(rate.hits for rate in cells.values()), 100 * len(cells))
    return Standing(3, 9, success, cells, dict.fromkeys(ids, share))


def drawn(now, width, height):
    """Return the lines that a terminal shows."""
    console = Console(file=io.StringIO(), width=width, height=height, force_terminal=True, color_system=None)
    console.print(Scoreboard(now), end="")
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize("width", [20, 30, 40, 60, 80, 120, 200])
@pytest.mark.parametrize("height", [4, 8, 24, 40, 60])
@pytest.mark.parametrize("environments", [1, 12, 66])
def test_the_table_fits_and_leaves_room_for_the_bar(width, height, environments):
    lines = drawn(run(environments), width, height)
    assert len(lines) <= height - 2
    assert max(map(len, lines), default=0) <= width
    if width >= 40 and height >= 8:
        assert lines[0].startswith("environment")
        assert lines[-2].startswith(f"all {environments} ")
        rows = [line for line in lines if line.startswith("family/")]
        left_out = [line for line in lines if line.startswith("and ")]
        assert left_out == ([] if len(rows) == environments else [f"and {environments - len(rows)} more"])


def test_with_room_every_environment_has_a_row_in_its_order_with_every_rung_and_the_scales_in_play():
    lines = drawn(run(12), 120, 40)
    assert lines[0].split() == ["environment", *RUNGS, "success", "scales"]
    assert lines[4].split() == ["family/environment_03", *["3/100"] * 5, "15/500", "0-1"]
    assert lines[13].split() == ["all", "12", *["66/1200"] * 5, "330/6000"]


def test_without_room_the_best_and_the_worst_are_shown():
    lines = [line.split()[0] for line in drawn(run(66), 120, 12)]
    assert lines[1:8] == [
        *("family/environment_65", "family/environment_64", "family/environment_63"), "and",
        *("family/environment_02", "family/environment_01", "family/environment_00"),
    ]  # fmt: skip


def test_a_narrow_terminal_loses_scales_then_rungs():
    now = run(12)
    assert drawn(now, 75, 40)[0].split() == ["environment", *RUNGS, "success"]
    assert drawn(now, 60, 40)[0].split() == ["environment", "success", "scales"]
    assert drawn(now, 33, 40)[0].split() == ["environment", "success"]
    assert drawn(now, 20, 40) == []


def test_before_anything_was_judged_there_are_dots_and_no_rungs():
    lines = drawn(run(2, rungs=()), 80, 24)
    assert lines[0].split() == ["environment", "success", "scales"]
    assert lines[1].split() == ["family/environment_00", "·", "0-1"]
