"""Callbacks by which RLlib trains in stages, with an engineer between them.

    config.callbacks(callbacks(retuner, every=5))

Episodes are kept by the environment runners, which may be other processes, and are fetched after each iteration of
training; a stage ends after so many of these. Single-agent environments on the new API stack.

Source: `RLlibCallback` and RLlib's own example of a curriculum. Departures: episodes are fetched whole and once, for
what RLlib's metrics hand on are means over a window; evaluation is left as it is.
"""

from collections.abc import Callable
from typing import Any

from palaestra.core.distribution import Distribution
from palaestra.core.errors import ConfigError, ExtraMissing
from palaestra.core.retuning import Episode, Retuning
from palaestra.integrations.gymnasium import episode as read


def callbacks(
    retuning: Retuning,
    every: int,
    *,
    won: float | None = None,
    apply: Callable[[Any, Distribution], None] | None = None,
) -> Any:
    """Return a class for `AlgorithmConfig.callbacks`.

    Args:
        retuning: counts, and says what comes next; it lives where the algorithm does.
        every: the length of a stage [iterations of training].
        won: the return from which on an episode is won, where its info has no `is_success`.
        apply: brings a mixture into an environment runner; by default its environments are
            `integrations.gymnasium.retuned`.

    Raises:
        ConfigError: a stage has no length.
        ExtraMissing: RLlib is not installed.
    """
    if every < 1:
        raise ConfigError(f"a stage of {every} iterations; give one at least")
    try:
        from ray.rllib.callbacks.callbacks import RLlibCallback
    except ImportError as error:
        raise ExtraMissing(f"the callbacks need RLlib ({error}): pip install 'palaestra[rllib]'") from error
    bring, here = apply or _bring, _Here(retuning)

    class Retune(RLlibCallback):  # type: ignore[misc]
        """One in each environment runner, which keeps episodes, and one in the algorithm, which ends stages."""

        def __init__(self) -> None:
            super().__init__()
            self._iterations = 0

        def on_algorithm_init(self, *, algorithm: Any, **kwargs: Any) -> None:
            self._play(algorithm.env_runner_group, here.retuning.mixture)

        def on_env_runners_recreated(self, *, env_runner_group: Any, is_evaluation: bool, **kwargs: Any) -> None:
            if not is_evaluation:
                self._play(env_runner_group, here.retuning.mixture)

        def on_episode_end(
            self, *, episode: Any, env_runner: Any, prev_episode_chunks: Any = None, **kwargs: Any
        ) -> None:
            if env_runner.config.in_evaluation:
                return
            chunks = [*(prev_episode_chunks or ()), episode]  # a long one comes in pieces
            ret, steps = sum(own.get_return() for own in chunks), sum(len(own) for own in chunks)
            ended = read(episode.get_infos(-1), ret, steps, episode.is_truncated, won)
            env_runner.__dict__.setdefault(KEPT, []).append(ended)

        def on_train_result(self, *, algorithm: Any, **kwargs: Any) -> None:
            for kept in algorithm.env_runner_group.foreach_env_runner(_fetch):
                for ended in kept:
                    here.retuning.ended(ended)
            self._iterations += 1
            if self._iterations % every == 0:
                self._play(algorithm.env_runner_group, here.retuning.next_stage(iterations=self._iterations))

        def _play(self, runners: Any, mixture: Distribution) -> None:
            runners.foreach_env_runner(lambda runner: bring(runner, mixture))

    return Retune


class _Here:
    """Holds what stays in this process: it may hold a connection, and environment runners have no use for it."""

    def __init__(self, retuning: Retuning | None = None) -> None:
        self._retuning = retuning

    def __reduce__(self) -> tuple[type["_Here"], tuple[()]]:
        return _Here, ()

    @property
    def retuning(self) -> Retuning:
        """What was given, unless this is a copy in another process."""
        if self._retuning is None:
            raise ConfigError("the algorithm runs in another process than the retuner; use `config.build_algo()`")
        return self._retuning


KEPT = "_palaestra_episodes"
"""Where an environment runner keeps the episodes that have ended."""


def _fetch(runner: Any) -> list[Episode]:
    """Return the episodes that a runner has kept, and forget them there."""
    return list(runner.__dict__.pop(KEPT, ()))


def _bring(runner: Any, mixture: Distribution) -> None:
    """Set the mixture of a runner's environments; one that only holds weights has none."""
    if (env := getattr(runner, "env", None)) is not None:
        env.unwrapped.call("set_mixture", mixture)
