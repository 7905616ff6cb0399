"""The callback in a real training run of Stable-Baselines3: two stages and a half, in this and in other processes."""

import pytest

pytest.importorskip("stable_baselines3")

import gymnasium
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

from palaestra.core.errors import ConfigError
from palaestra.core.space import Dial, Part, Space
from palaestra.engineer.journal import Journal
from palaestra.engineer.rails import Rails
from palaestra.engineer.retuner import Retuner
from palaestra.integrations.gymnasium import retuned
from palaestra.integrations.stable_baselines3 import callback

SPACE = Space((Part("pole", "CartPole-v1", (Dial("gravity", (5, 10, 20)),)),))


def weighed(env, settings):
    env.unwrapped.gravity = settings["gravity"]


def poles(mixture, kind=DummyVecEnv, n=2):
    def pole():
        return retuned(gymnasium.make("CartPole-v1", max_episode_steps=20), weighed, mixture)

    return make_vec_env(pole, n_envs=n, seed=0, vec_env_cls=kind)


def ppo(env):
    return PPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=0, device="cpu")


def gravities(env):
    return [unwrapped.gravity for unwrapped in env.get_attr("unwrapped")]


class Broken:
    def propose(self, current, evidence, space):
        raise RuntimeError("no such model")


@pytest.mark.parametrize("kind", [DummyVecEnv, pytest.param(SubprocVecEnv, marks=pytest.mark.slow)])
def test_settings_change_between_rollouts_and_training_goes_on(tmp_path, kind):
    retuner = Retuner(SPACE, "thresholds", tmp_path, rails=Rails(keep=0))
    env = poles(retuner.mixture, kind)
    model = ppo(env).learn(320, callback=callback(retuner, every=100, won=5.0))
    assert model.num_timesteps == 320
    assert [own["record"]["settings"]["pole"]["gravity"] for own in Journal(tmp_path).entries()] == [5, 10]
    assert gravities(env) == [20, 20]
    env.close()


def test_every_episode_is_counted_once(tmp_path):
    retuner = Retuner(SPACE, "no_change", tmp_path)
    env = poles(retuner.mixture)
    ppo(env).learn(512, callback=callback(retuner, every=128, won=5.0))
    ended = sum(len(monitor.get_episode_rewards()) for monitor in env.envs)
    assert sum(own.trained["pole"].n for own in retuner.stages if own.trained) == ended > 20


def test_an_engineer_that_fails_ends_neither_training_nor_stages(tmp_path):
    retuner = Retuner(SPACE, Broken(), tmp_path)
    assert ppo(poles(retuner.mixture)).learn(256, callback=callback(retuner, every=64, won=5.0)).num_timesteps == 256
    assert {own["note"] for own in Journal(tmp_path).entries()} == {"nothing is changed: RuntimeError: no such model"}
    assert [bool(own.trained) for own in retuner.stages] == [True] * 4 + [False], "the last whole stage is over too"


def test_a_loop_that_learns_off_policy_has_stages_too(tmp_path):
    retuner = Retuner(SPACE, "thresholds", tmp_path)
    DQN("MlpPolicy", poles(retuner.mixture, n=1), learning_starts=50, seed=0, device="cpu").learn(
        200, callback=callback(retuner, every=60, won=5.0)
    )
    assert len(retuner.stages) == 4


def test_a_loop_with_environments_of_its_own_kind_applies_mixtures_itself(tmp_path):
    retuner, applied = Retuner(SPACE, "thresholds", tmp_path), []
    env = make_vec_env("CartPole-v1", n_envs=1, env_kwargs={"max_episode_steps": 20}, seed=0)
    ppo(env).learn(96, callback=callback(retuner, every=32, won=5.0, apply=applied.append))
    assert [max(dict(cell.knobs)["gravity"] for cell in mixture.weights) for mixture in applied] == [5, 10, 20]


def test_what_cannot_be_is_refused_at_once(tmp_path):
    retuner = Retuner(SPACE, "thresholds", tmp_path)
    with pytest.raises(ConfigError, match="a stage of 0 steps"):
        callback(retuner, every=0)
    with pytest.raises(ConfigError, match="without `is_success`"):
        ppo(poles(retuner.mixture)).learn(256, callback=callback(retuner, every=64))
