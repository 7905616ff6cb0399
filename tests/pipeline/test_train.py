"""Training as a stage: what it trains on, what it writes, and that it goes on after a kill at every write."""

import json
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("torch")

from kills import Killed, killed_at

from palaestra.core import config
from palaestra.core.errors import BadDistribution, ConfigError, RunFolderError
from palaestra.core.trainer import Budget
from palaestra.envs import held_out, registry
from palaestra.pipeline import engines
from palaestra.pipeline.curricula import CurriculumConfig
from palaestra.pipeline.pretrain import BaseConfig, pretrain
from palaestra.pipeline.train import GroupConfig, TrainConfig, train
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.pretrain import WarmStart
from palaestra.training.embedded.scales import read_scales

LAKE, COUNT = "grid/frozen_lake", "perception/count_shapes"
TINY = config.load(Path(__file__).parents[2] / "configs" / "tiny.toml", TrainConfig)


def content(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A folder that holds the base, and nothing else."""
    folder = tmp_path_factory.mktemp("base")
    assert pretrain(TINY.base, folder).made
    return folder


@pytest.fixture(scope="module")
def whole(base, tmp_path_factory):
    """A run that nothing happened to: its folder, and what came of it."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    shutil.copytree(base, folder)
    return folder, train(TINY, folder)


def changed(**changes):
    return config.build({**_plain(TINY), **changes}, TrainConfig)


def _plain(plan):
    import tomllib

    return tomllib.loads(config.dump(plan))


def updates(folder):
    lines = (folder / "events.jsonl").read_text().splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == "update"]


def test_a_run_holds_one_event_for_each_update_and_its_course_adds_up(whole):
    folder, found = whole
    events = updates(folder)
    assert [event["updates"] for event in events] == list(range(1, 9))
    assert [event["rollouts"] for event in events] == list(range(18, 145, 18))
    assert sum(event["live"] for event in events) > 0  # or this file would prove little
    course = json.loads((folder / "curriculum.json").read_text())
    assert (course["curriculum"], course["environments"]) == ("guarded hdc", [LAKE, COUNT])
    assert [entry["updates"] for entry in course["history"]] == [0, 2, 4, 6, 8]
    for entry in course["history"]:
        own = entry["environments"].values()
        assert sum(shares["share"] for shares in own) == pytest.approx(1)
        for shares in own:
            assert sum(shares["harness"].values()) == pytest.approx(sum(shares["scale"].values())) == pytest.approx(1)
    for env_id in course["environments"]:
        for what in ("rollouts", "successes"):
            told = sum(entry["played"][env_id][what] for entry in course["history"])
            assert told == sum(event["environments"][env_id][what] for event in events)
    assert course["history"][0]["environments"] != course["history"][-1]["environments"]
    assert sum(cell["weight"] for cell in course["final"]) == pytest.approx(1)
    assert sorted(path.name for path in (folder / "checkpoints").iterdir()) == ["000008", "base"]
    assert (found.checkpoint.step, found.rollouts, found.made) == (8, 144, 8)
    assert found.success.n == sum(count["rollouts"] for event in events for count in event["environments"].values())


def test_an_event_tells_the_same_counts_by_environment_and_by_rung_and_scale(whole):
    events = updates(whole[0])
    for event in events:
        counted = {env_id: {"rollouts": 0, "successes": 0} for env_id in event["environments"]}
        for cell in event["cells"]:
            for what in ("rollouts", "successes"):
                counted[cell["env_id"]][what] += cell[what]
        assert counted == event["environments"]
    cells = [cell for event in events for cell in event["cells"]]
    assert {cell["harness"] for cell in cells} > {"H0"}
    assert {cell["scale"] for cell in cells} > {0}


def test_whoever_watches_is_told_how_the_run_stands_after_each_update(base, whole, tmp_path):
    told = []
    shutil.copytree(base, tmp_path / "run")
    found = train(TINY, tmp_path / "run", told.append)
    assert [(now.done, now.total) for now in told] == [(n, 8) for n in range(1, 9)]
    assert told[-1].success == found.success
    assert sum(rate.n for rate in told[-1].cells.values()) == found.success.n
    assert sum(rate.hits for rate in told[-1].cells.values()) == found.success.hits
    for now in told:
        assert sum(own["share"] for own in now.shares.values()) == pytest.approx(1)
    course = json.loads((whole[0] / "curriculum.json").read_text())
    assert told[-1].shares == course["history"][-1]["environments"]


