"""Labels, profiles counted by hand, and how stable they are."""

import pytest
from played import group, trajectory

from palaestra.core.errors import BadMeasurement
from palaestra.core.rate import Rate
from palaestra.core.ticket import Group
from palaestra.core.trajectory import Trajectory
from palaestra.envs.kit.events import VOCABULARY
from palaestra.measure.labelers import EventLabeler
from palaestra.measure.profiles import Thresholds, profile
from palaestra.measure.stability import stability
from palaestra.measure.vocabulary import ABILITY, SILENT


def test_every_word_that_the_labeler_knows_is_an_event_of_the_house() -> None:
    assert ABILITY.keys() | SILENT <= VOCABULARY.keys()
    assert not ABILITY.keys() & SILENT


def test_success_and_failure_at_one_thing_show_one_ability() -> None:
    labels = [EventLabeler()(trajectory(event)) for event in ("count_ok", "count_over", "count_off_by_one")]
    assert labels == [("count_things",)] * 3


def test_outcomes_unreadable_replies_and_chance_show_no_ability() -> None:
    assert EventLabeler()(trajectory("reply_unreadable", "action_illegal", "goal_reached")) == ()


def test_a_run_of_one_ability_is_one_segment_even_across_silence() -> None:
    labels = EventLabeler()(trajectory("moved_closer", "action_illegal", "moved_away", "way_opened", "moved_closer"))
    assert labels == ("navigate_to_goal", "open_shut", "navigate_to_goal")


def test_a_word_that_nobody_registered_is_an_ability_of_its_own() -> None:
    assert EventLabeler()(trajectory("bell_rung")) == ("bell_rung",)
    assert EventLabeler(abilities={"bell_rung": "ring"}, silent=frozenset())(trajectory("bell_rung")) == ("ring",)


def by_hand() -> list[Group]:
    """Twenty trajectories of two players: `walk` in 16, `look` in 10, `swim` in 2, `sing` in 1."""
    weak = [trajectory("walk", "look", "walk")] * 8 + [trajectory("look sing")] * 1 + [trajectory("swim")] * 1
    strong = [trajectory("walk")] * 7 + [trajectory("walk", "swim", "look")] + [trajectory()] * 2
    return [group(seed, *weak[seed::2], *strong[seed::2]) for seed in (0, 1)]


def test_a_profile_counts_as_by_hand() -> None:
    found = profile("a/a", by_hand())
    assert found.core == {"walk": 0.8, "look": 0.5}
    assert found.soft == {"swim": 0.1}
    assert found.support == {"": 20, "look": 10, "swim": 2, "walk": 16}
    assert found.edges == {("look", "walk"): 8, ("swim", "look"): 1, ("walk", "look"): 8, ("walk", "swim"): 1}


def test_an_ability_below_a_tenth_is_noise_and_takes_its_edges_with_it() -> None:
    found = profile("a/a", by_hand())
    assert "sing" not in {*found.core, *found.soft, *found.support, *(name for edge in found.edges for name in edge)}


def test_a_share_that_few_trajectories_support_is_soft_however_large() -> None:
    few = [group(0, trajectory("walk"), trajectory("walk"), trajectory())]
    assert profile("a/a", few).soft == {"walk": 2 / 3}
    assert profile("a/a", few, thresholds=Thresholds(core_above=0.1)).core == {"walk": 2 / 3}


def test_the_order_of_groups_and_the_player_behind_them_do_not_matter() -> None:
    assert profile("a/a", by_hand()[::-1]) == profile("a/a", by_hand())


def test_failed_rollouts_are_no_evidence_and_without_any_the_profile_is_empty() -> None:
    assert profile("a/a", [group(0, trajectory("walk", error="KeyError: 1"))]).support == {"": 0}


def test_any_callable_labels_trajectories() -> None:
    def length(played: Trajectory) -> list[str]:
        return ["long" if len(played.turns) > 1 else "short"]

    assert profile("a/a", by_hand(), length).support == {"": 20, "long": 9, "short": 11}


def test_groups_of_another_environment_are_refused() -> None:
    with pytest.raises(BadMeasurement, match="measuring a/a: ticket 3 is of b/b"):
        profile("a/a", [group(3, env_id="b/b")])


def test_a_core_that_every_instance_shows_is_stable() -> None:
    groups = [group(seed, *[trajectory("walk", seed=seed)] * 8) for seed in range(5)]
    found = stability("a/a", groups)
    assert (found.jaccard, found.core_share, found.instances) == (1.0, {"walk": 1.0}, 5)


def test_a_core_that_hangs_on_two_instances_is_not() -> None:
    groups = [group(seed, *[trajectory("walk look" if seed < 2 else "walk")] * 8) for seed in range(5)]
    assert profile("a/a", groups).core == {"look": 0.4, "walk": 1.0}
    found = stability("a/a", groups, draws=400)
    # `look` needs two of five draws from two of five instances: 1 - 0.6^5 - 5 * 0.4 * 0.6^4 = 0.663
    assert found.core_share["look"] == pytest.approx(0.663, abs=0.07)
    assert found.jaccard == pytest.approx(0.5 + found.core_share["look"] / 2)


def test_a_bootstrap_is_determined_by_its_seed() -> None:
    groups = [group(seed, *[trajectory("walk look" if seed < 2 else "walk")] * 8) for seed in range(5)]
    assert stability("a/a", groups, seed=1) == stability("a/a", groups[::-1], seed=1)
    assert stability("a/a", groups, seed=1) != stability("a/a", groups, seed=2)


def test_nothing_played_is_stable_and_says_that_there_were_no_instances() -> None:
    found = stability("a/a", [])
    assert (found.jaccard, found.instances) == (1.0, 0)


def test_labels_at_hand_are_looked_up_by_ticket_and_member_and_each_must_be_there() -> None:
    groups = [group(5, trajectory("walk"), trajectory("walk", error="KeyError: 1"), trajectory("walk"))]
    assert profile("a/a", groups, {(5, 0): ("look",), (5, 2): ()}).support == {"": 2, "look": 1}
    assert stability("a/a", groups, {(5, 0): ("look",), (5, 2): ()}).instances == 1
    with pytest.raises(BadMeasurement, match=r"member 2 of ticket 5 \(a/a.v1@0#5:train\) has no label"):
        profile("a/a", groups, {(5, 0): ("look",)})


def test_whoever_wants_to_be_sure_that_an_ability_is_no_noise_keeps_fewer() -> None:
    assert [Thresholds(sure=0.8).kept(Rate(hits, 40)) for hits in (3, 4, 5, 6, 7)] == [False] * 2 + [False, True, True]
