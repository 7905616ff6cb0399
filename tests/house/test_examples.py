"""Every example runs, is short, and shows what it says it shows."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs_and_has_fewer_than_a_hundred_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) < 100
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_the_example_environment_passes_every_check_from_outside_the_house() -> None:
    command = [sys.executable, "-m", "palaestra.cli", "check", str(EXAMPLES[1]), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert json.loads(done.stdout) == {"environments": 1, "passed": 1, "failed": [], "warnings": []}, done.stderr
    assert done.returncode == 0
