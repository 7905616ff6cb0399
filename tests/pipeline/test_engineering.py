"""Stages with an engineer between: equal budgets, the fixed baseline, rollback, and the same numbers after any kill."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from kills import Killed, killed_at

from palaestra.core import config
from palaestra.core.errors import ConfigError
from palaestra.core.instance import Split
from palaestra.core.policy import Completion
from palaestra.core.trainer import Budget
from palaestra.curriculum.feed import Feed
from palaestra.engineer.journal import Journal
from palaestra.engineer.staged import Staged
from palaestra.evaluation.report import Figure, markdown
from palaestra.pipeline.engineering import between, chats
from palaestra.pipeline.engineering.design import Arm, EngineeringConfig, ground
from palaestra.pipeline.engineering.exam import exam
from palaestra.pipeline.engineering.run import engineer
from palaestra.pipeline.report import report
from palaestra.rollout.policies.guessing import Random
from palaestra.training.embedded import checkpoint as stored
from palaestra.training.embedded.backend import Embedded

FILE = Path(__file__).parent / "engineers.toml"
DESIGN = config.load(FILE, EngineeringConfig)
APART = {".lock", "clock.json"}


def silent(name):
    return lambda done, total: None


def content(folder):
    """Every file of a comparison, without the seconds that it took."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in APART)
    found = {str(path.relative_to(folder)): path.read_bytes() for path in files}
    return {**found, "engineer.json": {**json.loads(found["engineer.json"]), "clock": None}}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A comparison that nothing happened to: its folder, and what came of it."""
    folder = tmp_path_factory.mktemp("engineers") / "run"
    return folder, engineer(DESIGN, folder, silent)


def test_every_arm_spends_the_same_and_tells_each_part_before_and_after(whole):
    _, found = whole
    assert (found.made, found.outcome["missing"]) == (2, [])
    runs = [own["seeds"]["0"] for own in found.outcome["arms"].values()]
    assert {(run["updates"], run["rollouts"]) for run in runs} == {(6, 96)}
    for run in runs:
        assert len(run["trajectory"]) == 3
        played = sum(rate["n"] for stage in run["trajectory"] for rate in stage["trained"].values())
        assert played == 96 if run is runs[0] else 60 < played < 96, "what is kept from before does not count"
        for when in ("before", "after"):
            assert {part: own["valid"]["n"] for part, own in run[when]["parts"].items()} == {
                "lake rows 3": 6,
                "lake rows 4": 6,
            }
    assert runs[0]["before"] == runs[1]["before"]
    assert [stage["settings"] for stage in runs[0]["trajectory"]] == [runs[0]["trajectory"][0]["settings"]] * 3
    assert runs[1]["trajectory"][1]["settings"] != runs[1]["trajectory"][0]["settings"]


def test_no_change_ends_with_the_weights_of_one_training_run_of_the_fixed_mixture(whole):
    folder, _ = whole
    on = ground(DESIGN)
    feed = Feed(Staged(on.mixture), [env.spec for env in on.pool.values()], 0)
    scratch = folder.parent / "fixed"
    shutil.copytree(folder / "base" / "checkpoints", scratch)
    engine = Embedded(scratch, 0, DESIGN.tickets, DESIGN.every, DESIGN.grpo, device=DESIGN.device)
    base = stored.found(scratch / "base")
    last = engine.train(feed, on.pool, Budget(3 * DESIGN.rollouts, 3 * DESIGN.updates), base)
    own = folder / "runs" / "no_change" / "0" / "checkpoints" / "000006" / "state.safetensors"
    assert (last.path / "state.safetensors").read_bytes() == own.read_bytes()


def test_a_comparison_that_is_done_is_not_made_again(whole):
    folder, found = whole
    again = engineer(DESIGN, folder, silent)
    assert (again.made, again.outcome) == (0, found.outcome)


@pytest.mark.slow
def test_runs_side_by_side_come_to_the_same(whole, tmp_path):
    folder, found = whole
    assert engineer(DESIGN, tmp_path / "x", silent, workers=2).made == found.made
    assert content(tmp_path / "x") == content(folder)


def test_a_run_that_is_killed_anywhere_goes_on_to_the_same_numbers(whole, tmp_path):
    folder, _ = whole
    design = replace(DESIGN, arms={"random": DESIGN.arms["random"]})
    untouched = tmp_path / "untouched"
    shutil.copytree(folder / "base", untouched / "base")
    (untouched / "engineer.toml").write_text(config.dump(design))
    killed = tmp_path / "killed"
    shutil.copytree(untouched, killed)
    with killed_at(0) as writes:
        engineer(design, untouched, silent)
    many = len(writes)
    for moment in range(3, many + 1, max(1, many // 5)):
        try:
            with killed_at(moment):
                engineer(design, killed, silent)
        except Killed:
            continue
        break
    engineer(design, killed, silent)
    assert content(killed) == content(untouched)


def test_the_exam_holds_different_problems_that_are_never_trained_on(whole):
    on = ground(DESIGN)
    valid, test = (exam(on, DESIGN.exam, split) for split in (Split.VALID, Split.TEST))
    assert (len(valid.digests), len(test.digests), len(valid.digests | test.digests)) == (8, 12, 20)


def test_the_configuration_of_the_house_is_the_24_numbers_of_the_paper_and_five_arms():
    design = config.load(FILE.parents[2] / "configs" / "engineer.toml", EngineeringConfig)
    space = ground(design).space
    assert sum(1 + len(part.dials) for part in space.parts) == 24
    assert [dict(part.knobs)["size"] for part in space.parts] == list(range(3, 11))
    assert list(design.arms) == ["no_change", "domain_randomisation", "thresholds", "tpe", "local"]
    assert [len(design.runs(arm)) for arm in design.arms] == [3, 3, 3, 3, 1]
    assert design.stages == 4


def test_a_part_with_too_few_problems_is_named(monkeypatch):
    monkeypatch.setattr("palaestra.pipeline.engineering.exam.PATIENCE", 1)
    few = replace(DESIGN, exam=replace(DESIGN.exam, test=300))
    with pytest.raises(ConfigError, match=r"lake rows 3 gives .* different problems of the split test"):
        exam(ground(few), few.exam, Split.TEST)


def test_the_report_of_a_comparison_tells_arms_parts_and_proposals(whole):
    pytest.importorskip("matplotlib")
    folder, _ = whole
    section = report(folder).sections[-1]
    text = markdown("", [section])
    for words in ("no_change", "lake rows 4", "drawn at random", "weight: 0.5", "n = 6"):
        assert words in text
    ends, course = (block.markup for block in section.blocks if isinstance(block, Figure))
    assert all(words in ends for words in ("no_change", "random", "lake rows 3 to lake rows 4"))
    assert course.count("<image") == 2 * 3  # arms, and weight, holes, won


def scripted(monkeypatch, *replies):
    """Let an arm's chat say one thing after the other, the last again and again."""
    left = list(replies)

    def chat(messages, schema=None):
        return Completion(left.pop(0) if len(left) > 1 else left[0])

    monkeypatch.setattr(chats, "CHATS", {"scripted": lambda table, device: lambda: lambda folder, trainee: chat})
    own = {"engineer": "language_model", "chat": {"kind": "scripted"}, "candidates": 1, "rivals": ["no_change"]}
    plain = {**config_of(DESIGN), "stages": 2, "updates": 1, "arms": {"model": own}}
    return config.build(plain, EngineeringConfig)


