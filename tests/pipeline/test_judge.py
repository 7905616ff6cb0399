"""Judging one policy: who is asked what, and that every number tells planted players apart."""

import json
import re

import pytest

pytest.importorskip("torch")

from levers import lever, pool

from palaestra.core.errors import ConfigError, RunFolderError
from palaestra.core.instance import Split
from palaestra.core.policy import Completion
from palaestra.envs import registry
from palaestra.evaluation.blind import GREY
from palaestra.evaluation.scores import AT_ONCE
from palaestra.pipeline.card import MARK, SHIPPED, made, write_card
from palaestra.pipeline.judge import JudgeConfig, checkpoint, judge
from palaestra.training.embedded import backend
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.tokenizer import Tokenizer

LAKE, COUNT, MATE, OOD = "grid/frozen_lake", "perception/count_shapes", "board/mate_in_one", "geometry/rotate_match"
SIDES = ("toy/left", "left"), ("toy/right", "right"), (OOD, "left")
RUNGS = ["H0", "H1", "H2", "H3", "H4"]


class Reader:
    """Says what the caption says; without one it says left in six rooms of ten, and nothing before a grey picture."""

    tokenizer = Tokenizer(())

    def __call__(self, conversations, seeds):
        return [Completion(self.reply(talk[-1])) for talk in conversations]

    def reply(self, asked):
        if said := re.search(r"Here it is (\w+)", asked.text):
            return said[1]
        if asked.image is None or (asked.image.rgb() == GREY[0]).all():
            return ""
        return "left" if int(re.search(r"Room (\d+)", asked.text)[1]) % 10 < 6 else "right"


@pytest.fixture
def levers(monkeypatch):
    envs = pool(*(lever(env_id, right, 4000) for env_id, right in SIDES))
    monkeypatch.setattr(registry, "ids", lambda: sorted(envs))
    monkeypatch.setattr(registry, "pool", lambda ids: {env_id: envs[env_id] for env_id in ids})
    monkeypatch.setattr(backend.Embedded, "policy", lambda self, one: Reader())


def test_help_pictures_chance_and_the_band_are_told_of_a_planted_player(levers):
    found = judge(JudgeConfig(per_scale=60, seed=1), "tiny")
    assert list(found["environments"]) == [OOD, "toy/left", "toy/right"]
    assert {name: list(rungs) for name, rungs in found["environments"].items()} == dict.fromkeys(
        found["environments"], RUNGS
    )
    for env_id, alone in (("toy/left", 0.6), ("toy/right", 0.4)):
        own, above, chance = (found[name][env_id] for name in ("environments", "normalised", "random"))
        assert own["H0"]["value"] == above["H0"]["value"] == 1
        assert own["H0"]["low"] > 0.9
        assert own["H4"]["n"] == chance["n"] == above["H4"]["n"] == 120
        assert own["H4"]["low"] < alone < own["H4"]["high"]
        assert chance["low"] < 0.5 < chance["high"]
        expected = (own["H4"]["value"] - chance["value"]) / (1 - chance["value"])
        assert above["H4"]["value"] == pytest.approx(expected)
        assert above["H4"]["low"] < expected < above["H4"]["high"]
        assert found["help"][env_id]["difference"]["value"] == pytest.approx(1 - own["H4"]["value"])
        assert found["grey"][env_id]["value"] == 0
        assert found["scales"][env_id]["1"]["H0"] == {
            "value": 1.0,
            "low": pytest.approx(0.94, abs=0.01),
            "high": 1,
            "n": 60,
        }
    quality = found["quality"]
    assert (quality["environments"], quality["below"], quality["above"]) == (2, ["toy/right"], [])
    assert quality["within"]["value"] == 0.5
    assert quality["helped"]["ids"] == ["toy/left", "toy/right"]
    assert found["probe"]["beyond"]
    assert found["probe"]["warning"] == ""
    assert found["id_single_turn"] == dict.fromkeys(RUNGS)
    assert found["id_multi_turn"]["H4"]["n"] == 240
    assert found["ood"]["H0"]["value"] == 1


