"""Measuring: what is played, by whom, and what is made of it."""

import pytest

from palaestra.core import config
from palaestra.core.errors import ConfigError, PolicyFailed, RunFolderError
from palaestra.envs import held_out, registry
from palaestra.measure.profiles import profile
from palaestra.pipeline import profiles
from palaestra.pipeline.measure import MeasureConfig, measure, tickets
from palaestra.rollout.store import read

IDS = ("perception/count_shapes", "grid/frozen_lake")
PLAN = MeasureConfig(IDS, instances=3, rollouts=2)


def test_profiles_are_those_of_the_stored_trajectories(tmp_path):
    told = []
    found = measure(PLAN, tmp_path / "run", lambda done, total: told.append((done, total)))
    groups = [group for side in ("weak", "strong") for group in read(tmp_path / "run" / side)]
    assert [group.ticket.id for group in groups] == list(range(12))
    for made in found.profiles:
        assert made == profile(made.env_id, [group for group in groups if group.ticket.cell.env_id == made.env_id])
        assert made.support[""] == 12
    assert profiles.read(tmp_path / "run") == sorted(found.profiles, key=lambda made: made.env_id)
    assert [steady.instances for steady in found.stability] == [3, 3]
    assert told == [(6, 24), (12, 24), (18, 24), (24, 24)]


def test_both_players_meet_the_same_instances_spread_over_the_scales():
    pool = registry.pool(IDS)
    weak, strong = tickets(MeasureConfig(IDS, instances=5), pool).values()
    assert [ticket.instance for ticket in weak] == [ticket.instance for ticket in strong]
    assert len({ticket.id for ticket in (*weak, *strong)}) == 20
    assert len({ticket.instance for ticket in weak}) == 10
    assert [ticket.cell.scale for ticket in weak[5:]] == [0, 1, 2, 4, 5]  # of seven
    few = tickets(MeasureConfig(IDS, instances=4, scales=(0, 3)), pool)["weak"]
    assert [ticket.cell.scale for ticket in few] == [0, 0, 3, 3] * 2


def test_what_is_held_out_is_not_measured_and_cannot_be_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(held_out, "HELD_OUT", frozenset({*registry.ids()} - {IDS[0]}))
    found = measure(MeasureConfig(instances=1, rollouts=1), tmp_path / "run")
    assert [made.env_id for made in found.profiles] == [IDS[0]]
    stored = config.load(tmp_path / "run" / "config.toml", MeasureConfig)
    assert stored.environments == (IDS[0],)
    with pytest.raises(ConfigError, match="grid/frozen_lake is held out for evaluation"):
        measure(PLAN, tmp_path / "other")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("change", "error"),
    [({"strong": "guide"}, PolicyFailed), ({"weak": "person"}, ConfigError), ({"rollouts": 0}, ConfigError)],
)
def test_a_mistake_is_raised_before_anything_is_written(tmp_path, change, error):
    with pytest.raises(error):
        measure(MeasureConfig(IDS, **change), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_folder_of_another_configuration_is_refused(tmp_path):
    measure(MeasureConfig(IDS[:1], instances=1), tmp_path / "run")
    with pytest.raises(RunFolderError, match="'instances = 2' differs"):
        measure(MeasureConfig(IDS[:1], instances=2), tmp_path / "run")
