"""Let an engineer set Gymnasium's FrozenLake while Stable-Baselines3 trains: three sizes, each with a share of holes.

    pip install 'palaestra[sb3]'
    python examples/04_frozen_lake_stable_baselines3.py              # seconds, to see it work
    python examples/04_frozen_lake_stable_baselines3.py 120000       # minutes, to see it learn

Every episode has a map of its own, so the agent is shown what lies around it instead of the number of its square.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import gymnasium
import numpy as np
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv, generate_random_map
from gymnasium.wrappers import TimeLimit
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

from palaestra.core.instance import Setting
from palaestra.core.space import Dial, Part, Space
from palaestra.engineer.retuner import Retuner
from palaestra.integrations.gymnasium import retuned
from palaestra.integrations.stable_baselines3 import callback

HOLES = Dial("holes", (0.0, 0.1, 0.2, 0.3), "share of holes")
SPACE = Space(tuple(Part(f"{n}x{n}", "FrozenLake-v1", (HOLES,), (("size", n),)) for n in (3, 4, 6)))


class Window(gymnasium.ObservationWrapper):
    """Shows the five by five squares around the agent and the way to the goal, in one shape for all maps."""

    def __init__(self, env: gymnasium.Env) -> None:
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(-1, 1, (77,), np.float32)

    def observation(self, square: int) -> np.ndarray:
        squares = self.unwrapped.desc
        row, column = divmod(square, len(squares))
        seen = np.pad(squares, 2, constant_values=b"W")[row : row + 5, column : column + 5]
        goal = 1 - np.array([row + 1, column + 1]) / len(squares)
        return np.concatenate([*((seen == kind).ravel() for kind in (b"H", b"W", b"G")), goal]).astype(np.float32)


def lake(env: gymnasium.Env | None, settings: Mapping[str, Setting]) -> gymnasium.Env:
    """Return a lake with a new map; the one before draws it, so that all follows from the first seed."""
    seed = int(env.np_random.integers(2**31)) if env else 0
    squares = generate_random_map(int(settings["size"]), p=1 - float(settings["holes"]), seed=seed)
    return Window(TimeLimit(FrozenLakeEnv(desc=squares, is_slippery=False), 40))


def main(steps: int = 3_072) -> None:
    """Train in six stages, and print what each was set to and how often its lakes were crossed."""
    with TemporaryDirectory() as folder:
        retuner = Retuner(SPACE, "thresholds", Path(folder))
        start = {"size": 3, "holes": 0.0}
        env = make_vec_env(lambda: retuned(lake(None, start), lake, retuner.mixture), n_envs=4, seed=0)
        model = PPO("MlpPolicy", env, n_steps=128, batch_size=128, gamma=0.95, seed=0, device="cpu")
        model.learn(steps, callback=callback(retuner, every=steps // 6, won=1.0))
        for number, stage in enumerate(retuner.stages):
            for part, own in stage.settings.items():
                print(f"stage {number}  {part}  holes {own['holes']:.1f}  crossed {stage.success(part)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
