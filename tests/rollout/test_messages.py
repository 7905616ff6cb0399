"""What a policy sees of the past."""

from collections.abc import Sequence

import pytest
from counting import ANSWER, pool, ticket, world

from palaestra.core.environment import ILLEGAL_NOTICE
from palaestra.core.observation import H0, H4
from palaestra.core.policy import Completion, Conversation
from palaestra.rollout.messages import conversation
from palaestra.rollout.play import play
from palaestra.rollout.policies import Scripted


@pytest.mark.parametrize("memory", [1, 2, 3, 99])
def test_a_policy_sees_as_many_observations_as_the_memory_with_its_replies_between(memory: int) -> None:
    talks: list[Conversation] = []
    script = iter(["one", "nine", "one", "one", "one", "one", "one", "one", "one"])

    def policy(conversations: Sequence[Conversation], seeds: Sequence[int]) -> list[Completion]:
        talks.extend(conversations)
        return [Completion(next(script))]

    (group,) = play([ticket(rollouts=1)], pool(world(memory=memory)), policy, pixels=8)
    turns = group.trajectories[0].turns
    for n, talk in enumerate(talks):
        seen = turns[max(0, n + 1 - memory) : n + 1]
        assert [m.role for m in talk] == (["user", "assistant"] * len(seen))[:-1]
        assert [(m.text, m.image) for m in talk[::2]] == [(t.observation.text, t.observation.image) for t in seen]
        assert [m.text for m in talk[1::2]] == [t.completion.text for t in seen[:-1]]
        assert [m.answer for m in talk] == [None] * (len(talk) - 1) + [ANSWER]
    assert talks[2][-1].text.startswith(ILLEGAL_NOTICE)
    assert talks[3][0].text.startswith(ILLEGAL_NOTICE) is (memory == 2)  # the notice is remembered with its observation


def test_a_learner_sees_the_past_as_the_update_does() -> None:
    cell = {"harness": H0, "learn": H4, "rollouts": 1}
    (group,) = play([ticket(**cell)], pool(), Scripted(["one", "", "one", "two"]), pixels=8)
    (plain,) = play([ticket(harness=H4, rollouts=1)], pool(), Scripted(["one", "", "one", "two"]), pixels=8)
    turns, bare = group.trajectories[0].turns, plain.trajectories[0].turns
    last = turns[-1].learnt
    assert last is not None
    learnt = conversation(turns[:-1], last, memory=9, learnt=True)
    assert learnt == conversation(bare[:-1], bare[-1].observation, memory=9)
    assert learnt != conversation(turns[:-1], turns[-1].observation, memory=9)