def test_a_run_that_an_older_version_began_goes_on(base, whole, tmp_path):
    """Its events do not tell counts by rung and scale."""
    folder, told = tmp_path / "run", []

    def killed(now):
        if now.done == 5:
            raise Killed

    shutil.copytree(base, folder)
    with pytest.raises(Killed):
        train(TINY, folder, killed)
    log = folder / "events.jsonl"
    events = [json.loads(line) for line in log.read_text().splitlines()]
    log.write_text("".join(json.dumps({k: v for k, v in e.items() if k != "cells"}) + "\n" for e in events))
    found = train(TINY, folder, told.append)
    assert found.made == 4
    assert told[0].success.n > sum(rate.n for rate in told[0].cells.values()) > 0
    assert (folder / "curriculum.json").read_bytes() == (whole[0] / "curriculum.json").read_bytes()


class Kept:
    """A tracker that keeps what it is told, and fails at some step."""

    def __init__(self, fails_at=None):
        self.told, self.fails_at = [], fails_at

    def log(self, step, values):
        if step == self.fails_at:
            raise ConnectionError("nobody is there")
        self.told.append((step, values))

    def close(self):
        pass


def test_each_start_tells_a_tracker_every_update_once_in_order_and_trackers_change_nothing(base, whole, tmp_path):
    folder, warned = tmp_path / "run", []
    first, failing, second, late = Kept(), Kept(fails_at=3), Kept(), Kept()

    def killed(now):
        if now.done == 5:
            raise Killed

    shutil.copytree(base, folder)
    with pytest.raises(Killed):
        train(TINY, folder, killed, {"first": lambda run: first, "failing": lambda run: failing}, warned.append)
    train(TINY, folder, trackers={"second": lambda run: second})
    assert train(TINY, folder, trackers={"late": lambda run: late}).made == 0
    assert [step for step, _ in first.told] == [1, 2, 3, 4, 5]
    assert [step for step, _ in second.told] == [*range(1, 9)]
    assert second.told[:5] == first.told
    assert late.told == second.told
    assert len(failing.told) == 2
    assert warned == ["the tracker failing failed and is told nothing more: ConnectionError: nobody is there"]
    assert content(folder) == content(whole[0])


def test_a_finished_run_does_nothing_and_another_configuration_is_refused(whole):
    folder, found = whole
    before = content(folder)
    again = train(TINY, folder)
    assert (again.checkpoint, again.made) == (found.checkpoint, 0)
    with pytest.raises(RunFolderError, match="'seed = 1' differs"):
        train(changed(seed=1), folder)
    with pytest.raises(RunFolderError, match="'width = 64' differs"):
        train(changed(base={**_plain(TINY.base), "width": 64}), folder)
    assert content(folder) == before


def test_a_run_killed_at_any_write_ends_the_same(base, tmp_path):
    plan = changed(tickets=1, budget={"rollouts": 18, "updates": 9})
    assert plan.updates == 3
    shutil.copytree(base, tmp_path / "whole")
    with killed_at(0) as writes:
        train(plan, tmp_path / "whole")
    ends = content(tmp_path / "whole")
    assert len(writes) == 11  # configuration, three events, three courses, two checkpoints of two files
    for moment in range(1, len(writes) + 1):
        folder = tmp_path / str(moment)
        shutil.copytree(base, folder)
        with pytest.raises(Killed), killed_at(moment):
            train(plan, folder)
        assert content(folder) != ends or moment == 11
        train(plan, folder)
        assert content(folder) == ends, moment


def test_what_is_half_written_or_lost_is_made_again(whole, tmp_path):
    ends = content(whole[0])
    for damage in ("events", "checkpoint", "course"):
        folder = tmp_path / damage
        shutil.copytree(whole[0], folder)
        if damage == "events":  # nothing tells the updates any more: they are made again
            log = folder / "events.jsonl"
            log.write_bytes(log.read_bytes()[:-9])
        elif damage == "checkpoint":
            (folder / "checkpoints" / "000008" / "state.json").unlink()
        else:
            (folder / "curriculum.json").unlink()
        found = train(TINY, folder)
        assert content(folder) == ends, damage
        assert found.made == (0 if damage == "course" else 8)


def test_all_checkpoints_are_kept_and_only_the_named_scales_drawn_where_a_run_asks_for_it(base, tmp_path):
    plan = changed(keep=True, scales=[1], tickets=1, budget={"rollouts": 24, "updates": 4})
    shutil.copytree(base, tmp_path / "run")
    train(plan, tmp_path / "run")
    assert [one.step for one in stored.numbered(tmp_path / "run" / "checkpoints")] == [2, 4]
    course = json.loads((tmp_path / "run" / "curriculum.json").read_text())
    assert {cell["scale"] for cell in course["final"]} == {1}
    with pytest.raises(BadDistribution, match=r"grid/frozen_lake was allowed the scales \[\]"):
        train(changed(scales=[6]), tmp_path / "none")


