"""`palaestra list`."""

import json

from palaestra.core.errors import EnvironmentFailed
from palaestra.envs import registry
from palaestra.envs.held_out import HELD_OUT

KEYS = ["id", "version", "family", "title", "horizon", "scales", "knobs", "tags", "ood"]
TAGS = ["single_turn", "multi_turn", "hidden", "continuous", "inferred", "planted"]


def test_json_holds_every_environment_with_exactly_the_promised_keys(palaestra):
    listed = json.loads(palaestra("list", "--json", "--seed", 3).stdout)
    assert [entry["id"] for entry in listed] == registry.ids()
    for entry in listed:
        spec = registry.get(entry["id"]).spec
        assert list(entry) == KEYS
        assert entry["scales"] == [dict(scale) for scale in spec.scales]
        assert all(list(knob) == ["name", "low", "high", "doc"] for knob in entry["knobs"])
        assert entry["tags"] == sorted(spec.tags)
        assert entry["ood"] is (entry["id"] in HELD_OUT)


def test_stats_count_what_the_list_lists(palaestra):
    listed = json.loads(palaestra("list", "--json").stdout)
    counts = json.loads(palaestra("list", "--stats", "--json").stdout)
    assert list(counts) == ["environments", "families", *TAGS, "ood"]
    assert counts["environments"] == counts["single_turn"] + counts["multi_turn"] == len(listed)
    assert counts["families"] == len({entry["family"] for entry in listed})
    assert all(counts[tag] == sum(tag in entry["tags"] for entry in listed) for tag in TAGS)
    assert counts["ood"] == len(HELD_OUT)
    assert "multi_turn" in palaestra("list", "--stats").stdout


def test_a_family_narrows_the_list(palaestra):
    listed = json.loads(palaestra("list", "--json", "--family", "grid").stdout)
    assert listed
    assert {entry["family"] for entry in listed} == {"grid"}


def test_the_table_names_ids_and_knobs(palaestra):
    result = palaestra("list")
    assert result.exit_code == 0
    assert all(word in result.stdout for word in [*registry.ids(), "Frozen", "slip", "stochastic"])


def test_an_environment_that_cannot_be_imported_is_named_and_hides_no_other(palaestra, monkeypatch):
    get = registry.get

    def faulty(env_id):
        if env_id == "grid/frozen_lake":
            raise EnvironmentFailed("import failed")
        return get(env_id)

    monkeypatch.setattr(registry, "get", faulty)
    result = palaestra("list", "--json")
    assert "grid/frozen_lake is left out: import failed" in result.stderr
    assert len(json.loads(result.stdout)) == len(registry.ids()) - 1
