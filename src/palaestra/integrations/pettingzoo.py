"""The multi-agent frozen lake as a PettingZoo `ParallelEnv`: every walker an agent, all of them moving at once.

    env = parallel_env(size=6, agents=3, holes=0.2)
    observations, infos = env.reset(seed=7)

An observation is a board [6, size, size] of zeros and ones: holes, the agent's place, its flag, the other walkers,
their flags, and a plane that says how much of the time is left. All share one reward; the boards, their splits and
their problems are those of `planning/mapf_lake_steps`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from palaestra.core.errors import ConfigError, ExtraMissing
from palaestra.core.instance import Setting, Split, knobs
from palaestra.envs import registry

_MISSING: ImportError | None = None
try:
    from gymnasium.spaces import Box, Discrete
    from pettingzoo import ParallelEnv
except ImportError as error:  # the file can be read without them
    ParallelEnv, _MISSING = object, error

MOVES = ("up", "right", "down", "left", "wait")
"""What the actions 0 to 4 do."""
PLANES = 6
Boards = dict[str, NDArray[np.float32]]


class MapfParallelEnv(ParallelEnv):  # type: ignore[misc]  # the base ships no types
    """One lake after the other; `reset` draws the board of its seed."""

    metadata = {"name": "mapf_lake_v1", "render_modes": ["rgb_array"], "is_parallelizable": True}  # noqa: RUF012

    def __init__(self, env: Any, scale: int, settings: dict[str, Setting], split: Split, pixels: int) -> None:
        self.env, self.scale, self.knobs, self.split, self.pixels = env, scale, knobs(settings), split, pixels
        self.render_mode = "rgb_array" if pixels else None
        public = env.public(env.reset(env.spec.instance(scale, 0, split, self.knobs)))
        self.possible_agents = [name for name, _ in env.view(public, 0).answer.fields]
        self.agents: list[str] = []
        shape = (PLANES, public.lake.size, public.lake.size)
        self.observation_spaces = {agent: Box(0.0, 1.0, shape, np.float32) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(len(MOVES)) for agent in self.possible_agents}
        self._next = 0

    def observation_space(self, agent: str) -> Any:
        """Return what an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return what an agent may do: one of MOVES."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Boards, dict[str, Any]]:
        """Return the observations of a new board: that of the seed, else of the one after the last."""
        seed = self._next if seed is None else seed
        self._next, self.agents = seed + 1, self.possible_agents[:]
        self._state = self.env.reset(self.env.spec.instance(self.scale, seed, self.split, self.knobs))
        self._horizon = self.env.horizon(self._state)
        return self._observed(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[Boards, dict[str, float], dict[str, bool], dict[str, bool], Any]:
        """Move all at once; whoever is given no action waits."""
        moves = tuple(MOVES[int(actions.get(agent, len(MOVES) - 1))] for agent in self.possible_agents)
        step = self.env.step(self._state, moves)
        self._state = step.state
        over = not step.done and self.env.public(step.state).time >= self._horizon
        agents = self.agents
        infos = {agent: {"success": step.success, "events": step.events} for agent in agents}
        if step.done or over:
            self.agents = []
        shared = dict.fromkeys(agents, float(step.reward))
        return self._observed(), shared, dict.fromkeys(agents, step.done), dict.fromkeys(agents, over), infos

    def render(self) -> NDArray[np.uint8] | None:
        """Return the picture of the board as RGB [height, width, 3], None where no picture was asked for."""
        image = self.env.view(self.env.public(self._state), self.pixels).image
        return None if image is None else image.rgb()

    def close(self) -> None:
        """Nothing is held open."""

    def state(self) -> NDArray[np.float32]:
        """Return the observations of all agents on one another."""
        return np.concatenate(list(self._observed().values()))

    def _observed(self) -> Boards:
        public = self.env.public(self._state)
        lake, here = public.lake, list(public.cells)
        planes = np.zeros((len(here), PLANES, lake.size * lake.size), np.float32)
        planes[:, 0] = np.frombuffer(lake.cells, np.uint8)
        for k in range(len(here)):
            planes[k, 1, here[k]] = planes[k, 2, lake.goals[k]] = 1
            planes[k, 3, here[:k] + here[k + 1 :]] = 1
            planes[k, 4, [goal for other, goal in enumerate(lake.goals) if other != k]] = 1
        planes[:, 5] = max(0.0, 1 - public.time / self._horizon)
        return dict(zip(self.possible_agents, planes.reshape(len(here), PLANES, lake.size, lake.size), strict=True))


def parallel_env(
    scale: int = 0,
    *,
    split: Split = Split.TRAIN,
    pixels: int = 448,
    env_id: str = "planning/mapf_lake_steps",
    **settings: Setting,
) -> MapfParallelEnv:
    """Return the lake as a `ParallelEnv`, at a scale, or as knobs such as `size=6, agents=3` say.

    Raises:
        BadInstance: there is no such scale or knob.
        ConfigError: `env_id` names another kind of environment.
        ExtraMissing: PettingZoo is not installed.
    """
    if _MISSING is not None:
        raise ExtraMissing("this is a PettingZoo environment: pip install 'palaestra[pools]'") from _MISSING
    env = registry.find(env_id)
    if not hasattr(env.public(env.reset(env.spec.instance(scale, 0))), "lake") or env.spec.horizon == 1:
        raise ConfigError(f"{env_id} is no lake that is walked in steps; take planning/mapf_lake_steps")
    return MapfParallelEnv(env, scale, settings, split, pixels)