def test_the_shipped_base_is_judged_on_problems_that_are_drawn_for_it_and_the_rest_is_named(tmp_path):
    told = []
    plan = JudgeConfig((LAKE, COUNT, OOD, MATE), per_scale=2, rungs=("H0",))
    found = judge(plan, "tiny", tmp_path, lambda done, total: told.append((done, total)))
    assert json.loads((tmp_path / "judgement.json").read_text()) == found
    assert found["digest"] == checkpoint("tiny").digest == stored.found(SHIPPED).digest
    judged = {(env_id, int(scale)) for env_id, scales in found["scales"].items() for scale in scales}
    skipped = {(cell["env_id"], cell["scale"]): cell["why"] for cell in found["skipped"]}
    declared = {(env_id, scale) for env_id in plan.environments for scale in registry.get(env_id).spec.embedded_scales}
    assert judged | skipped.keys() == declared
    assert not judged & skipped.keys()
    assert all("tokens, more than 384" in why for why in skipped.values())
    total = 4 * 2 * len(judged)  # H0, H4, grey and random
    assert told[-1] == (total, total)
    assert found["problems"] == 2 * len(judged) < AT_ONCE
    assert [*found["environments"][LAKE]] == [*found["ood"]] == ["H0", "H4"]
    assert found["quality"]["unjudged"] == [env_id for env_id in (MATE,) if env_id not in found["environments"]]
    assert judge(plan, str(stored.SHIPPED)) == found | {"policy": str(stored.SHIPPED)}


def test_dials_are_set_on_other_problems_than_those_of_the_test(levers):
    one, other = (judge(JudgeConfig(per_scale=4, split=split), "tiny") for split in (Split.TEST, Split.VALID))
    assert (one["split"], other["split"]) == ("test", "valid")
    assert one["suite"] != other["suite"]


def test_without_h0_nothing_is_said_of_help(levers):
    found = judge(JudgeConfig(per_scale=4, rungs=("H4",)), "tiny")
    assert found["help"] == {}
    assert found["quality"]["helped"] is None
    assert [*found["environments"]["toy/left"]] == ["H4"]


def test_the_last_checkpoint_of_a_run_is_judged_and_its_base_where_there_is_no_other(tmp_path):
    now, _ = stored.read(checkpoint("tiny"))
    base = stored.write(tmp_path / "checkpoints" / "base", now, {})
    assert checkpoint(str(tmp_path)) == base
    now.updates = 3
    last = stored.write(tmp_path / "checkpoints" / "000003", now, {})
    assert checkpoint(str(tmp_path)) == last
    assert checkpoint(str(base.path)) == base
    with pytest.raises(RunFolderError, match="found no checkpoint there"):
        checkpoint(str(tmp_path / "checkpoints"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"rungs": ("H5",)}, "no 'H5'"), ({"split": Split.TRAIN}, "has learnt from"), ({"per_scale": 0}, "per_scale = 0")],
)
def test_a_plan_that_makes_no_sense_is_refused(changes, said):
    with pytest.raises(ConfigError, match=said):
        JudgeConfig(**changes)


def test_a_card_keeps_its_words_and_takes_the_numbers_and_what_the_checkpoint_says(levers, tmp_path):
    found = judge(JudgeConfig(per_scale=4), "tiny")
    folder, card = tmp_path / "base", tmp_path / "CARD.md"
    folder.mkdir()
    state = {"shape": {"width": 64}, "pool": {"toy/left": "v1 abc"}, "budget": {"contexts": 600}, "words": ["a"]}
    (folder / "state.json").write_text(json.dumps(state))
    (folder / "pretrain.toml").write_text("seed = 7\n[warm]\nsteps = 5\n")
    assert made(folder) == {
        **{name: state[name] for name in ("shape", "pool", "budget")},
        "pretrain": {"seed": 7, "warm": {"steps": 5}},
    }
    card.write_text(f"# Mine\n\nFaults on purpose.\n\n{MARK}\n\n## Old numbers\n")
    for _ in range(2):
        write_card(card, found, folder)
        text = card.read_text()
        assert text.startswith(f"# Mine\n\nFaults on purpose.\n\n{MARK}\n\n## How")
        assert text.count(MARK) == 1
        assert "Old numbers" not in text
    for words in (
        "width 64",
        "contexts 600",
        "seed 7",
        "steps 5",
        "Pool: 1 environments",
        "toy/left | 0 | 1.000 (0.510",
    ):
        assert words in text
    assert "Skipped" not in text
    (folder / "state.json").write_text("{")
    with pytest.raises(RunFolderError, match="is damaged"):
        write_card(card, found, folder)
    assert card.read_text() == text
