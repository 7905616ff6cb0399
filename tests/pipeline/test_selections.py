"""Comparing selections: one budget and one exam for all arms, choices made once, runs never made again."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

from kills import Killed, killed_at

from palaestra.core import config
from palaestra.core.errors import BadCandidates, ConfigError, RunFolderError
from palaestra.envs import held_out, registry
from palaestra.pipeline.experiment.selections import choices, exam
from palaestra.pipeline.experiment.selections import run as stage
from palaestra.pipeline.experiment.selections.design import SelectionsConfig
from palaestra.pipeline.experiment.selections.run import experiment
from palaestra.selection import METHODS
from palaestra.training.embedded.scales import Scales

pytestmark = pytest.mark.xdist_group("selections")  # the whole table is made once

SHIPPED = Path(__file__).parents[2] / "configs" / "selections.toml"
SMALL = """
methods = ["everything", "random_k", "without_conflict", "aes"]
environments = ["charts/bar_reading", "grid/frozen_lake", "perception/count_shapes"]
k = 2
seeds = 2
updates = 2
[measure]
instances = 1
rollouts = 2
gradients = { batches = 3, groups = 1, rollouts = 2, k = 4096, rung = "H4" }
[train]
tickets = 2
device = "cpu"
groups = { rollouts = 2 }
curriculum = { name = "uniform", guarded = false }
base = { start = "tiny", warm = { steps = 0 } }
[judging]
per_scale = 2
held_out = ["charts/pie_shares", "grid/key_door"]
"""
ARMS = ("everything", "random_k", "without_conflict", "aes")


def run(out, design, **chosen):
    return experiment(design, out, lambda name: lambda *done: None, **chosen)


def found(out):
    """What an experiment's file holds, without what takes another time on another day."""
    data = json.loads((out / stage.JSON).read_text())
    assert data.pop("clock")
    assert data["cost"].pop("seconds") > 0
    return data


def content(folder):
    """Every file that is the same whenever an experiment is made."""
    apart = {".lock", "clock.json", "judging.json", "measuring.json", "choices.json", stage.JSON, stage.MARKDOWN}
    apart |= {"cost.json", "selection.json", *(f"{arm}.json" for arm in ARMS)}  # they tell processor time
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in apart)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def small():
    return config.parse(SMALL, SelectionsConfig)


@pytest.fixture(scope="module")
def whole(small, tmp_path_factory):
    """A comparison that nothing happened to."""
    out = tmp_path_factory.mktemp("whole") / "experiment"
    run(out, small)
    return out


def test_all_arms_get_the_same_budget_and_sit_the_same_exam_and_only_the_set_differs(whole, small):
    data = found(whole)
    assert (list(data["arms"]), data["rollouts"], data["missing"]) == (sorted(ARMS), 8, [])
    assert data["groups"]["ood"] == ["charts/pie_shares", "grid/key_door"]
    assert set(data["groups"]["id"]) == set(small.environments)
    keys = set()
    for arm, own in data["arms"].items():
        assert own["seeds"] == [0, 1]
        for seed, env_ids in own["environments"].items():
            assert len(env_ids) == (3 if arm == "everything" else 2)
            folder = whole / "runs" / arm / seed
            scores = json.loads((folder / "judged.json").read_text())["scores"]
            assert scores["suite"] == data["suite"]
            keys.add(json.dumps([row[:3] for row in scores["rows"]]))
            if (folder / "train.toml").exists():  # else another arm chose the same
                trained = (folder / "train.toml").read_text()
                assert f"environments = {json.dumps(sorted(env_ids))}" in trained
                assert f"first_seed = {int(seed) << 32}" in trained
                course = json.loads((folder / "curriculum.json").read_text())
                assert {cell["harness"] for cell in course["final"]} == {"H4"}
                assert {cell["env_id"] for cell in course["final"]} == set(env_ids)
    assert len(keys) == 1
    assert len(json.loads(keys.pop())) == data["problems"]


def test_random_k_draws_another_set_for_each_seed_and_the_others_the_same(whole):
    arms = json.loads((whole / choices.NAME).read_text())["arms"]
    assert {arm: own["0"] == own["1"] for arm, own in arms.items()} == {
        "everything": True, "random_k": False, "without_conflict": True, "aes": True,
    }  # fmt: skip


