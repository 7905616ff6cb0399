"""secrecy: another secret under the same public part changes nothing that is shown."""

from collections.abc import Iterator
from typing import Any

from palaestra.core.environment import Sealed
from palaestra.envs.check.case import Case

RESEALS = 4


def secrecy(case: Case) -> Iterator[str]:
    """Resealed states look alike in text and picture; what has nothing to reseal is told by its first view alone."""
    if isinstance(case.env, Sealed):
        changed = 0
        for state in case.states(3):
            shown = _shown(case, state)
            for seed in range(RESEALS):
                other = case.env.reseal(state, seed)
                changed += other != state
                if case.env.public(other) != case.env.public(state):
                    yield "the public part tells two secrets apart: it may hold only what a player could have seen"
                elif _shown(case, other) != shown:
                    yield "the view tells two secrets apart"
        if not changed:
            yield "reseal never changed the state: it must draw another secret"
    if "hidden" not in case.env.spec.tags:
        problems: dict[Any, bytes] = {}
        for scale in case.scales[:3]:
            for instance in case.instances(scale, 4 * case.effort.instances):
                state = case.state(instance)
                public, problem = case.env.public(state), case.env.problem(state)
                if problems.setdefault(public, problem) != problem:
                    yield f"{instance.key()}: what is shown at first leaves the problem open; is it tagged hidden?"


def _shown(case: Case, state: Any) -> tuple[object, ...]:
    view = case.view(state, 96)
    return (*view.texts().items(), view.image, view.scene)
