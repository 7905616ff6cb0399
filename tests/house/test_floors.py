"""The floors of the house, read from the imports with `ast`, and a proof that the reading can fail."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

SRC = Path(__file__).parents[2] / "src"
FLOORS = {
    "core": 1,
    **dict.fromkeys(("envs", "rollout", "measure", "selection", "curriculum", "engineer"), 2),
    **dict.fromkeys(("training", "evaluation", "integrations", "serve"), 3),
    "pipeline": 4,
    "cli": 5,
}
TYPES_ONLY = ("TYPE_CHECKING", "typing.TYPE_CHECKING")


class Import(NamedTuple):
    target: str  # dotted name: a module, or a module and a name in it
    on_load: bool  # False inside a function
    names: frozenset[str]  # the names taken by `from target import ...`


def read(root: Path) -> dict[str, list[Import]]:
    """Every module below `root`, by its dotted name, with what it imports."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        package = name if is_package else name.rpartition(".")[0]
        found[name] = list(_imports(ast.parse(path.read_text("utf-8")), package, on_load=True))
    return found


def _imports(node: ast.AST, package: str, on_load: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, on_load, frozenset()) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            base = ".".join(package.split(".")[: 1 - child.level or None]) if child.level else ""
            names = frozenset(alias.name for alias in child.names)
            yield Import(".".join(filter(None, (base, child.module))), on_load, names)
        elif isinstance(child, ast.If) and ast.unparse(child.test) in TYPES_ONLY:
            for other in child.orelse:
                yield from _imports(ast.Module([other], []), package, on_load)
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(child, package, on_load and not inside)


def resolved(found: Mapping[str, list[Import]], module: str) -> Iterator[tuple[str, bool]]:
    """The modules of ours that `module` imports, each with whether that happens on load."""
    for item in found[module]:
        submodules = {f"{item.target}.{name}" for name in item.names} & found.keys()
        yield from ((name, item.on_load) for name in sorted(submodules))
        whole = not item.names or len(submodules) < len(item.names)
        if whole and item.target in found:
            yield item.target, item.on_load


def broken_floors(found: Mapping[str, list[Import]]) -> list[str]:
    """Each import that leaves its floor for one it may not enter, as a sentence."""
    wrong = []
    for module in found:
        package = _package(module)
        if not package:
            continue
        if package not in FLOORS:
            wrong.append(f"{module}: the package {package} has no floor")
            continue
        for target, _ in resolved(found, module):
            other = _package(target)
            if other in ("", package):
                continue
            down = FLOORS[package] - FLOORS.get(other, 9)
            third_to_second = FLOORS[package] == 3 and FLOORS.get(other) == 2
            allowed = other == "rollout" or target == "palaestra.envs.registry"
            if down <= 0 or (third_to_second and not allowed):
                wrong.append(f"{module} may not import {target}")
    return wrong


def _package(module: str) -> str:
    return [*module.split("."), ""][1]


def circle(found: Mapping[str, list[Import]]) -> list[str]:
    """One circle of imports on load, its first module repeated at the end, or nothing."""
    done: set[str] = set()

    def walk(module: str, path: list[str]) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module not in done:
            for target, on_load in resolved(found, module):
                if on_load and target != module and (ring := walk(target, [*path, module])):
                    return ring
            done.add(module)
        return []

    return next(filter(None, (walk(module, []) for module in found)), [])


def plant(root: Path, files: Mapping[str, str]) -> dict[str, list[Import]]:
    for name, text in files.items():
        path = root / "palaestra" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read(root)


def test_every_import_stays_on_its_floors() -> None:
    found = read(SRC)
    assert "palaestra.core" in found
    assert broken_floors(found) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(read(SRC)) == []


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("core/a.py", "import palaestra.envs"),
        ("core/a.py", "from ..rollout import play"),
        ("core/a.py", "def later():\n    from palaestra import envs"),
        ("rollout/a.py", "from palaestra.envs.registry import make"),
        ("envs/grid/a.py", "from ...rollout.play import play"),
        ("rollout/a.py", "from palaestra.cli import main"),
        ("training/a.py", "from palaestra.envs.grid import lake"),
        ("training/a.py", "import palaestra.envs"),
        ("training/a.py", "from palaestra.evaluation import judge"),
        ("misc/a.py", "import json"),
    ],
)
def test_an_import_that_leaves_its_floor_is_found(tmp_path: Path, place: str, line: str) -> None:
    packages = ("core", "envs", "envs/grid", "rollout", "cli", "evaluation")
    house = {f"{name}/__init__.py": "" for name in packages}
    house |= {"__init__.py": "", "envs/registry.py": "", "envs/grid/lake.py": "", "rollout/play.py": ""}
    assert len(broken_floors(plant(tmp_path, {**house, place: line}))) == 1


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("training/a.py", "from palaestra.envs import registry"),
        ("training/b.py", "from palaestra.envs.registry import make"),
        ("training/c.py", "from ..rollout.play import play"),
        ("envs/a.py", "from .registry import make\nfrom ..core import Split"),
        ("rollout/a.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import palaestra.envs"),
        ("pipeline/a.py", "from palaestra import core, envs, rollout"),
    ],
)
def test_an_import_that_goes_down_is_allowed(tmp_path: Path, place: str, line: str) -> None:
    house = {f"{name}/__init__.py": "" for name in ("core", "envs", "rollout")}
    house |= {"__init__.py": "", "envs/registry.py": "", "rollout/play.py": ""}
    assert broken_floors(plant(tmp_path, {**house, place: line})) == []


@pytest.mark.parametrize(
    ("files", "closed"),
    [
        ({"a.py": "import palaestra.b", "b.py": "from . import a"}, True),
        ({"a.py": "from .b import x", "b.py": "from palaestra.c import y", "c.py": "from .a import z"}, True),
        ({"p/__init__.py": "from .q import x", "p/q.py": "from palaestra.p import y"}, True),
        ({"a.py": "import palaestra.b", "b.py": "def later():\n    from . import a"}, False),
        ({"a.py": "import palaestra.b", "b.py": "if TYPE_CHECKING:\n    from . import a"}, False),
        ({"a.py": "import palaestra.b", "b.py": "if not TYPE_CHECKING:\n    from . import a"}, True),
        ({"a.py": "from . import b, c", "b.py": "from . import c", "c.py": ""}, False),
        ({"p/__init__.py": "from .q import x", "p/q.py": "from . import r", "p/r.py": ""}, False),
    ],
)
def test_a_circle_is_found_exactly_where_there_is_one(tmp_path: Path, files: dict[str, str], closed: bool) -> None:
    assert bool(circle(plant(tmp_path, {"__init__.py": "", **files}))) is closed
