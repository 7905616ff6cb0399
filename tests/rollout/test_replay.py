"""Views rebuilt from replies: those that were shown, for every world of the pool."""

import numpy as np
import pytest

from palaestra.core.distribution import Cell
from palaestra.core.observation import H0
from palaestra.core.policy import Completion
from palaestra.core.ticket import Ticket
from palaestra.core.trajectory import Trajectory
from palaestra.envs import registry
from palaestra.rollout.play import play
from palaestra.rollout.policies.guessing import Random
from palaestra.rollout.replay import views


def mumbling(conversations, seeds):
    """Guesses, and now and then says nothing that can be read."""
    guesses = Random()(conversations, seeds)
    return [Completion("hm") if seed % 5 == 0 else one for one, seed in zip(guesses, seeds, strict=True)]


def played(env_id: str, policy=mumbling) -> tuple[Trajectory, ...]:
    pool = registry.pool([env_id])
    ticket = Ticket(0, Cell(env_id, 0, H0, rollouts=3), pool[env_id].spec.instance(0, 3))
    return play([ticket], pool, policy, pixels=96)[0].trajectories


@pytest.mark.parametrize("env_id", registry.ids())
def test_what_was_shown_is_rebuilt_word_for_word(env_id: str) -> None:
    env = registry.pool([env_id])[env_id]
    for member in played(env_id):
        again = list(views(env, member))
        assert len(again) == len(member.turns)
        assert all(view.image is None for view in again)
        for view, turn in zip(again, member.turns, strict=True):
            assert turn.observation.text.endswith(H0.show(view).text)


def test_pictures_are_drawn_when_they_are_asked_for() -> None:
    (member, *_), env = played("grid/frozen_lake"), registry.pool(["grid/frozen_lake"])["grid/frozen_lake"]
    assert [view.image for view in views(env, member, 96)] == [turn.observation.image for turn in member.turns]


def test_views_end_where_the_environment_fails() -> None:
    class Fails:
        def __init__(self, env):
            self.env, self.left = env, 2

        def __getattr__(self, name):
            return getattr(self.env, name)

        def view(self, public, pixels):
            self.left -= 1
            return self.env.view(public, pixels) if self.left >= 0 else 1 / 0

    env = registry.pool(["grid/frozen_lake"])["grid/frozen_lake"]
    member = max(played("grid/frozen_lake"), key=lambda one: len(one.turns))
    assert len(member.turns) > 2
    assert len(list(views(Fails(env), member))) == 2
    assert np.isfinite(member.ret)
