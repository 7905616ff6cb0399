"""`cost.json`: what measuring took, added up, and passed on by a selection."""

import json
from pathlib import Path

import pytest

from palaestra.core.errors import RunFolderError
from palaestra.core.profile import AbilityProfile
from palaestra.core.runfolder import RunFolder
from palaestra.pipeline import cost, profiles
from palaestra.pipeline.batches import Cost
from palaestra.pipeline.select import select


def test_processor_time_adds_up_over_calls_and_the_rest_is_what_is_stored(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    cost.write(folder, Cost(10, 200, 30, 4), 1.5)
    assert cost.write(folder, Cost(12, 240, 36, 5), 2.0) == cost.read(tmp_path)
    assert cost.read(tmp_path) == {
        "rollouts": 12,
        "prompt_tokens": 240,
        "reply_tokens": 36,
        "backward_passes": 5,
        "cpu_seconds": 3.5,
    }


def test_a_selection_tells_what_measuring_took(tmp_path: Path) -> None:
    profiles.write(RunFolder(tmp_path), [AbilityProfile("a/b", {"plan": 1.0}, {}, {}, {"": 40})])
    assert select(tmp_path).selection.cost == {"rollouts": 40}
    spent = cost.write(RunFolder(tmp_path), Cost(900, 80_000, 7_000, 60), 12.0)
    assert select(tmp_path).json()["cost"] == spent
    assert json.loads((tmp_path / "selection.json").read_text())["cost"] == spent


@pytest.mark.parametrize(
    ("method", "charged"),
    [
        ("everything", {}),
        ("random_k", {}),
        ("coverage_only", {"rollouts": 80}),
        ("without_conflict", {"rollouts": 80}),
        ("conflict_only", {"rollouts": 820, "prompt_tokens": 9, "reply_tokens": 7, "backward_passes": 6}),
        ("aes", {"rollouts": 900, "prompt_tokens": 9, "reply_tokens": 7, "backward_passes": 6}),
    ],
)
def test_a_method_is_charged_what_it_reads_and_nothing_else(tmp_path: Path, method: str, charged: object) -> None:
    pool = [AbilityProfile(env_id, {"plan": 1.0}, {}, {}, {"": 40}) for env_id in ("a/b", "a/c")]
    profiles.write(RunFolder(tmp_path), pool)
    cost.write(RunFolder(tmp_path), Cost(900, 9, 7, 6), 12.0)
    found = dict(select(tmp_path, method, 2).json()["cost"])
    assert found.pop("cpu_seconds", 12.0) == 12.0
    assert found == charged


@pytest.mark.parametrize("text", ["{", "[]", '{"rollouts": "many"}', '{"rollouts": null}'])
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / cost.NAME).write_text(text)
    with pytest.raises(RunFolderError, match=r"cost\.json is damaged"):
        cost.read(tmp_path)


def test_the_clock_tells_processor_time() -> None:
    seconds = cost.clock()
    sum(n * n for n in range(300_000))
    assert 0 <= seconds() < 30
