"""A callback by which Stable-Baselines3 trains in stages, with an engineer between them.

    retuner = Retuner(space, "thresholds", Path("runs/lake"))
    env = make_vec_env(lambda: retuned(make_lake(), apply, retuner.mixture), n_envs=8)
    PPO("MlpPolicy", env).learn(100_000, callback=callback(retuner, every=10_000))

A stage ends before a rollout is collected or with training, never within a rollout.

Source: `CallbackList` and `EvalCallback` of the package. Departures: none.
"""

from collections.abc import Callable
from typing import Any

from palaestra.core.distribution import Distribution
from palaestra.core.errors import ConfigError, ExtraMissing
from palaestra.core.retuning import Retuning
from palaestra.integrations.gymnasium import episode


def callback(
    retuning: Retuning, every: int, *, won: float | None = None, apply: Callable[[Distribution], None] | None = None
) -> Any:
    """Return a `BaseCallback`.

    Args:
        retuning: counts, and says what comes next.
        every: the length of a stage [steps of all environments together].
        won: the return, as `Monitor` sees it, from which on an episode is won; for infos without `is_success`.
        apply: brings a mixture into the environments; by default they are `integrations.gymnasium.retuned`.

    Raises:
        ConfigError: a stage has no length.
        ExtraMissing: Stable-Baselines3 is not installed.
    """
    if every < 1:
        raise ConfigError(f"a stage of {every} steps; give one at least")
    try:
        from stable_baselines3.common.callbacks import BaseCallback
    except ImportError as error:
        raise ExtraMissing(f"the callback needs Stable-Baselines3 ({error}): pip install 'palaestra[sb3]'") from error

    class Retune(BaseCallback):  # type: ignore[misc]
        """Tells of every episode, and changes the mixture between two rollouts."""

        _due = every

        def _apply(self, mixture: Distribution) -> None:
            if apply is not None:
                apply(mixture)
            else:
                self.training_env.env_method("set_mixture", mixture)

        def _on_training_start(self) -> None:
            self._due = self.num_timesteps + every
            self._apply(retuning.mixture)

        def _on_rollout_start(self) -> None:
            if self.num_timesteps >= self._due:
                self._due = self.num_timesteps + every
                self._apply(retuning.next_stage(steps=self.num_timesteps))

        def _on_training_end(self) -> None:
            if self.num_timesteps >= self._due:  # a whole stage: the journal has it, whatever comes next
                retuning.next_stage(steps=self.num_timesteps)

        def _on_step(self) -> bool:
            for done, info in zip(self.locals["dones"], self.locals["infos"], strict=True):
                if done:
                    kept = info.get("episode", {})
                    cut = info.get("TimeLimit.truncated", False)
                    retuning.ended(episode(info, kept.get("r"), kept.get("l", 0), cut, won))
            return True

    return Retune()
