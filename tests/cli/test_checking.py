"""`palaestra check`."""

import json

import pytest

from palaestra.envs import registry
from palaestra.envs.check import CHECKS, sandbox
from palaestra.envs.digest import pool_digest
from palaestra.pipeline import card

FAULTY = """
from dataclasses import replace
from palaestra.envs.grid.frozen_lake import FrozenLake

class Faulty(FrozenLake):
    def step(self, state, action):
        step = super().step(state, action)
        return replace(step, reward=0.5) if step.success else step

environment = Faulty()
"""


@pytest.fixture
def outside(tmp_path):
    def write(text):
        path = tmp_path / "mine.py"
        path.write_text(text)
        return path

    return write


def test_json_counts_what_passed(palaestra):
    result = palaestra(
        "check", "grid/frozen_lake", "memory/pair_recall", "--only", "spec", "--only", "rewards", "--json"
    )
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"environments": 2, "passed": 2, "failed": [], "warnings": []}


def test_workers_find_what_one_process_finds(palaestra, outside):
    places = ["grid/frozen_lake", outside(FAULTY), "puzzle/lights_out"]
    alone, shared = (palaestra("check", *places, "--only", "rewards", *more) for more in ([], ["--workers", 2]))
    assert (alone.exit_code, alone.stdout) == (shared.exit_code, shared.stdout)


def test_without_a_place_the_whole_registry_is_checked(palaestra):
    result = palaestra("check", "--only", "speed", "--json")
    assert json.loads(result.stdout)["environments"] == len(registry.ids())


def test_a_base_of_another_pool_is_a_warning_and_no_failure(palaestra, tmp_path, monkeypatch):
    few = ["charts/bar_reading", "grid/frozen_lake", "gui/menu_path"]
    monkeypatch.setattr(registry, "ids", lambda: few)
    known = pool_digest(registry.pool(few[:2]))
    lake, gone = known["grid/frozen_lake"], "grid/gone"
    monkeypatch.setattr(card, "SHIPPED", tmp_path)
    for pool, differ in (
        (known, []),
        (None, []),
        (known | {"grid/frozen_lake": f"v0{lake[2:]}", gone: lake}, ["grid/frozen_lake", gone]),
    ):
        (tmp_path / "state.json").write_text(json.dumps({"pool": pool}))
        result = palaestra("check", "--only", "spec", "--json")
        assert result.exit_code == 0
        warnings = json.loads(result.stdout)["warnings"]
        assert len(warnings) == bool(differ)
        assert all(f"{len(differ)} environments differ: {', '.join(differ)}; make base" in text for text in warnings)
        assert bool(differ) == ("made with another pool" in result.stderr.replace("\n", " "))


def test_a_faulty_file_outside_the_tree_ends_with_code_1_and_says_what_is_wrong(palaestra, outside):
    path = outside(FAULTY)
    result = palaestra("check", path, "--only", "rewards", "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert (report["environments"], report["passed"]) == (1, 0)
    assert [list(failure) for failure in report["failed"]] == [["id", "check", "detail"]] * len(report["failed"])
    assert {(failure["id"], failure["check"]) for failure in report["failed"]} == {(str(path), "rewards")}


def test_the_table_names_every_failure(palaestra, outside):
    result = palaestra("check", "grid/frozen_lake", outside(FAULTY), "--only", "rewards")
    assert result.exit_code == 1
    assert all(words in result.stdout for words in ("grid/frozen_lake", "passed", "failed", "0 of 1", "rewards: "))


def test_a_module_is_checked_outside(palaestra):
    result = palaestra("check", "palaestra.envs.grid.frozen_lake", "--only", "spec", "--json")
    assert json.loads(result.stdout)["passed"] == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("while True: pass", "killed by signal"),
        ("everything = bytearray(64 << 30)", "MemoryError"),
        ("import sys; sys.exit(3)", "SystemExit"),
        ("import os; os._exit(3)", "without a report"),
        ("environment = 7", "found no environment"),
    ],
)
def test_a_file_that_cannot_be_checked_is_a_failure_with_a_reason(palaestra, outside, monkeypatch, text, words):
    monkeypatch.setattr(sandbox, "CPU_SECONDS", 2)
    result = palaestra("check", outside(text), "--json")
    assert result.exit_code == 1
    (failure,) = json.loads(result.stdout)["failed"]
    assert failure["check"] == "sandbox"
    assert words in failure["detail"]


def test_every_check_may_be_asked_for(palaestra):
    for name in CHECKS:
        assert "no check" not in palaestra("check", "nowhere/at_all", "--only", name).stderr
