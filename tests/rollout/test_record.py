"""Recording: resumes after kills to the same bytes, mends what is broken, and says what is wrong with a folder."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from counting import Costly, pool, ticket, tickets, world

from palaestra.core import runfolder
from palaestra.core.errors import ConfigError, ExtraMissing, PolicyFailed, RunFolderError, UnknownEnvironment
from palaestra.core.policy import Insider, Policy
from palaestra.core.runfolder import RunFolder
from palaestra.core.trajectory import Stop
from palaestra.rollout.play import play
from palaestra.rollout.policies import Guide, Oracle, Random
from palaestra.rollout.record import Summary, record
from palaestra.rollout.store import read, shard_path

COMMAND = """
import sys
from pathlib import Path
from counting import pool, tickets
from palaestra.core.runfolder import RunFolder
from palaestra.rollout.policies import Random
from palaestra.rollout.record import record
record(RunFolder.open(Path(sys.argv[1]), "x = 1"), tickets(60), pool(), Random(), pixels=96, shard_size=3, replay=True)
"""


def start(folder: Path) -> "subprocess.Popen[bytes]":
    paths = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[2] / "src")])
    return subprocess.Popen([sys.executable, "-c", COMMAND, str(folder)], env={**os.environ, "PYTHONPATH": paths})


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def run(path: Path, n: int = 8, policy: Policy | Insider | None = None, **keywords: object) -> Summary:
    """Record n tickets in shards of three."""
    options = {"pixels": 16, "shard_size": 3, **keywords}
    return record(RunFolder.open(path, "x = 1"), tickets(n), pool(), policy or Random(), **options)  # type: ignore[arg-type]


def test_what_is_recorded_is_what_is_played(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    summary = run(tmp_path / "run", progress=lambda done, total: told.append((done, total)))
    groups = play(tickets(8), pool(), Random(), pixels=16)
    members = [member for group in groups for member in group.trajectories]
    assert list(read(tmp_path / "run")) == groups
    assert (summary.episodes, summary.successes) == (len(members), sum(member.success for member in members))
    assert summary.mean_return == pytest.approx(np.mean([member.ret for member in members]))
    assert summary.stops == {stop: n for stop in Stop if (n := sum(member.stop is stop for member in members))}
    assert [done for done, _ in told][-1:] == [total for _, total in told][:1] == [len(members)]
    assert len(told) == 3


def test_errors_are_counted_and_their_episodes_are_not_judged(tmp_path: Path) -> None:
    folder = RunFolder.open(tmp_path, "")
    summary = record(folder, [ticket(0, "broken"), ticket(1)], pool(world(), world("broken", "reset")), Oracle())
    assert summary.errors == {"ValueError: the reset of toy/broken is broken": 3}
    assert (summary.episodes, summary.judged, summary.mean_return) == (6, 3, 1.0)
    assert Summary().mean_return is None


def test_a_second_call_plays_nothing_and_changes_nothing(tmp_path: Path) -> None:
    first = run(tmp_path / "run")
    before = content(tmp_path / "run")
    assert run(tmp_path / "run", policy=lambda conversations, seeds: []) == first  # type: ignore[arg-type]
    assert content(tmp_path / "run") == before


def test_a_run_killed_at_random_moments_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    assert start(tmp_path / "whole").wait(timeout=60) == 0
    rng, killed = np.random.default_rng(0), 0
    shards = tmp_path / "torn" / "trajectories"
    for wanted in (1, 5, 9, 13, 17):
        process = start(tmp_path / "torn")
        while process.poll() is None and len(list(shards.glob("*.parquet"))) < wanted:
            time.sleep(0.002)
        time.sleep(rng.random() * 0.03)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    assert killed >= 2, "the run was too quick to be killed"
    assert start(tmp_path / "torn").wait(timeout=60) == 0
    assert content(tmp_path / "torn") == content(tmp_path / "whole")


def test_a_kill_between_a_shard_and_its_event_is_made_good(tmp_path: Path) -> None:
    run(tmp_path / "run", policy=Costly(), replay=True)
    whole, log = content(tmp_path / "run"), tmp_path / "run" / "events.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:2]) + b'{"event": "sh')
    shard_path(tmp_path / "run", 2).with_suffix(".replies.jsonl").write_text("left behind")
    run(tmp_path / "run", policy=Costly(patience=0), replay=True)
    assert content(tmp_path / "run") == whole


def test_a_truncated_shard_is_named_set_aside_and_played_again_and_the_others_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first, whole = run(folder), content(folder)
    broken, others = shard_path(folder, 1), [shard_path(folder, 0), shard_path(folder, 2)]
    times = [path.stat().st_mtime_ns for path in others]
    for suffix in (".broken", ".broken1"):
        torn = broken.read_bytes()[:-9]
        broken.write_bytes(torn)
        aside = broken.with_name(broken.name + suffix)
        again = run(folder)
        assert (again, again.mended) == (first, (aside,))
        whole |= {str(aside.relative_to(folder)): torn}
        assert content(folder) == whole
    assert times == [path.stat().st_mtime_ns for path in others]


def test_a_costly_policy_is_asked_once_however_often_it_is_interrupted(tmp_path: Path) -> None:
    whole = Costly()
    run(tmp_path / "whole", policy=whole)
    asked = 0
    for patience in (9, 1, 30, 10**9):
        costly = Costly(patience=patience)
        try:
            run(tmp_path / "torn", policy=costly, replay=True)
        except KeyboardInterrupt:
            assert patience < 10**9
        asked += costly.asked
    assert asked == whole.asked
    assert content(tmp_path / "torn") == content(tmp_path / "whole")


def test_an_insider_is_never_journalled(tmp_path: Path) -> None:
    assert run(tmp_path / "run", policy=Oracle(), replay=True).successes


def test_the_users_mistakes_are_raised_before_anything_is_written(tmp_path: Path) -> None:
    folder = RunFolder.open(tmp_path, "")
    before = content(tmp_path)
    with pytest.raises(UnknownEnvironment):
        record(folder, [ticket(0), ticket(1, "nowhere")], pool(), Random(), shard_size=1)
    with pytest.raises(PolicyFailed):
        record(folder, [ticket(0, "dice"), ticket(1)], pool(), Guide(), shard_size=1)
    with pytest.raises(ConfigError, match="one ticket at least"):
        record(folder, [ticket(0)], pool(), Random(), shard_size=0)
    assert content(tmp_path) == before


def test_without_pyarrow_nothing_is_played_and_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    costly = Costly()
    with pytest.raises(ExtraMissing, match=r"pip install 'palaestra\[run\]'"):
        run(tmp_path / "run", policy=costly)
    assert costly.asked == 0


def test_a_folder_of_other_tickets_is_refused(tmp_path: Path) -> None:
    run(tmp_path / "run")
    with pytest.raises(RunFolderError, match="holds other tickets"):
        run(tmp_path / "run", shard_size=2)


def test_a_folder_that_cannot_be_written_is_refused_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match="choose a folder that can be written"):
        record(RunFolder(tmp_path / "file" / "run"), tickets(2), pool(), Random(), pixels=0)


@pytest.mark.parametrize("writes", [1, 2, 3, 4])
def test_a_full_disk_says_so_and_finished_shards_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    run(tmp_path / "whole")
    RunFolder.open(tmp_path / "run", "x = 1")
    sync, left = os.fsync, [writes]

    def full(handle: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(runfolder.os, "fsync", full)
        with pytest.raises(RunFolderError, match="free some space and start the same command again"):
            run(tmp_path / "run")
    assert len(list((tmp_path / "run").rglob("*.parquet"))) == (writes + 1) // 2
    run(tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "whole")
