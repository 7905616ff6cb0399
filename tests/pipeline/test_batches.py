"""Where an environment is measured, how its batches grow, and what does not depend on who else is in the pool."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from learner import Source
from levers import Lever, lever, pool

from palaestra.core.instance import Instance
from palaestra.core.policy import Completion, Conversation
from palaestra.pipeline import sketches
from palaestra.pipeline.estimator import GradientConfig, Metric
from palaestra.pipeline.gradients import gradients
from palaestra.rollout.store import read

pytest.importorskip("pyarrow")
pytest.importorskip("safetensors")

POOL = pool(lever("toy/clear", "left"), lever("toy/blurred", "right"), lever("toy/noise", "left"))
PLAN = GradientConfig(groups=1, rollouts=4, cap=50, k=4096, rung="H4")


def content(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def adaptive(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    out = tmp_path_factory.mktemp("adaptive")
    return SimpleNamespace(out=out, found=gradients(PLAN, Source(POOL), out))


def test_each_environment_gets_the_batches_it_needs(adaptive: SimpleNamespace) -> None:
    told = adaptive.found.json()
    own = told["environments"]
    assert 10 <= own["toy/clear"]["batches"] < own["toy/blurred"]["batches"] <= 50
    assert own["toy/noise"]["stopped"] in ("hopeless", "cap")
    assert not own["toy/noise"]["measured"]
    assert own["toy/clear"]["stopped"] in ("sharp", "partners")
    assert (told["pairs"], told["measured_pairs"]) == (3, 1)
    assert told["reached_se"] == sum(env["reached_se"] for env in own.values()) == 2 * told["sharp_pairs"]
    assert own["toy/blurred"]["noise_scale"] > 5 * own["toy/clear"]["noise_scale"]
    assert own["toy/blurred"]["effective_dimension"] > 50 > own["toy/clear"]["effective_dimension"]  # dead groups: one
    assert [len(one.batches_MK) for one in sketches.read(adaptive.out)] == [
        own[env_id]["batches"] for env_id in sorted(own)
    ]


def test_cost_counts_what_was_played_read_said_and_differentiated(adaptive: SimpleNamespace) -> None:
    cost, parts = adaptive.found.cost, adaptive.found.batches.values()
    batches = sum(len(own.rows_MK) for own in parts)
    live = sum(own.rows_MK.any(axis=1).sum() for own in parts)
    assert cost.rollouts == 4 * batches
    assert (cost.prompt_tokens, cost.reply_tokens) == (10 * cost.rollouts, 2 * cost.rollouts)
    assert cost.backward_passes == live + 3  # and one of each environment for its Fisher


@pytest.mark.parametrize("moment", [1, 2, 3, 4])
def test_adaptive_sampling_that_was_killed_goes_on_to_the_same_bytes(
    adaptive: SimpleNamespace, tmp_path: Path, moment: int
) -> None:
    told: list[int] = []

    def killed(done: int, total: int) -> None:
        told.append(done)
        if len(told) == moment:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gradients(PLAN, Source(POOL), tmp_path, progress=killed)
    found = gradients(PLAN, Source(POOL), tmp_path)
    assert content(tmp_path) == content(adaptive.out)
    assert found.json() == adaptive.found.json()


def test_an_environment_plays_the_same_whoever_else_is_in_the_pool(tmp_path: Path) -> None:
    plan = replace(PLAN, batches=3)
    small = {"toy/blurred": POOL["toy/blurred"]}
    (before,) = gradients(plan, Source(small), tmp_path).sketches
    played = content(tmp_path / "gradients")
    grown = gradients(plan, Source(POOL), tmp_path)
    (after,) = (own for own in grown.sketches if own.env_id == "toy/blurred")
    np.testing.assert_array_equal(before.batches_MK, after.batches_MK)
    shards = {name: data for name, data in played.items() if name.endswith(".parquet")}
    assert len(shards) == 3
    assert shards.items() <= content(tmp_path / "gradients").items()


def reader(chance: float) -> Callable[..., list[Completion]]:
    """A player that is told the side by the caption, and believes it with this chance; unhelped it is always wrong."""

    def play(conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        told = ["Here it is left" in talk[-1].text and seed % 97 < 97 * chance for talk, seed in
                zip(conversations, seeds, strict=True)]  # fmt: skip
        return [Completion("left" if right else "right", (1,)) for right in told]

    return play


@pytest.mark.parametrize(("chance", "rung"), [(0.5, "H0"), (1.0, "H4"), (0.0, "H4")])
def test_a_pilot_finds_where_success_is_nearest_one_half_and_of_equals_the_least_help(
    tmp_path: Path, chance: float, rung: str
) -> None:
    plan = replace(PLAN, batches=3, rung="auto", pilot=6)
    source = Source(pool(lever("toy/told", "left")), reader(chance))
    found = gradients(plan, source, tmp_path)
    place = found.batches["toy/told"].place
    assert (place.rung, len(place.scales)) == (rung, 1)
    assert place.success is not None
    assert place.success.n == 24
    assert abs(place.success.value - chance) <= 0.35 if rung == "H0" else place.success.value == 0
    assert found.cost.rollouts == 5 * 2 * 24 + 3 * 4
    told = found.json()["environments"]["toy/told"]
    assert (told["rung"], told["scales"], told["pilot"]["n"]) == (rung, list(place.scales), 24)
    again = gradients(plan, source, tmp_path)
    assert again.json() == found.json()


@dataclass(frozen=True)
class Growing(Lever):
    """A world that has few problems at scale 0 and plenty beyond."""

    few: int = 3

    def reset(self, instance: Instance) -> int:
        return super().reset(instance) % self.few if instance.scale == 0 else self.few + super().reset(instance)


def test_a_scale_with_fewer_problems_than_batches_is_passed_over(tmp_path: Path) -> None:
    spec = lever("toy/growing", "left").spec
    plan = replace(PLAN, batches=4, rung="auto", pilot=2)
    for rung in ("auto", "H4"):
        out = tmp_path / rung
        found = gradients(replace(plan, rung=rung), Source({spec.id: Growing(spec, "left")}, reader(0.0)), out)
        assert found.batches[spec.id].place.scales == (1,)
        assert not found.skipped


def test_at_a_named_rung_every_batch_draws_from_the_same_scales_and_where_one_runs_out_sampling_ends(
    tmp_path: Path,
) -> None:
    world = Growing(lever("toy/blurred", "left").spec, "left", few=23)
    told = gradients(replace(PLAN, groups=2), Source(pool(world, lever("toy/clear", "left"))), tmp_path).json()
    own = told["environments"]["toy/blurred"]
    assert (own["scales"], own["batches"], own["stopped"]) == ([0, 1], 23, "problems")
    (folder,) = (tmp_path / "gradients").iterdir()
    assert [group.ticket.cell.scale for group in read(folder / "toy" / "blurred")] == [0, 1] * 23


def test_problems_that_run_out_end_the_sampling(tmp_path: Path) -> None:
    few = pool(lever("toy/few", "left", problems=30), lever("toy/clear", "left"))
    told = gradients(PLAN, Source(few), tmp_path).json()["environments"]["toy/few"]
    assert 10 < told["batches"] == told["problems"] < 30
    assert told["stopped"] == "problems"


def test_by_default_the_place_is_found_and_the_number_follows_the_noise() -> None:
    plan = GradientConfig()
    assert (plan.rung, plan.first, plan.most, plan.metric) == ("auto", 10, 40, Metric.AUTO)
    assert (GradientConfig(batches=4).first, GradientConfig(batches=4).most) == (4, 4)


def test_a_fixed_number_of_batches_is_exempt_from_the_cap_and_from_the_least_of_it() -> None:
    assert (GradientConfig(batches=60, groups=5).most, GradientConfig(batches=3, groups=1).most) == (60, 3)
