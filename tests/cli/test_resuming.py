"""Runs that are killed, stopped or damaged: the same command goes on, to the same bytes."""

import json
import shutil
import signal
import time

import pytest

PLAY = ["play", "grid/frozen_lake", "memory/pair_recall", "--episodes", 200, "--pixels", 96, "--json", "--out"]


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def numbers(report):
    return {name: value for name, value in json.loads(report).items() if name not in ("seconds", "out")}


@pytest.fixture(scope="module")
def whole(palaestra, tmp_path_factory):
    """A run that nothing happened to: its folder, and what it printed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    return folder, palaestra(*PLAY, folder).stdout


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)])
def test_a_run_stopped_half_way_goes_on_to_the_same_bytes_and_numbers(started, palaestra, whole, tmp_path, sent, code):
    run = started(*PLAY, tmp_path / "run")
    while run.poll() is None and not (tmp_path / "run" / "trajectories" / "shard-00000.parquet").exists():
        time.sleep(0.005)
    run.send_signal(sent)
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out) == (code, "")
    assert "Traceback" not in err
    if sent is signal.SIGINT:
        assert err == "stopped; the same command goes on\n"
    assert len(content(tmp_path / "run")) < len(content(whole[0]))
    again = palaestra(*PLAY, tmp_path / "run")
    assert content(tmp_path / "run") == content(whole[0])
    assert numbers(again.stdout) == numbers(whole[1])


def test_a_truncated_shard_is_named_and_played_again_and_nothing_else_is_lost(palaestra, whole, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(whole[0], folder)
    shard = folder / "trajectories" / "shard-00001.parquet"
    torn = shard.read_bytes()[:-100]
    shard.write_bytes(torn)
    others = {path: path.stat().st_mtime_ns for path in folder.rglob("*.parquet") if path != shard}
    result = palaestra(*PLAY, folder)
    aside = shard.with_name("shard-00001.parquet.broken")
    assert f"a damaged shard was set aside as {aside}" in result.stderr
    assert aside.read_bytes() == torn
    assert {path: path.stat().st_mtime_ns for path in others} == others
    aside.unlink()
    assert content(folder) == content(whole[0])
    assert numbers(result.stdout) == numbers(whole[1])


def test_another_configuration_is_refused_and_changes_nothing(palaestra, whole):
    before = content(whole[0])
    result = palaestra(*PLAY, whole[0], "--seed", 1)
    assert result.exit_code == 2
    assert "'seed = 1' differs" in result.stderr
    assert content(whole[0]) == before
