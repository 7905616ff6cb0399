"""Checks an environment outside the house, in a process of its own with limits.

What the limits cover: processor time, memory, file size, number of files, and wall time; the process starts with a
bare environment in an empty folder, what it started ends with it, and its report is read as untrusted JSON. What they
do not cover: it runs under the same user, may read what that user may, may start processes and reach the network, and
may forge its own report: a verdict binds honest authors only. Look at a stranger's file before you run it.
"""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from palaestra.core.errors import EnvironmentFailed, PalaestraError, UnknownEnvironment
from palaestra.envs.check.case import QUICK, THOROUGH, Failure
from palaestra.envs.check.suite import run

CPU_SECONDS = 300
WALL_SECONDS = 600
MEMORY = 4 << 30
FILE_SIZE = 64 << 20

MARK = b"\x1e"  # opens the report among whatever else was printed

_KEPT = ("PATH", "LANG", "PYTHONHASHSEED", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def check_outside(
    place: str, checks: Sequence[str] | None = None, thorough: bool = False, env_id: str = ""
) -> list[Failure]:
    """Run the suite on "package.module", "path/to/file.py" or either with ":name", in a process with limits.

    Args:
        env_id: what it must call itself; anything when empty.

    Raises:
        UnknownEnvironment: there is no such module or file.
        EnvironmentFailed: it could not be checked at all: import failed, a limit was hit, or its report makes no sense.
    """
    file, colon, name = place.partition(":")
    target = f"{Path(file).resolve()}{colon}{name}" if file.endswith(".py") else place
    words = [*(["--thorough"] if thorough else []), *(checks or ())]
    limits = f"{CPU_SECONDS} {MEMORY} {FILE_SIZE}"
    command = [sys.executable, "-m", "palaestra.envs.check.sandbox", limits, target, env_id, *words]
    variables = {name: os.environ[name] for name in _KEPT if name in os.environ}
    variables["PYTHONPATH"] = os.pathsep.join([*filter(None, map(os.path.abspath, sys.path)), str(Path.cwd())])
    with TemporaryDirectory() as scratch, TemporaryFile() as out, TemporaryFile() as err:
        variables |= {"HOME": scratch, "TMPDIR": scratch}
        # files, not pipes: they have a size limit, and nobody waits for a grandchild that keeps a pipe open
        child = subprocess.Popen(
            command,
            env=variables,
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            child.wait(WALL_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise EnvironmentFailed(
                f"{place}: not done after {WALL_SECONDS} s; make it faster or check fewer things"
            ) from error
        finally:
            with suppress(ProcessLookupError):  # what it may have started goes with it
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        return _report(place, child.returncode, _end(out), _end(err))


def _end(file: IO[bytes]) -> bytes:
    """Return the last megabyte of a file."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - (1 << 20)))
    return file.read()


def _limit(cpu_seconds: int, memory: int, file_size: int) -> None:
    with suppress(AttributeError, OSError):  # where there is Linux, the process ends with the one that waits for it
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    for what, most in (
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))


def _report(place: str, code: int, out: bytes, err: bytes) -> list[Failure]:
    try:
        answer, _ = json.JSONDecoder().raw_decode(out.rpartition(MARK)[2].decode())
        if "unknown" in answer:
            raise UnknownEnvironment(_clean(answer["unknown"]))
        if "error" in answer:
            raise EnvironmentFailed(_clean(answer["error"]))
        return [Failure(*map(_clean, failure)) for failure in answer["failures"]]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        words = _clean(err.decode(errors="replace").strip().rpartition("\n")[2])
        why = f"killed by signal {-code} (a limit?)" if code < 0 else f"exit code {code}"
        raise EnvironmentFailed(f"{place}: the check ended without a report, {why}: {words:.300}") from error


def _clean(text: object) -> str:
    """Return a text that is safe in a terminal: a stranger's file may send control characters."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in str(text))


def _main(limits: str, target: str, env_id: str, words: Sequence[str]) -> None:
    """Check one environment and print the report; runs inside the process that it limits."""
    from palaestra.envs.registry import locate

    _limit(*map(int, limits.split()))
    checks = [word for word in words if word != "--thorough"] or None
    try:
        env = locate(target)
        failures = run(env, checks, THOROUGH if "--thorough" in words else QUICK)
        if env_id and env.spec.id != env_id:
            failures.insert(0, Failure(env_id, "spec", f"it calls itself {env.spec.id!r}; write id={env_id!r}"))
        answer: dict[str, object] = {"failures": failures}
    except UnknownEnvironment as error:
        answer = {"unknown": str(error)}
    except PalaestraError as error:
        answer = {"error": str(error)}
    print(MARK.decode() + json.dumps(answer), flush=True)


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
