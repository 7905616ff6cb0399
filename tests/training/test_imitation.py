"""The warm start: what it teaches, that it teaches nothing that is held out, and that it can be stopped."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palaestra.core.environment import Pool
from palaestra.core.errors import ConfigError
from palaestra.core.instance import Split
from palaestra.core.trainer import Checkpoint
from palaestra.envs import held_out, registry
from palaestra.envs.grid.frozen_lake import FrozenLake
from palaestra.pipeline import pretrain as stage
from palaestra.pipeline.pretrain import BaseConfig, training_pool

torch = pytest.importorskip("torch")

from palaestra.training.embedded import checkpoint as stored  # noqa: E402  only where torch is
from palaestra.training.embedded.backend import Embedded  # noqa: E402
from palaestra.training.embedded.batch import lay, pack  # noqa: E402
from palaestra.training.embedded.imitation import AT_ONCE, CAPTION, Lesson, Teaching, lessons  # noqa: E402
from palaestra.training.embedded.model import Network, Shape  # noqa: E402
from palaestra.training.embedded.pretrain import Course, Losses, WarmStart, vocabulary  # noqa: E402
from palaestra.training.embedded.prompt import Prompt  # noqa: E402
from palaestra.training.embedded.scales import scales_of  # noqa: E402
from palaestra.training.embedded.tokenizer import PAD, Tokenizer  # noqa: E402

LAKE, COUNT, PAIRS = "grid/frozen_lake", "perception/count_shapes", "memory/pair_recall"
PLAN = WarmStart(steps=6, contexts=8)


@pytest.fixture(scope="module")
def pool() -> Pool:
    return registry.pool([LAKE, COUNT, PAIRS])


@pytest.fixture(scope="module")
def tokenizer(pool: Pool) -> Tokenizer:
    return vocabulary(pool)


class Watched(dict[str, Any]):
    """A pool that notes in the last of some sets which of its environments are looked up."""

    def __init__(self, pool: Pool, met: list[set[str]]) -> None:
        super().__init__(pool)
        self.met = met

    def __getitem__(self, env_id: str) -> Any:
        self.met[-1].add(env_id)
        return super().__getitem__(env_id)


def taught(pool: Pool, env_id: str, tokenizer: Tokenizer, plan: Teaching, times: int = 10) -> list[Lesson]:
    env, rng = pool[env_id], np.random.default_rng(0)
    return [one for _ in range(times) for one in lessons(env, scales_of(env.spec), tokenizer, plan, rng)]


def seen(tokenizer: Tokenizer, lesson: Lesson) -> dict[str, str]:
    """What each branch of a lesson has been shown."""
    return {name: tokenizer.decode(lesson.trunk.tokens[: own.after]) for name, own in lesson.branches.items()}


def test_a_reply_branches_off_where_the_text_of_its_rung_ends(pool: Pool, tokenizer: Tokenizer) -> None:
    for lesson in taught(pool, LAKE, tokenizer, Teaching(unhelped=0.0, captions=1.0)):
        shown = seen(tokenizer, lesson)
        assert list(shown) == ["H0", "H1", CAPTION]
        assert "Map (" in shown["H0"]
        assert shown["H1"].endswith(".")
        assert "Holes beside you" in shown["H1"]
        assert "Map (" not in shown["H1"]
        assert shown[CAPTION] == ""
        assert lesson.branches["H0"].reply == lesson.branches["H1"].reply
        assert "Map (" in tokenizer.decode(lesson.branches[CAPTION].reply)
        told = tokenizer.decode([lesson.trunk.tokens[place] for place in lesson.told])
        assert told.strip().startswith("You are at")


def test_a_lesson_in_seeing_says_nothing_of_the_position(pool: Pool, tokenizer: Tokenizer) -> None:
    for lesson in taught(pool, LAKE, tokenizer, Teaching(unhelped=1.0, captions=0.0)):
        shown = seen(tokenizer, lesson)
        assert list(shown) == ["H2", "H3", "H4"]
        assert "Holes beside you" not in shown["H2"]
        assert shown["H4"].endswith("left.")
        assert len({own.reply for own in lesson.branches.values()}) == 1
        assert not lesson.told


def test_a_share_of_the_lessons_is_in_seeing(pool: Pool, tokenizer: Tokenizer) -> None:
    found = taught(pool, COUNT, tokenizer, Teaching(unhelped=0.4, captions=0.0), 50)
    assert len(found) == 50 * AT_ONCE
    assert sum("H4" in lesson.branches for lesson in found) / len(found) == pytest.approx(0.4, abs=0.08)


def test_a_slip_is_played_and_not_taught(pool: Pool, tokenizer: Tokenizer) -> None:
    for lesson in taught(pool, COUNT, tokenizer, Teaching(unhelped=0.0, slips=1.0)):
        read, said = tokenizer.decode(lesson.trunk.tokens), tokenizer.decode(lesson.branches["H0"].reply)
        fields = dict(line.split(": ") for line in said.splitlines())
        assert all(read.count(f"{name} at ") == int(count) for name, count in fields.items())


def test_branches_of_a_trunk_are_as_likely_as_each_alone(pool: Pool, tokenizer: Tokenizer) -> None:
    torch.manual_seed(0)
    network = Network(Shape(tokenizer.size, tokenizer.speakable, width=64, layers=2))
    part = taught(pool, PAIRS, tokenizer, Teaching(), 2) + taught(pool, LAKE, tokenizer, Teaching(captions=1.0), 2)
    with torch.inference_mode():
        packed = lay([one.trunk for one in part], [list(one.branches.values()) for one in part])
        together = packed.summed(packed.logprobs(network)).tolist()
        alone = []
        for one in part:
            for branch in one.branches.values():
                tokens = (*one.trunk.tokens[: branch.after], *branch.opening)
                single = pack([Prompt(tokens, one.trunk.images)], [[branch.reply]])
                alone.append(float(single.logprobs(network).sum()))
    assert together == pytest.approx(alone, abs=1e-3)


def test_tokens_of_the_trunk_are_told_from_what_stands_before_them(pool: Pool, tokenizer: Tokenizer) -> None:
    network = Network(Shape(tokenizer.size, tokenizer.speakable, width=64, layers=2))
    (lesson, *_) = taught(pool, LAKE, tokenizer, Teaching(unhelped=0.0), 1)
    places = [place for place in lesson.told if lesson.trunk.tokens[place] < tokenizer.speakable]
    with torch.inference_mode():
        packed = lay([lesson.trunk], [list(lesson.branches.values())], [places])
        told = packed.logprobs(network)[packed.reply[packed.targets != PAD] < 0]
        before = Prompt(lesson.trunk.tokens[: places[3]], lesson.trunk.images)
        alone = pack([before], [[(lesson.trunk.tokens[places[3]],)]]).logprobs(network)
    assert len(told) == len(places)
    assert float(told[3]) == pytest.approx(float(alone[0]), abs=1e-3)


def test_the_warm_start_meets_training_problems_of_the_training_pool_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not held_out.HELD_OUT & training_pool(()).keys()
    with pytest.raises(ConfigError, match="held out"):
        training_pool([next(iter(sorted(held_out.HELD_OUT)))])
    met = []
    reset = FrozenLake.reset
    monkeypatch.setattr(FrozenLake, "reset", lambda self, instance: met.append(instance) or reset(self, instance))
    lake = registry.pool([LAKE])
    taught(lake, LAKE, vocabulary(lake), Teaching(), 20)
    assert {(instance.split, instance.scale) for instance in met} == {(Split.TRAIN, scale) for scale in (0, 1, 2)}
    assert len({instance.seed for instance in met}) > 20


def test_a_warm_start_that_is_stopped_goes_on_to_the_same_losses_and_weights(tmp_path: Path) -> None:
    plan = BaseConfig(environments=(LAKE, PAIRS), width=32, layers=1, warm=WarmStart(steps=23, contexts=8))
    whole = stage.pretrain(plan, tmp_path / "whole")

    def stopping(at: int) -> Checkpoint | None:
        def told(done: int, total: int, losses: Losses) -> None:
            if done == at:
                raise KeyboardInterrupt

        try:
            return stage.pretrain(plan, tmp_path / "pieces", told).checkpoint
        except KeyboardInterrupt:
            return None

    assert stopping(7) is None
    assert stopping(15) is None
    pieces = stopping(0)
    assert pieces is not None
    assert pieces.digest == whole.checkpoint.digest
    events = [(tmp_path / name / "events.jsonl").read_text() for name in ("whole", "pieces")]
    assert [line.partition('"event"')[2] for line in events[0].splitlines()] == [
        line.partition('"event"')[2] for line in events[1].splitlines()
    ]
    assert not (tmp_path / "pieces" / "checkpoints" / "warm").exists()


def test_others_join_the_first_environments_one_by_one(pool: Pool, tokenizer: Tokenizer) -> None:
    plan = WarmStart(steps=10, contexts=24, first=(PAIRS,), joining=0.5)
    scales = {env_id: scales_of(env.spec) for env_id, env in pool.items()}
    network = Network(Shape(tokenizer.size, tokenizer.speakable, width=32, layers=1))
    met: list[set[str]] = []
    course = Course(network, Watched(pool, met), tokenizer, scales, plan, seed=0)
    for _ in range(6):
        met.append(set())
        course.step()
    assert met[0] == met[1] == {PAIRS}
    assert COUNT not in met[2] | met[3]
    assert met[5] == set(pool)


def test_the_scales_that_are_named_are_taught_and_no_others(tmp_path: Path, pool: Pool, monkeypatch: Any) -> None:
    scales = set[int]()
    reset = FrozenLake.reset
    monkeypatch.setattr(FrozenLake, "reset", lambda lake, inst: scales.add(inst.scale) or reset(lake, inst))
    plan = replace(PLAN, scales=(3, 1), steps=2)
    Embedded(tmp_path, warm=plan, width=32, layers=1).base({LAKE: pool[LAKE]})
    assert scales == {1, 3}
    assert WarmStart(scales=(99,)).taught(pool[LAKE].spec) == pool[LAKE].spec.embedded_scales  # it has no such scale


def test_a_first_environment_that_is_not_met_at_all_is_told(tmp_path: Path) -> None:
    plan = BaseConfig(environments=(LAKE,), warm=WarmStart(first=("grid/frozen_lak",), joining=0.5))
    with pytest.raises(ConfigError, match=r"'grid/frozen_lak', .* did you mean 'grid/frozen_lake'"):
        stage.pretrain(plan, tmp_path)


def test_a_base_says_what_it_has_met_and_for_how_long(tmp_path: Path, pool: Pool) -> None:
    plan = BaseConfig(environments=(LAKE,), width=32, layers=1, warm=PLAN)
    base = stage.pretrain(plan, tmp_path).checkpoint
    now, _ = stored.read(base)
    assert now.made["budget"] == {"steps": 6, "lessons": 48}
    assert list(now.made["pool"]) == [LAKE]
    later = stored.write(tmp_path / "later", now, {})
    assert stored.read(later)[0].made == now.made


def test_losses_fall_where_there_is_something_to_copy(tmp_path: Path) -> None:
    pool = registry.pool(["charts/bar_reading"])
    losses: list[Losses] = []
    engine = Embedded(tmp_path, warm=WarmStart(steps=40, contexts=16, captions=0.5), width=64, layers=2)
    engine.base(pool, lambda done, total, own: losses.append(own))
    assert all(losses[-1][name] < losses[0][name] / 2 for name in ("H0", "H4", "text", CAPTION))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"unhelped": 1.5}, "shares"),
        ({"contexts": 6}, "multiple of 4"),
        ({"steps": -1}, "none is negative"),
        ({"joining": 0.1}, "0 first"),
        ({"rate": 0.0}, "above 0"),
        ({"scales": (1, 1)}, r"scales = \[1, 1\]"),
        ({"scales": (-1,)}, r"scales = \[-1\]"),
    ],
)
def test_settings_out_of_range_are_told(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        WarmStart(**settings)
