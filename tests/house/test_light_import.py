"""Importing the house is cheap: heavy packages wait until the one file that needs them is used."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
HEAVY = {
    "torch", "transformers", "tokenizers", "trl", "verl", "ray", "openai", "pyarrow", "matplotlib", "scipy",
    "safetensors", "jsonschema", "tensorboardX", "wandb",
}  # fmt: skip
TERMINAL = {"rich", "typer"}
# Whole files, or folders, that exist for one heavy package and are themselves imported late.
MAY_LOAD_HEAVY = ("palaestra/training/embedded/", "palaestra/training/hugging_face/", "palaestra/integrations/")


def loaded_by(statement: str) -> set[str]:
    """The top-level packages in a fresh interpreter after `statement`."""
    code = f"import json, sys; {statement}; print(json.dumps([*sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


def heavy_on_load(text: str) -> set[str]:
    """The heavy packages that a module with this text imports while it is itself imported."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").partition(".")[0])
        elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            waiting += node.orelse
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return found & HEAVY


@pytest.mark.parametrize("module", ["palaestra", "palaestra.core", "palaestra.envs.registry"])
def test_importing_the_ground_loads_neither_heavy_nor_terminal_packages(module: str) -> None:
    loaded = loaded_by(f"import {module}")
    assert "palaestra" in loaded
    assert loaded & (HEAVY | TERMINAL) == set()


def test_the_command_line_loads_nothing_heavy() -> None:
    assert loaded_by("import palaestra.cli") & HEAVY == set()


def test_heavy_packages_are_imported_inside_functions_only() -> None:
    wrong = {
        name: heavy
        for path in SRC.rglob("*.py")
        if not (name := path.relative_to(SRC).as_posix()).startswith(MAY_LOAD_HEAVY)
        and (heavy := heavy_on_load(path.read_text("utf-8")))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch.nn as nn", {"torch"}),
        ("try:\n    from pyarrow import parquet\nexcept ImportError:\n    parquet = None", {"pyarrow"}),
        ("class A:\n    import scipy", {"scipy"}),
        ("def f():\n    import torch", set()),
        ("if TYPE_CHECKING:\n    import torch", set()),
        ("from .ray import cast", set()),
    ],
)
def test_an_import_on_load_is_told_from_a_late_one(text: str, expected: set[str]) -> None:
    assert heavy_on_load(text) == expected


def test_a_heavy_package_is_noticed_when_it_is_loaded() -> None:
    assert "rich" in loaded_by("import rich")
