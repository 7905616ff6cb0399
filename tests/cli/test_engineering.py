"""`palaestra engineer`: a space out, a proposal back, from files that anybody can write."""

import json
from pathlib import Path

import pytest

from palaestra.engineer import ENGINEERS


@pytest.fixture
def asked(palaestra, tmp_path):
    """The files of a loop that is somebody else's: a space, and what came of one stage."""
    space = palaestra("engineer", "space", "grid/frozen_lake", "--each", "rows=4,6", "--json")
    assert space.exit_code == 0, space.stderr
    (tmp_path / "space.json").write_text(space.stdout)
    lake = json.loads(space.stdout)["properties"]["parts"]["properties"]["grid/frozen_lake rows 4"]["properties"]
    settings = {name: own["enum"][0] for name, own in lake.items() if "enum" in own}
    stage = {
        "settings": {f"grid/frozen_lake rows {size}": {"weight": 0.5, **settings} for size in (4, 6)},
        "trained": {
            "grid/frozen_lake rows 4": {"n": 50, "successes": 48},
            "grid/frozen_lake rows 6": {"n": 50, "successes": 20},
        },
    }
    (tmp_path / "log.json").write_text(json.dumps({"stages": [stage]}))

    def ask(name, *further):
        files = ("--evidence", tmp_path / "log.json", "--space", tmp_path / "space.json")
        return palaestra("engineer", "propose", *files, "--engineer", name, *further)

    ask.log, ask.settings = tmp_path / "log.json", settings
    return ask


@pytest.mark.parametrize("name", ENGINEERS)
def test_every_engineer_proposes_from_files_alone(asked, name):
    if name == "tpe":
        pytest.importorskip("optuna")
    told = json.loads(asked(name, "--json").stdout)
    assert (told["engineer"], told["cold_start"]) == (name, False)
    assert sum(cell["weight"] for cell in told["cells"]) == pytest.approx(1)
    assert {cell["env_id"] for cell in told["cells"]} == {"grid/frozen_lake"}


def test_a_proposal_moves_what_was_won_and_the_table_says_why(asked):
    told = json.loads(asked("thresholds", "--json").stdout)
    assert told["settings"]["grid/frozen_lake rows 4"]["holes"] > asked.settings["holes"]
    assert told["settings"]["grid/frozen_lake rows 6"]["holes"] == asked.settings["holes"]
    assert "rows 4 harder" in asked("thresholds").stdout


def test_while_nothing_is_won_the_hand_schedule_proposes_and_it_is_said(asked):
    log = json.loads(asked.log.read_text())
    for own in log["stages"][0]["trained"].values():
        own["successes"] = 0
    asked.log.write_text(json.dumps(log))
    told = json.loads(asked("bandit", "--json").stdout)
    assert (told["engineer"], told["cold_start"]) == ("hand_schedule", True)
    assert json.loads(asked("no_change", "--json").stdout)["cold_start"] is False


@pytest.mark.parametrize("settings", [{"weight": 0.5, "holes": 0.123}, {}], ids=["off the grid", "nothing"])
@pytest.mark.parametrize("name", ["alp_gmm", "bandit", "thresholds"])
def test_settings_of_a_log_that_the_space_does_not_have_are_brought_to_the_nearest(asked, name, settings):
    log = json.loads(asked.log.read_text())
    own = log["stages"][0]["settings"]
    log["stages"][0]["settings"] = dict.fromkeys(own, settings)
    asked.log.write_text(json.dumps({"stages": log["stages"] * 2}))
    assert json.loads(asked(name, "--json").stdout)["engineer"] == name


def test_an_engineer_that_does_not_exist_is_refused_and_the_nearest_is_named(asked):
    result = asked("threshold")
    assert result.exit_code == 2
    assert "did you mean 'thresholds'" in result.stderr


def test_a_comparison_runs_from_a_file_and_goes_on_where_it_was(palaestra, tmp_path):
    pytest.importorskip("torch")
    file = Path(__file__).parents[1] / "pipeline" / "engineers.toml"
    small = ("stages=1", "updates=1", "base.warm.steps=1", "exam.validation=2", "exam.test=2")
    words = (file, "--out", tmp_path / "run", *(word for own in small for word in ("--set", own)))
    first = json.loads(palaestra("engineer", "run", *words, "--only", "random", "--json").stdout)
    assert (first["made"], first["missing"], list(first["arms"])) == (1, 1, ["random"])
    assert first["arms"]["random"]["after"]["seeds"] == 1
    rest = palaestra("engineer", "run", *words)
    assert "0 runs are missing" in rest.stdout
    assert palaestra("engineer", "run", *words, "--only", "nobody").exit_code == 2


def test_a_language_model_that_is_down_is_stood_in_for(asked, monkeypatch):
    from palaestra.integrations import openai

    monkeypatch.setattr(openai, "post", _down)
    told = json.loads(asked("openai:m@http://localhost:9/v1", "--json").stdout)
    assert told["engineer"] == "thresholds"


def test_a_language_model_behind_a_server_proposes(asked, monkeypatch):
    from palaestra.integrations import openai

    said = {"rationale": "fewer holes", "parts": {"grid/frozen_lake rows 6": {"weight": 0.9, "reward": 3}}}
    answer = {"choices": [{"message": {"content": json.dumps(said)}, "finish_reason": "stop"}]}
    monkeypatch.setattr(openai, "post", lambda *asked, **further: json.dumps(answer).encode())
    told = json.loads(asked("openai:m@http://localhost:9/v1", "--json").stdout)
    assert told["rationale"] == "fewer holes"
    assert told["settings"]["grid/frozen_lake rows 6"]["weight"] > 0.6
    assert any("reward cannot be set" in note for note in told["projected"])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("openai:m", "openai:MODEL@URL"),
        ("local:smolm2", "did you mean 'smollm2'"),
        ("ask:m", "cannot be asked in words"),
    ],
)
def test_a_language_model_that_cannot_be_had_is_refused_in_one_line(asked, name, words):
    result = asked(name)
    assert result.exit_code == 2
    assert words in result.stderr


def test_a_dry_comparison_tells_its_plan_and_writes_nothing(palaestra, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    configs = Path(__file__).parents[2] / "configs"
    told = json.loads(palaestra("engineer", "run", configs / "engineer_qwen3_4b.toml", "--dry", "--json").stdout)
    assert (told["engine"], told["model"]["model"], told["numbers"]) == ("hugging_face", "Qwen/Qwen3-4B", 24)
    assert told["arms"]["itself"].startswith("language_model trainee")
    table = palaestra("engineer", "run", configs / "engineer.toml", "--dry").stdout
    assert "embedded" in table
    assert list(tmp_path.iterdir()) == []


def _down(*asked, **further):
    from palaestra.integrations.http import Fault

    raise Fault("refused", status=404)
