"""`palaestra experiment`: what it prints, and what it refuses."""

import json

import pytest

pytest.importorskip("torch")

SMALL = """
updates = 1
problems = { count = { environment = "perception/count_shapes", scale = 0, seeds = 1 } }
judging = { checkpoints = 1, problems = 2, at_end = 3 }
[train]
tickets = 2
device = "cpu"
groups = { rollouts = 2 }
base = { environments = ["perception/count_shapes"], width = 32, layers = 1, warm = { steps = 1, contexts = 4 } }
[arms.flat.train]
curriculum = { name = "uniform", guarded = false }
[arms.hdc]
[arms.guided.train]
curriculum = { name = "uniform", guarded = false, rule = { harness = "H1" } }
groups = { learn = "H4" }
"""


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def test_json_holds_the_promised_keys_and_a_part_says_what_is_missing(palaestra, config, tmp_path):
    words = ["experiment", config, "--out", tmp_path / "x"]
    told = palaestra(*words, "--only", "flat", "--only", "hdc", "--json")
    assert told.exit_code == 0, told.stderr
    assert "count: the base wins H4 " in told.stderr
    found = json.loads(told.stdout)
    assert list(found) == ["out", "updates", "rollouts", "made", "missing", "problems", "seconds"]
    assert (found["updates"], found["rollouts"], found["made"], found["missing"]) == (1, 4, 2, 1)
    assert list(found["problems"]["count"]) == ["met", "arms"]
    assert list(found["problems"]["count"]["arms"]) == ["flat", "hdc"]
    for arm in found["problems"]["count"]["arms"].values():
        assert list(arm) == ["H4", "difference", "beyond", "grey", "H1", "H0"]
    rest = palaestra(*words)
    assert rest.exit_code == 0
    assert "0 runs are missing" in rest.stdout
    assert [line.split()[:2] for line in rest.stdout.splitlines() if line.startswith("count")] == [
        ["count", "flat"], ["count", "hdc"], ["count", "guided"],
    ]  # fmt: skip


def test_a_quick_experiment_is_not_the_whole_one(palaestra, config, tmp_path):
    palaestra("experiment", config, "--out", tmp_path / "x", "--only", "flat")
    told = palaestra("experiment", config, "--out", tmp_path / "x", "--quick")
    assert told.exit_code == 2
    assert "updates = 12' differs" in told.stderr


def test_bad_input_ends_with_code_2_and_a_sentence(palaestra, config, tmp_path):
    for words, sentence in (
        (["--only", "flet"], "the experiment has no arm 'flet'; did you mean 'flat'?"),
        (["--set", "arms.hdc.train.seed=1"], "seed is set by the experiment"),
        (["--set", "problems.count.environment=grid/lake"], "grid/lake"),
    ):
        told = palaestra("experiment", config, "--out", tmp_path / "x", *words)
        assert (told.exit_code, told.stdout) == (2, "")
        assert sentence in told.stderr
        assert not (tmp_path / "x").exists()


def test_a_file_that_names_methods_compares_selections(palaestra, tmp_path, monkeypatch):
    from palaestra.cli.console import OUT
    from palaestra.pipeline.experiment.run import Experimented
    from palaestra.pipeline.experiment.selections import run as stage

    value = {"mean": 0.5, "low": 0.25, "high": None, "seeds": [0.5]}
    group = dict.fromkeys(("success", "return", "difference", "less_base", "gain"), value)
    names = ("id_single_turn", "id", "ood")
    found = {
        "baseline": "everything", "updates": 2, "rollouts": 8, "problems": 4, "missing": [["aes", 0]],
        "refused": {"doge": "there are no gradients"},
        "base": {name: {"success": {"value": 0.125}} for name in names},
        "arms": {"everything": {"seeds": [0], "groups": dict.fromkeys(names, group)}},
        "cost": {"rollouts": 10, "gradient_rollouts": 20, "seconds": 3.0},
    }  # fmt: skip
    asked = []

    def made(design, out, told, arms, seeds, workers):
        asked.append((design.k, design.judging.seed, arms, seeds, workers))
        return Experimented(found, 1, drawn=True)

    monkeypatch.setattr(stage, "experiment", made)
    path = tmp_path / "small.toml"
    path.write_text('methods = ["everything", "aes"]\nk = 3\n')
    words = ["experiment", path, "--out", tmp_path / "x", "--only", "aes", "--seed-limit", "1", "--seed", "7"]
    told = palaestra(*words, "--workers", 2, "--json")
    assert (told.exit_code, asked) == (0, [(3, 7, ["aes"], 1, 2)]), told.stderr
    assert "there is no arm doge: there are no gradients" in told.stderr
    data = json.loads(told.stdout)
    assert list(data) == [
        "out", "updates", "rollouts", "problems", "base", "arms", "cost", "made", "missing", "seconds",
    ]  # fmt: skip
    assert (data["made"], data["missing"]) == (1, 1)
    monkeypatch.setattr(OUT, "_width", 160)  # of a terminal; elsewhere rich takes 80, and wraps
    shown = palaestra(*words)
    assert "0.500 [0.250, ?]" in shown.stdout
    assert "measuring the pool took 30 rollouts and 3 seconds of the processor, apart from that" in shown.stdout
    assert "1 runs are missing" in shown.stdout
    for more in (["--quick"], ["--problem", "lake"]):
        refused = palaestra(*words, *more)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert "compares selections" in refused.stderr
