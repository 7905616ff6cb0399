"""Experiments: equal budgets for all arms, a plan that stays, runs made once, and a kill that changes nothing."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from kills import Killed, killed_at

from palaestra.core import config
from palaestra.core.errors import ConfigError, ExtraMissing, RunFolderError
from palaestra.pipeline.experiment import arms as runs
from palaestra.pipeline.experiment import pilot, tables
from palaestra.pipeline.experiment import run as stage
from palaestra.pipeline.experiment.design import ExperimentConfig, Gate, WhenUnmet
from palaestra.pipeline.experiment.run import experiment
from palaestra.pipeline.pretrain import pretrain
from palaestra.pipeline.train import TrainConfig

pytestmark = pytest.mark.xdist_group("experiment")  # the whole table is made once

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "configs" / "withdrawal.toml"
SMALL = """
updates = 2
[problems]
lake = { environment = "grid/frozen_lake", scale = 1, seeds = 2 }
count = { environment = "perception/count_shapes", scale = 0, seeds = 1 }
[judging]
checkpoints = 2
problems = 4
at_end = 6
[train]
tickets = 2
device = "cpu"
groups = { rollouts = 4 }
[train.base]
environments = ["grid/frozen_lake", "perception/count_shapes"]
warm = { steps = 0 }
[supervised]
contexts = 8
unhelped = 1.0
[arms.flat.train]
curriculum = { name = "uniform", guarded = false }
[arms.guided.train]
curriculum = { name = "uniform", guarded = false, rule = { harness = "H1" } }
groups = { learn = "H4" }
[arms.climb]
easier = true
train = { curriculum = { name = "hdc", rule = { ladder = ["H4"], tau_scale = 0.0, least = 1 } } }
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The small design, from a base that has learnt to answer: one that has not rambles, and takes its time."""
    out = tmp_path_factory.mktemp("base")
    made = pretrain(config.load(ROOT / "configs" / "tiny.toml", TrainConfig).base, out)
    return config.parse(SMALL, ExperimentConfig, [f'train.base.start="{made.checkpoint.path}"'])


def run(out, plan, **chosen):
    return experiment(plan, out, lambda name: lambda *done: None, lambda name, gate: None, **chosen)


def found(out):
    """What an experiment's file holds, without what takes another time on another day."""
    data = json.loads((out / stage.JSON).read_text())
    assert data.pop("clock")
    return data


def content(folder):
    """Every file that is the same whenever an experiment is made."""
    apart = (".lock", "clock.json", "plan.json", stage.JSON, stage.MARKDOWN)
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in apart)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def whole(small, tmp_path_factory):
    """An experiment that nothing happened to: its folder, and what came of it."""
    out = tmp_path_factory.mktemp("whole") / "experiment"
    return out, run(out, small)


def test_all_arms_get_the_same_rollouts_and_updates_and_are_judged_on_the_same_problems(whole):
    out, made = whole
    assert made.made == 3 * 4
    data = found(out)
    assert (data["updates"], data["rollouts"], data["missing"]) == (2, 2 * 2 * 4, [])
    for name, own in data["problems"].items():
        assert set(own["arms"]) == {"flat", "guided", "climb", "supervised"}
        for arm, told in own["arms"].items():
            assert [point["rollouts"] for point in told["curve"]] == [0, 8, 16]
            assert len(told["seeds"]) == own["seeds"]
            for seed, one in told["seeds"].items():
                assert [point["success"]["n"] for point in one["curve"]] == [4, 4, 6]
                assert {one[player]["n"] for player in ("H4", "H1", "H0", "grey")} == {6}
                folder = out / "runs" / name / arm / seed
                scores = json.loads((folder / "judged.json").read_text())["scores"]
                assert scores["suite"] == own["base"]["suite"]
                assert {row[1] for row in scores["rows"]} == {own["scale"]}
                assert [path.name for path in sorted((folder / "checkpoints").iterdir())] == ["000002", "base"]
                if arm != "supervised":
                    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
                    assert [event["rollouts"] for event in events] == [8, 16]


