"""TensorBoard's files: what stands in them after a run that was killed and started again."""

import struct
import time

import pytest

pytest.importorskip("tensorboardX")

from palaestra.integrations.tensorboard import FOLDER, tracker


def scalars(run):
    """Return every value in every event file, as (name, step, value), read without TensorBoard."""
    from tensorboardX.proto.event_pb2 import Event

    found = []
    for path in sorted((run / FOLDER).iterdir()):
        data = path.read_bytes()
        while data:
            (length,) = struct.unpack("<Q", data[:8])
            event = Event.FromString(data[12 : 12 + length])
            found += [(value.tag, event.step, value.simple_value) for value in event.summary.value]
            data = data[16 + length :]
    return found


def test_each_step_stands_there_once_after_a_run_that_was_killed_and_started_again(tmp_path):
    killed = tracker()(tmp_path)
    for step in (1, 2, 3):
        killed.log(step, {"update/success": step / 4, "success_by_environment/a/b": 0.5})
    assert len(scalars(tmp_path)) == 6  # a step can be seen before anything is closed
    again = tracker()(tmp_path)
    for step in (1, 2):
        again.log(step, {"update/success": step / 4})
    again.close()
    assert scalars(tmp_path) == [("update/success", 1, 0.25), ("update/success", 2, 0.5)]
    killed.close()


def test_an_open_tensorboard_forgets_what_a_killed_run_had_written(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    killed = tracker()(tmp_path)
    for step in (1, 2, 3):
        killed.log(step, {"update/success": 0.25})
    reader = EventAccumulator(str(tmp_path / FOLDER)).Reload()
    assert [event.step for event in reader.Scalars("update/success")] == [1, 2, 3]
    time.sleep(1.1)  # a file is named after the second of its making, and read after the one before
    again = tracker()(tmp_path)
    again.log(1, {"update/success": 0.75})
    again.close()
    reader.Reload()
    assert [(event.step, event.value) for event in reader.Scalars("update/success")] == [(1, 0.75)]
    killed.close()
