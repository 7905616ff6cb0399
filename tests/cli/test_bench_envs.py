"""`palaestra bench envs`."""

import json

from palaestra.cli.bench import envs as benching
from palaestra.cli.bench import peers, stopwatch
from palaestra.envs import registry


def test_json_holds_the_promised_keys_and_positive_rates(palaestra):
    ids = ["grid/frozen_lake", "memory/pair_recall"]
    result = palaestra("bench", "envs", *ids, "--instances", 20, "--seed", 1, "--json")
    report = json.loads(result.stdout)
    assert {"environments", "median_resets_per_s", "png_per_s", "import_s"} <= report.keys()
    assert list(report["environments"]) == ids
    for rates in report["environments"].values():
        assert list(rates) == ["resets_per_s", "steps_per_s"]
        assert min(rates.values()) > 0
    assert 0 < report["import_s"] < 1
    assert report["least_resets_per_s"] <= report["p10_resets_per_s"] <= report["median_resets_per_s"]
    assert report["scale"] == dict.fromkeys(ids, 2)


def test_a_peer_does_the_same_task_or_is_not_comparable_and_the_reason_told(palaestra, monkeypatch):
    made = []
    there = peers.Task("pondlib", lambda: made.append, "grid/frozen_lake", 0, {"rows": 5}, unlike="theirs is smaller")
    gone = there._replace(maker=lambda: __import__("no_such_pond"))
    broken = there._replace(maker=lambda: [].__getitem__)
    monkeypatch.setattr(benching, "TASKS", {"there": there, "gone": gone, "broken": broken})
    words = ["bench", "envs", "grid/frozen_lake", "--instances", 2, "--peers"]
    found = json.loads(palaestra(*words, "--json").stdout)["peers"]
    assert 0 < found["there"]["ours_per_s"] < found["there"]["theirs_per_s"]  # the peer here does next to nothing
    assert len(set(made)) == peers.BLOCKS * peers.BLOCK + 1
    assert {found[name]["ratio"] for name in ("gone", "broken")} == {"not comparable"}
    assert "not installed" in found["gone"]["why"]
    assert "IndexError" in found["broken"]["why"]
    assert all(word in palaestra(*words).stdout for word in ("pondlib", "theirs is smaller", "not comparable"))


def test_the_table_names_the_scale_that_was_measured(palaestra):
    result = palaestra("bench", "envs", "grid/frozen_lake", "--instances", 2)
    assert all(word in result.stdout for word in ("scale", "steps/s", "grid/frozen_lake", "import palaestra"))


def test_when_the_time_is_up_enough_instances_are_still_measured():
    speed = stopwatch.measured(registry.get("grid/frozen_lake"), 0, 10_000, pixels=0, cap=0)
    assert speed.instances == stopwatch.LEAST
    assert speed.pngs == 0


def test_a_rate_is_calls_over_their_own_time_in_each_block(monkeypatch):
    clock = iter([0.0, 0.5, 10.0, 10.5, 20.0, 20.1])
    monkeypatch.setattr(stopwatch, "process_time", lambda: next(clock))
    watch = stopwatch.Stopwatch()
    assert [watch.time(abs, -3), watch.time(abs, -4)] == [3, 4]
    watch.lap()
    watch.time(abs, -5)
    watch.lap()
    watch.lap()
    assert [round(rate, 6) for rate in watch.rates] == [2, 10]