def test_the_point_before_training_is_the_same_for_every_arm(whole):
    for own in found(whole[0])["problems"].values():
        assert len({json.dumps(told["curve"][0]["success"]["mean"]) for told in own["arms"].values()}) == 1


def test_arms_draw_the_scales_and_rungs_that_they_are_meant_to(whole):
    def drawn(arm):
        course = json.loads((whole[0] / "runs" / "lake" / arm / "0" / "curriculum.json").read_text())
        return {(cell["scale"], cell["harness"], cell["learn"]) for cell in course["final"]}

    names = {arm: {(scale, *(h and h["name"] for h in rungs)) if isinstance(rungs[0], dict) else (scale, *rungs)
                   for scale, *rungs in drawn(arm)} for arm in ("flat", "guided", "climb")}  # fmt: skip
    assert names["flat"] == {(1, "H4", None)}
    assert names["guided"] == {(1, "H1", "H4")}
    assert {scale for scale, *_ in names["climb"]} == {0, 1}


def test_differences_are_paired_by_seed_and_the_baseline_differs_from_itself_by_nothing(whole):
    for own in found(whole[0])["problems"].values():
        flat = own["arms"]["flat"]
        assert (flat["difference"]["mean"], flat["beyond"]) == (0, [])
        for told in own["arms"].values():
            for seed, one in told["seeds"].items():
                less = one["H4"]["value"] - flat["seeds"][seed]["H4"]["value"]
                assert one["difference"]["difference"]["value"] == pytest.approx(less)
            spread = [one["H4"]["value"] for one in told["seeds"].values()]
            assert told["H4"] == {
                "mean": pytest.approx(sum(spread) / len(spread)), "least": min(spread), "most": max(spread),
                "seeds": len(spread),
            }  # fmt: skip


def test_only_guided_arms_tell_of_helped_replies_and_every_run_of_seconds(whole):
    out, _ = whole
    data = json.loads((out / stage.JSON).read_text())
    for name, own in data["problems"].items():
        for arm, told in own["arms"].items():
            live = [part["mean"] for part in told["live"]]
            assert len(live) == (0 if arm == "supervised" else 2)
            assert all(0 <= share <= 1 for share in live)
            assert told["helped_ess"] is None or arm == "guided"
            for seconds in data["clock"][name][arm].values():
                assert seconds[0] == 0
                assert seconds == sorted(seconds)
                assert len(seconds) == 3


def test_runs_that_are_done_are_not_made_again(whole, small, monkeypatch):
    out, _ = whole
    before, clocks = content(out), [path.read_bytes() for path in sorted(out.rglob("clock.json"))]
    monkeypatch.setattr(runs, "trained", lambda *_: pytest.fail("a run was made again"))
    assert run(out, small).made == 0
    assert content(out) == before
    assert [path.read_bytes() for path in sorted(out.rglob("clock.json"))] == clocks


@pytest.mark.slow
def test_a_part_of_the_table_can_be_made_and_the_rest_later_to_the_same_end(whole, small, tmp_path):
    part = run(tmp_path / "x", small, arms=["guided", "flat"], problems=["lake"], seeds=1)
    assert part.made == 2
    assert len(part.outcome["missing"]) == 10
    assert list(part.outcome["problems"]["lake"]["arms"]) == ["flat", "guided"]
    assert run(tmp_path / "x", small, workers=2).made == 10  # and side by side too
    assert found(tmp_path / "x") == found(whole[0])
    assert content(tmp_path / "x") == content(whole[0])