@pytest.mark.slow
def test_runs_side_by_side_come_to_the_same(whole, small, tmp_path):
    assert run(tmp_path / "x", small, workers=2).made == sum(1 for _ in whole.rglob("train.toml"))
    assert (found(tmp_path / "x"), content(tmp_path / "x")) == (found(whole), content(whole))


def test_arms_that_chose_the_same_share_a_run(whole):
    arms = json.loads((whole / choices.NAME).read_text())["arms"]
    assert set(arms["aes"]["0"]) == set(arms["without_conflict"]["0"])  # the tiny measurement finds no conflict
    runs = [(whole / "runs" / arm / "0" / "judged.json").read_bytes() for arm in ("aes", "without_conflict")]
    assert runs[0] == runs[1]
    assert not (whole / "runs" / "aes" / "0" / "train.toml").exists()


def test_differences_are_paired_and_the_baseline_differs_from_itself_by_nothing(whole):
    data = found(whole)
    for arm, own in data["arms"].items():
        for name, group in own["groups"].items():
            flat = data["arms"]["everything"]["groups"][name]["success"]["seeds"]
            less = [a - b for a, b in zip(group["success"]["seeds"], flat, strict=True)]
            assert group["difference"]["seeds"] == pytest.approx(less)
            assert group["difference"]["problems"]["n"] == data["base"][name]["success"]["n"]
            start = data["base"][name]["success"]["value"]
            assert group["less_base"]["seeds"] == pytest.approx([a - start for a in group["success"]["seeds"]])
            if arm == "everything":
                assert group["difference"]["mean"] == 0
                assert group["difference"]["low"] is None


def test_what_measuring_cost_is_told_apart_and_the_tables_hold_every_arm(whole):
    cost = json.loads((whole / choices.NAME).read_text())["cost"]
    assert (cost["rollouts"], cost["gradient_rollouts"]) == (3 * 2 * 2, 3 * 3 * 2)
    text = (whole / stage.MARKDOWN).read_text()
    assert "12 rollouts for profiles, 18 for" in text
    assert "| base | " in text
    for arm in ARMS:
        assert f"| {arm} | " in text
    assert (whole / stage.PICTURE).read_text().startswith("<svg")


def test_the_tables_claim_no_more_than_one_measurement_of_the_pool_can_tell(whole):
    text = (whole / stage.MARKDOWN).read_text()
    assert "and then one about these sets: the pool is measured once, and random_k alone draws another set" in text
    assert "(a reliability of 0.1 or more, less its standard error), the others count as unmeasured" in text


def test_finished_runs_are_kept_and_a_part_goes_on_to_the_same_end(whole, small, tmp_path, monkeypatch):
    part = run(tmp_path / "x", small, arms=["aes", "everything"], seeds=1)
    assert part.made == 2
    assert len(part.outcome["missing"]) == 6
    run(tmp_path / "x", small)
    assert found(tmp_path / "x") == found(whole)
    before = content(whole)
    for module, name in ((stage, "train"), (choices, "measure")):
        monkeypatch.setattr(module, name, lambda *_, **__: pytest.fail("made again"))
    monkeypatch.setattr(exam.Exam, "sit", lambda *_: pytest.fail("judged again"))
    assert run(whole, small).made == 0
    assert content(whole) == before


