"""`palaestra select`: from files alone, with its terms shown, and clear about what is wrong."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from palaestra.core.gradient import GradientSketch
from palaestra.core.runfolder import RunFolder
from palaestra.pipeline import sketches

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "selecting.md"
PROFILES = {
    "a/lake": {"core": {"plan": 1.0, "avoid": 0.9}, "soft": {}, "support": {"": 20}},
    "a/maze": {"core": {"plan": 0.8}, "soft": {"avoid": 0.2}, "support": {"": 20}},
    "b/count": {"core": {"count": 1.0}, "soft": {}, "support": {"": 20}},
}


@pytest.fixture
def run(tmp_path):
    (tmp_path / "profiles.json").write_text(json.dumps(PROFILES))
    return tmp_path


def test_a_fresh_process_selects_from_files_alone_and_prints_what_it_writes(started, run):
    out, err = started("select", run, "--method", "aes", "--json").communicate(timeout=60)
    found = json.loads(out)
    assert err == ""
    assert [*found] == [
        "method", "picks", "rejected", "draws", "covered", "core_abilities", "unmeasured", "cost", "saturation",
        "objective",
    ]  # fmt: skip
    keys = ["id", "coverage", "redundancy", "conflict", "gain", "inclusion", "why"]
    assert [[*own] for own in [*found["picks"], *found["rejected"]]] == [keys] * 3
    assert json.loads((run / "selection.json").read_text()) == found


def test_the_same_command_writes_the_same_bytes_and_another_method_other_ones(palaestra, run):
    written = []
    for method in ("random-k", "random-k", "aes"):
        assert palaestra("select", run, "--method", method, "--k", 2, "--seed", 1).exit_code == 0
        written.append((run / "selection.json").read_bytes())
    assert written[0] == written[1] != written[2]


def test_the_table_shows_the_terms_and_the_curve(palaestra, run):
    shown = palaestra("select", run).stdout
    assert re.search(r"a/lake +2\.00 +0\.00 +0\.00 +2\.00 +█{5}░{3} 2/3", shown)
    assert re.search(r"b/count +1\.00 +0\.00 +0\.00 +1\.00 +█{8} 3/3", shown)
    assert "nothing new after 2 picks; conflict unmeasured for 3 of 3" in shown


def test_the_table_warns_of_what_unmeasured_environments_are_charged(palaestra, run):
    pytest.importorskip("safetensors")
    pull_K = np.random.default_rng(0).standard_normal(256)
    batches_MK = (pull_K + 0.1 * np.random.default_rng(1).standard_normal((10, 256))).astype(np.float32)
    pulls = [GradientSketch(env_id, batches_MK, 10, "raw", "count sketch") for env_id in ("a/lake", "b/count")]
    sketches.write(RunFolder(run), pulls)
    told = " ".join(palaestra("select", run).stdout.split())
    assert "conflict unmeasured for 1 of 3, which are charged the mean of the measured pairs;" in told
    assert "conflict unmeasured for 1 of 3;" in " ".join(palaestra("select", run, "--conflict", "naive").stdout.split())


def test_why_tells_of_every_environment_and_the_gap_of_an_exact_choice_is_told(palaestra, run):
    shown = palaestra("select", run, "--why").stdout
    assert re.search(r"b/count +picked +1\.00 +covers count \(1\.00\)", shown)
    assert re.search(r"a/maze +-0\.\d+ +covers nothing new, is like a/lake \(0\.\d+\)", shown)
    pytest.importorskip("scipy")
    assert re.search(r"objective 3\.00, at most 0\.00 below", palaestra("select", run, "--method", "exact").stdout)


BAD_INPUT = [
    (["{run}", "--method", "rondom-k"], "no method is called 'rondom-k'; did you mean 'random_k'"),
    (["{run}", "--method", "random-k"], "give k"),
    (["{run}", "--method", "doge", "--k", "1"], "there are none; measure with a checkpoint"),
    (["{run}", "--method", "k-center-code", "--k", "1"], "a/lake has none (3 lack one)"),
    (["{run}", "--conflict", "raw"], "no conflict is called 'raw'"),
    (["{run}", "--k", "4"], "asked for 4 of 3 environments"),
    (["{run}", "--k", "0"], "asked for 0 of 3 environments"),
    (["{run}/none"], "holds no profiles.json; palaestra measure --out"),
    (["{damaged}"], "profiles.json is damaged"),
    ([], "RUN"),
]


@pytest.mark.parametrize(("words", "said"), BAD_INPUT, ids=[" ".join(words) for words, _ in BAD_INPUT])
def test_bad_input_ends_with_code_2_and_says_what_to_do(palaestra, run, words, said):
    damaged = run / "damaged"
    damaged.mkdir()
    (damaged / "profiles.json").write_text('{"a/b": {"core": ')
    result = palaestra("select", *(word.format(run=run, damaged=damaged) for word in words))
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr.replace("\n", " ")
    assert not [*run.rglob("selection.json")]


def test_the_python_of_the_guide_runs_and_its_json_can_be_selected_from(palaestra, capsys, tmp_path):
    blocks = dict(re.findall(r"```(python|json)\n(.*?)```", GUIDE.read_text("utf-8"), flags=re.DOTALL))
    assert len(blocks["python"].splitlines()) < 20
    exec(compile(blocks["python"], GUIDE.name, "exec"), {})
    assert capsys.readouterr().out == "mine/lake 2.0\nmine/shop 0.5\n"
    (tmp_path / "profiles.json").write_text(blocks["json"])
    assert json.loads(palaestra("select", tmp_path, "--json").stdout)["covered"] == ["avoid", "plan"]
