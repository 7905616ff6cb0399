"""Weights & Biases: what an offline run holds after a run that was killed and started again."""

import json
import struct
import time

import pytest

pytest.importorskip("wandb")

from palaestra.integrations.wandb import tracker


def records(path):
    """Yield the records of a file in LevelDB's log format: blocks of 32 KiB, in which a record may be split."""
    data, at, whole = path.read_bytes(), 7, b""
    while at + 7 <= len(data):
        room = 32768 - at % 32768
        if room < 7:
            at += room
            continue
        length, kind = struct.unpack("<HB", data[at + 4 : at + 7])
        whole += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # a whole record, or the last part of one
            yield whole
            whole = b""


def history(run):
    """Return the rows of the one offline run in a folder, and its id, once all of it is on disk."""
    from wandb.proto.wandb_internal_pb2 import Record

    (path,) = run.glob("wandb/offline-run-*/*.wandb")
    found = []
    for _ in range(200):
        found = [Record.FromString(record) for record in records(path)]
        if any(record.HasField("exit") for record in found):
            break
        time.sleep(0.05)  # another process writes it
    rows = [
        {"/".join(item.nested_key) or item.key: json.loads(item.value_json) for item in record.history.item}
        for record in found
        if record.HasField("history")
    ]
    (own,) = {record.run.run_id for record in found if record.HasField("run")}
    return rows, own


def test_an_offline_run_is_written_anew_under_the_same_id_and_says_nothing(tmp_path, monkeypatch, capfd):
    for name in ("WANDB_MODE", "WANDB_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    killed = tracker()(tmp_path)
    for step in (1, 2, 3):
        killed.log(step, {"update/success": step / 4})
    killed.close()
    before, first = history(tmp_path)
    assert [(row["_step"], row["update/success"]) for row in before] == [(1, 0.25), (2, 0.5), (3, 0.75)]
    again = tracker()(tmp_path)
    again.log(1, {"update/success": 1.0})
    again.close()
    after, second = history(tmp_path)
    assert [(row["_step"], row["update/success"]) for row in after] == [(1, 1.0)]
    assert first == second
    assert capfd.readouterr() == ("", "")