def test_an_experiment_killed_at_any_moment_ends_the_same(small, tmp_path):
    arms = {name: small.arms[name] for name in ("flat", "guided")}
    plan = replace(small, problems={"count": small.problems["count"]}, arms=arms)
    with killed_at(0) as writes:
        run(tmp_path / "whole", plan)
    ends, last = (found(tmp_path / "whole"), content(tmp_path / "whole")), len(writes)
    assert last > 40
    for moment in range(3, last, last // 4):
        out = tmp_path / str(moment)
        with pytest.raises(Killed), killed_at(moment):
            run(out, plan)
        run(out, plan)
        assert (found(out), content(out)) == ends, moment
        shutil.rmtree(out)


def test_a_pilot_fixes_as_many_updates_as_the_hours_pay_for_and_the_plan_stays(small, tmp_path, monkeypatch):
    took = {"flat": 10.0, "guided": 20.0, "climb": 10.0, "supervised": 5.0}
    monkeypatch.setattr(pilot, "seconds", lambda folder: [took[folder.parent.name]])
    piloted = []
    monkeypatch.setattr(pilot, "trained", lambda one, *_: piloted.append((one.problem, one.arm)))
    each = 2 * 45 + 45  # seconds of one update in all runs: two seeds on the lake, one of counting
    plan = replace(small, updates=0, cpu_hours=5.8 * each / 3600)
    run(tmp_path / "x", plan, arms=["flat"], problems=["count"])
    assert len(piloted) == 8
    kept = (tmp_path / "x" / "plan.json").read_bytes()
    stored = json.loads(kept)
    assert (stored["updates"], stored["rollouts"]) == (4, 32)  # five would pay, and four have two checkpoints
    for name, contexts in stored["contexts"].items():
        assert contexts == 4 * round(2 * stored["gates"][name]["contexts"])
    monkeypatch.setattr(pilot, "seconds", lambda folder: [9.0])
    again = run(tmp_path / "x", plan, arms=["guided"], problems=["count"])
    assert len(piloted) == 8
    assert (again.outcome["updates"], again.made) == (4, 1)
    assert (tmp_path / "x" / "plan.json").read_bytes() == kept
    with pytest.raises(ConfigError, match="pay for no run: judging takes"):
        run(tmp_path / "y", replace(plan, cpu_hours=each / 3600))


def test_conditions_are_told_before_training_and_unmet_problems_are_skipped_where_asked(small, tmp_path, monkeypatch):
    gates = []
    monkeypatch.setattr(runs, "trained", lambda *_: pytest.fail("a run was made"))
    none = replace(small, gate=Gate(unhelped=0.0, when_unmet=WhenUnmet.SKIP))
    made = experiment(none, tmp_path / "x", lambda name: lambda *done: None, lambda *gate: gates.append(gate))
    assert [name for name, _ in gates] == ["lake", "count"]
    for name, gate in gates:
        assert gate == made.outcome["problems"][name]["base"]
        assert gate["met"] is False
        assert {player: gate[player]["n"] for player in ("H4", "H1", "H0", "random")} == {
            "H4": 4, "H1": 4, "H0": 4, "random": 6,
        }  # fmt: skip
    assert (made.made, made.outcome["missing"]) == (0, [])
    assert "not met" in (tmp_path / "x" / stage.MARKDOWN).read_text()
    met = replace(none, gate=Gate(unhelped=1.0, helped=(0.0, 1.0), when_unmet=WhenUnmet.SKIP))
    monkeypatch.undo()
    assert run(tmp_path / "y", met, arms=["flat"], problems=["count"]).made == 1


def test_tables_hold_every_run_and_a_picture_is_drawn_of_each_problem(whole, small, tmp_path, monkeypatch):
    out, made = whole
    text = (out / stage.MARKDOWN).read_text()
    assert text.count("| supervised |") == 2 * (1 + 1 + 3) + 3
    if made.drawn:
        for name in ("lake", "count"):
            assert f"(experiment-{name}.svg)" in text
            assert "--main:" in (out / f"experiment-{name}.svg").read_text()

    def missing(*_):
        raise ExtraMissing("figures are drawn with matplotlib")

    monkeypatch.setattr(tables, "arms", missing)
    shutil.copytree(out, tmp_path / "x")
    assert not run(tmp_path / "x", small).drawn
    assert "svg" not in (tmp_path / "x" / stage.MARKDOWN).read_text()


def test_another_experiment_in_the_folder_is_refused(whole, small):
    with pytest.raises(RunFolderError, match=r"cpu_hours = 5\.0' differs"):
        run(whole[0], replace(small, cpu_hours=5.0))


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        (["arms.flat.train.seed=3"], r"arms.flat.train: seed is set by the experiment"),
        (["train.budget={updates = 3}"], r"budget is set by the experiment"),
        (["arms.guided.train.tickets=4"], r"arms.guided has another base or device than flat, or other numbers"),
        (["arms.guided.train.base.width=64"], r"arms.guided has another base"),
        (["arms.guided.train.ticket=4"], r"arms.guided.train: unknown key 'ticket'; did you mean 'tickets'"),
        (["problems.lake.scale=5"], r"problems.lake: scale = 5, seeds = 2; a tiny policy can read the scales 0, 1, 2"),
        (["updates=3"], r"updates a multiple of judging.checkpoints = 2"),
        (["baseline=plain"], r"the arm 'plain' to compare with"),
        (["arms.supervised.easier=true"], r"the table \[supervised\] is an arm of its own"),
        (['arms."a/b".easier=true'], r"it is that of a folder too"),
        (["judging.at_end=3"], r"at least as many problems at the end"),
        (["gate.helped=[0.5]"], r"two in order"),
    ],
)
def test_what_would_make_no_comparison_is_refused(sets, words):
    with pytest.raises(ConfigError, match=words):
        config.parse(SMALL, ExperimentConfig, sets)


