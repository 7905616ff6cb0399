"""Let an engineer set a MiniGrid room while Stable-Baselines3 trains: how large it is, and how many balls roll in it.

    pip install 'palaestra[sb3,minigrid]'
    python examples/05_minigrid_stable_baselines3.py              # seconds, to see it work
    python examples/05_minigrid_stable_baselines3.py 120000       # minutes, to see it learn

A room is made anew for each episode: its size cannot be changed afterwards, and what the agent sees has one shape.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import gymnasium
from gymnasium.wrappers import FlattenObservation
from minigrid.envs import DynamicObstaclesEnv
from minigrid.wrappers import ImgObsWrapper
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

from palaestra.core.instance import Setting
from palaestra.core.space import Dial, Limit, Part, Space
from palaestra.engineer.retuner import Retuner
from palaestra.integrations.gymnasium import retuned
from palaestra.integrations.stable_baselines3 import callback

SIZE, BALLS = Dial("size", (5, 6, 8), "squares a side, walls included"), Dial("balls", (0, 1, 2, 3), "balls that roll")
FITS = Limit({"size": (5, 5)}, {"balls": (0, 2)})
SPACE = Space((Part("room", "MiniGrid-Dynamic-Obstacles", (SIZE, BALLS), limits=(FITS,)),))


def room(env: gymnasium.Env | None, settings: Mapping[str, Setting]) -> gymnasium.Env:
    """Return a room of these settings."""
    made = DynamicObstaclesEnv(size=int(settings["size"]), n_obstacles=int(settings["balls"]))
    return FlattenObservation(ImgObsWrapper(made))


def main(steps: int = 3_072) -> None:
    """Train in six stages, and print what each was set to and how often the goal was reached."""
    with TemporaryDirectory() as folder:
        retuner = Retuner(SPACE, "thresholds", Path(folder))
        start = {"size": 5, "balls": 0}
        env = make_vec_env(lambda: retuned(room(None, start), room, retuner.mixture), n_envs=4, seed=0)
        model = PPO("MlpPolicy", env, n_steps=128, batch_size=128, gamma=0.95, ent_coef=0.01, seed=0, device="cpu")
        # a goal pays between 0.1 and 1, a ball costs 1, running out of time pays nothing
        model.learn(steps, callback=callback(retuner, every=steps // 6, won=0.05))
        for number, stage in enumerate(retuner.stages):
            own = stage.settings["room"]
            print(f"stage {number}  size {own['size']}  balls {own['balls']}  reached {stage.success('room')}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
