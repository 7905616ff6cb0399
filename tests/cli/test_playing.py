"""`palaestra play`: its result, its plan, and the person at the terminal."""

import json

import pytest

from palaestra.cli.plan import PlayConfig, play_config, tickets
from palaestra.core import config
from palaestra.core.errors import ConfigError
from palaestra.core.rate import Rate
from palaestra.envs import registry
from palaestra.rollout.store import read

IDS = ("grid/frozen_lake", "memory/pair_recall")


def played(palaestra, *words):
    result = palaestra("play", *words, "--pixels", 96, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_json_holds_the_promised_keys_and_its_numbers_are_those_of_the_store(palaestra, tmp_path):
    report = played(palaestra, *IDS, "--episodes", 24, "--policy", "epsilon-oracle:0.3", "--out", tmp_path / "run")
    assert sorted(report) == ["environments", "episodes", "out", "policy", "seconds"]
    assert (report["episodes"], report["out"]) == (24, str(tmp_path / "run"))
    members = [member for group in read(tmp_path / "run") for member in group.trajectories]
    for env_id, part in report["environments"].items():
        own = [member for member in members if member.instance.env_id == env_id]
        assert list(part) == ["episodes", "success", "mean_return", "stops", "by_scale", "by_rung"]
        assert part["episodes"] == len(own) == sum(part["stops"].values()) == 12
        assert part["success"] == Rate(sum(member.success for member in own), 12).json()
        assert part["mean_return"] == pytest.approx(sum(member.ret for member in own) / 12)
        assert sum(scale["success"]["n"] for scale in part["by_scale"].values()) == 12
        assert list(part["by_scale"]) == [str(n) for n in range(len(registry.get(env_id).spec.scales))]
    assert "seconds" not in (tmp_path / "run" / "events.jsonl").read_text()


def test_in_memory_the_same_episodes_are_played(palaestra, tmp_path):
    words = [*IDS, "--episodes", 40, "--rollouts", 2]
    stored, counted = played(palaestra, *words, "--out", tmp_path / "run"), played(palaestra, *words)
    assert stored["environments"] == counted["environments"]
    assert counted["out"] is None


def test_the_oracle_wins_and_the_table_says_so(palaestra):
    result = palaestra("play", "grid/frozen_lake", "--policy", "oracle", "--episodes", 7, "--pixels", 0)
    assert result.exit_code == 0
    assert "grid/frozen_lake" in result.stdout
    assert "done 7" in result.stdout


def test_an_environment_that_fails_is_reported_and_is_no_loss(palaestra, monkeypatch):
    monkeypatch.setattr(type(registry.get("grid/frozen_lake")), "solve", lambda self, state: None)
    result = palaestra("play", "grid/frozen_lake", "--policy", "oracle", "--episodes", 3, "--pixels", 0, "--json")
    (part,) = json.loads(result.stdout)["environments"].values()
    assert (part["stops"], part["success"]["n"], part["mean_return"]) == ({"error": 3}, 0, None)
    assert "3 episodes ended by an error: PolicyFailed: " in result.stderr


def test_environments_scales_and_seeds_take_turns():
    plan = PlayConfig(environments=IDS, episodes=24, scales=(0, 2), rollouts=2, seed=5)
    orders = tickets(plan, registry.pool(IDS))
    assert [order.id for order in orders] == list(range(12))
    assert [(o.cell.env_id, o.cell.scale) for o in orders] == [
        (env_id, scale) for _ in range(3) for scale in (0, 2) for env_id in IDS
    ]
    assert len({order.instance.seed for order in orders}) == 12


def test_runs_of_neighbouring_seeds_share_no_instance():
    plans = [PlayConfig(environments=IDS, episodes=100, seed=seed) for seed in (0, 1)]
    first, second = ({order.instance for order in tickets(plan, registry.pool(IDS))} for plan in plans)
    assert not first & second


def test_guided_groups_reach_the_tickets():
    plan = PlayConfig(environments=IDS[:1], episodes=8, rung="H0", learn="H4", guided=0.25, rollouts=4)
    cell = tickets(plan, registry.pool(IDS[:1]))[0].cell
    assert [cell.shown_to(member).name for member in range(4)] == ["H0", "H4", "H4", "H4"]


def test_flags_win_over_the_file_and_the_file_over_the_defaults(tmp_path):
    file = tmp_path / "play.toml"
    file.write_text('environments = ["a/b"]\nepisodes = 30\npixels = 96\n[knobs]\nrows = 3\n')
    plan = play_config(file, {"episodes": 40, "policy": None, "knobs.columns": 4}, ["seed=9"])
    assert plan == PlayConfig(("a/b",), episodes=40, pixels=96, seed=9, knobs={"rows": 3, "columns": 4})
    assert config.parse(config.dump(plan), PlayConfig) == plan
    file.write_text("environments = []\nepisods = 3\n")
    with pytest.raises(ConfigError, match="line 2: unknown key 'episods'; did you mean 'episodes'"):
        play_config(file, {}, [])


def test_held_out_splits_pass_over_scales_that_are_for_training_only():
    spec = registry.get("grid/frozen_lake").spec
    plan = PlayConfig(environments=IDS[:1], episodes=20, split="test")
    found = {order.instance.scale for order in tickets(plan, registry.pool(IDS[:1]))}
    assert found == set(range(len(spec.scales))) - spec.train_only


def test_a_person_sees_one_episode_after_the_other_and_replies(palaestra):
    words = ["play", "grid/frozen_lake", "--policy", "person", "--rung", "H1", "--scale", 0, "--episodes", 2, "--json"]
    result = palaestra(*words, input="what?\n" * 6)
    (part,) = json.loads(result.stdout)["environments"].values()
    assert part["stops"] == {"illegal": 2}
    assert result.stderr.count("You are at row") == 6
    assert result.stderr.count("Your last reply could not be used") == 4


def test_a_person_who_leaves_comes_back_to_the_same_turn(palaestra, tmp_path):
    words = ["play", "grid/frozen_lake", "--policy", "person", "--rung", "SYMBOLIC", "--scale", 0, "--episodes", 1]
    words += ["--out", tmp_path / "run"]
    result = palaestra(*words, input="what?\nwhat?\n")
    assert result.exit_code == 130
    assert "stopped; the same command goes on" in result.stderr
    result = palaestra(*words, input="what?\n")
    assert result.exit_code == 0
    assert "illegal 1" in result.stdout