def test_names_that_do_not_exist_and_too_few_problems_are_refused_before_anything_is_written(small, tmp_path):
    with pytest.raises(ConfigError, match=r"no arm 'guide'; did you mean 'guided'"):
        run(tmp_path / "x", small, arms=["guide"])
    with pytest.raises(ConfigError, match=r"no problem 'pond'"):
        run(tmp_path / "x", small, problems=["pond"])
    assert not (tmp_path / "x").exists()


def test_the_shipped_design_keeps_its_arms_apart_and_reads_back_to_itself():
    shipped = config.load(SHIPPED, ExperimentConfig)
    assert config.parse(config.dump(shipped), ExperimentConfig) == shipped
    assert len(shipped.names) == 11
    plans = {arm: replace(shipped.plan("lake", arm, 1, 40), scales=()) for arm in shipped.arms}
    assert len({config.dump(plan) for plan in plans.values()}) == len(plans)  # apart from scales too
    assert list(shipped.quick().names) == ["flat", "hdc", "guided"]


def started(out):
    words = ["experiment", SHIPPED, "--out", out, "--quick", "--json"]
    return subprocess.Popen(
        [sys.executable, "-m", "palaestra.cli", *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


@pytest.mark.slow
def test_a_quick_experiment_from_the_shipped_base_is_whole_and_the_same_after_a_kill(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    told = json.loads(started(whole).communicate()[0])
    assert (told["made"], told["missing"], told["rollouts"]) == (3, 0, 12 * 8 * 16)
    first = started(killed)
    while first.poll() is None and not (killed / "runs" / "lake" / "hdc" / "0" / "checkpoints" / "000006").exists():
        time.sleep(0.01)
    first.kill()
    first.communicate()
    assert first.returncode == -signal.SIGKILL
    again = json.loads(started(killed).communicate()[0])
    assert again["made"] == 2
    assert (found(killed), content(killed)) == (found(whole), content(whole))
    (own,) = found(whole)["problems"].values()
    assert set(own["arms"]) == {"flat", "hdc", "guided"}
    for arm, one in own["arms"].items():
        assert [point["rollouts"] for point in one["curve"]] == [0, 768, 1536]
        assert 0 <= one["H4"]["mean"] <= 1
        assert (one["helped_ess"] is not None) == (arm == "guided")
