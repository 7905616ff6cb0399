"""Profiles of re-drawn instances."""

import pytest
from played import group, trajectory

from palaestra.core.errors import BadMeasurement
from palaestra.measure.profiles import profile
from palaestra.measure.resampled import resampled
from palaestra.measure.stability import stability

GROUPS = [group(seed, *[trajectory("walk look" if seed < 2 else "walk")] * 8) for seed in range(5)]


def test_an_ability_of_two_instances_is_core_as_often_as_enough_of_them_are_drawn() -> None:
    found = resampled("a/a", GROUPS, draws=400)
    assert all(own.core["walk"] == 1.0 and own.support == {"": 40} for own in found)
    often = sum("look" in own.core for own in found) / 400
    assert often == pytest.approx(0.663, abs=0.07)  # two of five draws from two of five instances
    assert often == pytest.approx(stability("a/a", GROUPS, draws=400).core_share["look"], abs=0.1)
    shares = {own.core.get("look", own.soft.get("look", 0.0)) for own in found}
    assert shares <= {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}
    assert {0.2, 0.4} < shares


def test_drawn_alike_the_profile_is_the_one_that_was_measured() -> None:
    whole = profile("a/a", GROUPS[:1])  # of a single instance, which is drawn every time
    assert [(own.core, own.soft) for own in resampled("a/a", GROUPS[:1], 3)] == [(whole.core, whole.soft)] * 3


def test_draws_follow_the_seed_and_the_environment_and_not_the_order_of_groups() -> None:
    others = [group(seed, *[trajectory("walk look" if seed < 2 else "walk")] * 8, env_id="b/b") for seed in range(5)]
    first = [own.core for own in resampled("a/a", GROUPS, 50)]
    assert first == [own.core for own in resampled("a/a", GROUPS[::-1], 50)]
    assert first[:20] == [own.core for own in resampled("a/a", GROUPS, 20)]
    assert first != [own.core for own in resampled("a/a", GROUPS, 50, seed=1)]
    assert first != [own.core for own in resampled("b/b", others, 50)]


def test_of_nothing_played_every_draw_is_empty_and_a_strange_group_is_refused() -> None:
    assert [(own.core, own.soft, own.support) for own in resampled("a/a", [], 2)] == [({}, {}, {"": 0})] * 2
    with pytest.raises(BadMeasurement, match="is of a/a"):
        resampled("b/b", GROUPS, 2)