def config_of(design):
    import tomllib

    return tomllib.loads(config.dump(design))


def test_a_language_model_moves_the_mixture_and_every_word_is_journaled(whole, monkeypatch, tmp_path):
    said = {"rationale": "rows 4 first", "parts": {"lake rows 4": {"weight": 0.9, "holes": 0.3}}, "reward": 5}
    design = scripted(monkeypatch, json.dumps(said))
    shutil.copytree(whole[0] / "base", tmp_path / "run" / "base")
    (tmp_path / "run" / "engineer.toml").write_text(config.dump(design))
    found = engineer(design, tmp_path / "run", silent).outcome["arms"]["model"]["seeds"]["0"]
    (proposal,) = found["proposals"]
    assert (proposal["by"], proposal["rationale"]) == ("language_model", "rows 4 first")
    assert "reward is out of reach: dropped" in proposal["projected"]
    assert found["trajectory"][1]["settings"]["lake rows 4"]["holes"] == 0.3
    kinds = [own["kind"] for own in Journal(tmp_path / "run" / "runs" / "model" / "0").entries()]
    assert kinds == ["prompt", "reply", "verdict", "verdict", "admitted"]


def test_a_server_is_a_chat_whose_answers_are_kept_in_the_run(tmp_path):
    server = {"kind": "endpoint", "url": "http://localhost:9/v1", "model": "m"}
    made = chats.read(server)()(tmp_path, None)
    assert (made.config.model, made.cache) == ("m", tmp_path / "replies")
    with pytest.raises(ConfigError, match="did you mean 'model'"):
        chats.read({**server, "models": "m"})


