"""The wrapper that plays a mixture, and what is read off the last info of an episode."""

import sys
from collections import Counter

import pytest

from palaestra.core.distribution import Cell, Distribution
from palaestra.core.errors import ConfigError, ExtraMissing
from palaestra.core.observation import H4
from palaestra.core.retuning import Episode
from palaestra.integrations import rllib, stable_baselines3
from palaestra.integrations.gymnasium import CELL, episode, retuned

LIGHT, HEAVY = (Cell("mine/pole", 0, H4, (("masspole", mass),)) for mass in (0.1, 0.4))


def pole():
    return pytest.importorskip("gymnasium").make("CartPole-v1", max_episode_steps=3)


def weighed(env, settings):
    env.unwrapped.masspole = settings["masspole"]


def played(env, episodes, seed=None):
    """The cells that the last infos name, after checking that each was applied."""
    found = []
    for k in range(episodes):
        env.reset(seed=seed if k == 0 else None)
        ended, info = False, {}
        while not ended:
            assert CELL not in info
            _, _, terminated, truncated, info = env.step(0)
            ended = terminated or truncated
        assert dict(info[CELL].knobs) == {"masspole": env.unwrapped.masspole}
        found.append(info[CELL])
    return found


def test_episodes_are_drawn_from_the_mixture_that_is_set_and_follow_from_the_first_seed():
    mixture = Distribution({LIGHT: 0.75, HEAVY: 0.25})
    env = retuned(pole(), weighed, mixture)
    first = played(env, 200, seed=1)
    assert 0.65 < Counter(first)[LIGHT] / 200 < 0.85
    assert played(retuned(pole(), weighed, mixture), 200, seed=1) == first
    env.get_wrapper_attr("set_mixture")(Distribution({HEAVY: 1.0}))
    assert set(played(env, 5)) == {HEAVY}


def test_what_is_drawn_while_settings_are_applied_follows_from_the_seed_too():
    def shaken(env, settings):
        env.unwrapped.masspole = float(env.unwrapped.np_random.random())

    env = retuned(pole(), shaken, Distribution({LIGHT: 1.0}))
    first = [env.reset(seed=5)[0].tolist(), env.unwrapped.masspole]
    env.reset()
    assert [env.reset(seed=5)[0].tolist(), env.unwrapped.masspole] == first


def test_an_environment_that_is_made_anew_is_seeded_by_the_first_seed_too():
    def starts():
        env = retuned(pole(), lambda env, settings: pole(), Distribution({LIGHT: 1.0}))
        return [env.reset(seed=3 if k == 0 else None)[0].tolist() for k in range(3)]

    first = starts()
    assert first == starts()
    assert first[0] != first[1] != first[2]


def test_without_a_mixture_an_environment_is_as_it_came():
    env = retuned(pole(), weighed)
    env.reset()
    assert not any(CELL in env.step(0)[-1] for _ in range(3))
    assert env.unwrapped.masspole == 0.1


def test_an_environment_can_apply_settings_by_a_method_of_its_own():
    env = pole()
    env.unwrapped.set_settings = lambda settings: weighed(env, settings)
    assert played(retuned(env, mixture=Distribution({HEAVY: 1.0})), 1) == [HEAVY]


@pytest.mark.parametrize(
    ("info", "won", "expected"),
    [
        ({"is_success": True, CELL: HEAVY}, 99.0, Episode(HEAVY, True, 2.0, 7)),
        ({"is_success": False}, 1.0, Episode(None, False, 2.0, 7)),
        ({}, 2.0, Episode(None, True, 2.0, 7)),
        ({}, 2.5, Episode(None, False, 2.0, 7)),
    ],
)
def test_success_is_what_info_says_and_a_threshold_on_the_return_only_where_it_says_nothing(info, won, expected):
    assert episode(info, 2.0, 7, False, won) == expected


@pytest.mark.parametrize(("ret", "won"), [(2.0, None), (None, 1.0)])
def test_an_episode_of_which_nobody_says_whether_it_was_won_is_an_error_and_no_loss(ret, won):
    with pytest.raises(ConfigError, match="without `is_success`"):
        episode({}, ret, 7, False, won)


@pytest.mark.parametrize(
    ("module", "extra", "make"),
    [
        ("gymnasium", "gymnasium", lambda: retuned(None)),
        ("stable_baselines3.common.callbacks", "sb3", lambda: stable_baselines3.callback(None, 1)),
        ("ray.rllib.callbacks.callbacks", "rllib", lambda: rllib.callbacks(None, 1)),
    ],
)
def test_a_missing_package_is_named_with_its_extra(monkeypatch, module, extra, make):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ExtraMissing, match=rf"palaestra\[{extra}\]"):
        make()
