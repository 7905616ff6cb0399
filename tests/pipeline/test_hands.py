"""Jobs in this process and in others: the same results, and nobody is left at work."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from palaestra.core.errors import ConfigError, RunFolderError
from palaestra.pipeline.hands import done

PARENT = """
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import sleep
from palaestra.pipeline.hands import hand
if __name__ == "__main__":
    with ProcessPoolExecutor(1, get_context("spawn"), hand) as hands:
        hands.submit(abs, 0).result()
        busy = hands.submit(sleep, 600)
        print("busy", flush=True)
        busy.result()
"""


def writes(folder, name, told):
    for at in range(3):
        told(at + 1, 3)
    (folder / name).write_text(name)


def sleeps(folder, told):
    (folder / "asleep").write_text(str(os.getpid()))
    time.sleep(600)


def fails(folder, told):
    while not (folder / "asleep").exists():
        time.sleep(0.05)
    raise RunFolderError("the disk is full")


def dies(told):
    os.kill(os.getpid(), signal.SIGKILL)


class Heard(list):
    """What was told."""

    def __call__(self, name):
        return lambda done, total: self.append((name, done, total))


@pytest.mark.parametrize("workers", [1, 2])
def test_all_jobs_are_done_and_told_of(tmp_path, workers):
    heard, names = Heard(), ["a", "b", "c"]
    done({name: partial(writes, tmp_path, name) for name in names}, heard, workers)
    assert [(tmp_path / name).read_text() for name in names] == names
    told = {
        1: [(name, at, 3) for name in names for at in (1, 2, 3)],
        2: [("3 runs, 2 at a time", at, 3) for at in (1, 2, 3)],
    }
    assert heard == told[workers]


def test_what_a_job_raises_ends_all_of_them_and_nobody_is_left(tmp_path):
    with pytest.raises(RunFolderError, match="the disk is full"):
        done({"a": partial(sleeps, tmp_path), "b": partial(fails, tmp_path)}, Heard(), 2)
    left, until = int((tmp_path / "asleep").read_text()), time.monotonic() + 30
    while (
        Path(f"/proc/{left}").exists()
        and "Z" not in Path(f"/proc/{left}/stat").read_text().rpartition(")")[2].split()[0]
    ):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_process_that_is_killed_is_told_in_a_sentence():
    with pytest.raises(ConfigError, match=r"one of 2 processes was killed, .* try fewer"):
        done({"a": dies, "b": dies}, Heard(), 2)


def test_hands_end_with_the_parent_that_was_killed_though_they_are_at_work(tmp_path):
    (tmp_path / "parent.py").write_text(PARENT)
    with subprocess.Popen([sys.executable, tmp_path / "parent.py"], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"busy\n"
        parent.kill()
        assert parent.communicate(timeout=60) == (b"", None)  # the pipe ends with the last process that holds it
