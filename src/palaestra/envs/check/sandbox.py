"""Checks an environment outside the house, in a process of its own with limits.

What the limits cover: processor time, memory, file size, the number of files, and wall time; the process starts with
a bare environment in an empty folder, and its report is read as untrusted JSON. What they do not cover: it runs under
the same user, may read what that user may, and may reach the network. Look at a stranger's file before you run it.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from palaestra.core.errors import EnvironmentFailed, PalaestraError, UnknownEnvironment
from palaestra.envs.check.case import QUICK, THOROUGH, Failure
from palaestra.envs.check.suite import run

CPU_SECONDS = 300
WALL_SECONDS = 600
MEMORY = 4 << 30
FILE_SIZE = 64 << 20

_KEPT = ("PATH", "LANG", "PYTHONHASHSEED", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def check_outside(place: str, checks: Sequence[str] | None = None, thorough: bool = False) -> list[Failure]:
    """Run the suite on "package.module", "path/to/file.py" or either with ":name", in a process with limits.

    Raises:
        UnknownEnvironment: there is no such module or file.
        EnvironmentFailed: it could not be checked at all: import failed, a limit was hit, or its report makes no sense.
    """
    file, colon, name = place.partition(":")
    target = f"{Path(file).resolve()}{colon}{name}" if file.endswith(".py") else place
    command = [
        sys.executable,
        "-m",
        "palaestra.envs.check.sandbox",
        target,
        *(["--thorough"] if thorough else []),
        *(checks or ()),
    ]
    variables = {name: os.environ[name] for name in _KEPT if name in os.environ}
    variables["PYTHONPATH"] = os.pathsep.join([*filter(None, map(os.path.abspath, sys.path)), str(Path.cwd())])
    with TemporaryDirectory() as scratch:
        try:
            done = subprocess.run(
                command, env=variables | {"HOME": scratch, "TMPDIR": scratch}, cwd=scratch, capture_output=True,
                stdin=subprocess.DEVNULL, timeout=WALL_SECONDS, preexec_fn=_limit, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise EnvironmentFailed(
                f"{place}: not done after {WALL_SECONDS} s; make it faster or check fewer things"
            ) from error
    return _report(place, done.returncode, done.stdout, done.stderr)


def _limit() -> None:
    for what, most in (
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, FILE_SIZE),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))


def _report(place: str, code: int, out: bytes, err: bytes) -> list[Failure]:
    try:
        answer = json.loads(out.rpartition(b"\x1e")[2])
        if "unknown" in answer:
            raise UnknownEnvironment(str(answer["unknown"]))
        if "error" in answer:
            raise EnvironmentFailed(str(answer["error"]))
        return [Failure(*(str(part) for part in failure)) for failure in answer["failures"]]
    except (ValueError, TypeError, KeyError) as error:
        words = err.decode(errors="replace").strip().rpartition("\n")[2]
        why = f"killed by signal {-code} (a limit?)" if code < 0 else f"exit code {code}"
        raise EnvironmentFailed(f"{place}: the check ended without a report, {why}: {words:.300}") from error


def _main(target: str, words: Sequence[str]) -> None:
    """Check one environment and print the report; runs inside the limited process."""
    from palaestra.envs.registry import locate

    checks = [word for word in words if word != "--thorough"] or None
    try:
        failures = run(locate(target), checks, THOROUGH if "--thorough" in words else QUICK)
        answer: dict[str, object] = {"failures": failures}
    except UnknownEnvironment as error:
        answer = {"unknown": str(error)}
    except PalaestraError as error:
        answer = {"error": str(error)}
    print("\x1e" + json.dumps(answer), flush=True)


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2:])
