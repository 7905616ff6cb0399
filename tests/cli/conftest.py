"""The command line in this process, and as a process of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from palaestra.cli import app

Result = Any  # typer's own, which it does not publish
SRC = Path(__file__).parents[2] / "src"


@pytest.fixture(scope="session")
def palaestra() -> Callable[..., Result]:
    """Run a command line in this process: its result has `exit_code`, `stdout` and `stderr`."""
    return lambda *words, **options: CliRunner().invoke(app, [str(word) for word in words], **options)


@pytest.fixture(scope="session")
def started() -> Callable[..., "subprocess.Popen[str]"]:
    """Start a command line as a process, with further environment variables; its output goes to pipes or elsewhere."""

    def start(
        *words: object,
        variables: Mapping[str, str] | None = None,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
    ) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "palaestra.cli", *map(str, words)],
            env={**os.environ, "PYTHONPATH": str(SRC), **(variables or {})},
            stdout=stdout,
            stderr=stderr,
            text=True,
            # what starts the tests may ignore Ctrl-C (a job in the background does), and children inherit that
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    return start
