"""Abilities are real: words serve several worlds, weak and strong play exercise many, and tell one from the other."""

import inspect
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType

import pytest

from palaestra.core.ticket import Group
from palaestra.envs import registry
from palaestra.envs.kit.events import VOCABULARY
from palaestra.measure.profiles import profile
from palaestra.measure.vocabulary import ABILITY, SILENT
from palaestra.pipeline.measure import MeasureConfig, tickets
from palaestra.rollout.play import play
from palaestra.rollout.policies import EpsilonOracle, Random

pytestmark = pytest.mark.xdist_group("abilities")  # the pool is played once

WEAK, STRONG = Random(), EpsilonOracle(0.15)


@cache
def played() -> Mapping[str, Mapping[str, Sequence[Group]]]:
    """What both players did in every environment: five instances spread over its scales, twice each."""
    found: dict[str, dict[str, Sequence[Group]]] = {}
    for env_id in registry.ids():
        pool = registry.pool([env_id])
        orders = tickets(MeasureConfig((env_id,), instances=5, rollouts=2), pool)
        players = {"weak": WEAK, "strong": STRONG}
        found[env_id] = {side: play(orders[side], pool, player, pixels=0) for side, player in players.items()}
    return found


def _modules(env: object) -> list[ModuleType]:
    """The module of an environment, and those that its family shares with it."""
    home = sys.modules[type(env).__module__]
    family = home.__name__.rpartition(".")[0]
    named = {getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in vars(home).values()}
    return [home, *(sys.modules[name] for name in sorted(named) if name.startswith(f"{family}._"))]


def events(groups: Sequence[Group]) -> Counter[str]:
    return Counter(
        event for group in groups for member in group.trajectories for turn in member.turns for event in turn.events
    )


def core() -> dict[str, set[str]]:
    """The environments in which each ability is core."""
    found: dict[str, set[str]] = defaultdict(set)
    for env_id, sides in played().items():
        for ability in profile(env_id, [*sides["weak"], *sides["strong"]]).core:
            found[ability].add(env_id)
    return found


def test_no_episode_failed() -> None:
    errors = {
        env_id: member.error
        for env_id, sides in played().items()
        for groups in sides.values()
        for group in groups
        for member in group.trajectories
        if member.error
    }
    assert errors == {}


def test_every_event_is_used_by_several_environments() -> None:
    used: dict[str, set[str]] = {word: set() for word in VOCABULARY}
    for env_id, sides in played().items():
        source = "".join(map(inspect.getsource, _modules(registry.get(env_id))))
        for word in {*events(sides["weak"]), *events(sides["strong"]), *(w for w in used if f'"{w}"' in source)}:
            used[word].add(env_id)
    lonely = {word: sorted(env_ids) for word, env_ids in used.items() if len(env_ids) < 2}
    assert lonely == {"reply_unreadable": []}  # said by the rule of turns, in every world


def test_every_event_speaks_of_an_ability_or_is_known_to_speak_of_none() -> None:
    assert VOCABULARY.keys() == ABILITY.keys() | SILENT


def test_weak_and_strong_play_exercise_forty_core_abilities_at_least() -> None:
    assert len(core()) >= 40


def test_most_core_abilities_occur_in_several_families() -> None:
    families = {ability: {env_id.partition("/")[0] for env_id in env_ids} for ability, env_ids in core().items()}
    shared = [ability for ability, found in families.items() if len(found) >= 2]
    assert len(shared) >= 0.6 * len(families), sorted(families.keys() - set(shared))


@pytest.mark.parametrize("env_id", registry.ids())
def test_weak_and_strong_play_have_other_profiles(env_id: str) -> None:
    weak, strong = (events(played()[env_id][side]) for side in ("weak", "strong"))
    apart = sum(abs(weak[word] / weak.total() - strong[word] / strong.total()) for word in weak | strong) / 2
    assert apart >= 0.1
