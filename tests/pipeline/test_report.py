"""Reporting from a folder: all that is there is told, what is missing is named, what is damaged is refused."""

import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from planted_run import planted

from palaestra.core.errors import RunFolderError
from palaestra.evaluation.report import Figure
from palaestra.pipeline.report import MAKES, report

NEEDS = {
    "profiles.json": {"abilities", "coverage"},
    "sketches.safetensors": {"conflict"},
    "selection.json": {"selection", "coverage"},
    "curriculum.json": {"curriculum"},
    "evaluation.json": {"scores"},
}

NEEDED = set[str]().union(*NEEDS.values())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run with every file, and its page and Markdown."""
    run = planted(tmp_path_factory.mktemp("run"), environments=5, abilities=6)
    made = report(run)
    return run, made.page.read_text("utf-8"), made.markdown.read_text("utf-8")


@pytest.fixture
def run(whole, tmp_path):
    """A copy of that run, to spoil."""
    return Path(shutil.copytree(whole[0], tmp_path, ignore=shutil.ignore_patterns("report.*"), dirs_exist_ok=True))


def test_a_whole_run_has_every_section(whole):
    made = report(whole[0])
    assert made.json() == {
        "report": str(whole[0] / "report.html"),
        "markdown": str(whole[0] / "report.md"),
        "sections": ["about", "pool", "abilities", "conflict", "selection", "coverage", "curriculum", "scores"],
        "missing": [],
    }


def test_the_page_is_whole_in_itself_and_small(whole):
    loads: list[str] = []
    open_tags: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            assert tag not in ("script", "iframe", "object", "embed", "base", "form")
            loads.extend(v for k, v in attrs if k in ("src", "href", "xlink:href") and not v.startswith(("#", "data:")))
            assert not [k for k, _ in attrs if k.startswith("on")]
            if tag not in ("meta", "link", "img", "path", "use", "rect", "image", "br", "wbr"):
                open_tags.append(tag)

        def handle_startendtag(self, tag, attrs):
            self.handle_starttag(tag, attrs)
            if open_tags and open_tags[-1] == tag:
                open_tags.pop()

        def handle_endtag(self, tag):
            if open_tags and open_tags[-1] == tag:
                open_tags.pop()

    Reader().feed(whole[1])
    assert (loads, open_tags) == ([], [])
    assert "http" not in re.sub(r'xmlns(:xlink)?="[^"]*"|http-equiv', "", whole[1])
    assert len(whole[1].encode()) < 1_500_000


def test_a_fresh_process_writes_the_same_bytes(whole, run):
    named = Path(shutil.copytree(run, run / "copy" / whole[0].name))  # the title is the folder's name
    code = f"from palaestra.pipeline.report import report; from pathlib import Path; report(Path({str(named)!r}))"
    src = Path(__file__).parents[2] / "src"
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        timeout=120,
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(src)},
    )
    assert (named / "report.html").read_text("utf-8") == whole[1]
    assert (named / "report.md").read_text("utf-8") == whole[2]


def test_both_forms_hold_the_numbers_of_the_evaluation(whole):
    stored = json.loads((whole[0] / "evaluation.json").read_text())
    for side in ("base", "trained"):
        for env_id, own in stored[side]["environments"].items():
            told = f"{own['value']:.3f} [{own['low']:.3f}, {own['high']:.3f}], n = {own['n']}"
            assert env_id in whole[1]
            assert told in whole[1]
            assert told.replace("[", "\\[").replace("]", "\\]") in whole[2]
    assert stored["suite"] in whole[1]
    assert stored["suite"] in whole[2]
    assert "not better beyond noise with the true pictures" in whole[2]


@pytest.mark.parametrize("name", NEEDS)
def test_a_file_that_is_missing_is_named_with_the_command_that_makes_it(run, name):
    (run / name).unlink()
    made = report(run)
    lacking = {own.name: own.missing for own in made.sections if own.missing}
    assert lacking == dict.fromkeys(NEEDS[name], (name, MAKES[name]))
    assert f"<code>{MAKES[name]}</code> makes one" in made.page.read_text("utf-8")
    assert f"holds no `{name}`; `{MAKES[name]}` makes one" in made.markdown.read_text("utf-8")


def test_a_configuration_alone_makes_a_report_and_an_empty_folder_none(run, tmp_path):
    for name in NEEDS:
        (run / name).unlink()
    assert set(report(run).json()["missing"]) == NEEDED
    empty = tmp_path / "empty"
    empty.mkdir()
    for folder in (empty, tmp_path / "nowhere"):
        with pytest.raises(RunFolderError, match="holds nothing to report"):
            report(folder)
    assert [*empty.iterdir()] == []


def test_an_evaluation_of_the_base_alone_says_so(tmp_path):
    made = report(planted(tmp_path, environments=4, abilities=6, trained=False))
    assert "Only the base (step 0) was judged" in made.markdown.read_text("utf-8")


def spoilt(name, change):
    def spoil(run):
        data = json.loads((run / name).read_text())
        change(data)
        (run / name).write_text(json.dumps(data))

    return spoil


def write(run, name, text):
    (run / name).parent.mkdir(exist_ok=True)
    (run / name).write_text(text)


STRANGER = {"id": "c/unknown", "coverage": 1, "redundancy": 0, "conflict": 0, "gain": 1}
RANDOM = json.dumps({"method": "random_k", "picks": [STRANGER]})
DAMAGED = {
    "config.toml": lambda run: (run / "config.toml").write_bytes(b"\xff = 1"),
    "train.toml": lambda run: (run / "train.toml").write_text("= 1"),
    "profiles.json": lambda run: (run / "profiles.json").write_text("[]"),
    "sketches.safetensors": lambda run: (run / "sketches.safetensors").write_bytes(b"rubbish" * 9),
    "selection.json": spoilt("selection.json", lambda data: data["picks"][0].pop("gain")),
    "selection.json ": spoilt("selection.json", lambda data: data["picks"].append(data["picks"][0])),
    "selection.json  ": spoilt("selection.json", lambda data: data["picks"][0].update(id="c/unknown")),
    "selections/random_k.json": lambda run: write(run, "selections/random_k.json", "{"),
    "selections/random_k.json ": lambda run: write(run, "selections/random_k.json", RANDOM),
    "curriculum.json": lambda run: (run / "curriculum.json").write_text('{"history": ['),
    "curriculum.json ": spoilt("curriculum.json", lambda data: data["history"].clear()),
    "curriculum.json  ": spoilt("curriculum.json", lambda data: data["history"].reverse()),
    "curriculum.json   ": spoilt("curriculum.json", lambda data: data["final"][0].update(harness="H9")),
    "curriculum.json    ": spoilt("curriculum.json", lambda data: data["environments"].clear()),
    "drift.json": lambda run: (run / "drift.json").write_text("7"),
    "evaluation.json": lambda run: (run / "evaluation.json").write_text("7"),
    "evaluation.json ": spoilt("evaluation.json", lambda data: data["base"]["id"].update(value="0.1")),
    "evaluation.json  ": spoilt("evaluation.json", lambda data: data["trained"]["id"].update(value=float("nan"))),
    "evaluation.json   ": spoilt("evaluation.json", lambda data: data.pop("suite")),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_named_and_nothing_is_written(run, name):
    DAMAGED[name](run)
    with pytest.raises(RunFolderError, match=re.escape(name.strip())):
        report(run)
    assert [*run.glob("report.*")] == []


def test_drift_is_told_beside_the_cosines(run):
    step = {"before": 0, "after": 40, "pairs": 6, "rank_correlation": 0.5, "change": 0.2, "by_noise": 0.1, "moved": 0}
    (run / "drift.json").write_text(json.dumps({"metric": "raw", "steps": [step]}))
    made = report(run)
    said = (
        "Between updates 0 and 40 the cosines of 6 pairs changed by 0.20 on average, where their errors alone make 0.10"
    )
    assert said in made.markdown.read_text()
    assert said in made.page.read_text()


def test_an_environment_that_is_not_here_and_one_that_is_held_out_are_told(run):
    (run / "evaluation.json").unlink()
    profiles = json.loads((run / "profiles.json").read_text())
    profiles["stranger/world"] = profiles["grid/key_door"] = {"core": {"plan": 1.0}, "soft": {}}
    (run / "profiles.json").write_text(json.dumps(profiles))
    text = report(run).markdown.read_text("utf-8")
    assert re.search(r"stranger/world \|  \|  \|  \| not registered here", text)
    assert re.search(r"grid/key_door \| Key and door \| 0 to \d \| held out \| scale \d", text)


def test_every_method_that_was_run_has_a_curve_and_the_selection_its_reasons_and_counts(whole):
    chosen = json.loads((whole[0] / "selection.json").read_text())
    methods = {path.stem for path in (whole[0] / "selections").iterdir()}
    assert methods == {"aes", "random_k", "coverage_only", "without_conflict", "facility_location"}
    columns = re.search(r"\| picks \| (.*) \| random: mean", whole[2])[1].split(" | ")
    assert columns == ["aes", *sorted(methods - {"aes"})]
    for verdict in (*chosen["picks"], *chosen["rejected"]):
        assert verdict["why"] in whole[1]
        assert f"{verdict['id']} | {100 * verdict['inclusion']:.0f} of 100 |" in whole[2]


def test_a_selection_that_was_not_resampled_says_how_it_can_be(run):
    spoilt("selection.json", lambda data: [data.pop("draws"), data["picks"][0].pop("why")])(run)
    assert "was not counted: palaestra select --draws 100 does" in report(run).page.read_text("utf-8")


def test_environments_that_were_not_measured_are_grey_and_named(run):
    profiles = json.loads((run / "profiles.json").read_text())
    known = sorted(set(profiles) - {pick["id"] for pick in json.loads((run / "selection.json").read_text())["picks"]})
    profiles.pop(known[0])
    shutil.rmtree(run / "selections")
    profiles["stranger/world"] = {"core": {"plan": 1.0}, "soft": {}}
    (run / "profiles.json").write_text(json.dumps(profiles))
    made = report(run)
    text = made.markdown.read_text("utf-8")
    assert f"| {known[0]} | none | unmeasured | unmeasured |" in text
    assert "Without a sketch, and so unmeasured throughout: stranger/world." in text
    drawn = {own.name: own.blocks for own in made.sections}
    for name, envs in (("abilities", 6), ("conflict", 6)):
        (figure,) = (block for block in drawn[name] if isinstance(block, Figure))
        assert "unmeasured</text>" in figure.markup
        assert f"{envs} environments" in figure.markup