@pytest.mark.slow
def test_a_comparison_killed_at_any_moment_ends_the_same(whole, small, tmp_path):
    with killed_at(0) as writes:
        run(tmp_path / "whole", small)
    ends, last = (found(tmp_path / "whole"), content(tmp_path / "whole")), len(writes)
    assert ends == (found(whole), content(whole))
    for moment in range(3, last, last // 4):
        out = tmp_path / str(moment)
        with pytest.raises(Killed), killed_at(moment):
            run(out, small)
        run(out, small)
        assert (found(out), content(out)) == ends, moment


def test_the_shipped_design_compares_sets_of_fifteen_out_of_the_whole_pool_without_help():
    design = config.load(SHIPPED, SelectionsConfig)
    assert (design.methods, design.k, design.seeds) == (ARMS, 15, 3)
    assert set(design.pool) == set(registry.ids()) - held_out.HELD_OUT
    assert design.ood == held_out.HELD_OUT
    plan = design.plan(design.pool, 2)
    assert (plan.curriculum.name, plan.curriculum.guarded, plan.curriculum.rule) == (
        "uniform",
        False,
        {"harness": "H4"},
    )
    assert (plan.groups.learn, plan.base.start, plan.base.warm.steps) == (None, "tiny", 0)
    assert plan.budget.rollouts == design.updates * 256


def test_without_a_curriculum_of_its_own_a_design_trains_uniformly_and_not_by_help():
    plain = SelectionsConfig(methods=("everything",), k=1, environments=("grid/frozen_lake",))
    plan = plain.plan(plain.pool, 0)
    assert (str(plan.curriculum), plan.curriculum.rule) == ("uniform", {"harness": "H4"})


def test_a_method_that_can_choose_nothing_is_told_and_the_other_arms_go_on(small, tmp_path, monkeypatch):
    def weighed(*_, **__):
        raise BadCandidates("doge weighs environments by their gradients, and there are none")

    monkeypatch.setattr("palaestra.pipeline.select.METHODS", {**METHODS, "doge": weighed})
    design = replace(small, methods=("everything", "doge"), seeds=1, updates=1)
    data = run(tmp_path / "x", design).outcome
    assert (list(data["arms"]), data["missing"]) == (["everything"], [])
    assert data["refused"] == {"doge": "doge weighs environments by their gradients, and there are none"}
    assert "There is no arm doge: doge weighs" in (tmp_path / "x" / stage.MARKDOWN).read_text()


def test_a_pool_that_nobody_can_be_judged_by_is_refused_before_it_is_measured(small, tmp_path, monkeypatch):
    monkeypatch.setattr(exam, "read_scales", lambda pool, tokenizer: Scales({}, ()))
    with pytest.raises(ConfigError, match=r"none of the 3 environments .* \(charts/bar_reading at scale 0: not among"):
        run(tmp_path / "x", small)
    assert not (tmp_path / "x" / choices.POOL).exists()


def test_a_pool_that_is_too_large_for_exact_is_refused_before_it_is_measured():
    with pytest.raises(ConfigError, match=r"exact chooses among 60 environments at most, and the pool has \d\d;"):
        SelectionsConfig(methods=("everything", "exact"))


def test_another_design_in_the_same_folder_is_refused(whole, small):
    with pytest.raises(RunFolderError, match="updates = 3"):
        run(whole, replace(small, updates=3))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('methods = ["ase"]', "none is called 'ase'; did you mean 'aes'"),
        ('baseline = "doge"', "baseline = 'doge' is none of the methods"),
        ("k = 4", "k ends at the 3 environments"),
        ("seeds = 0", "seeds = 0"),
        ('conflict = "naïve"', "no conflict is called 'naïve'; did you mean 'naive'"),
        ("judging.per_scale = 1", "an interval takes 2 problems"),
        ('judging.held_out = ["grid/frozen_lake"]', "'grid/frozen_lake' is not held out"),
        ('environments = ["grid/key_door", "grid/portals"]', "grid/key_door is held out"),
        ("train.seed = 3", "train: seed is set by the experiment"),
        ('measure.checkpoint = "x"', "environments and checkpoint are set by the experiment"),
        ("train.groups.describe = true", "train.groups: learn, guided or describe is set"),
        ('train.groups.learn = "H4"', "train.groups: learn, guided or describe is set"),
        ("train.groups.guided = 0.2", "train.groups: learn, guided or describe is set"),
        ("train.curriculum.guarded = true", "found guarded uniform with .*; all arms train by uniform"),
        ('train.curriculum.rule.harness = "H0"', "found uniform with {'harness': 'H0'}; all arms train by uniform"),
        ('train.curriculum.name = "hdc"', "found hdc with .*; all arms train by uniform"),
    ],
)
def test_a_design_that_makes_no_sense_is_refused(wrong, said):
    with pytest.raises(ConfigError, match=said):
        config.parse(SMALL, SelectionsConfig, [wrong.replace(" = ", "=")])
