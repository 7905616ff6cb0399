"""`palaestra pretrain` and `palaestra train`: what they print, what they refuse, and what a kill leaves."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]
TINY, SRC = ROOT / "configs" / "tiny.toml", ROOT / "src"
EVALUATE = ["evaluate", "--per-scale", 2, "--set", 'environments=["grid/frozen_lake"]']


def content(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


@pytest.fixture(scope="module")
def base(palaestra, tmp_path_factory):
    """A folder that holds the base, and what making it printed."""
    folder = tmp_path_factory.mktemp("base") / "run"
    return folder, json.loads(palaestra("pretrain", TINY, "--out", folder, "--json").stdout)


@pytest.fixture(scope="module")
def whole(palaestra, base, tmp_path_factory):
    """A run that nothing happened to, judged at its end: its folder, and what training printed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    shutil.copytree(base[0], folder)
    report = json.loads(palaestra("train", TINY, "--out", folder, "--json").stdout)
    assert palaestra(*EVALUATE, folder).exit_code == 0
    return folder, report


@pytest.mark.parametrize("when", ["events.jsonl", "checkpoints/000002/state.safetensors"])
def test_a_run_killed_half_way_goes_on_to_the_same_bytes(started, palaestra, base, whole, tmp_path, when):
    folder = tmp_path / "run"
    shutil.copytree(base[0], folder)
    run = started("train", TINY, "--out", folder, "--json")
    while run.poll() is None and not (folder / when).exists():
        time.sleep(0.001)
    run.kill()
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out, err) == (-signal.SIGKILL, "", "")
    assert content(folder) != content(whole[0])
    again = json.loads(palaestra("train", TINY, "--out", folder, "--json").stdout)
    assert palaestra(*EVALUATE, folder).exit_code == 0
    assert content(folder) == content(whole[0])
    unequal = ("out", "checkpoint", "made", "seconds")
    assert [again[key] for key in again if key not in unequal] == [
        value for key, value in whole[1].items() if key not in unequal
    ]


def test_ctrl_c_ends_with_code_130_and_says_what_goes_on(palaestra, base, tmp_path, monkeypatch):
    def stop(descriptor):
        raise KeyboardInterrupt

    shutil.copytree(base[0], tmp_path / "run")
    monkeypatch.setattr(os, "fsync", stop)
    result = palaestra("train", TINY, "--out", tmp_path / "run")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "stopped; the same command goes on\n")


def test_json_holds_the_promised_keys(base, whole):
    folder, report = whole
    assert list(report) == [
        "out", "environments", "curriculum", "updates", "rollouts", "recent_success", "checkpoint", "digest", "made",
        "seconds",
    ]  # fmt: skip
    assert (report["updates"], report["rollouts"], report["made"]) == (8, 144, 8)
    assert Path(report["checkpoint"]) == folder / "checkpoints" / "000008"
    folder, report = base
    assert list(report) == ["out", "environments", "checkpoint", "digest", "made", "seconds"]
    assert Path(report["checkpoint"]) == folder / "checkpoints" / "base"


def test_what_is_finished_says_so_and_changes_nothing(palaestra, whole):
    before = content(whole[0])
    result = palaestra("train", TINY, "--out", whole[0])
    assert "all 8 updates were made before; nothing was left to do" in result.stderr
    assert "8 updates, 144 rollouts on 2 environments by guarded hdc" in result.stdout
    result = palaestra("pretrain", TINY, "--out", whole[0])
    assert "base is there; nothing was left to do" in result.stderr
    assert content(whole[0]) == before


