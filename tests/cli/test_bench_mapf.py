"""`palaestra bench mapf`."""

import json
import sys

import pytest

from palaestra.cli.bench import mapf


def test_json_holds_the_oracles_times_and_what_is_missing_is_not_comparable(palaestra, monkeypatch) -> None:
    pytest.importorskip("pysat")
    monkeypatch.setattr(mapf, "BOARDS", ((4, 3, 0.2), (5, 3, 0.3)))
    for name in ("pymapf", "pogema"):
        monkeypatch.setitem(sys.modules, name, None)
    found = json.loads(palaestra("bench", "mapf", "--boards", 5, "--json").stdout)
    assert [(own["size"], own["agents"], own["holes"]) for own in found["oracle"]] == [(4, 3, 0.2), (5, 3, 0.3)]
    assert all(0 < own["median_ms"] <= own["p99_ms"] for own in found["oracle"])
    assert found["ratios"] == {"pymapf_cbs": "not comparable", "pogema": "not comparable"}
    assert "not installed" in found["peers"]["pogema"]["why"]


def test_without_the_extra_the_bench_says_what_to_install(palaestra, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pysat.solvers", None)
    done = palaestra("bench", "mapf", "--boards", 60)
    assert done.exit_code == 2
    assert "palaestra[mapf]" in done.stderr


def test_a_peer_that_fails_on_import_is_not_comparable(monkeypatch, tmp_path):
    (tmp_path / "pogema.py").write_text("raise TypeError('another release')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pogema", raising=False)
    found = mapf._pogema(0)
    assert found["ratio"] == "not comparable"
    assert found["why"] == "pogema: TypeError: another release"
