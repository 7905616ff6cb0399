"""New environments: the file to start from is sound, and a proposal enters a pool whole and passing, or not at all."""

from pathlib import Path

import pytest

from palaestra.core.errors import ConfigError, EnvironmentFailed
from palaestra.envs import registry
from palaestra.envs.admission import LARGEST, admit, start


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(registry.FOLDER, str(tmp_path / "pool"))
    return tmp_path / "pool"


@pytest.fixture
def proposed(tmp_path: Path) -> Path:
    file = tmp_path / "anything.py"
    file.write_text(start("garden/first_walk"))
    return file


def test_what_one_starts_from_passes_the_whole_check_and_is_then_found_by_its_id(shelf: Path, proposed: Path) -> None:
    assert admit("garden/first_walk", proposed) == []
    assert (shelf / "garden" / "first_walk.py").read_bytes() == proposed.read_bytes()
    assert "garden/first_walk" in registry.ids()
    env = registry.get("garden/first_walk")
    assert (env.spec.id, env.spec.title, type(env).__name__) == ("garden/first_walk", "First walk", "FirstWalk")
    with pytest.raises(ConfigError, match="there is an environment 'garden/first_walk' already"):
        start("garden/first_walk")


def test_a_mended_proposal_replaces_its_own_and_nothing_of_the_house(shelf: Path, proposed: Path) -> None:
    assert admit("garden/first_walk", proposed) == []
    proposed.write_text(proposed.read_text() + "# mended\n")
    with pytest.raises(ConfigError, match="--replace"):
        admit("garden/first_walk", proposed)
    assert admit("garden/first_walk", proposed, replace=True) == []
    assert (shelf / "garden" / "first_walk.py").read_text().endswith("# mended\n")
    with pytest.raises(ConfigError, match="there is an environment 'grid/frozen_lake' already"):
        admit("grid/frozen_lake", proposed, replace=True)


def test_a_faulty_proposal_is_refused_with_its_faults_and_leaves_no_trace(shelf: Path, proposed: Path) -> None:
    proposed.write_text(proposed.read_text().replace("Step(after, 1.0, done", "Step(after, 0.5, done"))
    failures = admit("garden/first_walk", proposed)
    assert {failure.check for failure in failures} >= {"oracle", "rewards"}
    assert not shelf.exists()


def test_a_proposal_under_a_false_name_is_refused(shelf: Path, proposed: Path) -> None:
    (failure, *_) = admit("garden/second_walk", proposed)
    assert "it calls itself 'garden/first_walk'" in failure.detail
    assert not shelf.exists()


def test_a_proposal_that_ends_its_process_is_refused(shelf: Path, proposed: Path) -> None:
    proposed.write_text("import os; os._exit(0)")
    with pytest.raises(EnvironmentFailed, match="ended without a report"):
        admit("garden/first_walk", proposed)
    assert not shelf.exists()


@pytest.mark.parametrize("env_id", ["walk", "Garden/walk", "garden/walk/1", "../walk", "garden/1walk"])
def test_what_is_no_id_is_refused_before_anything_runs(env_id: str, proposed: Path) -> None:
    with pytest.raises(ConfigError, match="is no id"):
        admit(env_id, proposed)


def test_the_house_keeps_its_names_and_a_file_has_a_largest_size(shelf: Path, proposed: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is an environment 'grid/frozen_lake' already"):
        admit("grid/frozen_lake", proposed)
    proposed.write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(ConfigError, match="an environment has"):
        admit("garden/first_walk", proposed)
    with pytest.raises(ConfigError, match="cannot be read"):
        admit("garden/first_walk", tmp_path / "nothing.py")


def test_a_file_of_ones_own_cannot_take_the_place_of_the_house(shelf: Path) -> None:
    (shelf / "grid").mkdir(parents=True)
    (shelf / "grid" / "frozen_lake.py").write_text("raise SystemExit")
    assert type(registry.get("grid/frozen_lake")).__module__ == "palaestra.envs.grid.frozen_lake"