def test_the_run_folder_is_named_after_the_configuration_and_set_wins_over_the_file(
    palaestra, base, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(base[0], tmp_path / "runs" / "tiny")
    words = ["--seed", 7, "--set", "budget.updates=1", "--set", "tickets=1", "--set", "curriculum.name=uniform"]
    result = palaestra("train", TINY, *words, "--set", "curriculum.rule={}", "--json")
    assert json.loads(result.stdout)["out"] == "runs/tiny"
    effective = (tmp_path / "runs" / "tiny" / "train.toml").read_text()
    assert all(line in effective for line in ("seed = 7\n", "updates = 1\n", 'name = "uniform"\n', 'harness = "H4"\n'))


@pytest.mark.parametrize("seen", [True, False])
def test_a_terminal_sees_success_by_environment_and_stdout_stays_data(started, base, tmp_path, seen):
    shutil.copytree(base[0], tmp_path / "run")
    ours, theirs = pty.openpty()
    screen = {"COLUMNS": "100", "LINES": "30", "TERM": "xterm"}
    run = started(
        "train", TINY, "--out", tmp_path / "run", "--json", variables=screen, stderr=theirs if seen else subprocess.PIPE
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # a terminal that nobody writes to any more
        while seen and (part := os.read(ours, 65536)):
            shown += part
    os.close(ours)
    out, err = run.communicate(timeout=60)
    assert json.loads(out)["updates"] == 8
    assert not err
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert bool(re.search(r"environment +H0.* success +scales", text)) == seen
    assert bool(re.search(r"all 2 ", text)) == seen


def test_a_tracker_may_be_added_to_a_run_and_one_that_fails_is_told_of_once(palaestra, whole, tmp_path, monkeypatch):
    pytest.importorskip("tensorboardX")
    folder = tmp_path / "run"
    shutil.copytree(whole[0], folder)
    result = palaestra("train", TINY, "--out", folder, "--track", "tensorboard", "--json")
    assert json.loads(result.stdout)["made"] == 0
    (file,) = (folder / "tensorboard").iterdir()
    assert b"success_by_rung/H0" in file.read_bytes()
    shutil.rmtree(folder / "tensorboard")
    (folder / "tensorboard").write_text("in the way")
    result = palaestra("train", TINY, "--out", folder, "--track", "tensorboard", "--json")
    assert result.exit_code == 0
    assert result.stderr.count("the tracker tensorboard failed and is told nothing more: FileExistsError") == 1


def test_a_missing_extra_is_named():
    code = "import sys; sys.modules['torch'] = None; from palaestra.cli import app; app(sys.argv[1:])"
    command = [sys.executable, "-c", code, "train", str(TINY)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(SRC)}, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the embedded engine needs torch: pip install 'palaestra[cpu]'" in done.stderr


BAD_INPUT = [
    (["--set", "tickets=0"], "tickets = 0"),
    (["--set", "budget.updates=0"], "pays for nothing"),
    (["--set", "curriculum.name=hcd"], "did you mean 'hdc'"),
    (["--set", "curriculum.rule.tau=1"], "unknown key 'tau'"),
    (["--set", "grpo.rat=1"], "did you mean 'rate'"),
    (["--set", 'environments=["nowhere/at_all"]'], "no environment 'nowhere/at_all'"),
    (["--set", 'environments=["grid/key_door"]'], "held out"),
    (["--set", "base.width=33"], "widths are multiples of 32"),
    (["--seed", "-1"], "seeds start at 0"),
    (["--track", "tensorbord"], "no tracker is called 'tensorbord'; did you mean 'tensorboard'"),
]


@pytest.mark.parametrize(("words", "said"), BAD_INPUT, ids=[" ".join(words) for words, _ in BAD_INPUT])
def test_bad_input_ends_with_code_2_and_writes_nothing(palaestra, tmp_path, words, said):
    result = palaestra("train", TINY, *words, "--out", tmp_path / "run")
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr.replace("\n", " ")
    assert not (tmp_path / "run").exists()


def test_a_dry_run_tells_the_plan_of_either_engine_and_writes_nothing(palaestra, tmp_path):
    out = tmp_path / "run"
    told = json.loads(palaestra("train", TINY, "--out", out, "--dry", "--json").stdout)
    assert (told["engine"], told["updates"], told["rollouts"]) == ("embedded", 8, 144)
    assert list(told["environments"]) == ["grid/frozen_lake", "perception/count_shapes"]
    large = palaestra("train", ROOT / "configs" / "qwen3_4b.toml", "--out", out, "--dry")
    assert {"hugging_face", "Qwen/Qwen3-4B", "32000"} <= set(large.stdout.split())
    assert palaestra("train", TINY, "--out", out, "--dry", "--set", "environments=['grid/lake']").exit_code == 2
    assert not out.exists()
