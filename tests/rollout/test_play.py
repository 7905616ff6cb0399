"""The loop: rounds, groups, notices, ends, and whose failure ends what."""

import re
from collections.abc import Sequence
from functools import partial

import pytest
from counting import pool, ticket, tickets, world

from palaestra.core.environment import ILLEGAL_LIMIT, ILLEGAL_NOTICE
from palaestra.core.errors import PolicyFailed, UnknownEnvironment
from palaestra.core.observation import H0, H4, LADDER, SYMBOLIC, Harness
from palaestra.core.policy import Completion, Conversation
from palaestra.core.ticket import Play
from palaestra.core.trajectory import Stop
from palaestra.rollout.play import play
from palaestra.rollout.policies import Guide, Oracle, Random, Scripted
from palaestra.rollout.seeds import seed_of


def test_a_batch_of_tickets_plays_as_each_alone() -> None:
    together = play(tickets(8), pool(), Random(), seed=3, pixels=8)
    assert together == [play([one], pool(), Random(), seed=3, pixels=8)[0] for one in tickets(8)]
    assert together[::-1] == play(tickets(8)[::-1], pool(), Random(), seed=3, pixels=8)
    assert together != play(tickets(8), pool(), Random(), seed=4, pixels=8)


def test_play_is_a_play_with_or_without_bound_keywords() -> None:
    plays: list[Play] = [play, partial(play, seed=0)]
    assert plays[0]([ticket()], pool(), Oracle()) == plays[1]([ticket()], pool(), Oracle())


def test_no_tickets_give_no_groups() -> None:
    assert play([], pool(), Random()) == []


def test_every_round_asks_all_live_members_of_all_tickets_in_one_call() -> None:
    sizes: list[int] = []

    def policy(conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        assert len(set(seeds)) == len(seeds)
        sizes.append(len(conversations))
        return Random()(conversations, seeds)

    groups = play(tickets(6), pool(), policy, pixels=0)
    lengths = [len(member.turns) for group in groups for member in group.trajectories]
    assert sizes == [sum(length > turn for length in lengths) for turn in range(max(lengths))]


def test_seeds_differ_by_run_ticket_member_and_turn_and_have_63_bits() -> None:
    seeds = {seed_of(*where) for where in [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)]}
    assert len(seeds) == 5
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert seed_of(7, 11, 3, 2) == 5430168382445122522  # stored runs depend on it


def test_a_group_shares_one_reset_and_members_in_equal_positions_one_view() -> None:
    env = world()
    (group,) = play([ticket(rollouts=5)], pool(env), Oracle(), pixels=8)
    turns = {len(member.turns) for member in group.trajectories}
    assert sum(env.drawn.values()) == turns.pop()
    assert len({id(member.turns[0].observation.image) for member in group.trajectories}) == 1


def test_a_position_that_is_come_to_in_several_rounds_is_drawn_once() -> None:
    env = world()
    (group,) = play([ticket(rollouts=16)], pool(env), Random(), pixels=20)
    met = {(turn.observation.image, number) for one in group.trajectories for number, turn in enumerate(one.turns)}
    positions = {image for image, _ in met}
    assert sum(env.drawn.values()) == len(positions) < len(met)


def test_helped_members_come_first_and_record_what_the_update_sees() -> None:
    (group,) = play([ticket(harness=H0, learn=H4, guided=0.5, rollouts=4)], pool(), Oracle(), pixels=8)
    assert [member.harness for member in group.trajectories] == [H0, H0, H4, H4]
    helped, plain = group.trajectories[0].turns[0], group.trajectories[3].turns[0]
    assert helped.learnt == plain.observation
    assert helped.observation.text.startswith(plain.observation.text)
    assert "overshoot" in helped.observation.text
    assert plain.learnt is None


@pytest.mark.parametrize(
    ("cell", "width"),
    [
        ({"harness": SYMBOLIC}, 0),
        ({"harness": H4}, 8),
        ({"harness": SYMBOLIC, "learn": H4}, 8),
        ({"harness": H4, "learn": SYMBOLIC, "guided": 0.0}, 0),
        ({"harness": Harness("mine", frozenset({"task", "banner"}))}, 8),
    ],
)
def test_pictures_are_drawn_only_where_a_harness_may_show_one(cell: dict[str, object], width: int) -> None:
    env = world()
    play([ticket(**cell)], pool(env), Oracle(), pixels=8)
    assert set(env.drawn) == {width}


