"""`palaestra evaluate`: its result, its table, and what it refuses."""

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")

TINY = [Path(__file__).parents[2] / "configs" / "tiny.toml", "--set", "base.warm.steps=1"]
FEW = ["--per-scale", 1, "--set", 'environments=["grid/frozen_lake", "geometry/rotate_match"]']


@pytest.fixture(scope="module")
def base(palaestra, tmp_path_factory):
    folder = tmp_path_factory.mktemp("base") / "run"
    assert palaestra("pretrain", *TINY, "--out", folder).exit_code == 0
    return folder


@pytest.fixture(scope="module")
def trained(palaestra, base, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "run"
    shutil.copytree(base, folder)
    assert palaestra("train", *TINY, "--out", folder).exit_code == 0
    return folder


def test_json_holds_the_promised_keys_and_its_numbers_are_those_of_the_file(palaestra, trained):
    report = json.loads(palaestra("evaluate", trained, *FEW, "--json").stdout)
    stored = json.loads((trained / "evaluation.json").read_text())
    assert list(report) == ["out", "base", "trained", "differences"]
    for own in ("base", "trained", "differences"):
        assert list(report[own]) == ["id_single_turn", "id_multi_turn", "ood"]
        assert report[own]["id_single_turn"] is None
        for group in ("id_multi_turn", "ood"):
            assert list(report[own][group]) == ["value", "low", "high", "n"]
    assert report["trained"]["ood"] == stored["trained"]["ood"]
    assert report["differences"]["ood"] == stored["differences"]["ood"]["difference"]
    assert report["base"]["id_multi_turn"]["n"] == 3


def test_the_table_tells_environments_groups_and_what_was_left_out(palaestra, trained, base):
    shown = palaestra("evaluate", trained, *FEW).stdout
    assert all(words in shown for words in ("grid/frozen_lake", "ID, multi-turn", "OOD", "after 8 updates", "left out"))
    assert "pictures make no difference to the base checkpoint" in shown
    assert "not trained yet" in palaestra("evaluate", base, *FEW).stdout


def test_a_policy_is_judged_by_itself_as_json_as_a_table_and_into_a_card(palaestra, tmp_path):
    few = ["evaluate", "--policy", "tiny", *FEW, "--rungs", "H0"]
    result = palaestra(*few, "--out", tmp_path / "judged", "--card", tmp_path / "CARD.md", "--json")
    found = json.loads(result.stdout)
    assert found == json.loads((tmp_path / "judged" / "judgement.json").read_text())
    for own in (*found["environments"].values(), *(found[group] for group in ("id_multi_turn", "ood"))):
        assert list(own) == ["H0", "H4"]
        assert all(list(value) == ["value", "low", "high", "n"] for value in own.values())
    assert {"random", "normalised", "quality", "probe", "skipped"} <= found.keys()
    assert "| grid/frozen_lake | 0 |" in (tmp_path / "CARD.md").read_text()
    shown = " ".join(palaestra(*few).stdout.split())
    told = (
        "grid/frozen_lake",
        "OOD",
        "random",
        "H0 -",
        "grey",
        "training environments are 0.03 to 0.3 above chance",
    )
    assert [words for words in told if words not in shown] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "found neither of RUN and --policy"),
        (["run", "--policy", "tiny"], "found both of RUN and --policy"),
        (["run", "--rungs", "H0", "--card", "c"], "--rungs, --card with RUN run"),
        (["--policy", "nowhere"], "--policy nowhere: found no checkpoint there"),
        (["--policy", "tiny", "--rungs", "H7"], "the ladder has no 'H7'"),
        (["--policy", "tiny", "--split", "tset"], "split = 'tset'; wanted one of"),
    ],
)
def test_what_is_judged_is_one_run_or_one_policy(palaestra, words, said):
    result = palaestra("evaluate", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr.replace("\n", " ")


BAD_INPUT = [
    (["--per-scale", 0], "per_scale = 0"),
    (["--seed", -1], "seed = -1"),
    (["--set", "per_scal=3"], "did you mean 'per_scale'"),
    (["--set", 'environments=["nowhere/at_all"]'], "no environment 'nowhere/at_all'"),
    ([], "palaestra pretrain CONFIG --out"),
]


@pytest.mark.parametrize(("words", "said"), BAD_INPUT, ids=[said for _, said in BAD_INPUT])
def test_bad_input_ends_with_code_2_and_writes_nothing(palaestra, tmp_path, words, said):
    result = palaestra("evaluate", tmp_path, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr.replace("\n", " ")
    assert not [*tmp_path.iterdir()]
