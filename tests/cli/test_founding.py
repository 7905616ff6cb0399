"""`palaestra new`."""

import json

import pytest

from palaestra.envs.check import Failure


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_to_start_from_is_written_once_and_never_over_another(palaestra, here):
    told = palaestra("new", "garden/walk", "--json")
    assert (told.exit_code, json.loads(told.stdout)) == (0, {"file": "walk.py"})
    (here / "walk.py").write_text("mine")
    again = palaestra("new", "garden/walk")
    assert again.exit_code == 2
    assert "walk.py is there already" in again.stderr
    assert (here / "walk.py").read_text() == "mine"


def test_a_name_that_is_no_id_writes_nothing(palaestra, here):
    told = palaestra("new", "walk")
    assert told.exit_code == 2
    assert "is no id" in told.stderr
    assert not list(here.iterdir())


@pytest.mark.parametrize(("found", "code"), [([], 0), ([Failure("garden/walk", "oracle", "no plan")], 1)])
def test_the_verdict_on_a_proposal_is_told(palaestra, monkeypatch, found, code):
    monkeypatch.setattr("palaestra.cli.founding.admit", lambda env_id, file, folder, replace: found)
    told = palaestra("new", "garden/walk", "--from", "any.py", "--json")
    assert told.exit_code == code
    failed = [failure._asdict() for failure in found]
    assert json.loads(told.stdout) == {"id": "garden/walk", "admitted": not found, "failed": failed}
    plain = palaestra("new", "garden/walk", "--from", "any.py")
    assert ("no plan" in plain.stdout) is bool(found)
    assert ("refused" if found else "is kept as") in plain.stderr
