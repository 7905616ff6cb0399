"""How a fault is planted: a class with one thing wrong, the check that must find it, and what the check must say.

==============  =======================================================
``rules``       oracle, rewards, guessing
``replies``     replies, events
``repetition``  determinism, purity
``problems``    splits, difficulty, knobs, secrecy, spec
``words``       ladder
``pictures``    picture, speed
==============  =======================================================

To add a fault, subclass a sound environment in the file of its check, and change one thing.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from palaestra.core.environment import Environment


class Fault(NamedTuple):
    """A faulty environment, the id of the sound one below it, and the check that must find the fault and say so."""

    name: str
    env: Environment[Any, Any]
    sound: str
    check: str
    says: str


FAULTS: list[Fault] = []


def planted(check: str, says: str) -> Callable[[type], Environment[Any, Any]]:
    """Plant a class into `FAULTS`. Its name becomes its only instance, so that a fresh process finds that by name."""

    def plant(kind: type) -> Environment[Any, Any]:
        env: Environment[Any, Any] = kind()
        sound: Any = kind.__mro__[1]
        FAULTS.append(Fault(kind.__name__, env, sound.spec.id, check, says))
        return env

    return plant
