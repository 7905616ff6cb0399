"""`palaestra report`: where it wrote, what is missing, and clear about what is wrong."""

import json

import pytest

PROFILES = {
    "a/lake": {"core": {"plan": 1.0, "avoid": 0.9}, "soft": {}, "support": {"": 20}},
    "b/count": {"core": {"count": 1.0}, "soft": {"avoid": 0.2}, "support": {"": 20}},
}


@pytest.fixture
def run(tmp_path):
    (tmp_path / "profiles.json").write_text(json.dumps(PROFILES))
    return tmp_path


def test_json_says_where_the_report_is_and_what_it_lacks(palaestra, run):
    result = palaestra("report", run, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert list(found) == ["report", "markdown", "sections", "missing"]
    assert found["sections"] == ["about", "pool", "abilities"]
    assert found["missing"] == ["conflict", "selection", "coverage", "curriculum", "scores"]
    assert found["report"] == str(run / "report.html")
    assert (run / "report.html").stat().st_size > 5000
    assert (run / "report.md").read_text("utf-8").startswith("# Palaestra report: ")


def test_without_json_it_prints_both_paths_and_which_command_goes_on(palaestra, run):
    result = palaestra("report", run)
    assert result.stdout.split() == [str(run / "report.html"), str(run / "report.md")]
    assert "there is no selection.json; palaestra select RUN makes one" in result.stderr


def test_a_fresh_process_does_the_same(started, palaestra, run):
    out, err = started("report", run, "--json").communicate(timeout=120)
    assert json.loads(out)["missing"]
    assert "Traceback" not in err
    before = (run / "report.html").read_bytes()
    assert palaestra("report", run).exit_code == 0
    assert (run / "report.html").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{run}/none"], "holds nothing to report"),
        (["{run}/damaged"], "profiles.json is damaged"),
        ([], "RUN"),
    ],
    ids=["no run", "damaged", "no word"],
)
def test_bad_input_ends_with_code_2_and_writes_nothing(palaestra, run, words, said):
    (run / "damaged").mkdir()
    (run / "damaged" / "profiles.json").write_text('{"a/b": {"core": ')
    result = palaestra("report", *(word.format(run=run) for word in words))
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr.replace("\n", " ")
    assert not [*run.rglob("report.*")]
