"""The pool as a whole: how many of each kind, what is held out, and that a planted world cannot simply be searched."""

from time import monotonic

import numpy as np
import pytest

from palaestra.core.environment import turn
from palaestra.envs import registry
from palaestra.envs.held_out import HELD_OUT

SPECS = {env_id: env.spec for env_id, env in registry.pool().items()}
LEAST = {"single_turn": 36, "multi_turn": 36, "hidden": 10, "continuous": 8, "inferred": 6, "planted": 12}
SECOND = 1.0


@pytest.mark.parametrize(("tag", "least"), LEAST.items())
def test_there_are_enough_of_every_kind(tag: str, least: int) -> None:
    assert sum(tag in spec.tags for spec in SPECS.values()) >= least


def test_eighty_environments_and_more_fill_twelve_families_of_like_size() -> None:
    families = [spec.family for spec in SPECS.values()]
    assert len(families) >= 80
    large = [family for family in {*families} if families.count(family) >= 6]
    assert len(large) >= 12


def test_held_out_are_eight_of_several_families_and_one_family_whole() -> None:
    assert SPECS.keys() >= HELD_OUT
    assert {env_id for env_id in SPECS if env_id.startswith("gui/")} <= HELD_OUT
    near = [env_id.partition("/")[0] for env_id in HELD_OUT if not env_id.startswith("gui/")]
    assert len(near) == len(set(near)) == 8


def test_whoever_trains_meets_every_kind_of_answer_that_is_asked_for_held_out() -> None:
    kinds = {env_id: registry.get(env_id) for env_id in SPECS}
    asked = {
        env_id: {type(env.view(env.public(env.reset(env.spec.instance(0, 0))), 0).answer).__name__}
        for env_id, env in kinds.items()
    }
    trained = set().union(*(found for env_id, found in asked.items() if env_id not in HELD_OUT))
    assert set().union(*(asked[env_id] for env_id in HELD_OUT)) <= trained


@pytest.mark.slow
@pytest.mark.parametrize("env_id", [env_id for env_id, spec in SPECS.items() if "planted" in spec.tags])
def test_a_second_of_blind_search_wins_no_planted_world_at_its_top_scale(env_id: str) -> None:
    env = registry.get(env_id)
    won = 0
    for seed in range(5):
        state = env.reset(env.spec.instance(len(env.spec.scales) - 1, seed))
        rng, begun, seen, edge = np.random.default_rng(seed), monotonic(), {state}, [state]
        while monotonic() - begun < SECOND and edge:  # breadth first, through replies drawn at random
            here = edge[0]
            view = env.view(env.public(here), 0)
            fresh = []
            for _ in range(16):
                _, step = turn(env, here, view, view.answer.sample(rng))
                won += step.success
                if not step.done and step.state not in seen:
                    fresh.append(step.state)
                    seen.add(step.state)
            edge = edge[1:] + fresh if env.spec.horizon > 1 else edge
    assert won == 0