def test_a_chat_that_cannot_be_had_is_said_before_training_and_does_not_end_it_later(whole, monkeypatch, tmp_path):
    design = scripted(monkeypatch, "")

    def lacking(*asked):
        raise ConfigError("no such model")

    monkeypatch.setattr(chats, "CHATS", {"scripted": lambda table, device: lacking})
    shutil.copytree(whole[0] / "base", tmp_path / "run" / "base")
    (tmp_path / "run" / "engineer.toml").write_text(config.dump(design))
    with pytest.raises(ConfigError, match="no such model"):
        engineer(design, tmp_path / "run", silent)
    monkeypatch.setattr(chats, "CHATS", {"scripted": lambda table, device: lambda: lacking})
    (proposal,) = engineer(design, tmp_path / "run", silent).outcome["arms"]["model"]["seeds"]["0"]["proposals"]
    assert "nothing is changed" in proposal["rationale"]


@pytest.mark.parametrize(("fallen", "by"), [(True, "rollback"), (False, "random")])
def test_a_drop_of_the_sentinels_takes_the_mixture_back_and_is_noted(whole, monkeypatch, tmp_path, fallen, by):
    monkeypatch.setattr(between, "fell", lambda before, after, rails: fallen)
    design = replace(DESIGN, stages=4, updates=1, arms={"random": DESIGN.arms["random"]})
    shutil.copytree(whole[0] / "base", tmp_path / "run" / "base")
    (tmp_path / "run" / "engineer.toml").write_text(config.dump(design))
    run = engineer(design, tmp_path / "run", silent).outcome["arms"]["random"]["seeds"]["0"]
    assert [own["by"] for own in run["proposals"]] == ["random", by, "random"], "never back to what was blamed"
    first, last = run["trajectory"][0]["settings"], run["trajectory"][2]["settings"]
    assert (first == last) is fallen
    assert ("rolled back" in run["trajectory"][1]["note"]) is fallen


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"arms": {"a": {"engineer": "bandits"}}}, "did you mean 'bandit'"),
        ({"arms": {"a": {"engineer": "language_model"}}}, "chat.kind"),
        ({"arms": {"a": {"engineer": "language_model", "chat": {"kind": "trainee"}}}}, "an embedded policy is trained"),
        ({"arms": {"a": {"engineer": "language_model", "chat": {"kind": "trainee", "model": "m"}}}}, "leave it out"),
        ({"arms": {"a": {"engineer": "language_model", "chat": {"kind": "local"}}}}, "model is empty"),
        ({"arms": {"a": {"engineer": "language_model", "chat": {"kind": "local", "url": "u"}}}}, "url"),
        ({"arms": {"a": {"engineer": "bandit", "chat": {"kind": "local"}}}}, "does not read the table `chat`"),
        ({"arms": {"a": {"engineer": "language_model", "settings": {"k": 1}}}}, "does not read the table `settings`"),
        ({"rails": {"instances": 64}}, "cannot tell success below never"),
        ({"hugging_face": {"model": "m"}}, "hugging_face.grpo instead"),
        ({"mixture": {}}, "needs a table"),
        ({"stages": 0}, "counts start at 1"),
        ({"rails": {"instances": 3}}, "64 instances"),
    ],
)
def test_a_design_that_makes_no_sense_is_refused_with_a_sentence(table, words):
    with pytest.raises(ConfigError, match=words):
        config.build({**config_of(DESIGN), **table}, EngineeringConfig)


@pytest.mark.parametrize(
    ("own", "words"), [({"draws": 0}, "draws = 0"), ({"seed": 3}, "'seed'"), ({"pace": 1}, "its settings are")]
)
def test_settings_that_an_engineer_cannot_have_are_refused_before_anything_is_made(own, words, tmp_path):
    design = replace(DESIGN, arms={"a": Arm("alp_gmm", settings=own)})
    with pytest.raises(ConfigError, match=words):
        engineer(design, tmp_path / "run", silent)
    assert list(tmp_path.iterdir()) == []


def test_an_environment_that_fails_in_the_exam_is_missing_and_neither_won_nor_lost(monkeypatch):
    sat = exam(ground(DESIGN), DESIGN.exam, Split.VALID)
    monkeypatch.setattr(type(sat.ground.pool["grid/frozen_lake"]), "view", lambda *asked: 1 / 0)
    found = sat.sit(Random())
    assert set(found.won) == {None}
    assert {own.n for own in found.counts.values()} == {0}


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"first": {"holes": 0.15}}, "holes = 0.15"),
        ({"exam": {"slip": 0.1}}, "no such dial"),
        ({"each": {"row": [3]}}, "did you mean 'rows'"),
    ],
)
def test_a_mixture_that_is_not_legal_is_refused_with_a_sentence(own, words):
    plain = config_of(DESIGN)
    plain["mixture"]["lake"].update(own)
    with pytest.raises(ConfigError, match=words):
        ground(config.build(plain, EngineeringConfig))
