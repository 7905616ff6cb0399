"""How many instances others make, and draw where they draw, of the same task in a second of one core.

Both sides of a task make fresh instances in turns, block by block, in one process; the ratio is the median over the
blocks, so a noisy machine troubles both alike. A peer that is not installed, or not as it was, is `not comparable`, and
why. `unlike` says what one side does beyond the other.

To compare with one more, write a function that imports it and returns its maker, and add a line to `TASKS`.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from statistics import median
from time import process_time
from typing import Any, NamedTuple

from palaestra.core.environment import Environment
from palaestra.core.instance import Setting, knobs
from palaestra.envs import registry

BLOCKS, BLOCK, CAP = 5, 40, 0.5
"""Blocks of a task, instances in a block, and the seconds of one side after which a block ends early."""

NOT_COMPARABLE = "not comparable"

Maker = Callable[[int], object]
"""Makes, and draws, the instance of a seed."""


class Task(NamedTuple):
    """The peer and its maker, our environment at a scale with knobs, how wide it is drawn (0: text), what differs."""

    peer: str
    maker: Callable[[], Maker]
    env_id: str
    scale: int
    settings: Mapping[str, Setting] = {}
    pixels: int = 0
    unlike: str = ""


def _frozen_lake() -> Maker:
    import gymnasium
    from gymnasium.envs.toy_text.frozen_lake import generate_random_map

    def make(seed: int) -> object:
        board = generate_random_map(size=8)
        env = gymnasium.make("FrozenLake-v1", desc=board, render_mode="rgb_array").unwrapped
        env.reset(seed=seed)
        return env.render()

    return make


def _door_key() -> Maker:
    import gymnasium
    import minigrid  # noqa: F401  registers its environments

    env: Any = gymnasium.make("MiniGrid-DoorKey-8x8-v0", render_mode="rgb_array").unwrapped

    def make(seed: int) -> object:
        env.reset(seed=seed)
        return env.get_frame(highlight=False, tile_size=56)

    return make


def _pogema() -> Maker:
    from pogema import GridConfig, pogema_v0

    def make(seed: int) -> object:
        config = GridConfig(num_agents=2, size=8, density=0.3, seed=seed, max_episode_steps=64)
        return pogema_v0(grid_config=config).reset()

    return make


def _reasoning_gym(name: str, **settings: object) -> Callable[[], Maker]:
    def maker() -> Maker:
        import reasoning_gym

        made: Maker = reasoning_gym.create_dataset(name, size=1 << 20, seed=0, **settings).__getitem__
        return made

    return maker


def _textarena(name: str) -> Callable[[], Maker]:
    def maker() -> Maker:
        import textarena

        env = textarena.make(name)

        def make(seed: int) -> object:
            env.reset(num_players=1, seed=seed)
            return env.get_observation()

        return make

    return maker


_SQUARE = {"min_w": 7, "max_w": 7, "min_h": 7, "max_h": 7, "min_boxes": 3, "max_boxes": 3}
TASKS: Mapping[str, Task] = {
    "frozen_lake": Task(
        "gymnasium", _frozen_lake, "grid/frozen_lake", 2, {"rows": 8, "columns": 8, "holes": 0.2}, 512
    ),
    "door_key": Task("minigrid", _door_key, "grid/key_door", 0, {"rows": 8, "columns": 8}, 448),
    "two_agents": Task(
        "pogema", _pogema, "planning/mapf_frozen_lake", 5, {"size": 8, "holes": 0.3}, unlike="ours are jointly solvable"
    ),
    "mini_sudoku": Task("reasoning_gym", _reasoning_gym("mini_sudoku"), "logic/mini_sudoku", 2),
    "futoshiki": Task(
        "reasoning_gym", _reasoning_gym("futoshiki", min_board_size=5, max_board_size=5), "logic/futoshiki", 2
    ),
    "sokoban": Task(
        "reasoning_gym", _reasoning_gym("sokoban", **_SQUARE), "puzzle/sokoban", 3,
        {"rows": 7, "columns": 7, "crates": 3},
    ),
    "jugs": Task("reasoning_gym", _reasoning_gym("jugs"), "puzzle/pour_jugs", 2),
    "life": Task(
        "reasoning_gym", _reasoning_gym("game_of_life"), "arithmetic/cell_automaton", 2,
        unlike="theirs is a board of 10 x 10",
    ),
    "lights_out": Task("textarena", _textarena("LightsOut-v0"), "puzzle/lights_out", 3, {"gaps": 0}),
    "mines": Task(
        "textarena", _textarena("Minesweeper-v0"), "logic/minesweep", 4, unlike="ours are solved without guessing"
    ),
    "fifteen": Task(
        "textarena", _textarena("FifteenPuzzle-v0"), "puzzle/sliding_tiles", 5, unlike="ours are all solvable"
    ),
    "code": Task(
        "textarena", _textarena("Mastermind-v0"), "logic/code_break", 3, unlike="ours opens with some guesses"
    ),
}  # fmt: skip
"""Tasks by name."""


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what peers print to themselves."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):  # noqa: PTH123
        yield


def compared(task: Task) -> dict[str, Any]:
    """Return what both sides make in a second of processor time and their ratio, or why they are not comparable."""
    said: dict[str, Any] = {"peer": task.peer, "environment": task.env_id, "pixels": task.pixels}
    env = registry.get(task.env_id)
    try:
        with quiet():
            theirs = task.maker()
            theirs(0)
            _ours(env, task)(0)
            rates = [(_rate(_ours(env, task), k), _rate(theirs, k)) for k in range(BLOCKS)]
    except ImportError as error:
        return {**said, "ratio": NOT_COMPARABLE, "why": f"{task.peer} is not installed ({error})"}
    except Exception as error:  # another release of a peer may do anything
        return {**said, "ratio": NOT_COMPARABLE, "why": f"{task.peer}: {type(error).__name__}: {error}"}
    ours, other = zip(*rates, strict=True)
    ratio = median(a / b for a, b in rates)
    return {
        **said,
        "ours_per_s": round(median(ours), 1),
        "theirs_per_s": round(median(other), 1),
        "ratio": round(ratio, 2),
        "unlike": task.unlike,
    }


def _ours(env: Environment[Any, Any], task: Task) -> Maker:
    def make(seed: int) -> object:
        instance = env.spec.instance(task.scale, seed, knobs=knobs(task.settings))
        return env.view(env.public(env.reset(instance)), task.pixels)

    return make


def _rate(make: Maker, block: int) -> float:
    begun, made = process_time(), 0
    while made < BLOCK and process_time() - begun < CAP:
        made += 1
        make(block * BLOCK + made)
    return made / (process_time() - begun)
