"""`palaestra measure`: its result, its table, and what a kill leaves."""

import json
import signal
import time

import pytest

from palaestra.cli.console import OUT
from palaestra.core.config import load
from palaestra.envs import registry
from palaestra.pipeline.measure import MeasureConfig

IDS = ["perception/count_shapes", "memory/pair_recall", "grid/frozen_lake"]  # from quick to slow
COST = ["rollouts", "prompt_tokens", "reply_tokens", "backward_passes", "cpu_seconds"]
MEASURE = ["measure", *IDS, "--instances", 10, "--rollouts", 2, "--json", "--out"]


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def whole(palaestra, tmp_path_factory):
    """A run that nothing happened to: its folder, and what it printed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    return folder, json.loads(palaestra(*MEASURE, folder).stdout)


@pytest.mark.parametrize(("side", "sent"), [("weak", "SIGKILL"), ("strong", "SIGKILL"), ("strong", "SIGINT")])
def test_a_run_stopped_half_way_goes_on_to_the_same_bytes(started, palaestra, whole, tmp_path, side, sent):
    folder = tmp_path / "run"
    run = started(*MEASURE, folder)
    while run.poll() is None and not (folder / side / "trajectories" / "shard-00000.parquet").exists():
        time.sleep(0.002)
    run.send_signal(signal.Signals[sent])
    out, err = run.communicate(timeout=60)
    ended = {"SIGKILL": (-signal.SIGKILL, "", ""), "SIGINT": (130, "", "stopped; the same command goes on\n")}
    assert (run.returncode, out, err) == ended[sent]
    assert not (folder / "profiles.json").exists()
    again = json.loads(palaestra(*MEASURE, folder).stdout)
    assert content(folder) == content(whole[0])
    assert again["environments"] == whole[1]["environments"]


def test_json_holds_the_promised_keys_and_its_numbers_are_those_of_the_files(whole):
    folder, report = whole
    assert list(report) == ["out", "environments", "abilities", "labels", "gradients", "conflict", "cost", "seconds"]
    assert report["labels"] == {"by": "events", "answers": {}, "cost": {}, "agreement": {}, "overlap": {}}
    assert (report["gradients"], report["conflict"]) == ({}, {})
    assert list(report["cost"]) == COST
    assert (report["cost"]["rollouts"], report["cost"]["backward_passes"]) == (120, 0)
    assert (report["out"], list(report["environments"])) == (str(folder), IDS)
    stored = json.loads((folder / "profiles.json").read_text())
    steady = json.loads((folder / "stability.json").read_text())
    for env_id, found in report["environments"].items():
        assert list(found) == ["core", "soft", "support", "sure", "stability"]
        assert {**found["sure"], "": 0}.keys() == found["support"].keys()
        further = {"stability": steady[env_id], "sure": found["sure"]}
        assert {**found, "edges": stored[env_id]["edges"]} == {**stored[env_id], **further}
        assert found["support"][""] == 40
    assert report["abilities"] == len({a for found in stored.values() for a in found["core"]}) > 3


def test_the_table_marks_who_exercises_what(palaestra, tmp_path, monkeypatch):
    words = ["measure", *IDS, "--instances", 3, "--out", tmp_path / "run"]
    shown = palaestra(*words)
    assert shown.exit_code == 0
    assert all(env_id in shown.stdout for env_id in IDS)
    (marks,) = (line.split() for line in shown.stdout.splitlines() if line.startswith("count_things"))
    assert marks == ["count_things", "\N{BLACK SQUARE}"]
    monkeypatch.setattr(OUT, "width", 30)
    assert "count_things" not in palaestra(*words).stdout  # too narrow for the map


def test_flags_win_over_the_file_and_set_over_both(palaestra, tmp_path):
    file = tmp_path / "measure.toml"
    file.write_text(f'environments = ["{IDS[0]}"]\nweak = "random"\ninstances = 9\nrollouts = 1\n')
    words = ["measure", "--config", file, "--instances", 2, "--strong", "oracle", "--set", "seed=5", "--scale", 1]
    assert palaestra(*words, "--out", tmp_path / "run", "--json").exit_code == 0
    plan = load(tmp_path / "run" / "config.toml", MeasureConfig)
    assert plan == MeasureConfig((IDS[0],), "random", "oracle", instances=2, rollouts=1, scales=(1,), seed=5)


FEW = [*IDS[:2], "--instances", 1, "--rollouts", 1]
BATCHES = [f"--set=gradients.{name}" for name in ("batches=3", "groups=1", "rollouts=2", "k=4096", "rung=H4")]


def taught(folder, ids):
    """A checkpoint that has learnt next to nothing, and reads the words of some environments."""
    pytest.importorskip("torch")
    from palaestra.training.embedded.backend import Embedded
    from palaestra.training.embedded.pretrain import WarmStart

    engine = Embedded(folder, warm=WarmStart(steps=1, contexts=4), width=32, layers=1)
    return engine.base(registry.pool(ids)).path


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """One to which the prompts of all environments but the first are too long, spelt out as they are."""
    return taught(tmp_path_factory.mktemp("base"), IDS[:1])


def test_a_checkpoint_adds_gradients_to_a_folder_of_profiles(palaestra, base, tmp_path):
    words = ["measure", *FEW, "--out", tmp_path / "run"]
    assert palaestra(*words).exit_code == 0
    before = content(tmp_path / "run")
    result = palaestra(*words, "--checkpoint", base, *BATCHES, "--json")
    report = json.loads(result.stdout)
    none = {"batches": 0, "groups": 0, "live_groups": 0, "reliability": None, "measured": False}
    assert list(report["gradients"]) == FEW[:2]
    assert report["gradients"][IDS[0]].keys() >= {*none, "rung", "scales", "noise_scale", "effective_dimension", "se"}
    assert (report["gradients"][IDS[0]]["batches"], report["gradients"][IDS[0]]["groups"]) == (3, 3)
    assert report["gradients"][IDS[1]] == none
    assert f"no gradients of {IDS[1]}: it has no scale that" in result.stderr.replace("\n", " ")
    assert report["conflict"].keys() >= {
        "measured_pairs",
        "reached_se",
        "effective_dimension",
        "fisher_overlap",
        "drift",
    }
    assert (list(report["cost"]), report["cost"]["rollouts"]) == (COST, 2 * 2 + 3 * 2)
    assert min(report["cost"][name] for name in ("prompt_tokens", "reply_tokens")) > 0
    after = content(tmp_path / "run")
    assert before.items() <= after.items()
    assert "sketches.safetensors" in after
    selected = json.loads(palaestra("select", tmp_path / "run", "--json").stdout)
    assert IDS[0] in {own["id"] for own in [*selected["picks"], *selected["rejected"]]}
    assert selected["cost"] == report["cost"]


def test_two_processes_measure_the_same_bytes_as_one(palaestra, tmp_path):
    words = ["measure", *FEW, "--checkpoint", taught(tmp_path / "base", IDS[:2]), *BATCHES, "--json"]
    one, two = (json.loads(palaestra(*words, "--out", tmp_path / n, "--workers", n).stdout) for n in ("1", "2"))
    assert (one["gradients"], one["conflict"]) == (two["gradients"], two["conflict"])
    assert one["gradients"][IDS[1]]["batches"] == 3
    with_cost = [content(tmp_path / n) for n in ("1", "2")]
    assert all(own.pop("cost.json") for own in with_cost)
    assert with_cost[0] == with_cost[1]
    assert two["cost"]["cpu_seconds"] > 0.5  # the children's is in it


def test_the_table_says_how_many_groups_were_alive(palaestra, base, tmp_path, monkeypatch):
    monkeypatch.setattr(OUT, "width", 140)
    shown = palaestra("measure", *FEW, "--checkpoint", base, *BATCHES, "--out", tmp_path / "run").stdout
    assert "live groups" in shown
    assert " of 3" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--checkpoint", "nowhere"], "nowhere holds no checkpoint; name a folder"),
        (["--set=gradients.k=9"], "k = 9; below 4096"),
        (["--set=gradients.batch=9"], "did you mean 'batches'"),
        (["--set=gradients.metric=adams"], "wanted one of auto, raw, adam, fisher"),
    ],
)
def test_gradients_that_cannot_be_measured_end_with_code_2_and_write_nothing(palaestra, tmp_path, words, said):
    result = palaestra("measure", *FEW, *words, "--out", tmp_path / "run")
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr.replace("\n", " ")
    assert not (tmp_path / "run").exists()


BAD_INPUT = [
    (["nowhere/at_all"], "no environment 'nowhere/at_all'"),
    ([IDS[0], "--weak", "orakel"], "did you mean 'oracle'"),
    ([IDS[0], "--strong", "guide"], "no guide in perception/count_shapes"),
    ([IDS[0], "--weak", "person"], "person cannot measure"),
    ([IDS[0], "--scale", "99"], "it has the scales 0 to"),
    ([IDS[0], "--instances", "0"], "instances = 0"),
    ([IDS[0], "--seed", "-1"], "seeds go from 0"),
    ([IDS[0], "--set", "instance=3"], "did you mean 'instances'"),
    ([IDS[0], "--weak", "openai:qwen"], "write it as openai:MODEL@URL"),
    ([IDS[0], "--labeler", "gpt"], "wanted one of events, llm, import, local, activations, self"),
    ([IDS[0], "--labeler", "llm"], "the labeler llm belong together"),
    ([IDS[0], "--labeler", "llm", "--endpoint", "http://localhost/v1"], "missing 1 required"),
    ([IDS[0], "--labeler", "events:qwen"], "the labeler events takes no model 'qwen'"),
    ([IDS[0], "--labeler", "local"], "the labeler local needs a model"),
    ([IDS[0], "--labeler", "local:nowhere.gguf"], "nowhere.gguf is no file of weights"),
    ([IDS[0], "--labeler", "activations:nowhere"], "nowhere holds no checkpoint"),
    ([IDS[0], "--labeler", "self"], "epsilon-oracle:0.15 cannot be asked in words; name a language model"),
    ([IDS[0], "--labeler", "self", "--checkpoint", "base"], "base cannot be asked in words"),
    ([IDS[0], "--labeler", "import", "--labels", "nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
    ([IDS[0], "--labels", "mine.jsonl"], "the labeler import belong together"),
]


@pytest.mark.parametrize(("words", "said"), BAD_INPUT, ids=[" ".join(words) for words, _ in BAD_INPUT])
def test_bad_input_ends_with_code_2_and_writes_nothing(palaestra, tmp_path, words, said):
    result = palaestra("measure", *words, "--out", tmp_path / "run")
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr.replace("\n", " ")
    assert not (tmp_path / "run").exists()
