"""Exit codes, and what is said when something is wrong."""

import os

import pytest
import typer

from palaestra import __version__
from palaestra.cli import app, showing

LAKE = "grid/frozen_lake"
BAD_INPUT = [
    (["show", "grid/frozen_lak"], "did you mean 'grid/frozen_lake'"),
    (["show", LAKE, "--scale", "99"], "it has the scales 0 to 6"),
    (["show", LAKE, "--scale", "-1"], "--scale"),
    (["show", LAKE, "--knob", "row=3"], "no knob 'row'; did you mean 'rows'"),
    (["show", LAKE, "--knob", "rows"], "write it as in --knob rows=3"),
    (["show", LAKE, "--knob", "rows=2020-01-01"], "rows was set to '2020-01-01'; it goes from 3 to 12"),
    (["show", LAKE, "--rung", "H9"], "no rung is called 'H9'; known: H0"),
    (["show", LAKE, "--pixels", "7"], "48 to 4096 pixels"),
    (["show", LAKE, "--rung", "SYMBOLIC", "--png", "x.png"], "shows no picture"),
    (["show", LAKE, "--png", "{file}/x.png"], "choose a folder that can be written"),
    (["list", "--family", "gri"], "did you mean 'grid'"),
    (["play"], "no environment is named"),
    (["play", "nowhere/at_all"], "no environment 'nowhere/at_all'"),
    (["play", LAKE, "--episodes", "-5"], "episodes = -5"),
    (["play", LAKE, "--episodes", "10", "--rollouts", "3"], "--episodes 12"),
    (["play", LAKE, "--rollouts", "0"], "rollouts = 0"),
    (["play", LAKE, "--seed", "-1"], "seeds go from 0"),
    (["play", LAKE, "--scale", "99"], "it has the scales 0 to 6"),
    (["play", LAKE, "--knob", "rowz=3"], "did you mean 'rows'"),
    (["play", LAKE, "--learn", "H9"], "no rung is called 'H9'"),
    (["play", LAKE, "--guided", "7"], "guided lies in [0, 1]"),
    (["play", LAKE, "--policy", "orakel"], "did you mean 'oracle'"),
    (["play", LAKE, "--policy", "scripted:{file}/none"], "give a text file"),
    (["play", "perception/count_shapes", "--policy", "guide"], "no guide in perception/count_shapes"),
    (["play", LAKE, "--set", "episode=3"], "unknown key 'episode'; did you mean 'episodes'"),
    (["play", LAKE, "--set", "rubbish"], "write --set a.b=c"),
    (["play", LAKE, "--set", "episodes=many"], "wanted a whole number"),
    (["play", LAKE, "--config", "{file}/none.toml"], "give a TOML file"),
    (["play", LAKE, "--out", "{file}"], "choose a folder that can be written"),
    (["play", LAKE, "--out", "{folder}"], "is not a run; choose another folder"),
    (["check", "nowhere/at_all"], "no environment 'nowhere/at_all'"),
    (["check", "nowhere.at_all"], "no module 'nowhere.at_all'"),
    (["check", "{folder}/none.py"], "no file"),
    (["check", "--only", "spee"], "did you mean 'speed'"),
    (["bench", "envs", "nowhere/at_all"], "no environment 'nowhere/at_all'"),
    (["engineer", "space", "grid/frozen_lake", "--each", "size=big"], "--each size=big"),
    (["engineer", "space", "grid/frozen_lake", "--each", "row=4"], "did you mean 'rows'"),
    (["engineer", "propose", "--evidence", "x", "--space", "y", "--engineer", "z"], "y: cannot be read as JSON"),
    (["bench", "envs", "--instances", "0"], "--instances"),
    (["shwo"], "shwo"),
]


@pytest.mark.parametrize(("words", "said"), BAD_INPUT, ids=[" ".join(words) for words, _ in BAD_INPUT])
def test_bad_input_ends_with_code_2_and_says_what_to_do(palaestra, tmp_path, words, said):
    file = tmp_path / "folder" / "file"
    file.parent.mkdir()
    file.write_text("not a run")
    result = palaestra(*(word.format(file=file, folder=file.parent) for word in words))
    assert result.exit_code == 2
    assert said in result.stderr.replace("\n", " ")
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert [*tmp_path.rglob("*")] == [file.parent, file]


def test_a_fault_of_our_own_asks_for_a_report_and_hides_the_traceback(palaestra, monkeypatch):
    monkeypatch.setattr(showing, "rung", [].index)
    monkeypatch.delenv("PALAESTRA_DEBUG", raising=False)
    result = palaestra("show", LAKE)
    assert result.exit_code == 70
    assert result.stderr == (
        "internal error: ValueError: 'H0' is not in list; please report, run with PALAESTRA_DEBUG=1 for the traceback\n"
    )
    monkeypatch.setenv("PALAESTRA_DEBUG", "1")
    assert "Traceback" in palaestra("show", LAKE).stderr


def test_a_fault_of_an_environment_is_its_authors(palaestra, monkeypatch):
    env = showing.registry.get(LAKE)
    monkeypatch.setattr(type(env), "public", lambda self, state: 1 / 0)
    result = palaestra("show", LAKE)
    assert result.exit_code == 2
    assert "ZeroDivisionError: division by zero; palaestra check grid/frozen_lake may tell why" in result.stderr


def test_ctrl_c_ends_with_code_130(palaestra, monkeypatch):
    def stop(env_id):
        raise KeyboardInterrupt

    monkeypatch.setattr(showing.registry, "get", stop)
    result = palaestra("show", LAKE)
    assert (result.exit_code, result.stderr) == (130, "stopped\n")


def test_a_closed_pipe_ends_quietly(started):
    read, write = os.pipe()
    os.close(read)
    for words in (["list"], ["list", "--json"]):
        assert started(*words, stdout=write).communicate(timeout=60) == (None, "")
    os.close(write)


def test_the_version_is_printed(palaestra):
    assert palaestra("--version").stdout == f"palaestra {__version__}\n"


def test_help_has_one_line_for_each_verb_and_each_verb_has_json_and_seed(palaestra):
    lines = [line for line in palaestra("--help").stdout.splitlines() if line.startswith("│ ")]
    group = typer.main.get_group(app)
    stages = ["measure", "select", "pretrain", "train", "evaluate", "mapf", "report", "demo", "experiment"]
    groups = ["engineer", "model", "bench"]
    assert list(group.commands) == ["list", "show", "play", "check", "gallery", "new", *stages, *groups]
    for name in group.commands:
        assert sum(line.startswith(f"│ {name} ") for line in lines) == 1
    verbs = [one for command in group.commands.values() for one in getattr(command, "commands", {"": command}).values()]
    for command in verbs:
        assert {"--json", "--seed"} <= {word for parameter in command.params for word in parameter.opts}
