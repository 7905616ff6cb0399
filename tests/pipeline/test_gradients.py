"""Gradients of a checkpoint: planted conflicts are found, what cannot be measured says so, a kill changes nothing."""

import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

from levers import lever, pool, untaught  # its network needs torch

from palaestra.core.errors import BadMeasurement, ConfigError, ExtraMissing, RunFolderError
from palaestra.core.profile import AbilityProfile
from palaestra.core.runfolder import RunFolder
from palaestra.envs import held_out
from palaestra.measure.conflict import cosines
from palaestra.pipeline import profiles, sketches
from palaestra.pipeline.batches import Order, Site, elsewhere
from palaestra.pipeline.estimator import GradientConfig, Metric
from palaestra.pipeline.gradients import gradients
from palaestra.pipeline.learner import learner, readable
from palaestra.pipeline.select import select
from palaestra.rollout.store import read
from palaestra.training.embedded.scales import read_scales

ONE, OTHER, SAME = "toy/one", "toy/other", "toy/same"
POOL = pool(lever(ONE, "left"), lever(OTHER, "right"), lever(SAME, "left"))
ODD = pool(
    lever("odd/dead", "nowhere"),  # no reply is ever right
    lever("odd/few", "left", problems=3),
    lever("odd/large", "left " * 400),  # its caption is too long for a prompt
)
PLAN = GradientConfig(batches=4, groups=2, rollouts=8, k=4096, rung="H4")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return untaught(tmp_path_factory.mktemp("base"), POOL).path


@pytest.fixture(scope="module")
def run(base, tmp_path_factory):
    """A run of the whole pool that nothing happened to: its folder, and what was found."""
    out = tmp_path_factory.mktemp("run")
    told = []
    found = gradients(PLAN, learner(base, {**POOL, **ODD}, PLAN.metric), out, progress=lambda *at: told.append(at))
    return out, found, told


def played(out, env_id):
    (part,) = (out / "gradients").iterdir()
    return list(read(part / env_id))


def content(out):
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def test_opposite_rewards_in_one_world_conflict_and_equal_ones_agree(run):
    _, found, _ = run
    matrix = cosines(found.sketches)
    assert all(found.reliability[env_id] > 0.5 for env_id in POOL)
    for pair, sign in ((ONE, OTHER), -1), ((OTHER, SAME), -1), ((ONE, SAME), 1):
        cosine = matrix.pair(*pair)
        assert cosine.measured
        assert sign * cosine.corrected > 0.5 + 2 * cosine.se


def test_select_reads_conflict_from_what_was_written_and_names_the_unmeasured(run, tmp_path):
    out, _, _ = run
    (tmp_path / sketches.NAME).write_bytes((out / sketches.NAME).read_bytes())
    profiles.write(RunFolder(tmp_path), [AbilityProfile(id_, {id_: 1.0}, {}, {}, {"": 8}) for id_ in (*POOL, *ODD)])
    chosen = select(tmp_path, k=6)
    assert chosen.json()["unmeasured"] == sorted(ODD)
    picks = {pick.env_id: pick.conflict for pick in chosen.selection.picks}
    assert list(picks)[-1] in {ONE, OTHER, SAME}  # the one that fights another comes last
    assert max(picks.values()) > 0.2
    charged = {picks[env_id] for env_id in list(picks)[1:] if env_id in ODD}  # the mean of the measured pairs
    assert len(charged) == 1
    assert 0 < charged.pop() < max(picks.values())


def test_batches_share_no_problem_and_scales_have_even_shares(run):
    out, found, told = run
    groups = played(out, ONE)
    world = POOL[ONE]
    assert len({world.reset(group.ticket.instance) for group in groups}) == 8
    assert Counter(group.ticket.cell.scale for group in groups) == {0: 4, 1: 4}
    assert {(g.ticket.instance.split, g.ticket.cell.harness.name, len(g.trajectories)) for g in groups} == {
        ("train", "H4", 8)
    }
    assert told[-1] == (16, 20)  # of one environment there are none
    assert found.batches[ONE].groups == 8
    assert (found.played.episodes, found.cost.rollouts) == (4 * 64, 4 * 64)
    assert found.cost.backward_passes == 3 * (4 + 1)  # of each batch, and one for the Fisher overlap
    assert 4 * 64 * 2 <= found.cost.reply_tokens < 4 * 64 * 3  # a side and an end, seldom more
    assert found.cost.prompt_tokens > 16 * found.cost.rollouts


def test_a_policy_is_measured_at_the_scales_that_it_is_trained_and_judged_at(base):
    worlds = pool(lever("toy/plain", "left"), lever("toy/undeclared", "left", embedded_scales=()), ODD["odd/large"])
    source = learner(base, worlds, PLAN.metric)
    found = readable(source)
    assert found == read_scales(worlds, source.now.tokenizer).kept
    assert found == {"toy/plain": (0, 1), "toy/undeclared": (0,)}


def test_what_cannot_be_measured_is_named_and_a_world_without_signal_is_unmeasured(run):
    _, found, _ = run
    assert found.skipped == {
        "odd/few": "3 problems are too few for 4 disjoint batches",
        "odd/large": "it has no scale that the policy can read",
    }
    (dead,) = (own for own in found.sketches if own.env_id == "odd/dead")
    assert (dead.live_groups, found.reliability["odd/dead"]) == (0, 0)
    assert not dead.batches_MK.any()
    assert not cosines(found.sketches).pair("odd/dead", ONE).measured


