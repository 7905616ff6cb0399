"""A Gymnasium environment that plays a mixture of settings, which can be changed between two stages of training.

    env = retuned(gymnasium.make("CartPole-v1"), apply, retuner.mixture)

Before each episode a cell of the mixture is drawn and its settings are applied; the last step's `info` says which cell
it was. The wrapper's `set_mixture` is what callbacks call, in other processes too (`env_method`, `VectorEnv.call`); an
episode under way ends as it began. Observation and action space must not depend on what is set.

Source: none; Gymnasium has options for `reset`, which its vector environments do not pass on. Departures: none.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from palaestra.core.distribution import Cell, Distribution
from palaestra.core.errors import ConfigError, ExtraMissing
from palaestra.core.instance import Setting
from palaestra.core.retuning import Episode

CELL, SUCCESS = "palaestra_cell", "is_success"
"""Where `info` says what an episode was played in, and whether it was won."""

Apply = Callable[[Any, Mapping[str, Setting]], Any]
"""Sets an environment to some settings before it is reset; may return another environment to take its place."""


def method(env: Any, settings: Mapping[str, Setting]) -> None:
    """Apply settings by the environment's own method `set_settings`."""
    env.get_wrapper_attr("set_settings")(settings)


def retuned(env: Any, apply: Apply = method, mixture: Distribution | None = None) -> Any:
    """Return the environment in a `gymnasium.Wrapper`; without a mixture it is as it came until one is set.

    Raises:
        ExtraMissing: Gymnasium is not installed.
    """
    try:
        import gymnasium
    except ImportError as error:
        raise ExtraMissing(
            f"what changes settings between episodes needs Gymnasium ({error}): pip install 'palaestra[gymnasium]'"
        ) from error

    class Retuned(gymnasium.Wrapper):  # type: ignore[misc]
        """Draws a cell before each episode."""

        def __init__(self) -> None:
            super().__init__(env)
            self._mixture, self._rng = mixture, np.random.default_rng()
            self.env: Any
            self._cell: Cell | None = None

        def set_mixture(self, mixture: Distribution) -> None:
            """Play another mixture from the next episode on."""
            self._mixture = mixture

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            if seed is not None:
                self._rng = np.random.default_rng(seed)
                # what `apply` draws from it is the seed's too
                self.env.unwrapped.np_random, _ = gymnasium.utils.seeding.np_random(seed)
            if self._mixture is not None:
                self._cell = cell = self._mixture.sample(self._rng)
                other = apply(self.env, dict(cell.knobs))
                if other is not None:
                    self.env = other
                    if seed is None:  # it knows nothing of the seed that came first
                        seed = int(self._rng.integers(2**31))
            return self.env.reset(seed=seed, options=options)

        def step(self, action: Any) -> Any:
            observation, reward, terminated, truncated, info = self.env.step(action)
            if (terminated or truncated) and self._cell is not None:
                info = {**info, CELL: self._cell}
            return observation, reward, terminated, truncated, info

    return Retuned()


def episode(info: Mapping[str, Any], ret: float | None, steps: int, truncated: bool, won: float | None) -> Episode:
    """Return an episode as its last `info` tells it.

    Args:
        info: says success as `is_success`, and the cell where the environment is `retuned`.
        ret: the return, None where nobody kept it.
        steps: the length.
        truncated: whether a limit of time cut it off.
        won: the return from which on an episode is won, where `info` does not say.

    Raises:
        ConfigError: there is no telling whether it was won.
    """
    if (success := info.get(SUCCESS)) is None:
        if won is None or ret is None:
            missing = f"`won` is {won} and the return {'not known' if ret is None else ret}"
            raise ConfigError(
                f"an episode ended without `{SUCCESS}` in its info, and {missing}; say one of them, or give `won`, "
                "the return from which on it is won, and record returns (Monitor, RecordEpisodeStatistics)"
            )
        success = ret >= won
    return Episode(info.get(CELL), bool(success), None if ret is None else float(ret), int(steps), bool(truncated))
