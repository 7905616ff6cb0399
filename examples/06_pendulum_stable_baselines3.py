"""Let an engineer set the physics of Gymnasium's Pendulum while Stable-Baselines3 trains: gravity, mass and length.

    pip install 'palaestra[sb3]'
    python examples/06_pendulum_stable_baselines3.py              # seconds, to see it work
    python examples/06_pendulum_stable_baselines3.py 100000       # minutes, to see it learn

The motor stays as weak as it is. Under little gravity it lifts the rod at once; under much it has to swing it up.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

from palaestra.core.instance import Setting
from palaestra.core.space import Dial, Part, Space
from palaestra.engineer.retuner import Retuner
from palaestra.integrations.gymnasium import retuned
from palaestra.integrations.stable_baselines3 import callback

GRAVITY = Dial("gravity", (2.0, 4.0, 6.0, 8.0, 10.0), "m/s2")
MASS, LENGTH = Dial("mass", (0.8, 0.9, 1.0, 1.1, 1.2), "kg"), Dial("length", (0.8, 0.9, 1.0, 1.1, 1.2), "m")
SPACE = Space((Part("rod", "Pendulum-v1", (GRAVITY, MASS, LENGTH)),))


class Upright(gymnasium.Wrapper):
    """Says whether the rod stands within some fifteen degrees of upright, and slowly, when the time is up."""

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = self.env.step(action)
        if truncated:
            info["is_success"] = bool(observation[0] > 0.97 and abs(observation[2]) < 1)
        return observation, reward, terminated, truncated, info


def physics(env: gymnasium.Env, settings: Mapping[str, Setting]) -> None:
    """Set what the simulation reads at each step."""
    rod = env.unwrapped
    rod.g, rod.m, rod.l = (float(settings[name]) for name in ("gravity", "mass", "length"))


def main(steps: int = 4_800) -> None:
    """Train in six stages, and print what each was set to and how often the rod stood in the end."""
    with TemporaryDirectory() as folder:
        retuner = Retuner(SPACE, "thresholds", Path(folder))
        env = make_vec_env(
            lambda: retuned(Upright(gymnasium.make("Pendulum-v1", max_episode_steps=100)), physics, retuner.mixture),
            n_envs=4,
            seed=0,
        )
        model = PPO(
            "MlpPolicy", env, n_steps=200, batch_size=200, gamma=0.9, gae_lambda=0.95, learning_rate=1e-3, use_sde=True,
            sde_sample_freq=4, seed=0, device="cpu",
        )  # fmt: skip
        model.learn(steps, callback=callback(retuner, every=steps // 6))
        for number, stage in enumerate(retuner.stages):
            own = ", ".join(f"{name} {value}" for name, value in stage.settings["rod"].items() if name != "weight")
            print(f"stage {number}  {own}  stood {stage.success('rod')}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