@pytest.mark.parametrize("harness", [*LADDER, SYMBOLIC])
@pytest.mark.parametrize("reply", ["nine", "", "one or two"])
def test_the_notice_opens_the_next_observation_after_a_reply_that_could_not_be_used(
    harness: Harness, reply: str
) -> None:
    (group,) = play([ticket(harness=harness, learn=H4, rollouts=1)], pool(), Scripted(["one", reply, "one", "two"]))
    first, second, third, fourth, *_ = group.trajectories[0].turns
    assert third.observation.text.startswith(f"{ILLEGAL_NOTICE}\n")
    assert third.observation.text.removeprefix(f"{ILLEGAL_NOTICE}\n") == second.observation.text
    assert harness == H4 or (third.learnt is not None and third.learnt.text.startswith(ILLEGAL_NOTICE))
    assert not any(turn.observation.text.startswith(ILLEGAL_NOTICE) for turn in (first, second, fourth))
    assert (second.legal, second.reward) == (False, 0.0)


def test_the_third_unusable_reply_ends_the_episode_as_no_success() -> None:
    (group,) = play([ticket(scale=4)], pool(), Scripted(["nine", "one", "", "one", "nine", "one"]))
    for member in group.trajectories:
        assert (member.stop, member.success, len(member.turns)) == (Stop.ILLEGAL, False, 5)
        assert sum(not turn.legal for turn in member.turns) == ILLEGAL_LIMIT


def test_the_horizon_of_the_reset_state_ends_an_episode() -> None:
    (group,) = play([ticket()], pool(), Scripted(["one", "nine"] + ["one"] * 40))
    target = play([ticket()], pool(), Scripted(["one"] * 40))[0].trajectories[0]
    assert (target.stop, target.success, target.ret) == (Stop.DONE, True, 1.0)
    assert {(m.stop, m.success, len(m.turns)) for m in group.trajectories} == {(Stop.HORIZON, False, len(target.turns))}


def test_an_unreadable_reply_without_tokens_left_ends_the_episode_but_a_readable_one_does_not() -> None:
    def short(conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        return [Completion("two", truncated=True)] * len(conversations)

    def cut(conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        return [Completion("Let me th", truncated=True)] * len(conversations)

    assert {m.stop for m in play([ticket()], pool(), short)[0].trajectories} == {Stop.DONE}
    assert {(m.stop, len(m.turns)) for m in play([ticket()], pool(), cut)[0].trajectories} == {(Stop.TOKENS, 1)}


@pytest.mark.parametrize(
    ("fault", "turns"), [("reset", 0), ("view", 1), ("step", 1), ("reward", 0), ("solve", 1), ("plan", 0)]
)
def test_a_failing_environment_ends_its_own_trajectories_and_no_other(fault: str, turns: int) -> None:
    broken = world("broken", fault)
    mixed = [ticket(0), ticket(1, "broken", seed=1), ticket(2)]
    groups = play(mixed, pool(world(), broken), Oracle(), pixels=8)
    for member in groups[1].trajectories:
        assert (member.stop, member.success, len(member.turns)) == (Stop.ERROR, False, turns)
        assert re.match(r"[A-Za-z]+: .*toy/broken", member.error)
    alone = play([mixed[0], mixed[2]], pool(), Oracle(), pixels=8)
    assert [groups[0], groups[2]] == alone
    assert all(member.success for group in alone for member in group.trajectories)


def test_a_failure_in_one_position_leaves_members_in_other_positions_alone() -> None:
    (group,) = play([ticket(7, "broken", scale=1, rollouts=16)], pool(world("broken", "step")), Random(), pixels=0)
    (sound,) = play([ticket(7, "broken", scale=1, rollouts=16)], pool(world("broken")), Random(), pixels=0)
    for member, whole in zip(group.trajectories, sound.trajectories, strict=True):
        assert member.turns == whole.turns[: len(member.turns)]
        assert member.stop is Stop.ERROR or member == whole
    assert {member.stop for member in group.trajectories} == {Stop.ERROR, Stop.ILLEGAL}


def test_an_unknown_environment_is_refused_before_anything_is_played() -> None:
    env = world()
    with pytest.raises(UnknownEnvironment, match=r"'toy/countin'.*did you mean 'toy/counting'"):
        play([ticket(), ticket(1, "countin")], pool(env), Random())
    assert not env.drawn


def test_a_wrong_number_of_completions_is_the_policys_fault() -> None:
    with pytest.raises(PolicyFailed, match="3 conversations and gave 2"):
        play([ticket()], pool(), lambda conversations, seeds: Random()(conversations, seeds)[1:])


def test_a_guide_refuses_environments_without_one_before_anything_is_played() -> None:
    env = world()
    with pytest.raises(PolicyFailed, match="no guide in toy/counting"):
        play([ticket(0, "dice"), ticket(1)], pool(env, world("dice")), Guide())
    assert not env.drawn


def test_ctrl_c_passes_through() -> None:
    def interrupted(conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play([ticket()], pool(), interrupted)