def test_scales_with_prompts_too_long_for_the_base_are_skipped_by_name(base, tmp_path, monkeypatch):
    start = stored.found(base / "checkpoints" / "base")
    pool, tokenizer = registry.pool([LAKE]), stored.read(start)[0].tokenizer
    short = min(int(one.why.split()[6]) for one in read_scales(pool, tokenizer, limit=1).skipped)
    monkeypatch.setattr(engines, "read_scales", partial(read_scales, limit=short))
    warned = []
    shutil.copytree(base, tmp_path / "run")
    plan = changed(environments=[LAKE], curriculum={"name": "uniform"}, budget={"rollouts": 50, "updates": 4})
    train(plan, tmp_path / "run", warn=warned.append)
    assert {cell["scale"] for event in updates(tmp_path / "run") for cell in event["cells"]} == {0}
    assert [line.partition(" is skipped: ")[0] for line in warned] == [f"{LAKE} at scale {scale}" for scale in (1, 2)]


def test_without_names_a_run_trains_on_what_was_selected_and_else_on_all_that_is_not_held_out(base, tmp_path):
    plan = changed(environments=[], tickets=1, budget={"rollouts": 1, "updates": 1})
    shutil.copytree(base, tmp_path / "run")
    (tmp_path / "run" / "selection.json").write_text(json.dumps({"picks": [{"id": COUNT}]}))
    assert train(plan, tmp_path / "run").environments == (COUNT,)
    assert config.load(tmp_path / "run" / "train.toml", TrainConfig).environments == (COUNT,)
    shutil.copytree(base, tmp_path / "all")
    too_long = []  # the base has met two worlds only
    assert (
        set(train(plan, tmp_path / "all", warn=too_long.append).environments) == {*registry.ids()} - held_out.HELD_OUT
    )
    (tmp_path / "run" / "selection.json").write_text("{}")
    with pytest.raises(RunFolderError, match=r"selection\.json is damaged"):
        train(plan, tmp_path / "run")


def test_two_runs_share_a_base_and_a_base_brought_along_is_taken_as_it_is(base, tmp_path):
    few = {"tickets": 1, "budget": {"rollouts": 1, "updates": 1}}
    shutil.copytree(base / "checkpoints", tmp_path / "run" / "checkpoints")
    (tmp_path / "run" / "selection.json").write_text(json.dumps({"picks": [{"id": LAKE}]}))
    train(changed(**few, base={"width": 64}), tmp_path / "run")
    assert not (tmp_path / "run" / "pretrain.toml").exists()
    was, now = (content(folder / "checkpoints" / "base") for folder in (base, tmp_path / "run"))
    assert was == now


WRONG = [
    ({"environments": ["grid/frozen_lak"]}, LookupError, "did you mean 'grid/frozen_lake'"),
    ({"environments": ["grid/key_door"]}, ConfigError, "grid/key_door is held out"),
    ({"base": {"environments": ["grid/key_door"]}}, ConfigError, "grid/key_door is held out"),
    ({"groups": {"learn": "H9"}}, ConfigError, "no harness 'H9'"),
    ({"groups": {"learn": "H4", "guided": 1.0}}, BadDistribution, "leaves nobody to judge"),
    ({"curriculum": {"rule": {"p_current": 2.0}}}, BadDistribution, "p_current lies in"),
]


def test_a_base_goes_on_from_another_with_its_words_and_its_size(base, tmp_path):
    on = replace(TINY.base, start=str(base / "checkpoints" / "base"), width=64, warm=replace(TINY.base.warm, steps=2))
    before, after = (
        stored.read(own)[0] for own in (pretrain(TINY.base, base).checkpoint, pretrain(on, tmp_path).checkpoint)
    )
    assert after.tokenizer == before.tokenizer
    assert after.network.shape == before.network.shape
    moved = zip(before.network.parameters(), after.network.parameters(), strict=True)
    assert any(not one.equal(other) for one, other in moved)
    with pytest.raises(RunFolderError, match="holds no checkpoint"):
        pretrain(replace(on, start=str(tmp_path / "nowhere")), tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("changes", "error", "said"), WRONG, ids=[said for *_, said in WRONG])
def test_a_mistake_is_raised_before_anything_is_written(tmp_path, changes, error, said):
    with pytest.raises(error, match=said):
        train(changed(**changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_configuration_says_all_and_comes_back_equal():
    assert config.parse(config.dump(TINY), TrainConfig) == TINY
    plan = TrainConfig(
        curriculum=CurriculumConfig("uniform", guarded=False, rule={"harness": "H0"}),
        groups=GroupConfig(learn="H4", rollouts=4),
        base=BaseConfig(warm=WarmStart(steps=3)),
    )
    assert config.parse(config.dump(plan), TrainConfig) == plan
    assert str(plan.curriculum) == "uniform"
    assert TrainConfig(budget=Budget(129, 80)).updates == 2
    with pytest.raises(ConfigError, match="pays for nothing; give one update and 128 rollouts"):
        TrainConfig(budget=Budget(0, 80))
