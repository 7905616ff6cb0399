"""The lake as a PettingZoo environment."""

import pytest

pytest.importorskip("pettingzoo")
from pettingzoo.test import parallel_api_test

from palaestra.core.errors import BadInstance
from palaestra.integrations.pettingzoo import MOVES, parallel_env


@pytest.mark.parametrize("settings", [{}, {"size": 6, "agents": 4}, {"slip": 0.2}])
def test_it_passes_the_parallel_api_test(settings: dict[str, float]) -> None:
    parallel_api_test(parallel_env(pixels=0, **settings), num_cycles=100)


def test_the_oracles_plan_wins_here_and_all_are_paid_alike() -> None:
    env = parallel_env(scale=1)
    env.reset(seed=3)
    for reply in env.env.solve(env._state):
        joint = [line.partition(": ")[2] for line in reply.splitlines()]
        seen, rewards, terminated, truncated, infos = env.step(
            {agent: MOVES.index(move) for agent, move in zip(env.possible_agents, joint, strict=True)}
        )
    assert all(terminated.values())
    assert not any(truncated.values())
    assert all(info["success"] for info in infos.values())
    assert len(set(rewards.values())) == 1
    assert env.agents == []
    assert env.render().shape[2] == 3
    assert {plane.shape for plane in seen.values()} == {(6, 5, 5)}


def test_the_same_seed_gives_the_same_board_and_a_wrong_knob_is_refused() -> None:
    env = parallel_env(pixels=0)
    first = env.reset(seed=5)[0]
    assert all((env.reset(seed=5)[0][agent] == first[agent]).all() for agent in first)
    with pytest.raises(BadInstance):
        parallel_env(agents=9)
