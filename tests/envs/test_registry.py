"""Environments are found by their path, by an entry point, by a module's name, or by a file."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaestra.core.errors import EnvironmentFailed, UnknownEnvironment
from palaestra.envs import registry

ENVS = Path(registry.__file__).parent
WORLD = """
from dataclasses import replace
from palaestra.envs.grid.frozen_lake import FrozenLake

class Pond(FrozenLake):
    spec = replace(FrozenLake.spec, id="mine/pond")

"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package that offers the environments mine/pond and mine/broken."""
    (tmp_path / "pond_package.py").write_text(f"{WORLD}environment = Pond()\n")
    info = tmp_path / "pond-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pond\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[{registry.GROUP}]\nmine/pond = pond_package:environment\nmine/broken = pond_package:nothing\n"
        "mine/lake = pond_package:environment\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    registry._outside.cache_clear()
    yield tmp_path
    registry._outside.cache_clear()


def test_ids_are_the_paths_of_the_files() -> None:
    files = {path.relative_to(ENVS).with_suffix("").as_posix() for path in ENVS.glob("*/*.py")}
    folders = {path.parent.relative_to(ENVS).as_posix() for path in ENVS.glob("*/*/__init__.py")}
    found = sorted(f for f in files | folders if not f.startswith(("kit/", "check/")) and "/_" not in f)
    assert registry.ids() == found


def test_a_world_may_have_a_folder_and_what_starts_with_an_underscore_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("board/chess/__init__.py", "board/chess/rules.py", "board/go.py", "board/_stones.py", "kit/grid.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.setattr(registry, "_HERE", tmp_path)
    registry._own.cache_clear()
    assert registry._own() == {"board/chess", "board/go"}
    registry._own.cache_clear()


def test_every_environment_is_found_by_the_id_it_says() -> None:
    assert [env.spec.id for env in registry.pool().values()] == registry.ids()


def test_a_pool_holds_what_was_asked_for_in_that_order() -> None:
    asked = ["memory/pair_recall", "grid/frozen_lake"]
    assert list(registry.pool(asked)) == asked


def test_an_unknown_id_names_the_nearest() -> None:
    with pytest.raises(UnknownEnvironment, match="did you mean 'grid/frozen_lake'"):
        registry.get("grid/frozenlake")


def test_an_environment_of_another_package_is_found_by_its_entry_point(plugin: Path) -> None:
    assert "mine/pond" in registry.ids()
    assert type(registry.get("mine/pond")).__name__ == "Pond"
    with pytest.raises(EnvironmentFailed, match="no environment named 'nothing'"):
        registry.get("mine/broken")
    with pytest.raises(EnvironmentFailed, match="calls itself 'mine/pond' and is registered as 'mine/lake'"):
        registry.get("mine/lake")


def test_an_environment_is_located_by_module_and_name() -> None:
    found = registry.locate("palaestra.envs.grid.frozen_lake")
    assert found is registry.locate("palaestra.envs.grid.frozen_lake:environment") is registry.get("grid/frozen_lake")
    assert registry.locator(found) == "palaestra.envs.grid.frozen_lake:environment"


def test_an_environment_is_located_by_file_and_found_there_again(tmp_path: Path) -> None:
    file = tmp_path / "lake.py"
    file.write_text(f"{WORLD}environment = Pond()\nother = Pond()\n")
    found, other = registry.locate(f"{file}"), registry.locate(f"{file}:other")
    assert type(found).__name__ == "Pond"
    assert registry.locator(other) == f"{file}:other"


def test_an_environment_that_no_module_names_has_no_locator() -> None:
    assert registry.locator(type(registry.get("grid/frozen_lake"))()) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("raise SystemExit(3)", "import failed: SystemExit: 3"),
        ("import not_installed_anywhere", "install what it needs"),
        ("def broken(:", "import failed: SyntaxError"),
        ("environment = 3", "found no environment named 'environment'"),
    ],
)
def test_a_file_that_holds_no_environment_says_why(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(text)
    with pytest.raises(EnvironmentFailed, match=message):
        registry.locate(str(file))


@pytest.mark.parametrize("place", ["nowhere.py", "no_such_package.module", "palaestra.envs.no_such_module"])
def test_a_place_that_does_not_exist_is_unknown(place: str) -> None:
    with pytest.raises(UnknownEnvironment, match=r"no (file|module)"):
        registry.locate(place)


def test_listing_the_ids_imports_no_environment() -> None:
    code = (
        "import sys; from palaestra.envs import registry; ids = registry.ids(); "
        "print(len(ids), [i for i in ids if 'palaestra.envs.' + i.replace('/', '.') in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split(maxsplit=1) == [str(len(registry.ids())), "[]\n"]