def test_few_problems_stay_each_in_one_batch_and_are_played_several_times(base, tmp_path):
    small = pool(lever("odd/small", "left", problems=8))
    plan = replace(PLAN, batches=3, groups=4)
    found = gradients(plan, learner(base, small, plan.metric), tmp_path).batches["odd/small"]
    assert (found.groups, len(found.rows_MK)) == (12, 3)
    rooms = [small["odd/small"].reset(group.ticket.instance) for group in played(tmp_path, "odd/small")]
    batches = [set(rooms[start : start + 4]) for start in (0, 4, 8)]
    assert found.problems < 8
    assert sum(map(len, batches)) == len(set().union(*batches)) <= found.problems


def test_a_run_that_was_killed_goes_on_to_the_same_bytes(run, base, tmp_path):
    out, whole, _ = run
    source = learner(base, {**POOL, **ODD}, PLAN.metric)

    def killed(done, total):
        if done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gradients(PLAN, source, tmp_path, progress=killed)
    assert not (tmp_path / sketches.NAME).exists()
    again = gradients(PLAN, source, tmp_path)
    assert content(tmp_path) == content(out)
    assert (again.reliability, again.played) == (whole.reliability, whole.played)


def test_more_batches_in_the_same_folder_replace_the_sketches_and_keep_what_was_played(base, tmp_path):
    source = learner(base, {ONE: POOL[ONE]}, PLAN.metric)
    for batches in (3, 4, 3):
        gradients(replace(PLAN, batches=batches, groups=1), source, tmp_path)
        assert sketches.read(tmp_path)[0].batches_MK.shape == (batches, 4096)
    assert len(list((tmp_path / "gradients").iterdir())) == 2


def test_a_pool_that_cannot_be_read_leaves_everything_unmeasured(base, tmp_path):
    large = {"odd/large": ODD["odd/large"]}
    found = gradients(PLAN, learner(base, large, PLAN.metric), tmp_path)
    assert (found.sketches, found.cost.rollouts, list(found.skipped)) == ((), 0, ["odd/large"])
    assert found.json()["skipped"] == found.skipped
    assert sketches.read(tmp_path) == []


def test_another_seed_plays_other_problems(run, base, tmp_path):
    out, _, _ = run
    gradients(PLAN, learner(base, {ONE: POOL[ONE]}, PLAN.metric), tmp_path, seed=1)
    mine, theirs = sketches.read(tmp_path), sketches.read(out)
    assert not np.array_equal(mine[0].batches_MK, next(s for s in theirs if s.env_id == ONE).batches_MK)


def test_guided_groups_find_a_signal_under_help(base, tmp_path):
    plan = replace(PLAN, batches=3, groups=1, guided=0.5)
    gradients(plan, learner(base, {ONE: POOL[ONE]}, plan.metric), tmp_path)
    for group in played(tmp_path, ONE):
        assert [member.harness.name for member in group.trajectories] == ["H0"] * 4 + ["H4"] * 4
        assert all("Here it is" not in turn.learnt.text for m in group.trajectories for turn in m.turns if turn.learnt)


@pytest.mark.parametrize("metric", [Metric.ADAM, Metric.FISHER])
def test_a_metric_of_moments_is_refused_before_the_first_step(base, metric):
    with pytest.raises(ConfigError, match="has none, as no update was made"):
        learner(base, POOL, metric)


def test_the_metric_is_adams_own_as_soon_as_there_are_moments(base, tmp_path):
    source = learner(base, {ONE: POOL[ONE]}, Metric.AUTO)
    plan = replace(PLAN, batches=3, groups=1)
    assert gradients(plan, source, tmp_path / "base").sketches[0].metric == "raw"
    source.now.network.zero_grad()
    sum(parameter.square().sum() for parameter in source.now.network.parameters()).backward()
    source.now.optimiser.step()
    assert gradients(plan, source, tmp_path / "later").sketches[0].metric == "adam"


@pytest.mark.parametrize(
    "change",
    [
        {"batches": 2},
        {"groups": 0},
        {"rollouts": 1},
        {"k": 1024},
        {"rung": "H9"},
        {"guided": 1.5},
        {"cap": 49},
        {"pilot": 0},
    ],
)
def test_settings_that_make_no_measurement_are_refused(change):
    with pytest.raises(ConfigError, match=next(iter(change))):
        GradientConfig(**change)


def test_what_is_held_out_is_refused(base, monkeypatch):
    monkeypatch.setattr(held_out, "HELD_OUT", frozenset({OTHER}))
    with pytest.raises(ConfigError, match=f"{OTHER} is held out for evaluation"):
        learner(base, POOL, Metric.AUTO)


def test_a_checkpoint_that_another_process_finds_changed_is_refused(base, tmp_path):
    site = Site(PLAN, Metric.RAW, 0, tmp_path, "", {})
    with pytest.raises(BadMeasurement, match="changed while it was measured"):
        elsewhere(site, base, "another digest", Order(ONE, 0, 3))


def test_without_a_checkpoint_or_torch_nothing_is_written(tmp_path, monkeypatch):
    with pytest.raises(RunFolderError, match="holds no checkpoint; name a folder"):
        learner(tmp_path / "nowhere", POOL, Metric.AUTO)
    monkeypatch.setitem(sys.modules, "palaestra.training.embedded.gradients", None)
    with pytest.raises(ExtraMissing, match=r"palaestra\[cpu\]"):
        learner(tmp_path, POOL, Metric.AUTO)
    assert list(tmp_path.iterdir()) == []
