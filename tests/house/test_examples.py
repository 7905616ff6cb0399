"""Every example runs, is short, and shows what it says it shows."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@cache
def run(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=180, check=False)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs_and_has_fewer_than_a_hundred_lines(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) < 100
    for package in {*re.findall(r"^(?:from|import) (\w+)", text, flags=re.MULTILINE)} - sys.stdlib_module_names:
        pytest.importorskip(package)  # those of extras
    assert run(path).returncode == 0, run(path).stderr


def test_engineers_are_asked_from_files_alone() -> None:
    (path,) = (path for path in EXAMPLES if path.stem.endswith("from_files"))
    assert not re.search(r"^(?:from|import) palaestra", path.read_text("utf-8"), flags=re.MULTILINE)
    sizes = [int(size) for size in re.findall(r"size (\d+)", run(path).stdout)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


def test_the_example_environment_passes_every_check_from_outside_the_house() -> None:
    command = [sys.executable, "-m", "palaestra.cli", "check", str(EXAMPLES[1]), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert json.loads(done.stdout) == {"environments": 1, "passed": 1, "failed": [], "warnings": []}, done.stderr
    assert done.returncode == 0
