"""Run folders survive a kill, a full disk and the wrong folder."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from palaestra.core.errors import RunFolderError
from palaestra.core.runfolder import RunFolder, write_atomic

CONFIG = "episodes = 3\nseed = 0\n"


def test_a_folder_continues_its_configuration_and_refuses_another(tmp_path: Path) -> None:
    RunFolder.open(tmp_path / "run", CONFIG)
    RunFolder.open(tmp_path / "run", CONFIG)
    with pytest.raises(RunFolderError, match=r"another configuration \(here 'seed = 1' differs\)"):
        RunFolder.open(tmp_path / "run", "episodes = 3\nseed = 1\n")


def test_stages_share_a_folder_and_each_has_its_own_configuration(tmp_path: Path) -> None:
    RunFolder.open(tmp_path / "run", CONFIG)
    for _ in range(2):
        RunFolder.open(tmp_path / "run", "updates = 9\n", "train.toml")
    with pytest.raises(RunFolderError, match=r"another configuration \(here 'updates = 8' differs\)"):
        RunFolder.open(tmp_path / "run", "updates = 8\n", "train.toml")
    RunFolder.open(tmp_path / "run", CONFIG)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "profiles.json").write_text("{}")  # made elsewhere: still a run
    RunFolder.open(tmp_path / "own", "updates = 9\n", "train.toml")


def test_a_log_goes_back_to_some_of_its_events(tmp_path: Path) -> None:
    folder = RunFolder.open(tmp_path, CONFIG)
    for number in range(3):
        folder.log("update", updates=number, share=0.1)
    before = (tmp_path / "events.jsonl").read_bytes()
    folder.rewind(folder.events()[:2])
    assert [event["updates"] for event in folder.events()] == [0, 1]
    folder.log("update", updates=2, share=0.1)
    assert (tmp_path / "events.jsonl").read_bytes() == before


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    (tmp_path / ".download.1.part").write_text("half of it")
    with pytest.raises(RunFolderError, match=r"but no config\.toml, so it is not a run"):
        RunFolder.open(tmp_path, CONFIG)
    assert {path.name for path in tmp_path.iterdir()} == {"thesis.tex", ".download.1.part"}


def test_a_path_that_cannot_be_a_folder_is_refused_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match="choose a folder that can be written"):
        RunFolder.open(tmp_path / "file" / "run", CONFIG)


def test_a_full_disk_leaves_the_old_file_and_no_scrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "profiles.json"
    write_atomic(target, b"old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunFolderError, match="free some space and start the same command again"):
        write_atomic(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_scraps_and_a_half_written_event_of_a_killed_run_are_cleared(tmp_path: Path) -> None:
    folder = RunFolder.open(tmp_path, CONFIG)
    folder.log("shard", index=0)
    folder.log("shard", index=1)
    log = tmp_path / "events.jsonl"
    log.write_bytes(log.read_bytes()[:-5])
    (tmp_path / ".selection.json.77.part").write_text("{")
    again = RunFolder.open(tmp_path, CONFIG)
    assert [event["index"] for event in again.events()] == [0]
    assert not list(tmp_path.glob(".*.part"))
    again.log("shard", index=1)
    assert [event["index"] for event in again.events()] == [0, 1]


def test_json_is_the_same_bytes_for_the_same_value_and_never_holds_a_nan(tmp_path: Path) -> None:
    folder = RunFolder.open(tmp_path, CONFIG)
    folder.write_json("a.json", {"b": 1, "a": [0.1]})
    folder.write_json("b.json", {"a": [0.1], "b": 1})
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    with pytest.raises(ValueError, match="not JSON compliant"):
        folder.write_json("c.json", float("nan"))


def test_a_folder_that_another_process_works_in_is_refused(tmp_path: Path) -> None:
    RunFolder.open(tmp_path, CONFIG)
    code = (
        "import sys; from pathlib import Path; from palaestra.core.runfolder import RunFolder;"
        "RunFolder.open(Path(sys.argv[1]), sys.argv[2])"
    )
    command = [sys.executable, "-c", code, str(tmp_path), CONFIG]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "is in use by another process" in done.stderr


def test_a_damaged_log_is_named_with_a_remedy(tmp_path: Path) -> None:
    folder = RunFolder.open(tmp_path, CONFIG)
    (tmp_path / "events.jsonl").write_bytes(b"\x00garbage\n")
    with pytest.raises(RunFolderError, match="move it away, and the same command writes it anew"):
        folder.events()
