"""RLlib's callbacks: each hook against stand-ins of its signature, and a real training run where RLlib is installed."""

import pickle
import sys
from types import ModuleType, SimpleNamespace

import pytest

from palaestra.core.errors import ConfigError
from palaestra.core.space import Dial, Part, Space
from palaestra.engineer.rails import Rails
from palaestra.engineer.retuner import Retuner
from palaestra.integrations.gymnasium import CELL, retuned
from palaestra.integrations.rllib import _Here, callbacks

SPACE = Space((Part("pole", "CartPole-v1", (Dial("gravity", (5, 10, 20)),)),))


class Chunk:
    """A piece of an episode, as RLlib hands it on."""

    def __init__(self, rewards, info=(), truncated=False):
        self.rewards, self.info, self.is_truncated = rewards, dict(info), truncated

    def __len__(self):
        return len(self.rewards)

    def get_return(self):
        return sum(self.rewards)

    def get_infos(self, index):
        assert index == -1
        return self.info


class Runner:
    """An environment runner; one without environments only holds weights."""

    def __init__(self, envs=True, in_evaluation=False):
        self.config, self.mixtures = SimpleNamespace(in_evaluation=in_evaluation), []
        unwrapped = SimpleNamespace(call=lambda name, mixture: self.mixtures.append((name, mixture)))
        self.env = SimpleNamespace(unwrapped=unwrapped) if envs else None


class Group:
    def __init__(self, *runners):
        self.runners = runners

    def foreach_env_runner(self, func):
        return [func(runner) for runner in self.runners]


@pytest.fixture
def stand_in(monkeypatch):
    """A module in place of RLlib's, so that every hook can be called by itself."""
    module = ModuleType("ray.rllib.callbacks.callbacks")
    module.RLlibCallback = object
    for name in ("ray", "ray.rllib", "ray.rllib.callbacks"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)


def end(callback, runner, chunk, before=()):
    callback.on_episode_end(
        episode=chunk, prev_episode_chunks=list(before), env_runner=runner, metrics_logger=None, env=None,
        env_index=0, rl_module=None,
    )  # fmt: skip


def test_episodes_kept_by_runners_are_counted_once_and_end_a_stage_after_so_many_iterations(stand_in, tmp_path):
    retuner = Retuner(SPACE, "thresholds", tmp_path, rails=Rails(keep=0))
    kind, near, far = callbacks(retuner, every=2, won=3.0), Runner(envs=False), Runner()
    algorithm, hooks, there = SimpleNamespace(env_runner_group=Group(near, far)), kind(), kind()
    first = retuner.mixture
    hooks.on_algorithm_init(algorithm=algorithm, metrics_logger=None)
    (cell,) = first.weights
    for _ in range(2):
        for _ in range(10):
            end(there, far, Chunk([1, 1], {CELL: cell}, truncated=True), before=[Chunk([1])])
        hooks.on_train_result(algorithm=algorithm, metrics_logger=None, result={})
    assert [own.success("pole").n for own in retuner.stages] == [20, 0]
    assert retuner.stages[0].success("pole").value == 1.0, "the pieces of an episode make 3 together"
    assert far.mixtures == [("set_mixture", first), ("set_mixture", retuner.mixture)]
    assert first != retuner.mixture


def test_a_runner_that_was_lost_gets_the_mixture_again_and_evaluation_is_left_alone(stand_in, tmp_path):
    retuner = Retuner(SPACE, "thresholds", tmp_path)
    hooks, judge, again = callbacks(retuner, every=1)(), Runner(in_evaluation=True), Runner()
    end(hooks, judge, Chunk([1]))
    assert vars(judge).keys() == vars(again).keys(), "nothing is kept of it"
    for runner, is_evaluation in ((judge, True), (again, False)):
        hooks.on_env_runners_recreated(
            algorithm=None, env_runner_group=Group(runner), env_runner_indices=[1], is_evaluation=is_evaluation
        )
    assert (judge.mixtures, again.mixtures) == ([], [("set_mixture", retuner.mixture)])


def test_what_counts_stays_where_the_algorithm_is(tmp_path):
    here = _Here(Retuner(SPACE, lambda messages, schema=None: None, tmp_path))  # a function that no pickle holds
    with pytest.raises(ConfigError, match="in another process"):
        _ = pickle.loads(pickle.dumps(here)).retuning


def test_what_cannot_be_is_refused_at_once(stand_in, tmp_path):
    retuner = Retuner(SPACE, "thresholds", tmp_path)
    with pytest.raises(ConfigError, match="a stage of 0 iterations"):
        callbacks(retuner, every=0)
    with pytest.raises(ConfigError, match="without `is_success`"):
        end(callbacks(retuner, every=1)(), Runner(), Chunk([1]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Ray leaves files and sockets open
def test_a_real_training_run_changes_settings_between_iterations(tmp_path, monkeypatch):
    ppo = pytest.importorskip("ray.rllib.algorithms.ppo")
    import gymnasium
    import ray
    from ray.tune.registry import register_env

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=1, include_dashboard=False)
    retuner = Retuner(SPACE, "thresholds", tmp_path, rails=Rails(keep=0))
    first = retuner.mixture

    def weighed(env, settings):
        env.unwrapped.gravity = settings["gravity"]

    register_env("pole", lambda config: retuned(gymnasium.make("CartPole-v1", max_episode_steps=20), weighed, first))
    config = ppo.PPOConfig().environment("pole").env_runners(num_env_runners=0, num_envs_per_env_runner=2)
    config = config.training(train_batch_size_per_learner=200, minibatch_size=100, num_epochs=1)
    algorithm = config.callbacks(callbacks(retuner, every=1, won=5.0)).build_algo()
    try:
        for _ in range(2):
            algorithm.train()
    finally:
        algorithm.stop()
        ray.shutdown()
    assert [own.settings["pole"]["gravity"] for own in retuner.stages] == [5, 10, 20]
    assert all(own.success("pole").n > 5 for own in retuner.stages[:2])
