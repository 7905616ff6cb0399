"""What experiment trackers are told of a run, and that their faults are not the run's."""

import sys

import pytest

from palaestra.core.errors import ConfigError, ExtraMissing
from palaestra.pipeline.tracking import TRACKERS, numbers, openers, tracked

EVENT = {
    "event": "update", "updates": 3, "rollouts": 54, "groups": 4, "live": 1, "clipped_above": 0.25,
    "environments": {"a/b": {"rollouts": 6, "successes": 3}, "c/d": {"rollouts": 2, "successes": 0},
                     "e/f": {"rollouts": 0, "successes": 0}},
    "cells": [
        {"env_id": "a/b", "harness": "H0", "scale": 0, "rollouts": 4, "successes": 2},
        {"env_id": "a/b", "harness": "H4", "scale": 1, "rollouts": 2, "successes": 1},
        {"env_id": "c/d", "harness": "H0", "scale": 1, "rollouts": 2, "successes": 0},
    ],
}  # fmt: skip
SHARES = {
    "a/b": {"share": 0.75, "harness": {"H0": 0.5, "H4": 0.5}, "scale": {"0": 1.0}},
    "c/d": {"share": 0.25, "harness": {"H0": 1.0}, "scale": {"0": 0.5, "1": 0.5}},
}


class Kept:
    """A tracker that keeps what it is told, and fails at one step."""

    def __init__(self, run, fails_at=None):
        self.told, self.closed, self.fails_at = [], 0, fails_at

    def log(self, step, values):
        if step == self.fails_at:
            raise OSError("the network is down")
        self.told.append((step, values))

    def close(self):
        self.closed += 1


def test_success_is_told_by_environment_rung_and_scale_of_what_was_played():
    assert numbers(EVENT) == {
        "update/rollouts": 54, "update/live_groups": 0.25, "update/clipped_above": 0.25, "update/success": 3 / 8,
        "success_by_environment/a/b": 0.5, "success_by_environment/c/d": 0,
        "success_by_rung/H0": 2 / 6, "success_by_rung/H4": 0.5, "success_by_scale/0": 0.5, "success_by_scale/1": 0.25,
    }  # fmt: skip


def test_what_an_update_measures_of_itself_is_told_and_what_it_did_not_measure_is_left_out():
    measured = {"replies": 12, "tokens": 90, "gradient_norm": 0.5, "clipped_above": 0.25}
    told = numbers({**EVENT, **measured, "helped_ess": None})
    updates = {name.removeprefix("update/"): value for name, value in told.items() if name.startswith("update/")}
    assert updates == {"rollouts": 54, "live_groups": 0.25, "success": 3 / 8, **measured}


def test_shares_are_told_whenever_an_event_holds_them_and_sum_to_one_on_each_axis():
    told = {name: value for name, value in numbers({**EVENT, "shares": SHARES}).items() if name.startswith("share_")}
    assert told == {
        "share_by_environment/a/b": 0.75, "share_by_environment/c/d": 0.25,
        "share_by_rung/H0": 0.625, "share_by_rung/H4": 0.375, "share_by_scale/0": 0.875, "share_by_scale/1": 0.125,
    }  # fmt: skip


def test_an_event_of_an_older_version_is_told_without_rungs_and_scales():
    told = numbers({name: value for name, value in EVENT.items() if name != "cells"})
    assert told["success_by_environment/a/b"] == 0.5
    assert not any("rung" in name or "scale" in name for name in told)


def test_a_tracker_that_fails_is_told_nothing_more_and_the_others_go_on(tmp_path):
    kept, failing, warned = Kept(tmp_path), Kept(tmp_path, fails_at=2), []
    opening = {"failing": lambda run: failing, "never": lambda run: 1 / 0, "kept": lambda run: kept}
    with tracked(opening, tmp_path, warned.append) as told:
        for step in (1, 2, 3):
            told({**EVENT, "updates": step})
    assert [step for step, _ in failing.told] == [1]
    assert [step for step, _ in kept.told] == [1, 2, 3]
    assert (failing.closed, kept.closed) == (0, 1)
    assert [line.split(":")[0] for line in warned] == [
        "the tracker never failed and is told nothing more",
        "the tracker failing failed and is told nothing more",
    ]
    assert "OSError: the network is down" in warned[1]


def test_trackers_are_closed_when_the_run_is_stopped(tmp_path):
    kept = Kept(tmp_path)
    with pytest.raises(KeyboardInterrupt), tracked({"kept": lambda run: kept}, tmp_path, print):
        raise KeyboardInterrupt
    assert kept.closed == 1


@pytest.mark.parametrize("name", TRACKERS)
def test_a_tracker_whose_package_is_missing_says_how_to_install_it(monkeypatch, name):
    for package in ("tensorboardX", "wandb"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ExtraMissing, match=rf"the tracker {name} needs .*: pip install 'palaestra\[{name}\]'"):
        openers([name])


def test_an_unknown_tracker_is_refused_with_the_nearest_one():
    with pytest.raises(ConfigError, match="no tracker is called 'tensorbord'; did you mean 'tensorboard'"):
        openers(["tensorbord"])
